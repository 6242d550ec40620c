//! Facts about each entry that every profile needs: tokens, lines, effects. A pure function
//! of the entries, worked out once as they come.

mod call;
mod edits;
mod entry;
mod hash;
mod names;
mod table;

pub use call::{CallFacts, DETECT_ARGUMENT};
pub use edits::{EditFacts, EditText, Side, file_of, is_edit};
pub use entry::{ArgumentLine, Facts, line_text, visible_texts};
pub use hash::{HashMapOfLines, LineHash, LineId, Prehashed};
pub use names::{each_file_name, file_key, file_name};
pub(crate) use table::FactTable;
