//! Reduces a content to the lines that match a query.

use foveal_engine::note::{Counts, LineNumberRange, Note, NoteKind};
use foveal_transcript::ContentHash;

/// Shorter contents are returned whole: a second look costs more than reading them.
const WHOLE_BYTES_MAX: usize = 4_000;

/// The approximate limit on the returned lines, in bytes.
const SHOWN_BYTES_MAX: usize = 8_000;

/// The number of lines that are returned before and after each match.
const CONTEXT_LINES: usize = 2;

/// Shorter words of a query are ignored.
const WORD_LETTERS_MIN: usize = 2;

/// Returns the lines of a content that contain the most words of the query, in order, with notes in
/// place of the others. Returns all of it if it is short, or if no line contains any of the words.
pub(crate) fn filter_lines(content: &str, question: &str) -> String {
    let words = query_words(question);
    if content.len() <= WHOLE_BYTES_MAX || words.is_empty() {
        return content.to_owned();
    }
    let lines: Vec<&str> = content.split_inclusive('\n').collect();
    let mut found: Vec<(usize, usize)> = lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| {
            let line = line.to_lowercase();
            let count = words.iter().filter(|word| line.contains(word.as_str())).count();
            (count > 0).then_some((count, at))
        })
        .collect();
    if found.is_empty() {
        return content.to_owned();
    }
    found.sort_by_key(|(count, at)| (usize::MAX - count, *at));
    let mut is_shown = vec![false; lines.len()];
    let mut bytes = 0;
    for (_, at) in found {
        if bytes >= SHOWN_BYTES_MAX {
            break;
        }
        let around = at.saturating_sub(CONTEXT_LINES)..(at + CONTEXT_LINES + 1).min(lines.len());
        for at in around {
            if !std::mem::replace(&mut is_shown[at], true) {
                bytes += lines[at].len();
            }
        }
    }
    render_lines(content, &lines, &is_shown)
}

/// Returns the distinct words of a query.
fn query_words(question: &str) -> Vec<String> {
    let parts = question.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let mut words: Vec<String> = parts
        .filter(|word| word.chars().count() >= WORD_LETTERS_MIN)
        .map(str::to_lowercase)
        .collect();
    words.sort();
    words.dedup();
    words
}

fn render_lines(content: &str, lines: &[&str], is_shown: &[bool]) -> String {
    let whole = ContentHash::from_content(content.as_bytes());
    let number = |at: usize| u32::try_from(at + 1).unwrap_or(u32::MAX);
    let mut text = String::new();
    let mut at = 0;
    while at < lines.len() {
        if is_shown[at] {
            text.push_str(lines[at]);
            at += 1;
            continue;
        }
        let end = (at..lines.len()).find(|at| is_shown[*at]).unwrap_or(lines.len());
        let mut note = Note::new(NoteKind::LEFT_OUT);
        note.lines = vec![LineNumberRange(number(at), number(end - 1))];
        note.counts = Counts { lines: number(end - at - 1), ..Counts::default() };
        note.handle = Some(whole.handle());
        text.push_str(&format!("{}\n", note.display_with_hash(&whole)));
        at = end;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::filter_lines;

    fn log() -> String {
        (1..=400).map(|at| format!("line {at} of a log that says nothing\n")).collect::<String>()
            + "ERROR: the Widget failed\n"
            + &(402..=500).map(|at| format!("line {at} goes on\n")).collect::<String>()
    }

    #[test]
    fn lines_about_the_question_are_given_with_those_around() {
        let text = filter_lines(&log(), "which widget error?");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 7, "{text}");
        assert!(lines[0].starts_with("[1-398 left out; retrieve hash="), "{text}");
        assert_eq!(lines[3], "ERROR: the Widget failed");
        assert!(lines[6].starts_with("[404-500 left out; retrieve hash="), "{text}");
    }

    #[test]
    fn what_is_short_or_has_none_of_the_words_is_given_whole() {
        assert_eq!(filter_lines("a\nb\n", "b"), "a\nb\n");
        assert_eq!(filter_lines(&log(), "unheard"), log());
        assert_eq!(filter_lines(&log(), "? !"), log());
    }

    #[test]
    fn what_is_given_is_bounded() {
        let text = filter_lines(&"the same word\n".repeat(5_000), "word");
        assert!(text.len() < 9_000, "{}", text.len());
    }
}
