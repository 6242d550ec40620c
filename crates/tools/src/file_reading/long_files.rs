//! Files that do not fit in one answer: their beginning, where no view can be chosen.

use foveal_engine::note::LineNumberRange;
use foveal_engine::output_budget::OutputBudget;
use foveal_relevance::numbered_listing::ListingRow;
use foveal_workspace::file_version::FileVersion;
use foveal_workspace::{LineRangeReader, PathKey, ResolvedPath, TextFile};

use crate::answer_budget::{LINE_BYTES, exceeds_answer, is_parseable, split_rows, view_bytes_max};
use crate::error::ToolError;
use crate::findings::{FileBeginning, FileSize, TruncationReason};
use crate::read_view::{ReadMode, ReadView};
use crate::session::{CallContext, KnownFile};

use super::line_selection::{self, RangeBudget, RequestedLines};

/// Bytes reserved for the note after a structure.
const NOTE_BYTES: usize = 200;

/// Bytes shown of a file that is too long to be curated.
const GLIMPSE_BYTES_MAX: usize = 40_000;

fn glimpse_budget(work: &CallContext<'_>, path: &str) -> RangeBudget {
    let RangeBudget { output_budget: room, line_bytes } = RangeBudget::for_answer(work, path);
    let bytes = room.bytes.min(GLIMPSE_BYTES_MAX);
    RangeBudget {
        output_budget: OutputBudget { bytes, ..room },
        line_bytes: line_bytes.min(LINE_BYTES),
    }
}

/// Most changes by others that are listed after the beginning of a long file.
const CHANGES_MAX: usize = 8;

/// Returns the reason to show only the beginning of a text; `None` if its view decides.
pub(super) fn truncation_reason(
    work: &CallContext<'_>,
    path: &str,
    key: &PathKey,
    text: &TextFile,
    mode: ReadMode,
    view: &ReadView,
) -> Option<TruncationReason> {
    // The engine cuts long lines, unless the whole file is asked for.
    let is_full = mode == ReadMode::Full && text.text().len() > work.output_budget.code_bytes();
    if !is_full && !exceeds_answer(text.text(), work.output_budget) {
        return None;
    }
    let lines = split_rows(text.text()).map(|line| line.len().min(LINE_BYTES) + 1);
    let is_small = lines.clone().count() <= work.toolbox.full_read_lines_max(path) as usize;
    let fits = lines.sum::<usize>() <= work.output_budget.code_bytes();
    let is_whole = match (mode, view) {
        (ReadMode::Full, _) => true,
        (ReadMode::Auto, ReadView::Auto { .. }) => is_small && !fits,
        // Visible content is pointed at, unless the whole file is wanted.
        (ReadMode::Auto, ReadView::Whole) => work.session.workspace.is_in_focus(key),
        _ => false,
    };
    match (is_whole, is_parseable(text)) {
        (true, _) => Some(TruncationReason::AnswerFull),
        (false, true) => None,
        (false, false) => Some(TruncationReason::Uncurated),
    }
}

/// Reads the first lines of a text.
pub(super) fn read_beginning(
    work: &CallContext<'_>,
    located: &ResolvedPath,
    text: &TextFile,
    version: FileVersion,
    reach: TruncationReason,
) -> FileBeginning {
    let all = u32::try_from(split_rows(text.text()).count()).unwrap_or(u32::MAX);
    let (room, lines) = match reach {
        TruncationReason::AnswerFull => {
            (RangeBudget::for_answer(work, located.display_path()), all)
        }
        TruncationReason::Uncurated | TruncationReason::Unparsed => (
            glimpse_budget(work, located.display_path()),
            work.toolbox.full_read_lines_max(&located.rule_path()).max(1),
        ),
    };
    let asked = RequestedLines::whole_lines(1, all.min(lines));
    let lines = line_selection::select_from_text(&located.rule_path(), text.text(), asked, room);
    let last = lines.last_number().unwrap_or(0);
    let beyond = |known: &KnownFile| -> Vec<(u32, u32)> {
        let beyond = known.external_changes.changed_ranges().filter(|(_, end)| *end > last);
        beyond.take(CHANGES_MAX).collect()
    };
    FileBeginning {
        path: located.display_path().to_owned(),
        key: located.path_key(),
        size: FileSize::Lines(all, version.hash),
        lines,
        next: (last < all).then_some(u64::from(last) + 1),
        truncation: reach,
        changed: work.files().map_file(&located.path_key(), beyond).unwrap_or_default(),
        remarks: text.remarks(),
    }
}

/// Reads the first lines of a file of `len` bytes that is too large to be read whole.
pub(super) fn read_large_beginning(
    work: &CallContext<'_>,
    located: &ResolvedPath,
    mode: ReadMode,
    len: u64,
) -> Result<FileBeginning, ToolError> {
    let (room, count, reach) = match mode {
        ReadMode::Full => (
            RangeBudget::for_answer(work, located.display_path()),
            u32::MAX,
            TruncationReason::AnswerFull,
        ),
        ReadMode::Auto | ReadMode::Curated | ReadMode::Structure => {
            let small = work.toolbox.full_read_lines_max(&located.rule_path()).max(1);
            (glimpse_budget(work, located.display_path()), small, TruncationReason::Uncurated)
        }
    };
    let mut reader = LineRangeReader::open(located).map_err(ToolError::from_error)?;
    let asked = RequestedLines::whole_lines(1, count);
    let (lines, next) = line_selection::select_from_large_file(
        &mut reader,
        located.display_path(),
        asked,
        room,
        work.control.cancel,
    )?;
    let last = lines.last_number().unwrap_or(0);
    let is_end = next.is_none() && last < count;
    Ok(FileBeginning {
        path: located.display_path().to_owned(),
        key: located.path_key(),
        size: FileSize::Bytes(len),
        lines,
        next: (!is_end).then(|| next.unwrap_or(u64::from(last) + 1)),
        truncation: reach,
        changed: Vec::new(),
        remarks: None,
    })
}

/// Truncates an outline to the output budget; returns the lines of the removed part. The file has
/// `all` lines.
pub(super) fn fit_outline(
    outline: &mut Vec<ListingRow>,
    all: u32,
    room: OutputBudget,
) -> Option<LineNumberRange> {
    let mut left = OutputBudget {
        bytes: room.bytes.min(view_bytes_max(room)),
        ..room.reserve_notes(NOTE_BYTES)
    };
    let fits = |row: &&ListingRow| left.consume(&format!("{row}\n"));
    let kept = outline.iter().take_while(fits).count();
    let next = outline[kept..].iter().find_map(ListingRow::first_line_number);
    outline.truncate(kept);
    next.map(|next| LineNumberRange(next, all))
}
