//! The table of all settings on the page `docs/settings.md`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::setting_keys::setting_keys;

/// The lines around the table.
const TABLE_BEGIN: &str = "<!-- Generated from `UserSettings` by `cargo test -p foveal-settings \
                           rewrite_settings_table -- --ignored`. -->\n\n";
const TABLE_END: &str = "\n<!-- The end of the generated table. -->\n";

/// Returns the page with the current table.
fn update_page(page: &str) -> String {
    let (before, rest) = page.split_once(TABLE_BEGIN).expect("the page has a table");
    let (_, after) = rest.split_once(TABLE_END).expect("the table has an end");
    format!("{before}{TABLE_BEGIN}{}{TABLE_END}{after}", settings_table())
}

/// Returns the table of all settings in Markdown.
fn settings_table() -> String {
    let mut table = String::from("| setting | value | default | meaning |\n|---|---|---|---|\n");
    for key in setting_keys() {
        let default = key.default_value.as_ref().map(|value| format!("`{value}`"));
        let row = [
            format!("`{}`", key.name),
            key.expected_value(),
            default.unwrap_or_default(),
            key.description.clone(),
        ];
        table += &format!("| {} |\n", row.join(" | "));
    }
    table
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/settings.md")
}

#[test]
fn the_table_of_settings_is_current() {
    let page = fs::read_to_string(path()).expect("the page is there");
    assert!(
        page == update_page(&page),
        "docs/settings.md is stale: run `cargo test -p foveal-settings rewrite_settings_table -- \
         --ignored`"
    );
}

#[test]
#[ignore = "writes docs/settings.md"]
fn rewrite_settings_table() {
    let page = fs::read_to_string(path()).expect("the page is there");
    fs::write(path(), update_page(&page)).expect("docs can be written");
}
