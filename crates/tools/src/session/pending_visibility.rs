//! The file lines that answers show while it is uncertain to which calls they are visible.

use foveal_transcript::ContentHash;
use foveal_workspace::PathKey;
use foveal_workspace::edit::{DiffHunk, diff_hunks};

use super::deliveries::{CallVisibility, SessionCallId};
use super::known_file::{FilePlace, FileVisibility, KnownFile};
use super::line_range_set::LineRangeSet;
use super::partial_line_set::PartialLine;

/// Lines of one version of a file that stand in an answer.
#[derive(Debug, Clone, Default)]
pub(super) struct ShownLines {
    /// Lines that are shown to their end.
    pub(super) lines: LineRangeSet,
    /// Lines of which a part is in no answer.
    pub(super) left_out: LineRangeSet,
    /// Parts of long lines.
    pub(super) parts: Vec<PartialLine>,
    /// The presentation of the file, if the answer is about the file itself.
    pub(super) file: Option<FilePresentation>,
}

/// The presentation of a file in an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct FilePresentation {
    /// Lines of the file.
    pub(super) line_count: u32,
    /// Whether the shown lines are the first ones rather than a selection.
    pub(super) is_beginning: bool,
    /// Whether a later note may point at the answer.
    pub(super) can_be_pointed_at: bool,
}

impl ShownLines {
    /// Updates a known file by these lines.
    pub(super) fn apply_to(&self, file: &mut KnownFile) {
        file.seen.remove_lines(&self.left_out);
        file.mark_lines_seen(&self.lines);
        self.parts.iter().for_each(|part| file.mark_part_seen(*part));
        let Some(FilePresentation { line_count: all, is_beginning, can_be_pointed_at: stays }) =
            self.file
        else {
            return;
        };
        file.is_written = false;
        let (is_view, question) = (!file.seen.covers_all(all), file.question.clone());
        file.shown = stays.then_some(FileVisibility {
            place: FilePlace::Answers,
            is_partial: is_view,
            is_beginning,
            line_count: all,
            question,
        });
    }

    /// Returns the lines at their places after `runs` were changed. The new version itself is not
    /// shown.
    fn shifted_by(&self, runs: &[DiffHunk]) -> Self {
        Self {
            lines: self.lines.shifted_by(runs),
            left_out: self.left_out.shifted_by(runs),
            parts: Vec::new(),
            file: None,
        }
    }
}

/// The lines of one file in the answer to one call.
#[derive(Debug)]
struct PendingLines {
    call: SessionCallId,
    key: PathKey,
    version: ContentHash,
    shown: ShownLines,
}

/// The lines that unsettled answers show, in the order of the answers.
#[derive(Debug, Default)]
pub(super) struct PendingVisibility(Vec<PendingLines>);

impl PendingVisibility {
    pub(super) fn push(
        &mut self,
        call: SessionCallId,
        key: &PathKey,
        version: ContentHash,
        shown: ShownLines,
    ) {
        self.0.push(PendingLines { call, key: key.clone(), version, shown });
    }

    /// Returns the lines of a file's version that are visible to a call.
    pub(super) fn lines_visible_to<'a>(
        &'a self,
        key: &'a PathKey,
        version: ContentHash,
        view: &'a CallVisibility,
    ) -> impl Iterator<Item = &'a ShownLines> {
        let of_file = self.0.iter().filter(move |row| row.key == *key && row.version == version);
        of_file.filter(|row| view.is_answer_visible(row.call)).map(|row| &row.shown)
    }

    /// Moves the lines of a file to its next version.
    pub(super) fn follow_version(
        &mut self,
        key: &PathKey,
        before: Option<&KnownFile>,
        after: &KnownFile,
    ) {
        let is_same = before.is_some_and(|before| before.version.hash == after.version.hash);
        if is_same || !self.0.iter().any(|row| row.key == *key) {
            return;
        }
        let texts = before.and_then(|before| before.text.as_ref()).zip(after.text.as_ref());
        let Some((before, now)) = texts else { return self.remove_file(key) };
        let runs = diff_hunks(before.text(), now.text());
        for row in self.0.iter_mut().filter(|row| row.key == *key) {
            (row.shown, row.version) = (row.shown.shifted_by(&runs), after.version.hash);
        }
    }

    /// Removes the lines of a file.
    pub(super) fn remove_file(&mut self, key: &PathKey) {
        self.0.retain(|row| row.key != *key);
    }

    /// Returns whether an answer is about the file itself.
    pub(super) fn presents_file(&self, key: &PathKey) -> bool {
        self.0.iter().any(|row| row.key == *key && row.shown.file.is_some())
    }

    /// Removes and returns the lines in the answers to these calls, in order.
    pub(super) fn extract_calls(
        &mut self,
        calls: &[SessionCallId],
    ) -> Vec<(PathKey, ContentHash, ShownLines)> {
        if calls.is_empty() {
            return Vec::new();
        }
        let taken = self.0.extract_if(.., |row| calls.contains(&row.call));
        taken.map(|row| (row.key, row.version, row.shown)).collect()
    }

    pub(super) fn remove_all(&mut self) {
        self.0.clear();
    }
}
