//! What is known of one file's content, line by line, and how reads and changes alter it.

use foveal_effects::Change;

use super::state::{Confidence, FileState};

/// One line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    /// The text; `None` where it was never seen.
    text: Option<String>,
    /// Whether it was seen, or made by a known change, since the last unknown one.
    fresh: bool,
}

impl Piece {
    fn seen(text: &str) -> Self {
        Self { text: Some(text.to_owned()), fresh: true }
    }

    const UNSEEN: Piece = Piece { text: None, fresh: false };
}

/// A file's content as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Known {
    /// The text split at line breaks. Where the end is known and the text ends with a line
    /// break, the last piece is empty, so that joining gives the text back.
    pieces: Vec<Piece>,
    /// Whether the last piece is the end of the file.
    end: bool,
    /// Whether the line break at the end is an assumption: a read does not show it.
    assumed_break: bool,
    removed: bool,
}

impl Known {
    /// The state as callers see it.
    pub(super) fn state(&self) -> FileState {
        let mut lines: Vec<Option<String>> =
            self.pieces.iter().map(|piece| piece.text.clone()).collect();
        if self.end && lines.last().is_some_and(|last| last.as_deref() == Some("")) {
            lines.pop();
        }
        while !self.end && lines.last().is_some_and(Option::is_none) {
            lines.pop();
        }
        let is_exact = self.end && self.pieces.iter().all(|p| p.fresh && p.text.is_some());
        let confidence = if is_exact {
            Confidence::Exact
        } else if lines.iter().any(Option::is_some) {
            Confidence::Partial
        } else {
            Confidence::Unknown
        };
        FileState { lines, confidence, removed: self.removed }
    }

    /// A tool showed the whole file.
    pub(super) fn show_all(&mut self, lines: &[String]) {
        let same = self.state();
        if same.confidence == Confidence::Exact
            && !self.removed
            && same.lines.iter().flatten().eq(lines)
        {
            // A read does not tell whether the last line ends with a line break; a write did.
            return;
        }
        self.pieces = lines.iter().map(|line| Piece::seen(line)).collect();
        self.pieces.push(Piece::seen(""));
        self.end = true;
        self.assumed_break = true;
        self.removed = false;
    }

    /// A tool showed these lines, by number from 1.
    pub(super) fn show(&mut self, lines: &[(u32, String)]) {
        let at = |number: u32| (number as usize).saturating_sub(1);
        let differs =
            |piece: &Piece, text: &String| piece.text.as_ref().is_some_and(|known| known != text);
        let beyond = lines.iter().any(|(number, _)| at(*number) >= self.pieces.len());
        if self.removed || (self.end && beyond) {
            self.forget_order();
        }
        // A line that is not what it was: something else changed the file, and what was seen
        // before may have moved.
        let moved = |fresh: bool| {
            lines.iter().any(|(number, text)| {
                let piece = self.pieces.get(at(*number));
                piece.is_some_and(|piece| piece.fresh == fresh && differs(piece, text))
            })
        };
        let (fresh_moved, stale_moved) = (moved(true), moved(false));
        if stale_moved {
            self.pieces.iter_mut().filter(|piece| !piece.fresh).for_each(|p| *p = Piece::UNSEEN);
        }
        if fresh_moved {
            self.forget_order();
        }
        self.removed = false;
        for (number, text) in lines {
            while self.pieces.len() <= at(*number) {
                self.pieces.push(Piece::UNSEEN);
            }
            self.pieces[at(*number)] = Piece::seen(text);
        }
    }

    /// A change that succeeded.
    pub(super) fn apply(&mut self, change: &Change) {
        match change {
            Change::Content(text) => self.put(text),
            Change::Replace { old, new, all } => self.replace(old, new, *all),
            Change::Lines { first, last, new } => {
                let start = (first.0 as usize).saturating_sub(1);
                self.splice(start, (last.0 as usize).max(start), new);
            }
            Change::Insert { after, new } => self.splice(*after as usize, *after as usize, new),
            Change::Append(text) => self.append(text),
            Change::Remove => {
                self.put("");
                self.removed = true;
            }
            Change::Unknown => self.forget_order(),
        }
    }

    /// The file's text is this.
    pub(super) fn put(&mut self, text: &str) {
        self.pieces = text.split('\n').map(Piece::seen).collect();
        self.end = true;
        self.assumed_break = false;
        self.removed = false;
    }

    /// What is known may have changed or moved; it stays as the best guess.
    fn forget_order(&mut self) {
        if self.end && self.pieces.last().is_some_and(|last| last.text.as_deref() == Some("")) {
            self.pieces.pop();
        }
        self.pieces.iter_mut().for_each(|piece| piece.fresh = false);
        self.end = false;
        self.assumed_break = false;
        self.removed = false;
    }

    fn append(&mut self, text: &str) {
        if !self.end {
            return;
        }
        let Some(last) = self.pieces.pop() else { return self.put(text) };
        let whole = last.text.map(|start| start + text);
        match whole {
            Some(whole) => self.pieces.extend(
                whole
                    .split('\n')
                    .map(|line| Piece { text: Some(line.to_owned()), fresh: last.fresh }),
            ),
            None => self.forget_order(),
        }
        self.removed = false;
        if self.assumed_break {
            self.forget_order();
        }
    }

    /// Puts the lines of `new` in place of the pieces from `start` to before `end`.
    fn splice(&mut self, start: usize, end: usize, new: &str) {
        let size = self.pieces.len();
        if start > size || (end > size && !self.end) {
            if self.end {
                return self.forget_order();
            }
            self.pieces.resize(start.max(end), Piece::UNSEEN);
        }
        let end = end.min(self.pieces.len());
        let lines = new.strip_suffix('\n').unwrap_or(new);
        let lines: Vec<Piece> =
            if new.is_empty() { Vec::new() } else { lines.split('\n').map(Piece::seen).collect() };
        self.pieces.splice(start.min(end)..end, lines);
        if self.pieces.is_empty() {
            self.pieces.push(Piece::seen(""));
        }
        self.removed = false;
    }

    fn replace(&mut self, old: &str, new: &str, all: bool) {
        if old.is_empty() {
            // Several tools create a file this way; on a file with content it says nothing.
            let is_empty = self.state().lines.is_empty();
            return if is_empty { self.put(new) } else { self.forget_order() };
        }
        let complete = self.end && self.pieces.iter().all(|piece| piece.text.is_some());
        let found = self.find(old);
        let moves = count_breaks(old) != count_breaks(new);
        let certain = match (found.len(), complete) {
            (0, true) => false,
            // In a part that was never seen; what was seen stays if no line moves. A text of
            // several lines may have begun or ended in a part that was seen.
            (0, false) => !moves && count_breaks(old) == 0,
            (1, true) => true,
            (_, true) => all,
            (1, false) if !all => true,
            (_, false) => all && !moves,
        };
        let before = self.assumed_break.then(|| self.clone());
        // From the back, so that earlier positions stay true.
        let chosen = if all { found.len() } else { found.len().min(1) };
        for place in found[..chosen].iter().rev() {
            self.replace_at(place, new);
        }
        let hangs = before
            .zip(found[..chosen].last())
            .is_some_and(|(before, last)| self.hangs_on_the_last_break(last, chosen, &before));
        if !certain || hangs {
            self.forget_order();
        }
    }

    /// Whether a line break at the end that was only assumed makes a difference: `last` is
    /// the last of the `places` that were replaced, by positions in the text as it was `before`.
    fn hangs_on_the_last_break(&self, last: &Stretch, places: usize, before: &Known) -> bool {
        let count = before.pieces.len();
        let (piece, offset) = last.end;
        if piece + 1 == count {
            // A single place takes the break in: that it was found shows that it is there.
            return places > 1;
        }
        let ends_the_text = piece + 2 == count
            && before.pieces[piece].text.as_ref().is_some_and(|text| text.len() == offset);
        let now_empty = self.pieces.len().checked_sub(2).map(|at| self.pieces[at].text.as_deref());
        ends_the_text && now_empty == Some(Some(""))
    }

    /// Where `old` stands in what is known, not overlapping.
    fn find(&self, old: &str) -> Vec<Stretch> {
        let mut places = Vec::new();
        let mut at = 0;
        while at < self.pieces.len() {
            if self.pieces[at].text.is_none() {
                at += 1;
                continue;
            }
            let run = self.pieces[at..].iter().take_while(|piece| piece.text.is_some()).count();
            // The line break before and after the run belongs to it, the unseen lines beyond
            // do not: they take part as empty text.
            let first = at.saturating_sub(1);
            let is_last = at + run == self.pieces.len();
            let mut starts = vec![0];
            let mut text = String::new();
            for piece in &self.pieces[first..(at + run + 1).min(self.pieces.len())] {
                text.push_str(piece.text.as_deref().unwrap_or_default());
                text.push('\n');
                starts.push(text.len());
            }
            if !is_last || self.end {
                text.pop();
            }
            places.extend(text.match_indices(old).map(|(start, _)| {
                let position = |offset: usize| {
                    let line = starts.partition_point(|begin| *begin <= offset) - 1;
                    (first + line, offset - starts[line])
                };
                Stretch { start: position(start), end: position(start + old.len()) }
            }));
            at += run;
        }
        places
    }

    fn replace_at(&mut self, place: &Stretch, new: &str) {
        let Stretch { start: (first, from), end: (last, to) } = *place;
        if last == self.pieces.len() {
            self.pieces.push(Piece::UNSEEN);
        }
        let (head, tail) = (&self.pieces[first], &self.pieces[last]);
        let fresh = self.pieces[first..=last].iter().all(|p| p.fresh || p.text.is_none());
        let begin = head.text.as_deref().map(|text| &text[..from]);
        let rest = tail.text.as_deref().map(|text| &text[to..]);
        let text = format!("{}{new}{}", begin.unwrap_or_default(), rest.unwrap_or_default());
        let mut lines: Vec<Piece> =
            text.split('\n').map(|line| Piece { text: Some(line.to_owned()), fresh }).collect();
        if begin.is_none() {
            lines[0] = Piece::UNSEEN;
        }
        if rest.is_none()
            && let Some(end) = lines.last_mut()
        {
            *end = Piece::UNSEEN;
        }
        self.pieces.splice(first..=last, lines);
    }
}

/// A stretch of text: piece and byte offset of its start and of its end.
struct Stretch {
    start: (usize, usize),
    end: (usize, usize),
}

fn count_breaks(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}
