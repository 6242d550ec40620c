//! Detection, by path alone, of files that contain secrets and of files that version control obeys.

use std::path::Path;

mod sensitive_names;

pub use self::sensitive_names::Sensitivity;
use self::sensitive_names::Sensitivity::{Credentials, Environment, Key};
use self::sensitive_names::{
    DATA_NAME_PARTS, DATA_NAME_PREFIXES, DATA_SUFFIXES, EXAMPLE_PARTS, KEY_NAME_PREFIXES,
    NAMES_BELOW_FOLDER, NAMES_IN_FOLDER, SECRET_FOLDERS, SECRET_NAMES, SECRET_SUFFIXES,
};

/// Returns the kind of secret that the file at `path` probably contains, judged by its name and
/// folders. Case is ignored, as in some file systems.
pub fn sensitivity(path: &Path) -> Option<Sensitivity> {
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let folders = || path.parent().into_iter().flat_map(Path::iter);
    let in_folder = SECRET_FOLDERS
        .iter()
        .find(|(folder, _)| folders().any(|part| part.eq_ignore_ascii_case(folder)))
        .map(|(_, kind)| *kind);
    in_folder.or_else(|| sensitivity_by_name(&name)).or_else(|| {
        let parent = folders().next_back()?;
        let is_in = |folder: &&str| parent.eq_ignore_ascii_case(folder);
        let is_below = |folder: &&str| folders().any(|part| part.eq_ignore_ascii_case(folder));
        let inner = NAMES_IN_FOLDER.iter().find(|(folder, file, _)| name == *file && is_in(folder));
        let below = || {
            NAMES_BELOW_FOLDER.iter().find(|(folder, file, _)| name == *file && is_below(folder))
        };
        inner.or_else(below).map(|(_, _, kind)| *kind)
    })
}

/// Folders that version control keeps for itself.
const VERSION_CONTROL_FOLDERS: &[&str] = &[".git", ".hg", ".jj", ".bzr", ".svn"];

/// Returns whether version control obeys or runs the file at `path`: hooks, aliases, filters, and
/// the file that points a worktree or submodule to them. Reviews of changes do not show these
/// files, unlike those of tools that keep theirs among the sources (`.husky`, `Makefile`).
pub fn is_version_control(path: &Path) -> bool {
    let is_own =
        |part: &str| VERSION_CONTROL_FOLDERS.iter().any(|name| part.eq_ignore_ascii_case(name));
    // A bare repository.
    let is_bare = |part: &str| part.to_ascii_lowercase().ends_with(".git");
    let folders = path.parent().into_iter().flat_map(Path::iter);
    path.iter().any(|part| is_own(&part.to_string_lossy()))
        || folders.into_iter().any(|part| is_bare(&part.to_string_lossy()))
}

/// Returns the kind of secret that a file name alone, in lower case, indicates.
fn sensitivity_by_name(name: &str) -> Option<Sensitivity> {
    if let Some(rest) = name.strip_prefix(".env.") {
        return (!rest.split('.').any(|part| EXAMPLE_PARTS.contains(&part))).then_some(Environment);
    }
    if KEY_NAME_PREFIXES.iter().any(|key| name.starts_with(key)) {
        return (!name.ends_with(".pub")).then_some(Key);
    }
    let is_data = DATA_SUFFIXES.iter().any(|ending| name.ends_with(ending));
    let is_told = DATA_NAME_PREFIXES.iter().any(|stem| name.starts_with(stem))
        || DATA_NAME_PARTS.iter().any(|part| name.contains(part));
    if is_data && is_told {
        return Some(Credentials);
    }
    // WireGuard tunnel settings: `wg0.conf`.
    let tunnel = name.strip_prefix("wg").and_then(|rest| rest.strip_suffix(".conf"));
    if tunnel
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit()))
    {
        return Some(Key);
    }
    let named = SECRET_NAMES.iter().find(|(whole, _)| name == *whole);
    let ending = || SECRET_SUFFIXES.iter().find(|(ending, _)| name.ends_with(ending));
    named.or_else(ending).map(|(_, kind)| *kind)
}

#[cfg(test)]
mod tests;
