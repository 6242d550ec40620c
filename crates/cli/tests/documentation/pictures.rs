//! Pictures in docs: each text is drawn where its characters stand.

use std::fs;
use std::path::Path;

/// Width of a character in the pictures of the screen.
const CELL_WIDTH: f64 = 8.4;

/// Browsers collapse blanks in text, unless its own element preserves them, and then spread the
/// remaining letters over `textLength`.
#[test]
fn no_text_of_a_picture_depends_on_blanks() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/picture");
    let mut texts = 0;
    for entry in fs::read_dir(folder).expect("a folder of pictures") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "svg") {
            continue;
        }
        let svg = fs::read_to_string(&path).expect("a picture");
        for element in svg.split("<text ").skip(1) {
            let (attributes, rest) = element.split_once('>').expect("a tag");
            let text = rest.split_once("</text>").expect("a text").0;
            let shown = format!("{}: {attributes}>{text}", path.display());
            if !attributes.contains("xml:space=\"preserve\"") {
                assert!(!text.contains("  ") && text.trim() == text, "{shown}");
            }
            if let Some((_, length)) = attributes.split_once("textLength=\"") {
                let length = length.split('"').next().expect("a value");
                let plain = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
                let wide = plain.chars().count() as f64 * CELL_WIDTH;
                assert_eq!(length, format!("{wide:.1}"), "{shown}");
            }
            texts += 1;
        }
    }
    assert!(texts > 100, "{texts}");
}
