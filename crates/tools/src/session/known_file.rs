//! A file as the model knows it: the version it last met, and the lines it has seen.

use std::sync::Arc;

use foveal_workspace::TextFile;
use foveal_workspace::edit::{DiffHunk, diff_hunks};
use foveal_workspace::file_version::FileVersion;

use super::external_changes::ExternalChanges;
use super::line_range_set::LineRangeSet;
use super::partial_line_set::{PartialLine, PartialLineSet};

/// A file as the model last met it.
#[derive(Debug, Clone)]
pub(crate) struct KnownFile {
    /// The version that the model last met.
    pub(crate) version: FileVersion,
    /// The version's text, while it is in memory.
    pub(crate) text: Option<Arc<TextFile>>,
    /// The visibility of this version in answers; `None` if no answer shows it.
    pub(crate) shown: Option<FileVisibility>,
    /// The lines of this version that the model has seen.
    pub(crate) seen: LineRangeSet,
    /// The changes by others that the model has not seen.
    pub(crate) external_changes: ExternalChanges,
    /// Whether the model wrote the file since it was shown.
    pub(crate) is_written: bool,
    /// The model's question about the file.
    pub(crate) question: Option<String>,
    /// The parts of long lines of this version that the model has seen.
    pub(crate) seen_parts: PartialLineSet,
}

impl KnownFile {
    /// Creates the entry of a version that was found in place of `before` and is about to be shown
    /// for `question`. Lines count as seen if they were seen in `before` and are unchanged; the
    /// model has not seen the others, whoever wrote them.
    pub(crate) fn with_predecessor(
        before: Option<&KnownFile>,
        version: FileVersion,
        text: Arc<TextFile>,
        question: Option<&str>,
    ) -> Self {
        let VisibleLines { seen, seen_parts, external_changes } = match before {
            None => VisibleLines::default(),
            Some(before) if before.version.hash == version.hash => VisibleLines {
                seen: before.seen.clone(),
                seen_parts: before.seen_parts.clone(),
                external_changes: before.external_changes.clone(),
            },
            Some(before) => before.carry_lines_to(text.text()),
        };
        let question = question.map(str::to_owned);
        let text = Some(text);
        Self {
            version,
            text,
            shown: None,
            seen,
            seen_parts,
            external_changes,
            is_written: false,
            question,
        }
    }

    /// Creates the entry of a version that stands whole in the system prompt.
    pub(super) fn from_system_prompt(version: FileVersion, text: Arc<TextFile>) -> Self {
        let mut file = Self::with_predecessor(None, version, text, None);
        file.seen = LineRangeSet::all(file.line_count());
        file.shown = Some(FileVisibility {
            place: FilePlace::SystemPrompt,
            is_partial: false,
            is_beginning: false,
            line_count: file.line_count(),
            question: None,
        });
        file
    }

    /// Creates the entry of a version of which an earlier process showed these lines.
    pub(crate) fn from_stored(version: FileVersion, seen: LineRangeSet) -> Self {
        let (shown, external_changes) = (None, ExternalChanges::default());
        Self {
            version,
            text: None,
            shown,
            seen,
            seen_parts: PartialLineSet::default(),
            external_changes,
            is_written: false,
            question: None,
        }
    }

    /// Returns the file with its text, which may have been dropped from memory.
    pub(crate) fn with_text(&self, text: &Arc<TextFile>) -> Self {
        Self { text: Some(Arc::clone(text)), ..self.clone() }
    }

    /// Returns the seen lines at their places in `text`, a version by others, and the changes that
    /// the model has not seen.
    fn carry_lines_to(&self, text: &str) -> VisibleLines {
        // Without the known text, each line may have changed.
        let Some(own) = &self.text else {
            let external_changes = ExternalChanges::between("", text);
            return VisibleLines { external_changes, ..VisibleLines::default() };
        };
        let runs = diff_hunks(own.text(), text);
        let believed = match self.external_changes.is_empty() {
            true => ExternalChanges::between(own.text(), text),
            false => {
                ExternalChanges::between(&self.external_changes.believed_text(own.text()), text)
            }
        };
        VisibleLines {
            seen: self.seen.shifted_by(&runs),
            seen_parts: self.seen_parts.shifted_by(&runs),
            external_changes: believed,
        }
    }

    /// Returns the version that the model wrote over this one; it has seen the lines written in
    /// `runs`, of some of them only `parts`.
    pub(crate) fn with_model_write(
        &self,
        version: FileVersion,
        text: Arc<TextFile>,
        runs: &[DiffHunk],
        parts: &[PartialLine],
    ) -> Self {
        let mut written = Self {
            version,
            text: Some(text),
            shown: None,
            seen: self.seen.shifted_by(runs),
            seen_parts: self.seen_parts.shifted_by(runs),
            external_changes: self.external_changes.shifted_by(runs),
            is_written: true,
            question: self.question.clone(),
        };
        written.seen.add_ranges(written_lines(runs, parts).ranges().iter().copied());
        parts.iter().for_each(|part| written.mark_part_seen(*part));
        written
    }

    /// Marks the lines that the model wrote in `runs`, of some of them only `parts`.
    pub(crate) fn mark_written_lines(&mut self, runs: &[DiffHunk], parts: &[PartialLine]) {
        self.mark_lines_seen(&written_lines(runs, parts));
        parts.iter().for_each(|part| self.mark_part_seen(*part));
    }

    /// Returns the version that the model made of this one with a tool of its client. Of the
    /// changed lines it has seen `lines`, and those that replace lines it had seen.
    pub(super) fn with_client_edit(
        &self,
        version: FileVersion,
        text: Arc<TextFile>,
        lines: &LineRangeSet,
    ) -> Self {
        // Without the known text, it is unknown which lines remain.
        let runs = match &self.text {
            Some(own) => diff_hunks(own.text(), text.text()),
            None => {
                let mut file =
                    Self::with_predecessor(None, version, text, self.question.as_deref());
                file.mark_lines_seen(lines);
                return file;
            }
        };
        let mut file = self.with_model_write(version, text, &runs, &[]);
        let is_unseen = |run: &&DiffHunk| {
            let (first, count) = (run.before.first.0, run.before.lines);
            count == 0 || !self.seen.contains_range(first, first + count - 1)
        };
        let unknown: Vec<DiffHunk> = runs.iter().filter(is_unseen).copied().collect();
        file.seen.remove_lines(&replacement_lines(&unknown));
        file.mark_lines_seen(lines);
        file
    }

    /// Returns the file as completely written by the model: every line counts as seen.
    pub(crate) fn with_all_lines_written(mut self) -> Self {
        self.seen = LineRangeSet::all(if self.text.is_some() { self.line_count() } else { 0 });
        (self.external_changes, self.is_written) = (ExternalChanges::default(), true);
        self
    }

    /// Returns the number of lines; `u32::MAX` if the text is not in memory.
    pub(crate) fn line_count(&self) -> u32 {
        let count = self.text.as_ref().map(|text| text.text().lines().count());
        count.and_then(|count| u32::try_from(count).ok()).unwrap_or(u32::MAX)
    }

    /// Marks lines as shown to the model.
    pub(crate) fn mark_lines_seen(&mut self, lines: &LineRangeSet) {
        self.external_changes.mark_lines_seen(lines, self.line_count());
        self.seen.add_ranges(lines.ranges().iter().copied());
    }

    /// Marks a part of a line as shown. The line counts as seen once all its parts were shown.
    pub(crate) fn mark_part_seen(&mut self, part: PartialLine) {
        if self.seen_parts.add(part).is_whole_line() {
            self.mark_lines_seen(&LineRangeSet::from_ranges([(part.line, part.line)]));
        }
    }

    /// Returns the lines that were seen or that others changed since.
    pub(crate) fn seen_and_changed_lines(&self) -> LineRangeSet {
        let mut wanted = self.seen.clone();
        wanted.add_ranges(self.external_changes.changed_ranges());
        wanted
    }

    /// Returns the seen lines, without those next to an unseen deletion. These remain certain when
    /// the external changes are no longer known.
    pub(crate) fn certain_lines(&self) -> LineRangeSet {
        let mut seen = self.seen.clone();
        seen.remove_lines(&LineRangeSet::from_ranges(
            self.external_changes.lines_around_deletions(),
        ));
        seen
    }

    /// Returns the bytes of text in memory.
    pub(super) fn byte_count(&self) -> usize {
        self.text.as_ref().map_or(0, |text| text.text().len()) + self.external_changes.byte_count()
    }
}

/// The lines of a version that the model has seen, and what it believes instead of others.
#[derive(Debug, Default)]
struct VisibleLines {
    seen: LineRangeSet,
    seen_parts: PartialLineSet,
    external_changes: ExternalChanges,
}

/// Returns the lines that `runs` wrote, without those of which the model has seen only a part.
fn written_lines(runs: &[DiffHunk], parts: &[PartialLine]) -> LineRangeSet {
    let mut lines = replacement_lines(runs);
    let partial = parts.iter().map(|part| (part.line, part.line));
    lines.remove_lines(&LineRangeSet::from_ranges(partial));
    lines
}

/// Returns the lines that `runs` wrote, numbered as in the text after them.
fn replacement_lines(runs: &[DiffHunk]) -> LineRangeSet {
    LineRangeSet::from_ranges(
        runs.iter().map(|DiffHunk { after, .. }| (after.first.0, after.first.0 + after.lines - 1)),
    )
}

/// A part of the prompt that shows a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FilePlace {
    /// Answers to calls.
    Answers,
    /// The system prompt.
    SystemPrompt,
}

/// The visibility of a version of a file in the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileVisibility {
    /// The part of the prompt that shows it.
    pub(crate) place: FilePlace,
    /// Whether some lines are not visible.
    pub(crate) is_partial: bool,
    /// Whether the shown lines are the first ones rather than a selection.
    pub(crate) is_beginning: bool,
    /// Lines of the file.
    pub(crate) line_count: u32,
    /// The question that the file was shown for.
    pub(crate) question: Option<String>,
}
