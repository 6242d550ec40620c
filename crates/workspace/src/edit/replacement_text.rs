//! Replacement text that keeps the file's own spelling of unchanged lines.
//!
//! Lines that the edit leaves unchanged keep every byte of the file; only changed lines are written
//! anew.

use std::borrow::Cow;

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::text_lines;

/// A line of the matched place without its ending, and the ending.
pub(super) type TerminatedLine<'t> = (&'t str, &'t str);

/// Splits `place` at its line endings; the last piece has no ending.
pub(super) fn split_with_endings(place: &str) -> Vec<TerminatedLine<'_>> {
    let mut pieces: Vec<TerminatedLine<'_>> =
        text_lines::lines(place).iter().map(|line| (line.text, line.ending)).collect();
    if pieces.last().is_none_or(|(_, ending)| !ending.is_empty()) {
        pieces.push(("", ""));
    }
    pieces
}

/// Returns the replacement for a place whose `pieces` correspond one by one to the `old` pieces,
/// which the edit turns into `new`. New pieces are passed through `respell`; between pieces stands
/// the place's own ending where it has one, otherwise `ending`.
pub(super) fn merge_keeping_lines<'n>(
    pieces: &[TerminatedLine<'_>],
    old: &[&str],
    new: &[&'n str],
    ending: &str,
    respell: impl Fn(&'n str) -> Cow<'n, str>,
) -> String {
    // For each new piece, the index of the equal piece of the place.
    let mut kept: Vec<Option<usize>> = vec![None; new.len()];
    for op in capture_diff_slices(Algorithm::Myers, old, new) {
        if op.tag() == DiffTag::Equal {
            for (from, to) in op.old_range().zip(op.new_range()) {
                kept[to] = Some(from);
            }
        }
    }
    let last = new.len() - 1;
    let mut text = String::new();
    for (at, piece) in new.iter().enumerate() {
        let own = kept[at].and_then(|at| pieces.get(at));
        match own {
            Some((own, _)) => text.push_str(own),
            None => text.push_str(&respell(piece)),
        }
        if at < last {
            let own = own.map(|(_, ending)| *ending).filter(|ending| !ending.is_empty());
            text.push_str(own.unwrap_or(ending));
        }
    }
    text
}
