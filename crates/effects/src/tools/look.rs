//! Tools that look: which lines of which files a read asks for, and where a search looks.

use serde_json::Value;

use foveal_transcript::LineNumber;

use crate::arguments::{Arguments, PATH, whole_number};
use crate::effect::{Effect, EffectKind, Output, ReadTarget, Span};

/// The names of arguments that say which lines of which files are read.
pub const READ_NAMES: &[&[&str]] = &[PATH, MANY, FIRST, LAST, OFFSET, LIMIT, RANGE];

const RANGE: &[&str] = &["view_range", "line_range", "range"];
const MANY: &[&str] = &["files", "paths", "file_paths", "reads", "include"];

/// The files and lines that a read tool is asked for by these arguments, paths normalised by
/// their spelling alone; `None` where the arguments do not tell all of them.
pub fn lines_asked(arguments: &Value) -> Option<Vec<ReadTarget>> {
    let arguments = Arguments::new(arguments, None);
    let listed = match arguments.path() {
        Some(_) => 1,
        None => arguments.list(MANY)?.len(),
    };
    let reads = read(arguments).reads;
    let is_told = reads.iter().all(|read| read.span != Span::Unknown);
    (!reads.is_empty() && reads.len() == listed && is_told).then_some(reads)
}

pub(super) const FIRST: &[&str] = &[
    "start_line",
    "startLine",
    "start",
    "line_start",
    "start_line_one_indexed",
    "StartLine",
    "line_number",
];
pub(super) const LAST: &[&str] = &[
    "end_line",
    "endLine",
    "end",
    "line_end",
    "end_line_one_indexed_inclusive",
    "end_line_one_indexed",
    "EndLine",
];
pub(super) const OFFSET: &[&str] = &["offset", "line_offset"];
pub(super) const LIMIT: &[&str] = &["limit", "n_lines", "line_limit"];

pub(super) fn read(arguments: Arguments<'_>) -> Effect {
    match arguments.path() {
        Some(path) => reading(vec![ReadTarget { path, span: span(arguments) }]),
        None => read_many(arguments),
    }
}

/// A cacheable read that prints its targets and nothing else.
fn reading(reads: Vec<ReadTarget>) -> Effect {
    Effect {
        kind: EffectKind::Read,
        cacheable: !reads.is_empty(),
        output: (0..reads.len()).map(Output::Lines).collect(),
        reads,
        ..Effect::default()
    }
}

fn span(arguments: Arguments<'_>) -> Span {
    if let Some(range) = arguments.list(RANGE) {
        let ends: Vec<Option<i64>> = range.iter().map(whole_number).collect();
        return match ends[..] {
            [Some(first), Some(last)] => lines(first, Some(last)),
            [Some(first)] => lines(first, None),
            _ => Span::Unknown,
        };
    }
    let first = arguments.number(FIRST);
    let last = arguments.number(LAST);
    if first.is_some() || last.is_some() {
        return lines(first.unwrap_or(1), last);
    }
    let (offset, limit) = (arguments.number(OFFSET), arguments.number(LIMIT));
    match (offset, limit) {
        (None, None) => Span::All,
        (Some(offset), _) if offset < 0 => Span::Unknown,
        (_, Some(limit)) if limit <= 0 => Span::Unknown,
        (offset, limit) => {
            // Where the path is spelt so, the agents count lines from 0.
            let from_zero = arguments.text(&["absolute_path", "filePath"]).is_some();
            let first = offset.unwrap_or(0).saturating_add(i64::from(from_zero)).max(1);
            lines(first, limit.map(|limit| first.saturating_add(limit - 1)))
        }
    }
}

/// Lines `first` to `last`, where -1 or nothing stands for the end of the file.
fn lines(first: i64, last: Option<i64>) -> Span {
    let last = last.filter(|last| *last != -1);
    match (line(first.max(1)), last.map(line)) {
        (Some(first), None) if first.0 == 1 => Span::All,
        (Some(first), None) => Span::Lines(first, None),
        (Some(first), Some(Some(last))) if first <= last => Span::Lines(first, Some(last)),
        _ => Span::Unknown,
    }
}

fn line(number: i64) -> Option<LineNumber> {
    u32::try_from(number).ok().filter(|number| *number > 0).map(LineNumber)
}

pub(super) fn read_many(arguments: Arguments<'_>) -> Effect {
    let listed = arguments.list(MANY);
    let targets = listed.unwrap_or_default().iter().filter_map(|item| match item {
        Value::String(path) if !path.contains(['*', '?', '{']) => {
            Some(ReadTarget { path: arguments.resolve(path), span: Span::All })
        }
        Value::Object(_) => {
            let item = arguments.within(item);
            // Roo lists several ranges of one file.
            let whole = item.list(&["line_ranges", "lineRanges"]).is_none_or(<[Value]>::is_empty);
            let span = if whole { span(item) } else { Span::Unknown };
            Some(ReadTarget { path: item.path()?, span })
        }
        _ => None,
    });
    let mut effect = reading(targets.collect());
    // Several files come with headings of the tool's own.
    effect.output = vec![Output::Unknown];
    effect
}

/// SWE-agent's window on a file: which part, its result tells.
pub(super) fn window(arguments: Arguments<'_>) -> Effect {
    let reads = arguments.path().map(|path| ReadTarget { path, span: Span::Unknown });
    let mut effect = reading(reads.into_iter().collect());
    effect.output = vec![Output::Unknown];
    effect
}

pub(super) fn search(kind: EffectKind, arguments: Arguments<'_>) -> Effect {
    Effect {
        kind,
        cacheable: true,
        scopes: arguments.folder().into_iter().collect(),
        output: vec![Output::Unknown],
        ..Effect::default()
    }
}
