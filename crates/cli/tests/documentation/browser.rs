//! Where a browser draws the texts of a picture: Chromium runs without a window and measures them.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::world::World;

const PROGRAMS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Writes the measured texts into the page as JSON of ASCII characters without markup.
const SCRIPT: &str = r#"
const edge = box => [box.x, box.y, box.x + box.width, box.y + box.height];
const pictures = [...document.querySelectorAll("svg")].map(svg => ({
    size: edge(svg.viewBox.baseVal),
    boxes: [...svg.querySelectorAll("rect")].map(rect => edge(rect.getBBox())),
    texts: [...svg.querySelectorAll("text")].filter(text => text.getNumberOfChars()).map(text => {
        const letters = [...Array(text.getNumberOfChars()).keys()];
        const base = text.getStartPositionOfChar(0).y;
        return {
            text: text.textContent,
            base,
            starts: letters.map(at => text.getStartPositionOfChar(at).x),
            end: text.getEndPositionOfChar(letters.length - 1).x,
        };
    }),
}));
const ascii = JSON.stringify(pictures).replace(/[<>&\u0080-\uffff]/g,
    sign => "\\u" + sign.charCodeAt(0).toString(16).padStart(4, "0"));
document.body.innerHTML = `<pre>${ascii}</pre>`;
"#;

/// A picture as a browser draws it. Boxes are left, top, right and bottom.
#[derive(Debug, Deserialize)]
pub(super) struct DrawnPicture {
    pub(super) size: [f64; 4],
    pub(super) boxes: Vec<[f64; 4]>,
    pub(super) texts: Vec<DrawnText>,
}

/// A text as a browser draws it.
#[derive(Debug, Deserialize)]
pub(super) struct DrawnText {
    pub(super) text: String,
    /// The y coordinate of its base line.
    pub(super) base: f64,
    /// The x coordinate of each drawn character.
    pub(super) starts: Vec<f64>,
    pub(super) end: f64,
}

/// Returns the pictures as Chromium draws them; `None` where there is no Chromium.
pub(super) fn draw_pictures(world: &World, pictures: &[String]) -> Option<Vec<DrawnPicture>> {
    let answers = |program: &&&str| Command::new(program).arg("--version").output().is_ok();
    let Some(program) = PROGRAMS.iter().find(answers) else {
        eprintln!("skipped: there is no Chromium");
        return None;
    };
    let page = format!(
        "<!doctype html><meta charset=\"utf-8\"><body>{}<script>{SCRIPT}</script>",
        pictures.concat()
    );
    world.write("page.html", page);
    let folder = fs::canonicalize(&world.folder).expect("the test's folder");
    let output = run_browser(program, &folder);
    let json = output.split_once("<pre>").and_then(|(_, rest)| rest.split_once("</pre>"));
    let (json, _) = json.unwrap_or_else(|| panic!("nothing is measured: {output}"));
    Some(serde_json::from_str(json).expect("JSON"))
}

fn run_browser(program: &str, folder: &Path) -> String {
    let output = Command::new(program)
        // The sandbox of Chromium does not start for root.
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("file://{}", folder.join("page.html").display()))
        .output()
        .expect("Chromium starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
