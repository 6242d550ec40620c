//! Characters that look alike or are invisible, in which a text to replace differs from the file.

use std::fmt;

use foveal_transcript::LineNumber;
use icu_normalizer::DecomposingNormalizerBorrowed;

use super::text_lines::LineCounter;

/// A place where the file and the text to replace look alike and differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookalikeDifference {
    /// The line of the file.
    pub line: LineNumber,
    /// The character of the file with its accents, if it has one there.
    pub file: Option<Box<str>>,
    /// The character of the text to replace, if it has one there.
    pub old: Option<Box<str>>,
}

impl fmt::Display for LookalikeDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, file, old } = self;
        match (file.as_deref().map(character_name), old.as_deref().map(character_name)) {
            (Some(file), Some(old)) => write!(f, "line {line} has {file} where old_str has {old}"),
            (Some(file), None) => write!(f, "line {line} has {file}, which old_str lacks"),
            (None, Some(old)) => write!(f, "old_str has {old}, which line {line} lacks"),
            (None, None) => Ok(()),
        }
    }
}

/// Returns the code points of a character with its accents, and the name of an invisible one.
fn character_name(character: &str) -> String {
    match character {
        " " => return "a space".to_owned(),
        graphic if graphic.len() == 1 && graphic.as_bytes()[0].is_ascii_graphic() => {
            return format!("`{graphic}`");
        }
        _ => {}
    }
    let codes: Vec<String> =
        character.chars().map(|character| format!("U+{:04X}", u32::from(character))).collect();
    let name = match character {
        "\t" => " (tab)",
        "\r" => " (carriage return)",
        "\u{a0}" => " (no-break space)",
        "\u{ad}" => " (soft hyphen)",
        "\u{200b}" => " (zero-width space)",
        "\u{200c}" => " (zero-width non-joiner)",
        "\u{200d}" => " (zero-width joiner)",
        "\u{202f}" => " (narrow no-break space)",
        "\u{2060}" => " (word joiner)",
        "\u{feff}" => " (byte order mark)",
        _ => "",
    };
    codes.join(" ") + name
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

/// Returns the character that a decomposed one is easily taken for.
fn plain_lookalike(character: char) -> char {
    const CYRILLIC_AND_GREEK: &str = "аеорсухіјѕԁһАВЕКМНОРСТУХІЈЅονΑΒΕΖΗΙΚΜΝΟΡΤΥΧ";
    const LATIN: &str = "aeopcyxijsdhABEKMHOPCTYXIJSovABEZHIKMNOPTYX";
    match character {
        '\t' => ' ',
        '\u{b4}' | '\u{2bc}' | '\u{2018}'..='\u{201b}' | '\u{2032}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{370}'..='\u{52f}' => {
            let pairs = CYRILLIC_AND_GREEK.chars().zip(LATIN.chars());
            let mut pairs = pairs.filter(|(own, _)| *own == character);
            pairs.next().map_or(character, |(_, latin)| latin)
        }
        _ => character,
    }
}

/// Returns a text as it looks: without hidden characters, each other one decomposed and as the
/// one that it is taken for. Each comes with its offset in the text.
fn folded_characters(text: &str) -> impl Iterator<Item = (usize, char)> {
    let normalizer = const { DecomposingNormalizerBorrowed::new_nfkd() };
    let visible = text.char_indices().filter(|(_, character)| !is_hidden(*character));
    visible.flat_map(move |(at, character)| {
        let decomposed = normalizer.normalize_iter(std::iter::once(character));
        decomposed.map(move |one| (at, plain_lookalike(one)))
    })
}

/// Returns the first character of a text with the accents that follow it.
fn first_cluster(text: &str) -> &str {
    let mut characters = text.char_indices().skip(1);
    let end = characters.find(|(_, character)| !matches!(character, '\u{300}'..='\u{36f}'));
    &text[..end.map_or(text.len(), |(end, _)| end)]
}

/// Returns the first difference between `old` and the first place of `text` that looks like it;
/// `None` if there is no such place.
pub(super) fn find_difference(text: &str, old: &str) -> Option<LookalikeDifference> {
    let fold =
        |text: &str| folded_characters(text).map(|(_, character)| character).collect::<String>();
    let wanted = fold(old);
    if wanted.trim().is_empty() {
        return None;
    }
    let mut before = fold(text).find(&wanted)?;
    let (start, _) = folded_characters(text).find(|(_, character)| {
        let is_start = before == 0;
        before = before.saturating_sub(character.len_utf8());
        is_start
    })?;
    let (mut there, mut own) = (&text[start..], old);
    let is_hidden = |cluster: &str| !cluster.is_empty() && cluster.chars().all(is_hidden);
    loop {
        let (file, old) = (first_cluster(there), first_cluster(own));
        if file == old {
            if old.is_empty() {
                return None;
            }
            (there, own) = (&there[file.len()..], &own[old.len()..]);
            continue;
        }
        if old.is_empty() {
            return None;
        }
        let line = LineCounter::new(text).line_index_at(text.len() - there.len());
        let has_extra = is_hidden(file);
        return Some(LookalikeDifference {
            line: LineNumber::from_index(line),
            file: (has_extra || !is_hidden(old)).then(|| file.into()),
            old: (!has_extra).then(|| old.into()),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named_with_its_line() {
        for (text, old, expected) in [
            (
                "a\nb(\u{a0}c)\n",
                "b( c)",
                "line 2 has U+00A0 (no-break space) where old_str has a space",
            ),
            (
                "x\u{200b}y = 1",
                "xy = 1",
                "line 1 has U+200B (zero-width space), which old_str lacks",
            ),
            ("xy = 1", "x\u{feff}y", "old_str has U+FEFF (byte order mark), which line 1 lacks"),
            ("a b", "\u{feff}a b", "old_str has U+FEFF (byte order mark), which line 1 lacks"),
            ("a b", "a b\u{200b}", "old_str has U+200B (zero-width space), which line 1 lacks"),
            ("\u{200b}a b", "a\u{2009}b", "line 1 has a space where old_str has U+2009"),
            ("a\u{1}b", "ab", "line 1 has U+0001, which old_str lacks"),
            ("é café", "cafe\u{301}", "line 1 has U+00E9 where old_str has U+0065 U+0301"),
            ("é\nv\u{430}lue", "value", "line 2 has U+0430 where old_str has `a`"),
            ("it\u{2019}s 1\u{2013}2", "it's 1-2", "line 1 has U+2019 where old_str has `'`"),
            ("say \"x\"", "\u{201c}x\u{201d}", "line 1 has `\"` where old_str has U+201C"),
        ] {
            let found = find_difference(text, old).map(|difference| difference.to_string());
            assert_eq!(found.as_deref(), Some(expected), "{text:?} {old:?}");
        }
        for (text, old) in
            [("ж\u{43e}", "жо"), ("cafe", "café"), ("a b", "other"), ("a", "\u{feff}")]
        {
            assert_eq!(find_difference(text, old), None, "{text:?} {old:?}");
        }
    }
}
