//! Files that hold what must stay secret, and files that programs obey unseen, told by their
//! names.

use std::path::Path;

mod table;

pub use self::table::Sensitivity;
use self::table::Sensitivity::{Credentials, Environment, Key};
use self::table::{
    BELOW_FOLDER, DATA_ENDINGS, ENDINGS, EXAMPLES, FOLDERS, IN_FOLDER, KEYS, NAMES, PARTS, STEMS,
};

/// What secret the file at `path`, by its name and folders, is taken to hold. Case is ignored,
/// since some file systems do.
pub fn sensitivity(path: &Path) -> Option<Sensitivity> {
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let folders = || path.parent().into_iter().flat_map(Path::iter);
    let in_folder = FOLDERS
        .iter()
        .find(|(folder, _)| folders().any(|part| part.eq_ignore_ascii_case(folder)))
        .map(|(_, kind)| *kind);
    in_folder.or_else(|| of_name(&name)).or_else(|| {
        let parent = folders().next_back()?;
        let is_in = |folder: &&str| parent.eq_ignore_ascii_case(folder);
        let is_below = |folder: &&str| folders().any(|part| part.eq_ignore_ascii_case(folder));
        let inner = IN_FOLDER.iter().find(|(folder, file, _)| name == *file && is_in(folder));
        let below =
            || BELOW_FOLDER.iter().find(|(folder, file, _)| name == *file && is_below(folder));
        inner.or_else(below).map(|(_, _, kind)| *kind)
    })
}

/// Folders in which version control keeps its own files.
const VERSION_CONTROL: &[&str] = &[".git", ".hg", ".jj", ".bzr", ".svn"];

/// Whether version control obeys or runs what stands at `path`: hooks, aliases, filters, and the
/// file that tells a worktree or submodule where these are. No review of changes shows such
/// files, unlike those of tools that keep theirs among the sources (`.husky`, `Makefile`).
pub fn is_version_control(path: &Path) -> bool {
    let is_own = |part: &str| VERSION_CONTROL.iter().any(|name| part.eq_ignore_ascii_case(name));
    // A repository without a worktree.
    let is_bare = |part: &str| part.to_ascii_lowercase().ends_with(".git");
    let folders = path.parent().into_iter().flat_map(Path::iter);
    path.iter().any(|part| is_own(&part.to_string_lossy()))
        || folders.into_iter().any(|part| is_bare(&part.to_string_lossy()))
}

/// What secret a name alone, in lower case, tells of.
fn of_name(name: &str) -> Option<Sensitivity> {
    if let Some(rest) = name.strip_prefix(".env.") {
        return (!rest.split('.').any(|part| EXAMPLES.contains(&part))).then_some(Environment);
    }
    if KEYS.iter().any(|key| name.starts_with(key)) {
        return (!name.ends_with(".pub")).then_some(Key);
    }
    let is_data = DATA_ENDINGS.iter().any(|ending| name.ends_with(ending));
    let is_told = STEMS.iter().any(|stem| name.starts_with(stem))
        || PARTS.iter().any(|part| name.contains(part));
    if is_data && is_told {
        return Some(Credentials);
    }
    // The settings of a tunnel of WireGuard: `wg0.conf`.
    let tunnel = name.strip_prefix("wg").and_then(|rest| rest.strip_suffix(".conf"));
    if tunnel
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit()))
    {
        return Some(Key);
    }
    let named = NAMES.iter().find(|(whole, _)| name == *whole);
    let ending = || ENDINGS.iter().find(|(ending, _)| name.ends_with(ending));
    named.or_else(ending).map(|(_, kind)| *kind)
}

#[cfg(test)]
mod tests;
