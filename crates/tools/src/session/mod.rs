//! The session of one reader: its shown content, its knowledge of files, and its permissions.

mod call_context;
mod client_tool_edits;
mod command_approval;
mod content_buffer;
mod deliveries;
mod duplicate_detector;
mod external_changes;
mod forbidden_files;
mod found_lines;
mod known_file;
mod known_files;
mod line_range_set;
mod partial_line_set;
mod pending_visibility;
mod pointer_answered_reads;
mod read_counts;
mod readers;
mod recorded_answer;
mod session_recorder;
mod session_restore;
mod shaper;
mod stateless_shaper;
mod stored_session;
mod tool_session;
mod transcript_shaper;
mod undo_buffer;
mod workspace;

pub(crate) use self::call_context::CallApprovals;
pub(crate) use self::call_context::CallContext;
pub use self::client_tool_edits::{ClientToolChange, record_client_tool_edit};
pub use self::command_approval::CommandApproval;
pub use self::deliveries::{
    CallArrival, CallVisibility, LogicalClock, PendingDelivery, SessionCallId, SettledCallIds,
};
pub use self::duplicate_detector::DuplicateDetector;
pub(crate) use self::duplicate_detector::hash_long_texts;
pub(crate) use self::forbidden_files::{ForbiddenFiles, PATTERN_MATCHES_MAX, SCANNED_ENTRIES_MAX};
pub(crate) use self::found_lines::HitExcerpt;
pub(crate) use self::known_file::{FilePlace, KnownFile};
pub use self::line_range_set::LineRangeSet;
pub(crate) use self::partial_line_set::{LineBytes, PartialLine, TextChanges};
pub use self::read_counts::ReadCounts;
pub use self::readers::{announce_reader, reader_of_call};
pub use self::recorded_answer::{RecordedAnswer, ToolCallTracker};
pub(crate) use self::session_recorder::SessionEvent;
pub use self::shaper::{
    AnswerShaper, LineCounts, PassthroughShaper, RestoredCall, ShapedAnswer, ShapingInput,
};
pub use self::stored_session::{StoredCall, load_conversation, parse_call_record};
pub use self::tool_session::ToolSession;
pub use self::transcript_shaper::TranscriptShaper;
