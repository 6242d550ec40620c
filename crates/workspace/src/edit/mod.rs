//! Edit plans over a text: which bytes are replaced by which, or why the edit is refused.
//!
//! The functions are pure: they neither read nor write files. The old text is matched exactly
//! first, then with differences in white space. Blocks that are only similar are reported, never
//! replaced.

mod disk_delta;
mod exact_match;
mod hunks;
mod line_diff;
mod lookalike_characters;
mod multi_edit;
mod placeholders;
mod plan;
mod planned_edit;
mod refusal;
mod replacement_text;
mod similar_blocks;
mod text_lines;
mod whitespace_match;

pub use disk_delta::{DiskDelta, delta_since_seen};
pub use foveal_transcript::LineSpan;
pub use hunks::{DiffHunk, changed_hunks, diff_hunks};
pub use lookalike_characters::LookalikeDifference;
pub use multi_edit::{
    EditOverlap, IndexedEdit, MultiEditPlan, PlannedText, RefusedEdit, plan_edits,
};
pub use placeholders::{PlaceholderError, PlaceholderKind, find_new_placeholder};
pub use plan::plan_edit;
pub use planned_edit::{Edit, EditMatch, PlannedEdit, TextChange, WhitespaceDifferences};
pub use refusal::{EditRefusal, MatchMethod};
pub use similar_blocks::SimilarBlock;
