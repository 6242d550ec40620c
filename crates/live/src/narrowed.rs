//! A content narrowed to the lines that a question is about.

use foveal_context::note::{Counts, Lines, Note, NoteKind};
use foveal_transcript::ContentHash;

/// Contents of no more bytes are given whole: looking again costs more than reading.
const WHOLE_BYTES_MAX: usize = 4_000;

/// About how many bytes of lines are given.
const SHOWN_BYTES_MAX: usize = 8_000;

/// Lines that are given on both sides of one that is about the question.
const AROUND: usize = 2;

/// Fewest letters of a word that is looked for.
const LETTERS_MIN: usize = 2;

/// The lines of a content that have most of the question's words, in order, with notes in place of
/// the others. All of it where it is short, or where no line has any of the words.
pub(crate) fn narrowed(content: &str, question: &str) -> String {
    let words = words(question);
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
        let around = at.saturating_sub(AROUND)..(at + AROUND + 1).min(lines.len());
        for at in around {
            if !std::mem::replace(&mut is_shown[at], true) {
                bytes += lines[at].len();
            }
        }
    }
    rendered(content, &lines, &is_shown)
}

/// The words that are looked for, each once.
fn words(question: &str) -> Vec<String> {
    let parts = question.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let mut words: Vec<String> =
        parts.filter(|word| word.chars().count() >= LETTERS_MIN).map(str::to_lowercase).collect();
    words.sort();
    words.dedup();
    words
}

fn rendered(content: &str, lines: &[&str], is_shown: &[bool]) -> String {
    let whole = ContentHash::of(content.as_bytes());
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
        note.lines = vec![Lines(number(at), number(end - 1))];
        note.counts = Counts { lines: number(end - at - 1), ..Counts::default() };
        note.handle = Some(whole.handle());
        text.push_str(&format!("{}\n", note.by_hash(&whole)));
        at = end;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::narrowed;

    fn log() -> String {
        (1..=400).map(|at| format!("line {at} of a log that says nothing\n")).collect::<String>()
            + "ERROR: the Widget failed\n"
            + &(402..=500).map(|at| format!("line {at} goes on\n")).collect::<String>()
    }

    #[test]
    fn lines_about_the_question_are_given_with_those_around() {
        let text = narrowed(&log(), "which widget error?");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 7, "{text}");
        assert!(lines[0].starts_with("[1-398 left out; retrieve hash="), "{text}");
        assert_eq!(lines[3], "ERROR: the Widget failed");
        assert!(lines[6].starts_with("[404-500 left out; retrieve hash="), "{text}");
    }

    #[test]
    fn what_is_short_or_has_none_of_the_words_is_given_whole() {
        assert_eq!(narrowed("a\nb\n", "b"), "a\nb\n");
        assert_eq!(narrowed(&log(), "unheard"), log());
        assert_eq!(narrowed(&log(), "? !"), log());
    }

    #[test]
    fn what_is_given_is_bounded() {
        let text = narrowed(&"the same word\n".repeat(5_000), "word");
        assert!(text.len() < 9_000, "{}", text.len());
    }
}
