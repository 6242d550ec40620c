//! The effects of tools that read and search: the lines of a read, and the scope of a search.

use serde_json::Value;

use foveal_transcript::LineNumber;

use crate::arguments::{CallArguments, PATH_NAMES, whole_number};
use crate::effect::{Effect, EffectKind, OutputPart, ReadSpan, ReadTarget};

/// The names of arguments that select the files and lines of a read.
pub const READ_ARGUMENT_NAMES: &[&[&str]] = &[
    PATH_NAMES,
    FILE_LIST_NAMES,
    START_LINE_ARGUMENTS,
    END_LINE_ARGUMENTS,
    OFFSET_NAMES,
    LIMIT_NAMES,
    RANGE_NAMES,
];

const RANGE_NAMES: &[&str] = &["view_range", "line_range", "range"];
const FILE_LIST_NAMES: &[&str] = &["files", "paths", "file_paths", "reads", "include"];

/// Returns the files and lines that these arguments ask a read tool for, with lexically normalised
/// paths; `None` if the arguments do not state all of them.
pub fn requested_lines(arguments: &Value) -> Option<Vec<ReadTarget>> {
    let arguments = CallArguments::new(arguments, None);
    let listed = match arguments.path() {
        Some(_) => 1,
        None => arguments.list(FILE_LIST_NAMES)?.len(),
    };
    let reads = read_effect(arguments).reads;
    let is_told = reads.iter().all(|read| read.span != ReadSpan::Unknown);
    (!reads.is_empty() && reads.len() == listed && is_told).then_some(reads)
}

pub(super) const START_LINE_ARGUMENTS: &[&str] = &[
    "start_line",
    "startLine",
    "start",
    "line_start",
    "start_line_one_indexed",
    "StartLine",
    "line_number",
];
pub(super) const END_LINE_ARGUMENTS: &[&str] = &[
    "end_line",
    "endLine",
    "end",
    "line_end",
    "end_line_one_indexed_inclusive",
    "end_line_one_indexed",
    "EndLine",
];
pub(super) const OFFSET_NAMES: &[&str] = &["offset", "line_offset"];
pub(super) const LIMIT_NAMES: &[&str] = &["limit", "n_lines", "line_limit"];

pub(super) fn read_effect(arguments: CallArguments<'_>) -> Effect {
    match arguments.path() {
        Some(path) => cacheable_read(vec![ReadTarget { path, span: requested_span(arguments) }]),
        None => read_many_effect(arguments),
    }
}

/// Returns a cacheable read that prints its targets and nothing else.
fn cacheable_read(reads: Vec<ReadTarget>) -> Effect {
    Effect {
        kind: EffectKind::Read,
        cacheable: !reads.is_empty(),
        output: (0..reads.len()).map(OutputPart::Lines).collect(),
        reads,
        ..Effect::default()
    }
}

fn requested_span(arguments: CallArguments<'_>) -> ReadSpan {
    if let Some(range) = arguments.list(RANGE_NAMES) {
        let ends: Vec<Option<i64>> = range.iter().map(whole_number).collect();
        return match ends[..] {
            [Some(first), Some(last)] => line_range_span(first, Some(last)),
            [Some(first)] => line_range_span(first, None),
            _ => ReadSpan::Unknown,
        };
    }
    let first = arguments.number(START_LINE_ARGUMENTS);
    let last = arguments.number(END_LINE_ARGUMENTS);
    if first.is_some() || last.is_some() {
        return line_range_span(first.unwrap_or(1), last);
    }
    let (offset, limit) = (arguments.number(OFFSET_NAMES), arguments.number(LIMIT_NAMES));
    match (offset, limit) {
        (None, None) => ReadSpan::All,
        (Some(offset), _) if offset < 0 => ReadSpan::Unknown,
        (_, Some(limit)) if limit <= 0 => ReadSpan::Unknown,
        (offset, limit) => {
            // Agents that use these names for the path count lines from 0.
            let from_zero = arguments.text(&["absolute_path", "filePath"]).is_some();
            let first = offset.unwrap_or(0).saturating_add(i64::from(from_zero)).max(1);
            line_range_span(first, limit.map(|limit| first.saturating_add(limit - 1)))
        }
    }
}

/// Returns the span of the lines `first` to `last`; -1 or `None` is the end of the file.
fn line_range_span(first: i64, last: Option<i64>) -> ReadSpan {
    let last = last.filter(|last| *last != -1);
    match (positive_line_number(first.max(1)), last.map(positive_line_number)) {
        (Some(first), None) if first.0 == 1 => ReadSpan::All,
        (Some(first), None) => ReadSpan::Lines(first, None),
        (Some(first), Some(Some(last))) if first <= last => ReadSpan::Lines(first, Some(last)),
        _ => ReadSpan::Unknown,
    }
}

fn positive_line_number(number: i64) -> Option<LineNumber> {
    u32::try_from(number).ok().filter(|number| *number > 0).map(LineNumber)
}

pub(super) fn read_many_effect(arguments: CallArguments<'_>) -> Effect {
    let listed = arguments.list(FILE_LIST_NAMES);
    let targets = listed.unwrap_or_default().iter().filter_map(|item| match item {
        Value::String(path) if !path.contains(['*', '?', '{']) => {
            Some(ReadTarget { path: arguments.resolve(path), span: ReadSpan::All })
        }
        Value::Object(_) => {
            let item = arguments.with_value(item);
            // Roo lists several ranges per file.
            let whole = item.list(&["line_ranges", "lineRanges"]).is_none_or(<[Value]>::is_empty);
            let span = if whole { requested_span(item) } else { ReadSpan::Unknown };
            Some(ReadTarget { path: item.path()?, span })
        }
        _ => None,
    });
    let mut effect = cacheable_read(targets.collect());
    // The tool prints headings between several files.
    effect.output = vec![OutputPart::Unknown];
    effect
}

/// Returns the effect of SWE-agent's window on a file, a part of it that only the result states.
pub(super) fn window_effect(arguments: CallArguments<'_>) -> Effect {
    let reads = arguments.path().map(|path| ReadTarget { path, span: ReadSpan::Unknown });
    let mut effect = cacheable_read(reads.into_iter().collect());
    effect.output = vec![OutputPart::Unknown];
    effect
}

pub(super) fn search_effect(kind: EffectKind, arguments: CallArguments<'_>) -> Effect {
    Effect {
        kind,
        cacheable: true,
        scopes: arguments.folder().into_iter().collect(),
        output: vec![OutputPart::Unknown],
        ..Effect::default()
    }
}
