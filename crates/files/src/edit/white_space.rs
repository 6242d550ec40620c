//! The old text with other white space: trailing blanks, tabs for spaces, another indentation.
//!
//! Whole lines only, and only where one block of the text reads like that and one rule takes
//! the indentation of the edit to that of the block: the new text is then indented by it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use super::blend;
use super::change::{Differences, Edit, Loose};
use super::refusal::{EditRefusal, MatchedBy, PLACES_MAX};
use super::text::{self, Line};

/// What may differ. Other white space, a lone carriage return among it, says something else.
const BLANKS: [char; 2] = [' ', '\t'];

/// The one block of `text` that reads like `edit.old` but for white space.
pub(super) fn find(text: &str, edit: &Edit) -> Result<Loose, EditRefusal> {
    let old_pieces = text::pieces(&edit.old);
    let ends_line = old_pieces.last().is_some_and(|piece| piece.is_empty());
    let wanted = &old_pieces[..old_pieces.len() - usize::from(ends_line)];
    if wanted.iter().all(|line| is_blank(line)) {
        return Ok(None);
    }
    let lines = text::lines(text);
    let starts = blocks(&lines, wanted);
    let [start] = starts[..] else {
        if starts.is_empty() {
            return Ok(None);
        }
        let places: Vec<usize> = starts.iter().map(|at| lines[*at].start).collect();
        return Err(EditRefusal::ambiguous(text, &places, MatchedBy::WhiteSpace));
    };
    let block = &lines[start..start + wanted.len()];
    Ok(replace(text, edit, block, wanted, ends_line))
}

/// The indices of the lines where blocks alike `wanted` begin, at most [`PLACES_MAX`]. Only
/// places of the line of `wanted` that is rarest in the text are looked at.
fn blocks(lines: &[Line<'_>], wanted: &[&str]) -> Vec<usize> {
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
            block.iter().zip(wanted).all(|(line, wanted)| alike(line.text, wanted))
        })
    };
    let starts = (offset..lines.len()).filter(|at| keys[*at] == key).map(|at| at - offset);
    starts.filter(is_block).take(PLACES_MAX).collect()
}

fn replace(text: &str, edit: &Edit, block: &[Line<'_>], wanted: &[&str], ends_line: bool) -> Loose {
    let new_pieces = text::pieces(&edit.new);
    let shift = Shift::between(wanted, block, &new_pieces)?;
    if !new_pieces.iter().all(|piece| shift.fits(piece)) {
        return None;
    }
    let last = block.last()?;
    // At the end of a file without a last ending there is none to be replaced.
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
    let ending = text::usual_ending(text);
    let blended = blend::blend(&pieces, &old, &new, ending, |piece| shift.respell(piece));
    Some((vec![(bytes, blended)], differences(block, wanted, &shift, cut_ending)))
}

fn differences(
    block: &[Line<'_>],
    wanted: &[&str],
    shift: &Shift<'_>,
    cut_ending: bool,
) -> Differences {
    let trailing = |text: &str| text.len() - text.trim_end_matches(BLANKS).len();
    let pairs = || block.iter().map(|line| line.text).zip(wanted.iter().copied());
    let inner_tabs = pairs().any(|(line, wanted)| {
        let inner = |text: &str| text.trim_matches(BLANKS).matches('\t').count();
        inner(line) != inner(wanted)
    });
    Differences {
        line_endings: cut_ending,
        trailing: pairs().any(|(line, wanted)| trailing(line) != trailing(wanted)),
        tabs: inner_tabs || matches!(shift, Shift::Columns { .. }),
        indentation: match shift {
            Shift::Same => false,
            Shift::In(_) | Shift::Out(_) => true,
            Shift::Columns { delta, .. } => *delta != 0,
        },
    }
}

/// Whether two lines differ in white space only, by more than which a text would say
/// something else: blanks around them, and runs of blanks in them of which one has a tab.
fn alike(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.trim_matches(BLANKS), other.trim_matches(BLANKS));
    loop {
        if one == other {
            return true;
        }
        let Some(at) = one.bytes().zip(other.bytes()).position(|(a, b)| a != b) else {
            return false;
        };
        // Back to where the run of blanks began.
        let same = one[..one.floor_char_boundary(at)].trim_end_matches(BLANKS).len();
        let (gap_one, rest_one) = split_blanks(&one[same..]);
        let (gap_other, rest_other) = split_blanks(&other[same..]);
        let has_tab = gap_one.contains('\t') || gap_other.contains('\t');
        if gap_one.is_empty() || gap_other.is_empty() || !has_tab || gap_one == gap_other {
            return false;
        }
        (one, other) = (rest_one, rest_other);
    }
}

/// The blanks at the start of `text`, and the rest.
fn split_blanks(text: &str) -> (&str, &str) {
    let rest = text.trim_start_matches(BLANKS);
    text.split_at(text.len() - rest.len())
}

fn is_blank(text: &str) -> bool {
    text.trim_matches(BLANKS).is_empty()
}

/// The rule that takes the indentation of an edit to that of the file.
#[derive(Debug, PartialEq, Eq)]
enum Shift<'t> {
    /// None is needed.
    Same,
    /// Every line further in, by these blanks.
    In(&'t str),
    /// Every line further out, by these blanks.
    Out(&'t str),
    /// A tab stands for `tab` columns, and every line is `delta` columns further in; the
    /// file is indented with tabs, or with spaces.
    Columns { tab: usize, delta: isize, tabs: bool },
}

impl<'t> Shift<'t> {
    /// The rule for lines of an edit that are the lines of a block; `None` if there is none.
    fn between(wanted: &[&'t str], block: &[Line<'t>], new: &[&str]) -> Option<Self> {
        let pairs: Vec<(&str, &str)> = wanted
            .iter()
            .zip(block)
            .filter(|(wanted, _)| !is_blank(wanted))
            .map(|(wanted, line)| (split_blanks(wanted).0, split_blanks(line.text).0))
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
        let news = new.iter().filter(|line| !is_blank(line)).map(|line| split_blanks(line).0);
        let files = pairs.iter().map(|(_, file)| *file);
        let steps = [step(olds.chain(news)), step(files), 4, 8, 2, 3];
        steps.into_iter().filter(|tab| *tab >= 2).find_map(|tab| {
            let delta = |(old, file): &(&str, &str)| {
                columns(file, tab).cast_signed() - columns(old, tab).cast_signed()
            };
            let first = delta(&pairs[0]);
            let same = pairs.iter().all(|pair| delta(pair) == first);
            same.then_some(Self::Columns { tab, delta: first, tabs })
        })
    }

    /// Whether a line can be moved by this rule.
    fn fits(&self, line: &str) -> bool {
        if is_blank(line) {
            return true;
        }
        let indent = split_blanks(line).0;
        match self {
            Self::Same | Self::In(_) => true,
            Self::Out(less) => indent.starts_with(less),
            Self::Columns { tab, delta, .. } => {
                columns(indent, *tab).checked_add_signed(*delta).is_some()
            }
        }
    }

    /// The line as the file would indent it.
    fn respell<'n>(&self, line: &'n str) -> Cow<'n, str> {
        if is_blank(line) {
            return Cow::Borrowed(line);
        }
        let (indent, rest) = split_blanks(line);
        match self {
            Self::Same => Cow::Borrowed(line),
            Self::In(more) => Cow::Owned(format!("{more}{line}")),
            Self::Out(less) => Cow::Borrowed(line.strip_prefix(less).unwrap_or(line)),
            Self::Columns { tab, delta, tabs } => {
                let width = columns(indent, *tab).saturating_add_signed(*delta);
                let (whole, part) = if *tabs { (width / tab, width % tab) } else { (0, width) };
                Cow::Owned(format!("{}{}{rest}", "\t".repeat(whole), " ".repeat(part)))
            }
        }
    }
}

/// The columns that an indentation fills.
fn columns(indent: &str, tab: usize) -> usize {
    let column = |at: usize, byte| if byte == b'\t' { (at / tab + 1) * tab } else { at + 1 };
    indent.bytes().fold(0, column)
}

/// The greatest number of spaces by which all indentations made of spaces are steps; 0 if
/// there is none.
fn step<'t>(indents: impl Iterator<Item = &'t str>) -> usize {
    let spaces = indents.filter(|indent| !indent.contains('\t')).map(str::len);
    spaces.fold(0, |mut one, mut other| {
        while other != 0 {
            (one, other) = (other, one % other);
        }
        one
    })
}
