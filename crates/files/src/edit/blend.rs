//! New text for a place that is spelled otherwise than the edit spelled it.
//!
//! Lines that the edit leaves as they are keep every byte of the file; only those it changes
//! are written anew.

use std::borrow::Cow;

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::text;

/// A line of the place without its ending, and the ending.
pub(super) type Piece<'t> = (&'t str, &'t str);

/// The pieces of `place` between line endings; the last has no ending.
pub(super) fn pieces_of(place: &str) -> Vec<Piece<'_>> {
    let mut pieces: Vec<Piece<'_>> =
        text::lines(place).iter().map(|line| (line.text, line.ending)).collect();
    if pieces.last().is_none_or(|(_, ending)| !ending.is_empty()) {
        pieces.push(("", ""));
    }
    pieces
}

/// The text for a place whose `pieces` stand for the `old` pieces one by one, after these
/// became `new`. A new piece is rewritten by `respell`; between pieces stands the place's own
/// ending where it has one, or `ending`.
pub(super) fn blend<'n>(
    pieces: &[Piece<'_>],
    old: &[&str],
    new: &[&'n str],
    ending: &str,
    respell: impl Fn(&'n str) -> Cow<'n, str>,
) -> String {
    // For each new piece, the piece of the place that it is.
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
