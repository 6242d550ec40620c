//! Splits results into parts: functions of a file, hunks of a diff, hits in one file, paragraphs of
//! a command's output.

use std::ops::Range;

use foveal_engine::entry_facts::EntryFacts;
use foveal_pricing::tokens::Tokenizer;
use foveal_relevance::embedding::{StaticModel, Vector};
use foveal_replay::scan::{TextScan, hash_text};
use foveal_syntax::parse_file;
use foveal_tool_effects::EffectKind;

/// Shorter parts are merged with the next one; longer ones are cut.
const LINES_MIN: usize = 4;
const LINES_MAX: usize = 60;

/// A part of a result.
pub(crate) struct ResultPart {
    /// The position of its start in the result, from 0 to 1.
    pub(crate) place: f64,
    /// Its tokens.
    pub(crate) tokens: f64,
    /// The hashes of its lines and references, as the measures use them.
    pub(crate) scan: TextScan,
    /// The hashes of the names that it defines.
    pub(crate) defines: Vec<u64>,
    /// The embedding of its text.
    pub(crate) vector: Vector,
}

/// Returns the parts of a result, in order.
pub(crate) fn split_result(
    facts: &EntryFacts,
    content: &str,
    model: &StaticModel,
) -> Vec<ResultPart> {
    let all: Vec<&str> = facts.printed.lines.iter().map(|line| line.file_text(content)).collect();
    let definitions = definitions(facts, &all);
    let mut starts = part_starts(facts, content, &all);
    starts.extend(definitions.iter().map(|(row, _)| *row));
    starts.sort_unstable();
    let part = |rows: Range<usize>| {
        let text = all[rows.clone()].join("\n");
        let defines = definitions.iter().filter(|(row, _)| rows.contains(row));
        ResultPart {
            place: rows.start as f64 / all.len() as f64,
            tokens: Tokenizer::O200k.count(&text).0.max(1) as f64,
            scan: TextScan::from_texts(&[&text]),
            defines: defines.map(|(_, name)| *name).collect(),
            vector: model.embed_text(&text),
        }
    };
    cut_rows(&starts, all.len()).into_iter().map(part).collect()
}

/// Returns the rows at which functions and types of a read file begin, and their names.
fn definitions(facts: &EntryFacts, all: &[&str]) -> Vec<(usize, u64)> {
    let path = facts.printed.paths.first().filter(|_| facts.kind() == EffectKind::Read);
    let Some(path) = path else { return Vec::new() };
    let parsed = parse_file(path, &all.join("\n"));
    let definitions =
        parsed.entities.iter().filter(|it| it.kind.is_function() || it.parent.is_none());
    definitions
        .map(|it| ((it.lines.first.0 as usize).saturating_sub(1), hash_text(&it.name)))
        .collect()
}

/// Returns the rows at which parts begin.
fn part_starts(facts: &EntryFacts, content: &str, all: &[&str]) -> Vec<usize> {
    let lines = &facts.printed.lines;
    let whole = |row: usize| lines[row].full_text(content);
    let is_diff = (0..all.len()).any(|row| whole(row).starts_with("@@ -"));
    let begins = |row: &usize| {
        let row = *row;
        match facts.kind() {
            _ if is_diff => whole(row).starts_with("@@ -") || whole(row).starts_with("diff "),
            EffectKind::Read => false,
            EffectKind::Search | EffectKind::List => lines[row].path != lines[row - 1].path,
            _ => all[row - 1].trim().is_empty() && !all[row].trim().is_empty(),
        }
    };
    (1..all.len()).filter(begins).collect()
}

/// Returns the ranges of rows between these starts, within the limits of length.
fn cut_rows(starts: &[usize], rows: usize) -> Vec<Range<usize>> {
    let (mut parts, mut from) = (Vec::new(), 0);
    for end in starts.iter().copied().chain([rows]) {
        while end > from + LINES_MAX {
            parts.push(from..from + LINES_MAX);
            from += LINES_MAX;
        }
        if end >= from + LINES_MIN || (end == rows && end > from) {
            parts.push(from..end);
            from = end;
        }
    }
    parts
}
