//! Files that are longer than one answer holds: the beginning, where nothing can be chosen.

use foveal_code::listing::ListingRow;
use foveal_context::note::{Lines, Note, NoteKind, Why};
use foveal_context::room::Room;
use foveal_files::stamp::Version;
use foveal_files::{LinesReader, Located, PathKey, TextFile};

use crate::error::ToolError;
use crate::findings::{Beginning, FileSize, Reach};
use crate::read_view::{ReadMode, ReadView};
use crate::room::{LINE_BYTES, is_long, is_parsed, rows, view_bytes};
use crate::session::{KnownFile, Work};

use super::part::{self, AskedLines, PartRoom};

/// Bytes kept free for the note behind a structure.
const NOTE_BYTES: usize = 200;

/// Bytes that are shown of a file that is too long to be curated.
const GLIMPSE_BYTES: usize = 40_000;

fn glimpse(work: &Work<'_>, path: &str) -> PartRoom {
    let PartRoom { room, line_bytes } = PartRoom::answer(work, path);
    let bytes = room.bytes.min(GLIMPSE_BYTES);
    PartRoom { room: Room { bytes, ..room }, line_bytes: line_bytes.min(LINE_BYTES) }
}

/// Changes by others that are told of behind the beginning of a long file.
const CHANGES_MAX: usize = 8;

/// How far to show a text from its beginning; `None`: by its view.
pub(super) fn reach(
    work: &Work<'_>,
    (path, key): (&str, &PathKey),
    text: &TextFile,
    mode: ReadMode,
    view: &ReadView,
) -> Option<Reach> {
    // The engine cuts long lines where not all is asked for.
    let is_full = mode == ReadMode::Full && text.text().len() > work.room.code_bytes();
    if !is_full && !is_long(text.text(), work.room) {
        return None;
    }
    let lines = rows(text.text()).map(|line| line.len().min(LINE_BYTES) + 1);
    let is_small = lines.clone().count() <= work.toolbox.small_lines(path) as usize;
    let fits = lines.sum::<usize>() <= work.room.code_bytes();
    let is_whole = match (mode, view) {
        (ReadMode::Full, _) => true,
        (ReadMode::Auto, ReadView::Auto { .. }) => is_small && !fits,
        // What stands above is pointed at, unless all is wanted.
        (ReadMode::Auto, ReadView::Whole) => work.session.workspace.is_in_focus(key),
        _ => false,
    };
    match (is_whole, is_parsed(text)) {
        (true, _) => Some(Reach::Answer),
        (false, true) => None,
        (false, false) => Some(Reach::Uncurated),
    }
}

/// The first lines of a text.
pub(super) fn beginning(
    work: &Work<'_>,
    (located, text): (&Located, &TextFile),
    version: Version,
    reach: Reach,
) -> Beginning {
    let all = u32::try_from(rows(text.text()).count()).unwrap_or(u32::MAX);
    let (room, lines) = match reach {
        Reach::Answer => (PartRoom::answer(work, located.shown()), all),
        Reach::Uncurated | Reach::Unparsed => {
            (glimpse(work, located.shown()), work.toolbox.small_lines(&located.rule_path()).max(1))
        }
    };
    let asked = AskedLines::whole(1, all.min(lines));
    let lines = part::of_text((&located.rule_path(), text.text()), asked, room);
    let last = lines.last().unwrap_or(0);
    let beyond = |known: &KnownFile| -> Vec<(u32, u32)> {
        let beyond = known.unshown.ranges().filter(|(_, end)| *end > last);
        beyond.take(CHANGES_MAX).collect()
    };
    Beginning {
        path: located.shown().to_owned(),
        key: located.key(),
        size: FileSize::Lines(all, version.hash),
        lines,
        next: (last < all).then_some(u64::from(last) + 1),
        reach,
        changed: work.files().part(&located.key(), beyond).unwrap_or_default(),
        remarks: text.remarks(),
    }
}

/// The first lines of a file of `len` bytes, which is too large to be read as a whole.
pub(super) fn beginning_of_large(
    work: &Work<'_>,
    located: &Located,
    mode: ReadMode,
    len: u64,
) -> Result<Beginning, ToolError> {
    let (room, count, reach) = match mode {
        ReadMode::Full => (PartRoom::answer(work, located.shown()), u32::MAX, Reach::Answer),
        ReadMode::Auto | ReadMode::Curated | ReadMode::Structure => {
            let small = work.toolbox.small_lines(&located.rule_path()).max(1);
            (glimpse(work, located.shown()), small, Reach::Uncurated)
        }
    };
    let mut reader = LinesReader::open(located).map_err(ToolError::failed)?;
    let from = (&mut reader, located.shown());
    let asked = AskedLines::whole(1, count);
    let (lines, next) = part::of_large(from, asked, room, work.control.cancel)?;
    let last = lines.last().unwrap_or(0);
    let is_end = next.is_none() && last < count;
    Ok(Beginning {
        path: located.shown().to_owned(),
        key: located.key(),
        size: FileSize::Bytes(len),
        lines,
        next: (!is_end).then(|| next.unwrap_or(u64::from(last) + 1)),
        reach,
        changed: Vec::new(),
        remarks: None,
    })
}

/// Leaves of an outline as much as an answer has room for. The file has `all` lines.
pub(super) fn cut_outline(outline: &mut Vec<ListingRow>, all: u32, room: Room) {
    let mut left =
        Room { bytes: room.bytes.min(view_bytes(room)), ..room.beside_notes(NOTE_BYTES) };
    let fits = |row: &&ListingRow| left.take(&format!("{row}\n"));
    let kept = outline.iter().take_while(fits).count();
    if kept == outline.len() {
        return;
    }
    let next = outline[kept..].iter().find_map(ListingRow::first_line);
    outline.truncate(kept);
    outline.extend(next.map(|next| {
        let lines = vec![Lines(next, all)];
        let note = Note { lines, ..Note::new(NoteKind::Rest(Why::Full)) };
        ListingRow::Note { indent: 0, note }
    }));
}
