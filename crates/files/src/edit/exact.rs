//! The old text as it is spelled, or with other line endings.

use std::borrow::Cow;
use std::ops::Range;

use super::change::{Differences, Edit, Loose, Replacement};
use super::refusal::{EditRefusal, MatchedBy, PLACES_MAX};
use super::{blend, text};

/// The places of `edit.old` in `text`; `None` if it does not stand there as it is spelled.
pub(super) fn find(text: &str, edit: &Edit) -> Result<Option<Vec<Replacement>>, EditRefusal> {
    let Some(first) = text.find(&edit.old) else { return Ok(None) };
    if edit.replace_all {
        let places = text.match_indices(&edit.old);
        let places = places.map(|(at, old)| {
            let bytes = at..at + old.len();
            let new = with_endings(text, &bytes, edit).into_owned();
            (bytes, new)
        });
        return Ok(Some(places.collect()));
    }
    let all = all_places(text, &edit.old, first);
    if let [_, _, ..] = all[..] {
        return Err(EditRefusal::ambiguous(text, &all, MatchedBy::Exact));
    }
    let bytes = first..first + edit.old.len();
    let new = with_endings(text, &bytes, edit).into_owned();
    Ok(Some(vec![(bytes, new)]))
}

/// The places of `old`, overlapping ones too: which of them is meant is not plain either.
fn all_places(text: &str, old: &str, first: usize) -> Vec<usize> {
    let step = old.chars().next().map_or(1, char::len_utf8);
    let mut places = vec![first];
    let mut at = first + step;
    while places.len() < PLACES_MAX
        && let Some(next) = text.get(at..).and_then(|rest| rest.find(old))
    {
        places.push(at + next);
        at += next + step;
    }
    places
}

/// The new text with the line endings of the place it comes to. An old text that spells
/// carriage returns shows that the new one means its own endings.
fn with_endings<'e>(text: &str, bytes: &Range<usize>, edit: &'e Edit) -> Cow<'e, str> {
    if !edit.new.contains('\n') || edit.old.contains('\r') {
        return Cow::Borrowed(&edit.new);
    }
    let place = &text[bytes.clone()];
    let ending = if place.contains('\n') { "\n" } else { text::usual_ending(text) };
    let own = edit.new.matches("\r\n").count();
    let all = edit.new.matches('\n').count();
    if (ending == "\n" && own == 0) || (ending == "\r\n" && own == all) {
        return Cow::Borrowed(&edit.new);
    }
    Cow::Owned(text::pieces(&edit.new).join(ending))
}

/// The places of `edit.old` in `text` if both kinds of line ending are the same.
pub(super) fn find_by_endings(text: &str, edit: &Edit) -> Result<Loose, EditRefusal> {
    if !text.contains("\r\n") && !edit.old.contains("\r\n") {
        return Ok(None);
    }
    let plain = Plain::of(text);
    let old = edit.old.replace("\r\n", "\n");
    let Some(first) = plain.text.find(&old) else { return Ok(None) };
    let starts: Vec<usize> = if edit.replace_all {
        plain.text.match_indices(&old).map(|(at, _)| at).collect()
    } else {
        let all = all_places(&plain.text, &old, first);
        if let [_, _, ..] = all[..] {
            let all: Vec<usize> = all.into_iter().map(|at| plain.place(at)).collect();
            return Err(EditRefusal::ambiguous(text, &all, MatchedBy::LineEndings));
        }
        all
    };
    let old_pieces: Vec<&str> = old.split('\n').collect();
    let new_pieces = text::pieces(&edit.new);
    let replacement = |at: usize| {
        let bytes = plain.place(at)..plain.place(at + old.len());
        let place = blend::pieces_of(&text[bytes.clone()]);
        let ending = text::usual_ending(text);
        let new = blend::blend(&place, &old_pieces, &new_pieces, ending, Cow::Borrowed);
        (bytes, new)
    };
    let replacements = starts.into_iter().map(replacement).collect();
    Ok(Some((replacements, Differences { line_endings: true, ..Differences::default() })))
}

/// A text with every `\r\n` as `\n`, and where in the text its bytes were.
struct Plain {
    text: String,
    /// Places in the plain text of the `\n` that lost a `\r`, ascending.
    returns: Vec<usize>,
}

impl Plain {
    fn of(text: &str) -> Self {
        let mut plain = String::with_capacity(text.len());
        let mut returns = Vec::new();
        let mut parts = text.split("\r\n");
        plain.push_str(parts.next().unwrap_or_default());
        for part in parts {
            returns.push(plain.len());
            plain.push('\n');
            plain.push_str(part);
        }
        Self { text: plain, returns }
    }

    /// The place in the text of the plain text's byte `at`. An ending is never cut in two: its
    /// place is that of its `\r`.
    fn place(&self, at: usize) -> usize {
        at + self.returns.partition_point(|place| *place < at)
    }
}
