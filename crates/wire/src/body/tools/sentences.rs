//! Where sentences end.

/// Words with a full stop that ends no sentence.
const ABBREVIATED: [&str; 8] = ["e.g", "i.e", "vs", "cf", "approx", "etc", "no", "incl"];

/// The length in bytes of the first sentences of a text, up to so many characters; of the first
/// one where that is longer, up to twice as many. `None` where the text is no longer, or its first
/// sentence ends nowhere.
pub(super) fn first(text: &str, chars_max: usize) -> Option<usize> {
    let bound = text.char_indices().nth(chars_max)?.0;
    let limit = text.char_indices().nth(2 * chars_max).map_or(text.len(), |(at, _)| at);
    let mut last = None;
    for (at, char) in text.char_indices().take_while(|(at, _)| *at < limit) {
        let end = match char {
            '.' | '!' | '?' if is_end(text, at) => at + 1,
            '。' => at + char.len_utf8(),
            '\n' if is_break(text, at) => text[..at].trim_end().len(),
            _ => continue,
        };
        if end > bound && last.is_some() {
            break;
        }
        if end > 0 {
            last = Some(end);
        }
        if end > bound {
            break;
        }
    }
    last
}

/// Whether a sentence ends with the mark at `at`.
fn is_end(text: &str, at: usize) -> bool {
    let is_followed = text[at + 1..].chars().next().is_none_or(char::is_whitespace);
    let before = &text[..at];
    let word = before.rsplit(|char: char| char.is_whitespace() || char == '(').next();
    let word = word.unwrap_or_default();
    // `1.` at the start of a line, and initials.
    let is_short = word.chars().count() < 2 || word.chars().all(|char| char.is_ascii_digit());
    let is_abbreviated = ABBREVIATED.contains(&word.to_lowercase().as_str());
    is_followed && !is_short && !is_abbreviated
}

/// Whether a line break ends what is said in front of it: a paragraph, or a point of a list.
fn is_break(text: &str, at: usize) -> bool {
    let goes_on = text[..at].trim_end().ends_with([':', ',', ';']);
    let next = text[at + 1..].trim_start_matches([' ', '\t']).chars().next();
    !goes_on && next.is_none_or(|char| matches!(char, '\n' | '\r' | '-' | '*' | '#' | '<'))
}
