//! Characters that look alike, in which a text to replace differs from the file: no-break spaces,
//! zero-width characters, typographic quotes and dashes, Cyrillic and Greek letters, accents as
//! characters of their own.

use std::fmt;

use foveal_transcript::LineNumber;
use icu_normalizer::ComposingNormalizerBorrowed;

use super::text_lines::LineCounter;

/// Differences that are reported.
const REPORTED_MAX: usize = 3;

/// A place where the file and the text to replace look alike and differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookalikeDifference {
    /// The line of the file.
    pub line: LineNumber,
    /// The character of the file with its combining marks, if it has one there.
    pub file: Option<Box<str>>,
    /// The character of the text to replace, if it has one there.
    pub old: Option<Box<str>>,
}

impl fmt::Display for LookalikeDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |character| CharacterName(character);
        let Self { line, file, old } = self;
        match (file, old) {
            (Some(file), Some(old)) => {
                write!(f, "line {line} has {} where old_str has {}", name(file), name(old))
            }
            (Some(file), None) => write!(f, "line {line} has {}, which old_str lacks", name(file)),
            (None, Some(old)) => write!(f, "old_str has {}, which line {line} lacks", name(old)),
            (None, None) => Ok(()),
        }
    }
}

/// A character with its combining marks, by its codes and name.
struct CharacterName<'a>(&'a str);

impl fmt::Display for CharacterName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let codes: Vec<String> =
            self.0.chars().map(|character| format!("U+{:04X}", u32::from(character))).collect();
        let codes = codes.join(" ");
        let mut characters = self.0.chars();
        let (Some(first), None) = (characters.next(), characters.next()) else {
            return write!(f, "{codes} (letter and combining mark)");
        };
        let name = match first {
            graphic if graphic.is_ascii_graphic() => return write!(f, "`{graphic}`"),
            ' ' => return f.write_str("a space"),
            '\t' => return f.write_str("a tab"),
            '\r' => return f.write_str("a carriage return"),
            '\u{a0}' => "no-break space",
            '\u{ad}' => "soft hyphen",
            '\u{2007}' => "figure space",
            '\u{2009}' => "thin space",
            '\u{200b}' => "zero-width space",
            '\u{200c}' => "zero-width non-joiner",
            '\u{200d}' => "zero-width joiner",
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                "direction mark"
            }
            '\u{202f}' => "narrow no-break space",
            '\u{2028}' => "line separator",
            '\u{2060}' => "word joiner",
            '\u{3000}' => "ideographic space",
            '\u{feff}' => "byte order mark",
            '\u{fe00}'..='\u{fe0f}' => "variation selector",
            '\u{2018}' => "left single quotation mark",
            '\u{2019}' => "right single quotation mark",
            '\u{201c}' => "left double quotation mark",
            '\u{201d}' => "right double quotation mark",
            '\u{2013}' => "en dash",
            '\u{2014}' => "em dash",
            '\u{2011}' => "no-break hyphen",
            '\u{2212}' => "minus sign",
            '\u{370}'..='\u{3ff}' => "Greek letter",
            '\u{400}'..='\u{52f}' => "Cyrillic letter",
            '\u{ff01}'..='\u{ff5e}' => "full-width character",
            character if is_space(character) => "space",
            character if is_hidden(character) => "control character",
            character if ascii_lookalike(character).is_some() => "typographic character",
            _ => "one character",
        };
        write!(f, "{codes} ({name})")
    }
}

/// Returns whether a character looks like a space.
fn is_space(character: char) -> bool {
    matches!(
        character,
        ' ' | '\t' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// Returns whether a character has no width.
fn is_hidden(character: char) -> bool {
    let is_control = character.is_control() && !matches!(character, '\n' | '\t');
    is_control
        || matches!(
            character,
            '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
                | '\u{e0001}'..='\u{e007f}'
        )
}

/// Returns whether a character joins the one before it.
fn is_combining(character: char) -> bool {
    matches!(
        character,
        '\u{300}'..='\u{36f}' | '\u{1160}'..='\u{11ff}' | '\u{1ab0}'..='\u{1aff}'
            | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{3099}' | '\u{309a}'
    )
}

/// Returns the ASCII character that a character is easily taken for.
fn ascii_lookalike(character: char) -> Option<char> {
    /// Each with the character that it is taken for.
    const PAIRS: &[(&str, &str)] = &[
        // Cyrillic.
        ("аеорсухіјѕԁһАВЕКМНОРСТУХІЈЅ", "aeopcyxijsdhABEKMHOPCTYXIJS"),
        // Greek.
        ("ονΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ovABEZHIKMNOPTYX"),
    ];
    match character {
        '\u{b4}' | '\u{2bc}' | '\u{2018}'..='\u{201b}' | '\u{2032}' => Some('\''),
        '\u{201c}'..='\u{201f}' | '\u{2033}' => Some('"'),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => Some('-'),
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(character) - 0xfee0),
        '\u{370}'..='\u{52f}' => PAIRS.iter().find_map(|(from, to)| {
            let at = from.chars().position(|from| from == character)?;
            to.chars().nth(at)
        }),
        _ => None,
    }
}

/// Returns the characters of a text with their combining marks, each with its offset.
fn clusters(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut characters = rest.char_indices().skip(1);
        let end = characters.find(|(_, character)| !is_combining(*character));
        let (cluster, after) = rest.split_at(end.map_or(rest.len(), |(end, _)| end));
        let offset = text.len() - rest.len();
        rest = after;
        (!cluster.is_empty()).then_some((offset, cluster))
    })
}

/// A text as it looks: without hidden characters, each space as a blank, each other character as
/// the one that it is taken for.
struct FoldedText {
    text: String,
    /// Offsets in `text` from which on the original offset is higher by this much.
    shifts: Vec<(usize, isize)>,
}

impl FoldedText {
    fn new(original: &str) -> Self {
        let normalizer = ComposingNormalizerBorrowed::new_nfc();
        let mut text = String::with_capacity(original.len());
        let mut shifts = Vec::new();
        for (at, cluster) in clusters(original) {
            if cluster.chars().all(is_hidden) {
                continue;
            }
            let shift = at.cast_signed() - text.len().cast_signed();
            if shifts.last().map_or(0, |(_, shift)| *shift) != shift {
                shifts.push((text.len(), shift));
            }
            if cluster.is_ascii() && cluster != "\t" {
                text.push_str(cluster);
                continue;
            }
            let looks = |character| match is_space(character) {
                true => ' ',
                false => ascii_lookalike(character).unwrap_or(character),
            };
            text.extend(normalizer.normalize(cluster).chars().map(looks));
        }
        Self { text, shifts }
    }

    /// Returns the original offset of the character at `at`.
    fn original_offset(&self, at: usize) -> usize {
        let before = self.shifts.partition_point(|(from, _)| *from <= at);
        let shift = before.checked_sub(1).map_or(0, |before| self.shifts[before].1);
        at.saturating_add_signed(shift)
    }
}

/// Returns the first differences between `old` and the first place of `text` that looks like it;
/// none if there is no such place.
pub(super) fn find_differences(text: &str, old: &str) -> Vec<LookalikeDifference> {
    let (seen, wanted) = (FoldedText::new(text), FoldedText::new(old));
    let looks_blank = wanted.text.trim().is_empty();
    let Some(at) = seen.text.find(&wanted.text).filter(|_| !looks_blank) else {
        return Vec::new();
    };
    let start = seen.original_offset(at);
    let mut counter = LineCounter::new(text);
    let mut found = Vec::new();
    let mut place = text.get(start..).map(clusters).into_iter().flatten().peekable();
    let mut wanted = clusters(old).map(|(_, own)| own).peekable();
    let is_hidden = |cluster: &str| cluster.chars().all(is_hidden);
    while let Some(own) = wanted.peek().copied()
        && found.len() < REPORTED_MAX
    {
        let (offset, there) = place.peek().copied().unzip();
        let (file, own) = match there {
            Some(there) if there == own => (None, None),
            Some(there) if is_hidden(there) => (Some(there), None),
            _ if is_hidden(own) => (None, Some(own)),
            _ => (there, Some(own)),
        };
        if file.is_some() || own.is_some() {
            let at = offset.map_or(text.len(), |offset| start + offset);
            let line = LineNumber::from_index(counter.line_index_at(at));
            let (file, old) = (file.map(Box::from), own.map(Box::from));
            found.push(LookalikeDifference { line, file, old });
        }
        if file.is_some() || own.is_none() {
            place.next();
        }
        if own.is_some() || file.is_none() {
            wanted.next();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, old: &str, expected: &str) {
        let found =
            find_differences(text, old).into_iter().map(|difference| difference.to_string());
        assert_eq!(found.collect::<Vec<_>>().join("; "), expected, "{text:?} {old:?}");
    }

    #[test]
    fn characters_that_look_alike_are_named_with_their_line() {
        check(
            "a\ncafe\u{301} = 1\n",
            "café = 1",
            "line 2 has U+0065 U+0301 (letter and combining mark) where old_str has \
             U+00E9 (one character)",
        );
        check(
            "é café",
            "cafe\u{301}",
            "line 1 has U+00E9 (one character) where old_str has \
             U+0065 U+0301 (letter and combining mark)",
        );
        check(
            "é\nv\u{430}lue = 1",
            "value = 1",
            "line 2 has U+0430 (Cyrillic letter) where old_str has `a`",
        );
        check(
            "it\u{2019}s 1\u{2013}2",
            "it's 1-2",
            "line 1 has U+2019 (right single quotation mark) where old_str has `'`; \
             line 1 has U+2013 (en dash) where old_str has `-`",
        );
        check(
            "say \"x\"",
            "\u{201c}x\u{201d}",
            "line 1 has `\"` where old_str has U+201C (left double quotation mark); \
             line 1 has `\"` where old_str has U+201D (right double quotation mark)",
        );
        check("ж\u{43e}", "жо", "");
        check("cafe", "café", "");
    }

    #[test]
    fn invisible_characters_are_named_with_their_line() {
        check(
            "a\nb(\u{a0}c)\n",
            "b( c)",
            "line 2 has U+00A0 (no-break space) where old_str has a space",
        );
        check(
            "a\nx\u{200b}y = 1",
            "xy = 1",
            "line 2 has U+200B (zero-width space), which old_str lacks",
        );
        check("xy = 1", "x\u{feff}y", "old_str has U+FEFF (byte order mark), which line 1 lacks");
        check(
            "\u{200b}a b",
            "a\u{2009}b",
            "line 1 has a space where old_str has U+2009 (thin space)",
        );
        check("é\u{a0}a\u{200d}b\n", "é a b", "");
        check("a b", "\u{feff}a b", "old_str has U+FEFF (byte order mark), which line 1 lacks");
        check("a b", "a b\u{200b}", "old_str has U+200B (zero-width space), which line 1 lacks");
        check("plain", "other", "");
        check("a\u{1}b", "ab", "line 1 has U+0001 (control character), which old_str lacks");
    }
}
