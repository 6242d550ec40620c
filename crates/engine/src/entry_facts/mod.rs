//! Facts about each entry that every profile needs: tokens, lines, effects. They are a pure
//! function of the entries, computed once on arrival.

mod call;
mod edits;
mod entry;
mod fact_table;
mod file_names;
mod line_hash;

pub use call::{CallFacts, DUPLICATE_DETECTION_ARGUMENT, VERSION_ARGUMENT};
pub use edits::edited_file;
pub use entry::{ArgumentLine, EntryFacts, line_text, visible_texts};
pub(crate) use fact_table::FactTable;
pub use file_names::{file_key, file_name, for_each_file_name};
pub use line_hash::{LineHash, LineHashMap, LineId, PrehashedHasher};
