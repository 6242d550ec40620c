//! Files that programs obey without being asked, told by their names: settings that name programs
//! to be run, hooks, tasks, and what shells read when they start.
//!
//! Whoever writes such a file has something run later, by another program, outside of every
//! sandbox. What a person runs by name is ordinary work and not meant: `Makefile`, scripts of
//! `package.json`, `build.rs`, `conftest.py`, workflows of GitHub, settings of linters that are
//! programs themselves.

use std::collections::HashMap;
use std::path::Path;
use std::sync::LazyLock;

pub use self::by::ObeyedBy;
use self::spelling::plain;
use self::table::{FILES, FOLDERS, FRAMES, NAMES, NOTES, PLACES, SITES, VERSIONS};
pub(crate) use self::versions::may_hold_version;
pub use self::versions::obeyed_by_content;
use crate::sensitive::{VERSION_CONTROL, is_version_control};

/// Who obeys the file at `path` unasked, by its name and folders. Names that a file system may
/// take for the same count as the same: case, the form of letters, characters that have no width,
/// dots and blanks at the end, and short names (`GIT~1`).
pub fn obeyed_by(path: &Path) -> Option<ObeyedBy> {
    let parts: Vec<String> = path.iter().map(|part| plain(&part.to_string_lossy())).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    if is_version_control(Path::new(&parts.join("/"))) {
        return Some(ObeyedBy::VersionControl);
    }
    let name = parts.last()?;
    let folder = parts.len().checked_sub(2).map(|at| parts[at]);
    if name.ends_with(SITES.1) && folder.is_some_and(|folder| SITES.0.contains(&folder)) {
        return Some(ObeyedBy::Startup);
    }
    let is_option = || parts.iter().any(|part| part.len() > 1 && part.starts_with('-'));
    let by_pattern = || is_option().then_some(ObeyedBy::Patterns);
    of_name(name).or_else(|| of_places(&parts)).or_else(|| of_folders(&parts)).or_else(by_pattern)
}

/// Whether such files may stand below the folder at `path`, so that it is looked through.
pub(crate) fn leads_on(path: &Path) -> bool {
    if !matches!(obeyed_by(path), None | Some(ObeyedBy::Patterns)) {
        return true;
    }
    let parts: Vec<String> = path.iter().map(|part| plain(&part.to_string_lossy())).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let is_begun = |place: &[&str]| (1..place.len()).any(|count| parts.ends_with(&place[..count]));
    PLACES.iter().any(|(place, _)| is_begun(place))
}

/// Files that stand in folders which are not looked through, with these folders.
pub(crate) fn beside_others() -> impl Iterator<Item = String> {
    FILES.iter().map(|(file, _)| file.join("/"))
}

/// The names of files that are known whole, and of folders with such files, in lower case; some
/// with the folder that they are in.
pub(crate) fn known_names() -> impl Iterator<Item = String> {
    let names = NAMES.iter().map(|(name, _)| *name).chain(FOLDERS.iter().map(|(name, _)| *name));
    let names = names.chain(PLACES.iter().filter_map(|(place, _)| place.first().copied()));
    let names = names.chain(VERSION_CONTROL.iter().copied()).chain(VERSIONS.iter().copied());
    names.map(str::to_owned).chain(beside_others())
}

/// The name itself if it is of version control.
pub(crate) fn of_version_control(name: &str) -> Option<&'static str> {
    let name = plain(name);
    VERSION_CONTROL.iter().chain(&[".sl", ".pijul"]).copied().find(|own| name == *own)
}

fn of_name(name: &str) -> Option<ObeyedBy> {
    static WHOLE: LazyLock<HashMap<&str, ObeyedBy>> =
        LazyLock::new(|| NAMES.iter().copied().collect());
    let has = |start: &str, end: &str| name.starts_with(start) && name.ends_with(end);
    let framed = || FRAMES.iter().find(|(start, end, _)| has(start, end)).map(|(.., by)| *by);
    WHOLE.get(name).copied().or_else(framed).or_else(|| short::of_frames(name))
}

fn of_places(parts: &[&str]) -> Option<ObeyedBy> {
    let holds = |place: &[&str]| parts.windows(place.len()).any(|found| found == place);
    let place = PLACES.iter().find(|(place, _)| holds(place));
    place.or_else(|| FILES.iter().find(|(file, _)| parts.ends_with(file))).map(|(_, by)| *by)
}

fn of_folders(parts: &[&str]) -> Option<ObeyedBy> {
    static ALL: LazyLock<HashMap<&str, ObeyedBy>> =
        LazyLock::new(|| FOLDERS.iter().copied().collect());
    let by_folder = &*ALL;
    let mut found = None;
    for (at, part) in parts.iter().enumerate() {
        let next = parts.get(at + 1);
        if NOTES.iter().any(|(folder, note)| part == folder && next == Some(note)) {
            // What is below is a tree of its own.
            found = None;
            continue;
        }
        // Some of these agents also keep a single file of that name.
        found = found.or(by_folder.get(part).copied());
    }
    found
}

mod by;
mod short;
mod spelling;
mod table;
#[cfg(test)]
mod tests;
mod versions;
