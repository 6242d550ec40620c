//! Planning of edits over a text: which bytes go, what stands there instead, or why not.
//!
//! Nothing here reads or writes a file. What is asked to be replaced is looked for as it is
//! spelled, then with other white space; what is only alike is shown and never replaced.

mod blend;
mod change;
mod changes;
mod closest;
mod diff;
mod exact;
mod placeholders;
mod plan;
mod refusal;
mod runs;
mod several;
mod text;
mod white_space;

pub use change::{Change, Differences, Edit, How, Planned};
pub use changes::{Delta, changed_since};
pub use closest::Candidate;
pub use foveal_transcript::LineSpan;
pub use placeholders::{PlaceholderFound, PlaceholderKind, refuse_placeholders};
pub use plan::plan_edit;
pub use refusal::{EditRefusal, MatchedBy};
pub use runs::{Run, altered_lines, differing_lines};
pub use several::{EditOf, Overlap, PlannedText, PlannedTexts, RefusedEdit, plan_edits};
