//! Names of files that a command may take for its options: `sed -i s/a/b/ *` beside a file `-e1eid`.
//!
//! It is looked for before the command starts. Whoever makes such a file a moment later is not
//! seen: that is what a command does which was allowed, and foveal tells of such files.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use foveal_effects::CommandLine;

/// Names in one folder that are looked at; a folder with more counts as one that holds such a name.
const NAMES_MAX: usize = 10_000;
/// Names in all folders below that are looked at; what is beyond is not.
const BELOW_MAX: usize = 10_000;
/// Folders that one line may be in.
const FOLDERS_MAX: usize = 32;

/// Whether `line`, which begins in `start`, may come across such a name: in a folder in which it
/// may be, or one above up to the nearest of `tops`, since version control names files from there; or
/// below, where blanks in a name make several words of it. So too if a folder is not told.
pub(crate) fn may_meet_option(line: &CommandLine, start: &Path, tops: &[&Path]) -> bool {
    let Some(folders) = folders(line, start) else { return true };
    let is_in_top = |folder: &Path| tops.iter().any(|top| folder.starts_with(top));
    let above = |folder: &Path| {
        let above = folder.ancestors().skip(1).take_while(|it| is_in_top(it));
        above.map(Path::to_owned).collect::<Vec<_>>()
    };
    let around: BTreeSet<PathBuf> = folders.iter().flat_map(|folder| above(folder)).collect();
    folders.union(&around).any(|folder| holds_option(folder, NAMES_MAX))
        || folders.iter().any(|folder| holds_option_below(folder))
}

/// The folders in which a line may be; `None`: that is not told.
fn folders(line: &CommandLine, start: &Path) -> Option<BTreeSet<PathBuf>> {
    let mut folders = BTreeSet::from([start.to_owned()]);
    for folder in &line.folders {
        let folder = folder.as_deref()?;
        let more: Vec<PathBuf> = folders.iter().map(|from| from.join(folder)).collect();
        folders.extend(more);
        if folders.len() > FOLDERS_MAX {
            return None;
        }
    }
    Some(folders)
}

/// Whether a name in a folder, or one of its own, is like an option, or it has more than so many.
fn holds_option(folder: &Path, names_max: usize) -> bool {
    if folder.components().any(|part| is_like_option(part.as_os_str())) {
        return true;
    }
    let Ok(entries) = std::fs::read_dir(folder) else { return folder.exists() && folder.is_dir() };
    let mut seen = 0;
    entries.into_iter().any(|entry| {
        seen += 1;
        seen > names_max || entry.map_or(true, |entry| is_like_option(&entry.file_name()))
    })
}

/// Whether a name below a folder has an option behind a blank.
fn holds_option_below(folder: &Path) -> bool {
    let mut waiting = vec![folder.to_owned()];
    let mut seen = 0;
    while let Some(folder) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            seen += 1;
            if seen > BELOW_MAX {
                return false;
            }
            let name = entry.file_name();
            if name.as_encoded_bytes().iter().any(u8::is_ascii_whitespace) && is_like_option(&name)
            {
                return true;
            }
            if name != ".git" && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                waiting.push(entry.path());
            }
        }
    }
    false
}

/// Whether a name, or a word that blanks make of it, may be an option; or one of the words that
/// some programs take for more than a name: `SHELL=…` of `make`, `;` of `find`. Quotes and
/// backslashes vanish where `xargs` or `read` takes a name.
fn is_like_option(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.split(u8::is_ascii_whitespace).any(|word| {
        let begin = word.iter().position(|sign| !b"'\"\\".contains(sign)).unwrap_or(word.len());
        let word = &word[begin..];
        word == b";" || word.contains(&b'=') || word.len() > 1 && matches!(word[0], b'-' | b'+')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether `line` meets an option in a folder with this file.
    #[track_caller]
    fn check(file: &str, start: &str, line: &str, expected: bool) {
        let folder = tempfile::tempdir().expect("a folder");
        let top = folder.path().canonicalize().expect("a path");
        for folder in ["a/b", "c d"] {
            std::fs::create_dir_all(top.join(folder)).expect("a folder");
        }
        std::fs::write(top.join(file), "").expect("a file");
        let found = may_meet_option(&CommandLine::of(line), &top.join(start), &[&top]);
        assert_eq!(found, expected, "{file} {start} {line}");
    }

    #[test]
    fn names_are_looked_at_where_a_line_may_be() {
        for name in ["-e1eid", "+x", "a -x", "a\n-x", "\"-x", "\\-x", ";", "SHELL=x"] {
            check(name, "", "sed p *", true);
        }
        for name in ["a-x", "-", "x+", "a - b", "é", "a;b"] {
            check(name, "", "sed p *", false);
        }
        check("a/-x", "", "sed p *", false);
        check("a/-x", "a", "sed p *", true);
        check("a/-x", "", "cd a && sed p *", true);
        check("a/b/-x", "", "cd a; cd b; sed p *", true);
        check("a/b/-x", "", "cd a; sed p *", false);
        check("c d/-x", "", "cd 'c d'; sed p *", true);
        check("-x", "a/b", "git ls-files | xargs sed p", true);
        check("a/x -x", "", "git ls-files | xargs sed p", true);
        check("x", "", "cd \"$x\"; sed p *", true);
        check("x", "", "cd none; sed p *", false);
    }

    #[test]
    fn a_folder_with_too_many_names_counts_as_such() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["a", "b", "c"] {
            std::fs::write(folder.path().join(name), "").expect("a file");
        }
        assert!(!holds_option(folder.path(), 3));
        assert!(holds_option(folder.path(), 2));
    }
}
