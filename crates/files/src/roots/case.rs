//! Whether a file system tells names apart by case.

use std::collections::BTreeSet;

use cap_std::fs::{Dir, MetadataExt as _};

/// Entries looked at to find one whose name has letters.
const LOOKED_AT_MAX: usize = 200;

/// Whether a file of `dir` is found by its name in the other case as well. A folder that holds
/// both spellings tells them apart, even if they are links to one file.
pub(super) fn ignores_case(dir: &Dir) -> bool {
    let Ok(entries) = dir.entries() else { return false };
    let names: BTreeSet<String> = entries
        .take(LOOKED_AT_MAX)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    for name in &names {
        let other = other_case(name);
        if other == *name {
            continue;
        }
        let Ok(file) = dir.symlink_metadata(name) else { continue };
        return !names.contains(&other)
            && dir
                .symlink_metadata(&other)
                .is_ok_and(|same| (same.dev(), same.ino()) == (file.dev(), file.ino()));
    }
    false
}

/// `name` with the case of its ASCII letters turned round.
fn other_case(name: &str) -> String {
    let turn = |letter: char| {
        if letter.is_ascii_uppercase() {
            letter.to_ascii_lowercase()
        } else {
            letter.to_ascii_uppercase()
        }
    };
    name.chars().map(turn).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(names: &[&str], linked: Option<(&str, &str)>) -> bool {
        let folder = tempfile::tempdir().expect("a folder");
        let dir = Dir::open_ambient_dir(folder.path(), cap_std::ambient_authority()).expect("it");
        for name in names {
            dir.write(name, "").expect("written");
        }
        if let Some((from, to)) = linked {
            dir.hard_link(from, &dir, to).expect("linked");
        }
        ignores_case(&dir)
    }

    /// Temporary folders are on a file system that tells cases apart, save on macOS.
    #[test]
    #[cfg(target_os = "linux")]
    fn linux_tells_cases_apart() {
        assert!(!check(&[], None));
        assert!(!check(&["1", "2"], None));
        assert!(!check(&["1", "a"], None));
        assert!(!check(&["a", "A"], None));
        // One file by both spellings, which is no sign of ignoring case if both are listed.
        assert!(!check(&["a"], Some(("a", "A"))));
    }

    #[test]
    fn other_cases_are_of_every_letter() {
        assert_eq!(other_case("Cargo.toml-1"), "cARGO.TOML-1");
    }
}
