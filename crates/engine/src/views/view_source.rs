//! The trait of the code that chooses views, and its input.

use super::curation_progress::ProgressListener;
use super::line_selection::{LineSelection, ViewRequest};
use super::read_text::ReadText;
use crate::conversation_record::ConversationRecord;
use foveal_transcript::{EntryIndex, LineNumber};

/// Chooses the lines that the model sees of files that were read.
///
/// The engine asks once for each view and records the answer in the [`PlanStep`]. A second answer may
/// differ, as a model's does.
///
/// [`PlanStep`]: crate::plan_step::PlanStep
pub trait ViewSource: std::fmt::Debug + Send + Sync {
    /// Returns the lines of `read` to show, or `None` if the source cannot tell.
    fn choose_view(&self, read: &ReadContext<'_>, wanted: ViewRequest) -> Option<LineSelection>;

    /// Chooses a view, reports progress to the listener and stops waiting when it cancels.
    fn choose_view_with_progress(
        &self,
        read: &ReadContext<'_>,
        wanted: ViewRequest,
        _watch: ProgressListener<'_>,
    ) -> Option<LineSelection> {
        self.choose_view(read, wanted)
    }

    /// Chooses views for many reads, in their order. An implementation may work on several at a
    /// time.
    fn choose_views(&self, reads: &[(ReadContext<'_>, ViewRequest)]) -> Vec<Option<LineSelection>> {
        reads.iter().map(|(read, wanted)| self.choose_view(read, *wanted)).collect()
    }

    /// Returns the last of the lines `first` to `last` after which the text can end without
    /// splitting a statement; `None` if the syntax is unknown.
    fn last_complete_line(
        &self,
        _path: &str,
        _text: &str,
        _first: LineNumber,
        _last: LineNumber,
    ) -> Option<LineNumber> {
        None
    }

    /// Returns whether the source wants to hear of new reads by
    /// [`announce_read`](Self::announce_read).
    fn supports_prefetch(&self) -> bool {
        false
    }

    /// Announces a read for which a later rewrite may request this view, so that the source can
    /// prepare it between requests.
    fn announce_read(&self, _read: &ReadContext<'_>, _wanted: ViewRequest) {}

    /// Returns the views that may soon be requested, as [`choose_views`](Self::choose_views) would,
    /// if that is cheap by now. Works through the reads in order while `go_on` returns true.
    fn predict_views(
        &self,
        _reads: &[(ReadContext<'_>, ViewRequest)],
        _go_on: &dyn Fn() -> bool,
    ) -> Vec<Option<LineSelection>> {
        Vec::new()
    }
}

/// The lines of one file in a result, and the conversation around them.
#[derive(Debug, Clone, Copy)]
pub struct ReadContext<'a> {
    /// The conversation and its facts.
    pub record: &'a ConversationRecord,
    /// The first entry that the source may not look at: a new result itself, or, for an old one,
    /// the response about to be requested.
    pub upto: EntryIndex,
    /// The file.
    pub path: &'a str,
    /// The number of the first line.
    pub first: LineNumber,
    /// The lines without their numbers, each with a line break.
    pub text: &'a ReadText<'a>,
}
