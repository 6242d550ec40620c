//! Searches that the documentation shows, made on this repository as a reader would.

use std::path::Path;

use serde_json::Value;

use crate::world::World;

/// Where the guide of searching has its examples.
const GUIDE: &str = include_str!("../../../docs/search.md");

/// What the guide asks, and the place that answers it: its file and its name.
const EXAMPLES: [(&str, &str, &str); 3] = [
    ("how user settings are read", "crates/settings/src/settings_file.rs", "read_user_settings"),
    // What it is called and where it stands count here: by words alone others come first.
    ("which files may hold secrets", "crates/index/src/secrets.rs", "may_hold_secrets"),
    (
        "price of a model at an upstream",
        "crates/gateway/src/request_prices.rs",
        "upstream_price_card",
    ),
];

/// The questions of the guide's examples.
fn questions() -> Vec<&'static str> {
    GUIDE.lines().filter_map(|line| line.strip_prefix("foveal search ")).collect()
}

#[test]
fn the_examples_of_the_guide_find_the_right_place_first() {
    let asked: Vec<&str> = EXAMPLES.iter().map(|(question, ..)| *question).collect();
    assert_eq!(questions(), asked, "an example of docs/search.md whose answer nobody checks");
    let world = World::new("documented_search");
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (question, path, name) in EXAMPLES {
        let mut command = world.command("search --json --limit 5");
        command.args(question.split(' ')).arg("--path").arg(&repository);
        let ran = world.ran(&mut command);
        assert_eq!(ran.code, Some(0), "{question}: {}", ran.err);
        let found: Value = serde_json::from_str(&ran.out).expect("JSON");
        let first = &found["hits"][0];
        assert_eq!((&first["path"], &first["name"]), (&path.into(), &name.into()), "{question}");
    }
}
