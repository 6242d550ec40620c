//! What results consist of: functions of a file, hunks of a diff, hits in one file, paragraphs of
//! what a command printed.

use std::ops::Range;

use foveal_code::embed::{StaticModel, Vector};
use foveal_code::parse;
use foveal_context::facts::Facts;
use foveal_context::tokens::Tokenizer;
use foveal_effects::EffectKind;
use foveal_replay::scan::{Scan, hash};

/// Shorter parts go on with what follows; longer ones are cut.
const LINES_MIN: usize = 4;
const LINES_MAX: usize = 60;

/// A part of a result.
pub(crate) struct Part {
    /// Where it begins in the result, 0 to 1.
    pub(crate) place: f64,
    /// Its tokens.
    pub(crate) tokens: f64,
    /// Its lines and references, as the measures know them.
    pub(crate) scan: Scan,
    /// Names of what it defines.
    pub(crate) defines: Vec<u64>,
    /// What it is about.
    pub(crate) vector: Vector,
}

/// The parts of a result, in order.
pub(crate) fn parts(facts: &Facts, content: &str, model: &StaticModel) -> Vec<Part> {
    let all: Vec<&str> = facts.printed.lines.iter().map(|line| line.text_in(content)).collect();
    let defined = defined(facts, &all);
    let mut starts = starts(facts, content, &all);
    starts.extend(defined.iter().map(|(row, _)| *row));
    starts.sort_unstable();
    let part = |rows: Range<usize>| {
        let text = all[rows.clone()].join("\n");
        let defines = defined.iter().filter(|(row, _)| rows.contains(row));
        Part {
            place: rows.start as f64 / all.len() as f64,
            tokens: Tokenizer::O200k.count(&text).0.max(1) as f64,
            scan: Scan::of(&[&text]),
            defines: defines.map(|(_, name)| *name).collect(),
            vector: model.vector(&text),
        }
    };
    cut(&starts, all.len()).into_iter().map(part).collect()
}

/// Where functions and types of a file that was read begin, and their names.
fn defined(facts: &Facts, all: &[&str]) -> Vec<(usize, u64)> {
    let path = facts.printed.paths.first().filter(|_| facts.kind() == EffectKind::Read);
    let Some(path) = path else { return Vec::new() };
    let parsed = parse(path, &all.join("\n"));
    let are_told = parsed.entities.iter().filter(|it| it.kind.is_function() || it.parent.is_none());
    are_told.map(|it| ((it.lines.first.0 as usize).saturating_sub(1), hash(&it.name))).collect()
}

/// Where something else begins.
fn starts(facts: &Facts, content: &str, all: &[&str]) -> Vec<usize> {
    let lines = &facts.printed.lines;
    let whole = |row: usize| lines[row].whole_in(content);
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

/// The rows between these starts, in pieces neither too short nor too long.
fn cut(starts: &[usize], rows: usize) -> Vec<Range<usize>> {
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
