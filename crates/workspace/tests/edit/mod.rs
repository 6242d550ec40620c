//! Planning of edits.

mod changes;
mod laws;
mod multi_edit;
mod placeholders;
mod plan;

use foveal_workspace::edit::Edit;

/// An edit of one place.
fn one(old: &str, new: &str) -> Edit {
    Edit { old: old.to_owned(), new: new.to_owned(), replace_all: false }
}

/// An edit of all places.
fn all(old: &str, new: &str) -> Edit {
    Edit { replace_all: true, ..one(old, new) }
}
