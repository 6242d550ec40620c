//! What `.gitignore` and its like leave out of a walk. They come from the repository, so they
//! are read within bounds: regular files only, of limited size, and a limited number of lines
//! for one walk.

mod folder;
mod rules;

pub(super) use folder::FILES;
pub(super) use rules::Rules;
