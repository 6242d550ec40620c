//! Reads of files and folders, for a session that tracks what the model has seen of them.

mod file_read;
mod line_reading;
mod line_selection;
mod long_files;
mod search_places;

pub(crate) use self::file_read::read_file;
pub(crate) use self::line_reading::read_lines;
pub(crate) use self::line_selection::RequestedLines;
pub(crate) use self::search_places::{SearchPlace, covers_all_roots, search_path, search_places};
