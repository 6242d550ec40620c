//! Files that are longer than one answer holds: as much of them as matters, or the beginning.

use std::sync::Arc;

use serde_json::json;

use foveal_code::BYTES_PARSED_MAX;
use foveal_code::listing::ListingRow;
use foveal_context::note::{Lines, Note, NoteKind, Why};
use foveal_context::views::{Amount, View, Wanted};
use foveal_files::stamp::Version;
use foveal_files::{LinesReader, Located, PathKey, TextFile};
use foveal_transcript::LineNumber;

use crate::answer::{Dependency, Found, Head, Size};
use crate::error::ToolError;
use crate::tool::read_file::Mode;
use crate::views::ReadView;

use super::lines::{Asked, Part, Room, rows};
use super::{KnownFile, Seen, Work};

/// Bytes of a file in one answer; no prompt has room for many of them.
pub(crate) const ANSWER_BYTES_MAX: usize = 400_000;

/// Lines of a file that is curated; more take too long, and too much memory.
const LINES_MAX: usize = 100_000;

/// Bytes that are shown of a longer file that is curated, or of its structure; notes included.
const VIEW_BYTES_MAX: usize = 100_000;

/// Bytes that a number before a line takes, and a note between lines, about.
const NUMBER_BYTES: usize = 9;
const NOTE_BYTES: usize = 80;

/// Bytes of one line that count: the engine cuts longer ones in what it shapes.
const LINE_BYTES: usize = 1_000;

/// What is shown of a file that is too long to be curated.
const GLIMPSE: Room = Room { bytes: 40_000, line_bytes: LINE_BYTES };

/// How far the beginning of a file reaches, and why no more is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// As far as an answer does: all was asked for.
    Answer,
    /// A few lines: choosing among all would take too long.
    Uncurated,
    /// A few lines: it has no structure that could be told in time.
    Unparsed,
}

/// Whether a text is more than one answer holds.
pub(super) fn is_long(text: &str) -> bool {
    text.len() > ANSWER_BYTES_MAX || has_many_lines(text)
}

fn has_many_lines(text: &str) -> bool {
    rows(text).nth(LINES_MAX).is_some()
}

/// Changes by others that are told of behind the beginning of a long file.
const CHANGES_MAX: usize = 20;

/// Whether a text is short enough to be parsed, and so to be curated while someone waits: that
/// takes about a second for so much.
pub(super) fn is_parsed(text: &TextFile) -> bool {
    text.text().len() <= BYTES_PARSED_MAX && !has_many_lines(text.text())
}

impl Work<'_> {
    /// How far to show a text from its beginning; `None`: as wished.
    pub(super) fn reach(
        &self,
        (path, key): (&str, &PathKey),
        text: &TextFile,
        mode: Mode,
        read_view: &ReadView,
    ) -> Option<Reach> {
        if !is_long(text.text()) {
            return None;
        }
        let lines = rows(text.text()).map(|line| line.len().min(LINE_BYTES) + 1);
        let is_small = lines.clone().count() <= self.toolbox.small_lines(path) as usize;
        let fits = lines.sum::<usize>() <= ANSWER_BYTES_MAX;
        let is_whole = match (mode, read_view) {
            (Mode::Full, _) => true,
            (Mode::Auto, ReadView::Auto { .. }) => is_small && !fits,
            // What stands above is pointed at, unless all is wanted.
            (Mode::Auto, ReadView::Whole) => self.session.is_in_focus(key),
            _ => false,
        };
        match (is_whole, is_parsed(text)) {
            (true, _) => Some(Reach::Answer),
            (false, true) => None,
            (false, false) => Some(Reach::Uncurated),
        }
    }

    /// The first lines of a text, and how to get the others.
    pub(super) fn beginning(
        &self,
        (located, text): (&Located, &Arc<TextFile>),
        version: Version,
        reach: Reach,
        depends: Vec<Dependency>,
    ) -> Found {
        let path = located.shown().to_owned();
        let all = u32::try_from(rows(text.text()).count()).unwrap_or(u32::MAX);
        let (room, lines) = match reach {
            Reach::Answer => (Room::ANSWER, all),
            Reach::Uncurated | Reach::Unparsed => {
                (GLIMPSE, self.toolbox.small_lines(&located.rule_path()).max(1))
            }
        };
        let mut part = Part::of(text.text(), Asked::lines(1, all.min(lines)), room);
        if part.last < all {
            let next = part.last + 1;
            let why = match reach {
                Reach::Answer => Why::Full,
                Reach::Uncurated => Why::Uncurated,
                Reach::Unparsed => Why::Unparsed,
            };
            part.lines.note(&rest(Lines(next, all), why));
        }
        let beyond = |known: &KnownFile| -> Vec<(u32, u32)> {
            let beyond = known.unshown.ranges().filter(|(_, end)| *end > part.last);
            beyond.take(CHANGES_MAX).collect()
        };
        for (first, last) in self.session.of_known(&located.key(), beyond).unwrap_or_default() {
            let lines = vec![Lines(first, last)];
            part.lines.note(&Note { lines, ..Note::new(NoteKind::ChangedByOthers) });
        }
        let head = Head::Beginning {
            path: path.clone(),
            key: located.key(),
            version: Some(version.hash),
            size: Size::Lines(all),
            seen: part.ended,
            remarks: text.remarks(),
        };
        let mode = if reach == Reach::Answer { "full" } else { "auto" };
        let carried = Some(json!({ "path": path, "mode": mode }));
        Found {
            head,
            carried,
            depends,
            read_view: Some(ReadView::Whole),
            ..Found::lines(part.lines)
        }
    }

    /// The first lines of a file of `len` bytes, which is too large to be read as a whole.
    pub(super) fn beginning_of_large(
        &self,
        located: &Located,
        mode: Mode,
        len: u64,
    ) -> Result<Found, ToolError> {
        let path = located.shown().to_owned();
        let (room, lines, carried) = match mode {
            Mode::Full => (Room::ANSWER, u32::MAX, "full"),
            Mode::Auto | Mode::Curated | Mode::Structure => {
                (GLIMPSE, self.toolbox.small_lines(&located.rule_path()).max(1), "auto")
            }
        };
        let mut reader = LinesReader::open(located, None).map_err(ToolError::failed)?;
        let from = (&mut reader, path.as_str());
        let asked = Asked::lines(1, lines);
        let (mut part, next) = Part::of_large(from, asked, room, self.control.go_on)?;
        let is_end = next.is_none() && part.last < lines;
        if !is_end {
            let next = next.unwrap_or(u64::from(part.last) + 1);
            let next = u32::try_from(next).unwrap_or(u32::MAX);
            part.lines.note(&rest(Lines(next, u32::MAX), Why::Large));
        }
        let head = Head::Beginning {
            path: path.clone(),
            key: located.key(),
            version: None,
            size: Size::Bytes(len),
            seen: Seen::default(),
            remarks: None,
        };
        let carried = Some(json!({ "path": path, "mode": carried }));
        Ok(Found { head, carried, read_view: Some(ReadView::Whole), ..Found::lines(part.lines) })
    }
}

/// A note on lines that are not given.
fn rest(lines: Lines, why: Why) -> Note {
    Note { lines: vec![lines], ..Note::new(NoteKind::Rest(why)) }
}

/// Leaves of an outline as much as an answer has room for. The file has `all` lines.
pub(super) fn cut_outline(outline: &mut Vec<ListingRow>, all: u32) {
    let mut bytes = 0;
    let fits = |row: &&ListingRow| {
        bytes += row.to_string().len() + 1;
        bytes <= VIEW_BYTES_MAX
    };
    let kept = outline.iter().take_while(fits).count();
    if kept == outline.len() {
        return;
    }
    let next = outline[kept..].iter().find_map(ListingRow::first_line);
    outline.truncate(kept);
    let note = next.map(|next| rest(Lines(next, all), Why::Full));
    outline.extend(note.map(|note| ListingRow::Note { indent: 0, note }));
}

/// How much is wanted of a text: of a long one no more lines than an answer has room for,
/// should each stand alone between notes.
pub(crate) fn room_for(wanted: Wanted, text: &str) -> Wanted {
    match wanted {
        Wanted::Curated(_) if is_long(text) => {
            let (lines, bytes) =
                sizes(text).fold((0, 0), |(lines, all), bytes| (lines + 1, all + bytes));
            let most = VIEW_BYTES_MAX as f64 / (bytes + lines * NOTE_BYTES).max(1) as f64;
            Wanted::Curated(Amount::Share(most.min(1.0)))
        }
        wanted => wanted,
    }
}

/// The bytes that each line of a text takes in a view.
fn sizes(text: &str) -> impl Iterator<Item = usize> {
    rows(text).map(|line| line.len().min(LINE_BYTES) + 1 + NUMBER_BYTES)
}

/// The lines of a view of `text` for which an answer has room, in order; of a long text that
/// nobody chose from, its beginning. `Lines` may stand above for the most part.
pub(crate) fn within_room(view: Option<View>, text: &str, read_view: &ReadView) -> Option<View> {
    if !is_long(text) {
        return view;
    }
    let mut left = match read_view {
        ReadView::Lines(_) => ANSWER_BYTES_MAX,
        ReadView::Auto { .. } | ReadView::Curated | ReadView::Whole => VIEW_BYTES_MAX,
    };
    let mut view = view.unwrap_or_else(|| View {
        lines: vec![(LineNumber(1), LineNumber(u32::MAX))],
        ..View::default()
    });
    view.lines.sort_unstable();
    let rows: Vec<usize> = sizes(text).collect();
    let mut kept: Vec<(LineNumber, LineNumber)> = Vec::new();
    'ranges: for (first, last) in &view.lines {
        let last = last.0.min(u32::try_from(rows.len()).unwrap_or(u32::MAX));
        for number in first.0.max(1)..=last {
            let follows = kept.last().is_some_and(|(_, end)| end.0 + 1 == number);
            let bytes = rows[number as usize - 1] + if follows { 0 } else { NOTE_BYTES };
            if bytes > left {
                break 'ranges;
            }
            left -= bytes;
            match kept.last_mut() {
                Some((_, end)) if end.0 + 1 == number => end.0 = number,
                _ => kept.push((LineNumber(number), LineNumber(number))),
            }
        }
    }
    view.lines = kept;
    Some(view)
}
