//! Property tests of the listings of outlines.

use std::path::Path;

use proptest::prelude::*;

use crate::generated_text::{SOURCES, mutated, path, short_text};
use crate::invariants::outline_listing;
use crate::structure::PATHS;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes(path in path(), bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        outline_listing(path, &String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_text(path in path(), text in short_text()) {
        outline_listing(path, &text);
    }

    #[test]
    fn broken_code(path in path(), text in mutated()) {
        outline_listing(path, &text);
    }
}

#[test]
fn the_sources_of_this_crate_hold() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(&folder).expect("a readable folder") {
            let path = path.expect("a readable folder").path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path)
                && text.len() < 100_000
            {
                outline_listing(&path.to_string_lossy(), &text);
            }
        }
    }
}

#[test]
fn sources_hold_as_files_of_any_language() {
    for source in SOURCES {
        for path in PATHS {
            outline_listing(path, source);
        }
    }
}
