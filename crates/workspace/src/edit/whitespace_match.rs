//! Matches of the old text but for white space: trailing blanks, tabs for spaces, indentation.
//!
//! Only whole lines match, and only if exactly one block does and one rule maps the indentation of
//! the edit to that of the block. The new text is then indented by that rule.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use super::planned_edit::{Edit, WhitespaceDifferences, WhitespaceMatch};
use super::refusal::{EditRefusal, MATCHES_MAX, MatchMethod};
use super::replacement_text;
use super::text_lines::{self, TextLine};

/// The characters in which texts may differ. Other white space, such as a lone carriage return, is
/// significant.
const BLANKS: [char; 2] = [' ', '\t'];

/// Returns the replacement for the only block of `text` that equals `edit.old` but for white space.
pub(super) fn find_ignoring_whitespace(
    text: &str,
    edit: &Edit,
) -> Result<WhitespaceMatch, EditRefusal> {
    let old_pieces = text_lines::split_lines(&edit.old);
    let ends_line = old_pieces.last().is_some_and(|piece| piece.is_empty());
    let wanted = &old_pieces[..old_pieces.len() - usize::from(ends_line)];
    if wanted.iter().all(|line| is_blank(line)) {
        return Ok(None);
    }
    let lines = text_lines::lines(text);
    let starts = matching_block_starts(&lines, wanted);
    let [start] = starts[..] else {
        if starts.is_empty() {
            return Ok(None);
        }
        let places: Vec<usize> = starts.iter().map(|at| lines[*at].start).collect();
        return Err(EditRefusal::ambiguous(text, &places, MatchMethod::WhiteSpace));
    };
    let block = &lines[start..start + wanted.len()];
    Ok(build_replacement(text, edit, block, wanted, ends_line))
}

/// Returns the line indices at which blocks that match `wanted` begin, at most [`MATCHES_MAX`].
/// Only occurrences of the rarest line of `wanted` are examined.
fn matching_block_starts(lines: &[TextLine<'_>], wanted: &[&str]) -> Vec<usize> {
    let bare = |line: &str| -> u64 {
        let mut hasher = DefaultHasher::new();
        line.split_whitespace().for_each(|word| hasher.write(word.as_bytes()));
        hasher.finish()
    };
    let keys: Vec<u64> = lines.iter().map(|line| bare(line.text)).collect();
    let mut counts: HashMap<u64, usize> = HashMap::new();
    keys.iter().for_each(|key| *counts.entry(*key).or_default() += 1);
    let count = |line: &str| counts.get(&bare(line)).copied().unwrap_or_default();
    let rarest = wanted.iter().enumerate().min_by_key(|(_, line)| count(line));
    let Some((offset, rarest)) = rarest else { return Vec::new() };
    let key = bare(rarest);
    let is_block = |start: &usize| {
        let block = lines.get(*start..start + wanted.len());
        block.is_some_and(|block| {
            block.iter().zip(wanted).all(|(line, wanted)| equal_but_whitespace(line.text, wanted))
        })
    };
    let starts = (offset..lines.len()).filter(|at| keys[*at] == key).map(|at| at - offset);
    starts.filter(is_block).take(MATCHES_MAX).collect()
}

fn build_replacement(
    text: &str,
    edit: &Edit,
    block: &[TextLine<'_>],
    wanted: &[&str],
    ends_line: bool,
) -> WhitespaceMatch {
    let new_pieces = text_lines::split_lines(&edit.new);
    let shift = IndentShift::infer(wanted, block, &new_pieces)?;
    if !new_pieces.iter().all(|piece| shift.applies_to(piece)) {
        return None;
    }
    let last = block.last()?;
    // At the end of a file without a final ending there is none to replace.
    let cut_ending = ends_line && last.ending.is_empty();
    let end = if ends_line { last.end() } else { last.text_end() };
    let bytes = block[0].start..end;
    let mut pieces: Vec<(&str, &str)> = block.iter().map(|line| (line.text, line.ending)).collect();
    let mut old: Vec<&str> = wanted.to_vec();
    let mut new = new_pieces;
    if ends_line && !cut_ending {
        pieces.push(("", ""));
        old.push("");
    } else if cut_ending && new.len() > 1 && new.last().is_some_and(|piece| piece.is_empty()) {
        new.pop();
    }
    let ending = text_lines::dominant_ending(text);
    let blended = replacement_text::merge_keeping_lines(&pieces, &old, &new, ending, |piece| {
        shift.reindent(piece)
    });
    Some((vec![(bytes, blended)], whitespace_differences(block, wanted, &shift, cut_ending)))
}

fn whitespace_differences(
    block: &[TextLine<'_>],
    wanted: &[&str],
    shift: &IndentShift<'_>,
    cut_ending: bool,
) -> WhitespaceDifferences {
    let trailing = |text: &str| text.len() - text.trim_end_matches(BLANKS).len();
    let pairs = || block.iter().map(|line| line.text).zip(wanted.iter().copied());
    let inner_tabs = pairs().any(|(line, wanted)| {
        let inner = |text: &str| text.trim_matches(BLANKS).matches('\t').count();
        inner(line) != inner(wanted)
    });
    WhitespaceDifferences {
        line_endings: cut_ending,
        trailing: pairs().any(|(line, wanted)| trailing(line) != trailing(wanted)),
        tabs: inner_tabs || matches!(shift, IndentShift::Columns { .. }),
        indentation: match shift {
            IndentShift::Same => false,
            IndentShift::In(_) | IndentShift::Out(_) => true,
            IndentShift::Columns { delta, .. } => *delta != 0,
        },
    }
}

/// Returns whether two lines are equal but for insignificant white space: blanks at both ends, and
/// inner runs of blanks of which at least one contains a tab.
fn equal_but_whitespace(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.trim_matches(BLANKS), other.trim_matches(BLANKS));
    loop {
        if one == other {
            return true;
        }
        let Some(at) = one.bytes().zip(other.bytes()).position(|(a, b)| a != b) else {
            return false;
        };
        // Back to the start of the run of blanks.
        let same = one[..one.floor_char_boundary(at)].trim_end_matches(BLANKS).len();
        let (gap_one, rest_one) = split_indent(&one[same..]);
        let (gap_other, rest_other) = split_indent(&other[same..]);
        let has_tab = gap_one.contains('\t') || gap_other.contains('\t');
        if gap_one.is_empty() || gap_other.is_empty() || !has_tab || gap_one == gap_other {
            return false;
        }
        (one, other) = (rest_one, rest_other);
    }
}

/// Splits off the blanks at the start of `text`.
fn split_indent(text: &str) -> (&str, &str) {
    let rest = text.trim_start_matches(BLANKS);
    text.split_at(text.len() - rest.len())
}

fn is_blank(text: &str) -> bool {
    text.trim_matches(BLANKS).is_empty()
}

/// The rule that maps the indentation of an edit to that of the file.
#[derive(Debug, PartialEq, Eq)]
enum IndentShift<'t> {
    /// The indentation is equal.
    Same,
    /// Every line is indented further by these blanks.
    In(&'t str),
    /// Every line is indented less by these blanks.
    Out(&'t str),
    /// A tab stands for `tab` columns, and every line is indented by `delta` more columns; `tabs`
    /// says whether the file is indented with tabs.
    Columns { tab: usize, delta: isize, tabs: bool },
}

impl<'t> IndentShift<'t> {
    /// Infers the rule from the lines of an edit and the lines of the block they match, or returns
    /// `None` if there is none.
    fn infer(wanted: &[&'t str], block: &[TextLine<'t>], new: &[&str]) -> Option<Self> {
        let pairs: Vec<(&str, &str)> = wanted
            .iter()
            .zip(block)
            .filter(|(wanted, _)| !is_blank(wanted))
            .map(|(wanted, line)| (split_indent(wanted).0, split_indent(line.text).0))
            .collect();
        let (first_old, first_file) = *pairs.first()?;
        if pairs.iter().all(|(old, file)| old == file) {
            return Some(Self::Same);
        }
        if let Some(more) = first_file.strip_suffix(first_old)
            && pairs.iter().all(|(old, file)| file.strip_prefix(more) == Some(old))
        {
            return Some(Self::In(more));
        }
        if let Some(more) = first_old.strip_suffix(first_file)
            && pairs.iter().all(|(old, file)| old.strip_prefix(more) == Some(file))
        {
            return Some(Self::Out(more));
        }
        let tabs = pairs.iter().any(|(_, file)| file.contains('\t'));
        let olds = pairs.iter().map(|(old, _)| *old);
        let news = new.iter().filter(|line| !is_blank(line)).map(|line| split_indent(line).0);
        let files = pairs.iter().map(|(_, file)| *file);
        let steps = [indent_step(olds.chain(news)), indent_step(files), 4, 8, 2, 3];
        steps.into_iter().filter(|tab| *tab >= 2).find_map(|tab| {
            let delta = |(old, file): &(&str, &str)| {
                indent_columns(file, tab).cast_signed() - indent_columns(old, tab).cast_signed()
            };
            let first = delta(&pairs[0]);
            let same = pairs.iter().all(|pair| delta(pair) == first);
            same.then_some(Self::Columns { tab, delta: first, tabs })
        })
    }

    /// Returns whether the rule can reindent `line`.
    fn applies_to(&self, line: &str) -> bool {
        if is_blank(line) {
            return true;
        }
        let indent = split_indent(line).0;
        match self {
            Self::Same | Self::In(_) => true,
            Self::Out(less) => indent.starts_with(less),
            Self::Columns { tab, delta, .. } => {
                indent_columns(indent, *tab).checked_add_signed(*delta).is_some()
            }
        }
    }

    /// Returns the line with the indentation of the file.
    fn reindent<'n>(&self, line: &'n str) -> Cow<'n, str> {
        if is_blank(line) {
            return Cow::Borrowed(line);
        }
        let (indent, rest) = split_indent(line);
        match self {
            Self::Same => Cow::Borrowed(line),
            Self::In(more) => Cow::Owned(format!("{more}{line}")),
            Self::Out(less) => Cow::Borrowed(line.strip_prefix(less).unwrap_or(line)),
            Self::Columns { tab, delta, tabs } => {
                let width = indent_columns(indent, *tab).saturating_add_signed(*delta);
                let (whole, part) = if *tabs { (width / tab, width % tab) } else { (0, width) };
                Cow::Owned(format!("{}{}{rest}", "\t".repeat(whole), " ".repeat(part)))
            }
        }
    }
}

/// Returns the width of an indentation in columns.
fn indent_columns(indent: &str, tab: usize) -> usize {
    let column = |at: usize, byte| if byte == b'\t' { (at / tab + 1) * tab } else { at + 1 };
    indent.bytes().fold(0, column)
}

/// Returns the greatest common divisor of the widths of all indentations made of spaces; 0 if there
/// are none.
fn indent_step<'t>(indents: impl Iterator<Item = &'t str>) -> usize {
    let spaces = indents.filter(|indent| !indent.contains('\t')).map(str::len);
    spaces.fold(0, |mut one, mut other| {
        while other != 0 {
            (one, other) = (other, one % other);
        }
        one
    })
}
