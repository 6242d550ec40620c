//! Rules of `.gitignore` and similar files. They come from the repository, so reads are bounded:
//! regular files only, of limited size, and a limited number of lines per walk.

mod folder_rules;
mod walk_rules;

pub(super) use folder_rules::IGNORE_FILES;
pub(super) use walk_rules::IgnoreRules;
