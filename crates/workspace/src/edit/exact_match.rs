//! Exact matches of the old text, also with other line endings.

use std::borrow::Cow;
use std::ops::Range;

use super::planned_edit::{Edit, TextReplacement, WhitespaceDifferences, WhitespaceMatch};
use super::refusal::{EditRefusal, MATCHES_MAX, MatchMethod};
use super::{replacement_text, text_lines};

/// Returns the replacements for the exact matches of `edit.old` in `text`, or `None` if there is no
/// match.
pub(super) fn find_exact(
    text: &str,
    edit: &Edit,
) -> Result<Option<Vec<TextReplacement>>, EditRefusal> {
    let Some(first) = text.find(&edit.old) else { return Ok(None) };
    if edit.replace_all {
        let places = text.match_indices(&edit.old);
        let places = places.map(|(at, old)| {
            let bytes = at..at + old.len();
            let new = adapt_endings(text, &bytes, edit).into_owned();
            (bytes, new)
        });
        return Ok(Some(places.collect()));
    }
    let all = overlapping_matches(text, &edit.old, first);
    if let [_, _, ..] = all[..] {
        return Err(EditRefusal::ambiguous(text, &all, MatchMethod::Exact));
    }
    let bytes = first..first + edit.old.len();
    let new = adapt_endings(text, &bytes, edit).into_owned();
    Ok(Some(vec![(bytes, new)]))
}

/// Returns the offsets of all matches of `old`, overlapping ones included, since those are
/// ambiguous too.
fn overlapping_matches(text: &str, old: &str, first: usize) -> Vec<usize> {
    let step = old.chars().next().map_or(1, char::len_utf8);
    let mut places = vec![first];
    let mut at = first + step;
    while places.len() < MATCHES_MAX
        && let Some(next) = text.get(at..).and_then(|rest| rest.find(old))
    {
        places.push(at + next);
        at += next + step;
    }
    places
}

/// Returns the new text with the line endings of the place it replaces. If the old text contains
/// carriage returns, the new text's own endings are kept.
fn adapt_endings<'e>(text: &str, bytes: &Range<usize>, edit: &'e Edit) -> Cow<'e, str> {
    if !edit.new.contains('\n') || edit.old.contains('\r') {
        return Cow::Borrowed(&edit.new);
    }
    let place = &text[bytes.clone()];
    let ending = if place.contains('\n') { "\n" } else { text_lines::dominant_ending(text) };
    let own = edit.new.matches("\r\n").count();
    let all = edit.new.matches('\n').count();
    if (ending == "\n" && own == 0) || (ending == "\r\n" && own == all) {
        return Cow::Borrowed(&edit.new);
    }
    Cow::Owned(text_lines::split_lines(&edit.new).join(ending))
}

/// Returns the replacements for the matches of `edit.old` in `text` with `\r\n` and `\n` treated as
/// equal.
pub(super) fn find_ignoring_line_endings(
    text: &str,
    edit: &Edit,
) -> Result<WhitespaceMatch, EditRefusal> {
    if !text.contains("\r\n") && !edit.old.contains("\r\n") {
        return Ok(None);
    }
    let plain = NormalizedText::new(text);
    let old = edit.old.replace("\r\n", "\n");
    let Some(first) = plain.text.find(&old) else { return Ok(None) };
    let starts: Vec<usize> = if edit.replace_all {
        plain.text.match_indices(&old).map(|(at, _)| at).collect()
    } else {
        let all = overlapping_matches(&plain.text, &old, first);
        if let [_, _, ..] = all[..] {
            let all: Vec<usize> = all.into_iter().map(|at| plain.original_offset(at)).collect();
            return Err(EditRefusal::ambiguous(text, &all, MatchMethod::LineEndings));
        }
        all
    };
    let old_pieces: Vec<&str> = old.split('\n').collect();
    let new_pieces = text_lines::split_lines(&edit.new);
    let replacement = |at: usize| {
        let bytes = plain.original_offset(at)..plain.original_offset(at + old.len());
        let place = replacement_text::split_with_endings(&text[bytes.clone()]);
        let ending = text_lines::dominant_ending(text);
        let new = replacement_text::merge_keeping_lines(
            &place,
            &old_pieces,
            &new_pieces,
            ending,
            Cow::Borrowed,
        );
        (bytes, new)
    };
    let replacements = starts.into_iter().map(replacement).collect();
    Ok(Some((
        replacements,
        WhitespaceDifferences { line_endings: true, ..WhitespaceDifferences::default() },
    )))
}

/// A text with `\n` for every `\r\n`, and the mapping back to the original offsets.
struct NormalizedText {
    text: String,
    /// Offsets in the normalized text of each `\n` that lost a `\r`, ascending.
    cr_offsets: Vec<usize>,
}

impl NormalizedText {
    fn new(text: &str) -> Self {
        let mut plain = String::with_capacity(text.len());
        let mut cr_offsets = Vec::new();
        let mut parts = text.split("\r\n");
        plain.push_str(parts.next().unwrap_or_default());
        for part in parts {
            cr_offsets.push(plain.len());
            plain.push('\n');
            plain.push_str(part);
        }
        Self { text: plain, cr_offsets }
    }

    /// Returns the original offset of byte `at` of the normalized text. An ending maps to its `\r`.
    fn original_offset(&self, at: usize) -> usize {
        at + self.cr_offsets.partition_point(|place| *place < at)
    }
}
