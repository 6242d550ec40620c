//! The known content of a file, line by line, and the effect of reads and changes on it.

use foveal_tool_effects::WriteChange;

use super::file_state::{FileState, StateConfidence};

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileLine {
    /// The text; `None` if it was never seen.
    text: Option<String>,
    /// Whether it was seen, or made by a known change, since the last unknown change.
    fresh: bool,
}

impl FileLine {
    fn with_text(text: &str) -> Self {
        Self { text: Some(text.to_owned()), fresh: true }
    }

    const UNSEEN: FileLine = FileLine { text: None, fresh: false };
}

/// The content of a file as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct KnownContent {
    /// The text split at line breaks. If the end is known and the text ends with a line break, the
    /// last element is empty, so that joining restores the text.
    lines: Vec<FileLine>,
    /// Whether the last element is the end of the file.
    is_end_known: bool,
    /// Whether the line break at the end is assumed, since reads do not show it.
    assumed_break: bool,
    removed: bool,
}

impl KnownContent {
    /// Returns the state for callers.
    pub(super) fn state(&self) -> FileState {
        let mut lines: Vec<Option<String>> =
            self.lines.iter().map(|piece| piece.text.clone()).collect();
        if self.is_end_known && lines.last().is_some_and(|last| last.as_deref() == Some("")) {
            lines.pop();
        }
        while !self.is_end_known && lines.last().is_some_and(Option::is_none) {
            lines.pop();
        }
        let is_exact = self.is_end_known && self.lines.iter().all(|p| p.fresh && p.text.is_some());
        let confidence = if is_exact {
            StateConfidence::Exact
        } else if lines.iter().any(Option::is_some) {
            StateConfidence::Partial
        } else {
            StateConfidence::Unknown
        };
        FileState { lines, confidence, removed: self.removed }
    }

    /// Sets all lines after a tool showed the whole file.
    pub(super) fn set_lines(&mut self, lines: &[String]) {
        let same = self.state();
        if same.confidence == StateConfidence::Exact
            && !self.removed
            && same.lines.iter().flatten().eq(lines)
        {
            // A read does not tell whether the last line ends with a line break; a write did.
            return;
        }
        self.lines = lines.iter().map(|line| FileLine::with_text(line)).collect();
        self.lines.push(FileLine::with_text(""));
        self.is_end_known = true;
        self.assumed_break = true;
        self.removed = false;
    }

    /// Sets the lines that a tool showed, by number from 1.
    pub(super) fn set_numbered_lines(&mut self, lines: &[(u32, String)]) {
        let at = |number: u32| (number as usize).saturating_sub(1);
        let differs = |piece: &FileLine, text: &String| {
            piece.text.as_ref().is_some_and(|known| known != text)
        };
        let beyond = lines.iter().any(|(number, _)| at(*number) >= self.lines.len());
        if self.removed || (self.is_end_known && beyond) {
            self.mark_stale();
        }
        // A changed line shows that something else changed the file, and that lines seen before may
        // have moved.
        let moved = |fresh: bool| {
            lines.iter().any(|(number, text)| {
                let piece = self.lines.get(at(*number));
                piece.is_some_and(|piece| piece.fresh == fresh && differs(piece, text))
            })
        };
        let (fresh_moved, stale_moved) = (moved(true), moved(false));
        if stale_moved {
            self.lines.iter_mut().filter(|piece| !piece.fresh).for_each(|p| *p = FileLine::UNSEEN);
        }
        if fresh_moved {
            self.mark_stale();
        }
        self.removed = false;
        for (number, text) in lines {
            while self.lines.len() <= at(*number) {
                self.lines.push(FileLine::UNSEEN);
            }
            self.lines[at(*number)] = FileLine::with_text(text);
        }
    }

    /// Applies a change that succeeded.
    pub(super) fn apply(&mut self, change: &WriteChange) {
        match change {
            WriteChange::Content(text) => self.set_text(text),
            WriteChange::Replace { old, new, all } => self.replace(old, new, *all),
            WriteChange::Lines { first, last, new } => {
                let start = (first.0 as usize).saturating_sub(1);
                self.splice_lines(start, (last.0 as usize).max(start), new);
            }
            WriteChange::Insert { after, new } => {
                self.splice_lines(*after as usize, *after as usize, new);
            }
            WriteChange::Append(text) => self.append(text),
            WriteChange::Remove => {
                self.set_text("");
                self.removed = true;
            }
            WriteChange::Unknown => self.mark_stale(),
        }
    }

    /// Sets the whole text.
    pub(super) fn set_text(&mut self, text: &str) {
        self.lines = text.split('\n').map(FileLine::with_text).collect();
        self.is_end_known = true;
        self.assumed_break = false;
        self.removed = false;
    }

    /// Marks all lines as possibly changed or moved; they stay as the best guess.
    fn mark_stale(&mut self) {
        if self.is_end_known
            && self.lines.last().is_some_and(|last| last.text.as_deref() == Some(""))
        {
            self.lines.pop();
        }
        self.lines.iter_mut().for_each(|piece| piece.fresh = false);
        self.is_end_known = false;
        self.assumed_break = false;
        self.removed = false;
    }

    fn append(&mut self, text: &str) {
        if !self.is_end_known {
            return;
        }
        let Some(last) = self.lines.pop() else { return self.set_text(text) };
        let whole = last.text.map(|start| start + text);
        match whole {
            Some(whole) => self.lines.extend(
                whole
                    .split('\n')
                    .map(|line| FileLine { text: Some(line.to_owned()), fresh: last.fresh }),
            ),
            None => self.mark_stale(),
        }
        self.removed = false;
        if self.assumed_break {
            self.mark_stale();
        }
    }

    /// Replaces the lines from `start` to before `end` by those of `new`.
    fn splice_lines(&mut self, start: usize, end: usize, new: &str) {
        let size = self.lines.len();
        if start > size || (end > size && !self.is_end_known) {
            if self.is_end_known {
                return self.mark_stale();
            }
            self.lines.resize(start.max(end), FileLine::UNSEEN);
        }
        let end = end.min(self.lines.len());
        let lines = new.strip_suffix('\n').unwrap_or(new);
        let lines: Vec<FileLine> = if new.is_empty() {
            Vec::new()
        } else {
            lines.split('\n').map(FileLine::with_text).collect()
        };
        self.lines.splice(start.min(end)..end, lines);
        if self.lines.is_empty() {
            self.lines.push(FileLine::with_text(""));
        }
        self.removed = false;
    }

    fn replace(&mut self, old: &str, new: &str, all: bool) {
        if old.is_empty() {
            // Several tools create a file this way; on a file with content the outcome is unknown.
            let is_empty = self.state().lines.is_empty();
            return if is_empty { self.set_text(new) } else { self.mark_stale() };
        }
        let complete = self.is_end_known && self.lines.iter().all(|piece| piece.text.is_some());
        let found = self.find_text(old);
        let moves = count_line_breaks(old) != count_line_breaks(new);
        let certain = match (found.len(), complete) {
            (0, true) => false,
            // The text is in a part that was never seen; seen lines stay if no line moves. A text
            // of several lines may have begun or ended in a seen part.
            (0, false) => !moves && count_line_breaks(old) == 0,
            (1, true) => true,
            (_, true) => all,
            (1, false) if !all => true,
            (_, false) => all && !moves,
        };
        let before = self.assumed_break.then(|| self.clone());
        // From the back, so that earlier positions stay valid.
        let chosen = if all { found.len() } else { found.len().min(1) };
        for place in found[..chosen].iter().rev() {
            self.replace_at(place, new);
        }
        let hangs = before
            .zip(found[..chosen].last())
            .is_some_and(|(before, last)| self.depends_on_assumed_break(last, chosen, &before));
        if !certain || hangs {
            self.mark_stale();
        }
    }

    /// Returns whether the outcome depends on the assumed line break at the end. `last` is the last
    /// of the replaced `places`, in positions of the text `before` the replacement.
    fn depends_on_assumed_break(
        &self,
        last: &LineOffsetRange,
        places: usize,
        before: &KnownContent,
    ) -> bool {
        let count = before.lines.len();
        let (piece, offset) = last.end;
        if piece + 1 == count {
            // A single match includes the break, which shows that it exists.
            return places > 1;
        }
        let ends_the_text = piece + 2 == count
            && before.lines[piece].text.as_ref().is_some_and(|text| text.len() == offset);
        let now_empty = self.lines.len().checked_sub(2).map(|at| self.lines[at].text.as_deref());
        ends_the_text && now_empty == Some(Some(""))
    }

    /// Returns the matches of `old` in the known content, not overlapping.
    fn find_text(&self, old: &str) -> Vec<LineOffsetRange> {
        let mut places = Vec::new();
        let mut at = 0;
        while at < self.lines.len() {
            if self.lines[at].text.is_none() {
                at += 1;
                continue;
            }
            let run = self.lines[at..].iter().take_while(|piece| piece.text.is_some()).count();
            // The line break before and after the run belongs to it, the unseen lines beyond do
            // not: they take part as empty text.
            let first = at.saturating_sub(1);
            let is_last = at + run == self.lines.len();
            let mut starts = vec![0];
            let mut text = String::new();
            for piece in &self.lines[first..(at + run + 1).min(self.lines.len())] {
                text.push_str(piece.text.as_deref().unwrap_or_default());
                text.push('\n');
                starts.push(text.len());
            }
            if !is_last || self.is_end_known {
                text.pop();
            }
            places.extend(text.match_indices(old).map(|(start, _)| {
                let position = |offset: usize| {
                    let line = starts.partition_point(|begin| *begin <= offset) - 1;
                    (first + line, offset - starts[line])
                };
                LineOffsetRange { start: position(start), end: position(start + old.len()) }
            }));
            at += run;
        }
        places
    }

    fn replace_at(&mut self, place: &LineOffsetRange, new: &str) {
        let LineOffsetRange { start: (first, from), end: (last, to) } = *place;
        if last == self.lines.len() {
            self.lines.push(FileLine::UNSEEN);
        }
        let (head, tail) = (&self.lines[first], &self.lines[last]);
        let fresh = self.lines[first..=last].iter().all(|p| p.fresh || p.text.is_none());
        let begin = head.text.as_deref().map(|text| &text[..from]);
        let rest = tail.text.as_deref().map(|text| &text[to..]);
        let text = format!("{}{new}{}", begin.unwrap_or_default(), rest.unwrap_or_default());
        let mut lines: Vec<FileLine> =
            text.split('\n').map(|line| FileLine { text: Some(line.to_owned()), fresh }).collect();
        if begin.is_none() {
            lines[0] = FileLine::UNSEEN;
        }
        if rest.is_none()
            && let Some(end) = lines.last_mut()
        {
            *end = FileLine::UNSEEN;
        }
        self.lines.splice(first..=last, lines);
    }
}

/// A range of text: line index and byte offset of its start and end.
struct LineOffsetRange {
    start: (usize, usize),
    end: (usize, usize),
}

fn count_line_breaks(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}
