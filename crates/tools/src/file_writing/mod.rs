//! Changes to files: only to content that the model has seen, all or nothing, and with undo.

mod edit_surroundings;
mod edit_target;
mod file_edit;
mod file_rewind;
mod file_undo;
mod file_write;
mod visibility_check;
mod write_record;

pub(crate) use self::file_edit::{PathEdit, edit_files};
pub use self::file_rewind::{EarlierContent, RewindState, RewindableFile};
pub(crate) use self::file_undo::restore_file;
pub(crate) use self::file_write::write_file;
