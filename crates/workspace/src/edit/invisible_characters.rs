//! Characters that cannot be seen, in which a text to replace differs from the file: no-break
//! spaces, zero-width characters and the like.

use std::fmt;

use foveal_transcript::LineNumber;

use super::text_lines::LineCounter;

/// Differences that are reported.
const REPORTED_MAX: usize = 3;

/// A place where the file and the text to replace differ in an invisible character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvisibleDifference {
    /// The line of the file.
    pub line: LineNumber,
    /// The character of the file, if it has one there.
    pub file: Option<char>,
    /// The character of the text to replace, if it has one there.
    pub old: Option<char>,
}

impl fmt::Display for InvisibleDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |character: char| CharacterName(character);
        let Self { line, file, old } = *self;
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

/// An invisible character by its code and name.
struct CharacterName(char);

impl fmt::Display for CharacterName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.0 {
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
            character if is_space(character) => "space",
            _ => "control character",
        };
        write!(f, "U+{:04X} ({name})", u32::from(self.0))
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

/// A text as it looks: without hidden characters, each space as a blank.
struct FoldedText {
    text: String,
    /// Offsets in `text` behind which the original has further bytes, and the sum of these.
    shifts: Vec<(usize, usize)>,
}

impl FoldedText {
    fn new(original: &str) -> Self {
        let mut text = String::with_capacity(original.len());
        let mut shifts = Vec::new();
        for (at, character) in original.char_indices() {
            if is_hidden(character) {
                continue;
            }
            let missing = at - text.len();
            if shifts.last().map_or(0, |(_, sum)| *sum) != missing {
                shifts.push((text.len(), missing));
            }
            text.push(if is_space(character) { ' ' } else { character });
        }
        Self { text, shifts }
    }

    /// Returns the original offset of the character at `at`.
    fn original_offset(&self, at: usize) -> usize {
        let before = self.shifts.partition_point(|(from, _)| *from <= at);
        at + before.checked_sub(1).map_or(0, |before| self.shifts[before].1)
    }
}

/// Returns the first invisible differences between `old` and the first place of `text` that looks
/// like it; none if there is no such place.
pub(super) fn find_differences(text: &str, old: &str) -> Vec<InvisibleDifference> {
    let (seen, wanted) = (FoldedText::new(text), FoldedText::new(old));
    let looks_blank = wanted.text.trim().is_empty();
    let Some(at) = seen.text.find(&wanted.text).filter(|_| !looks_blank) else {
        return Vec::new();
    };
    let start = seen.original_offset(at);
    let mut counter = LineCounter::new(text);
    let mut found = Vec::new();
    let mut place = text[start..].char_indices().peekable();
    let mut wanted = old.chars().peekable();
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
            found.push(InvisibleDifference { line, file, old: own });
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
