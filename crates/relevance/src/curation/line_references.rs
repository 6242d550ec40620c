//! References to lines of files in a text.

use foveal_transcript::LineNumber;

/// The number of line numbers that wait for a path after them.
const PENDING_NUMBERS_MAX: usize = 16;

/// Returns the lines that a text refers to, each with the path as written: `src/a.rs:12`,
/// `a.rs:12-20`, `a.rs#L12`, `File "a.py", line 12`, `lines 12 and 20 of a.py`. A range gives both
/// of its ends. A number belongs to the last path before it, or else to the first after it.
pub(crate) fn find_line_references(text: &str) -> Vec<(&str, LineNumber)> {
    let mut found = Vec::new();
    let mut waiting: Vec<LineNumber> = Vec::new();
    let mut path: Option<&str> = None;
    let mut says_line = false;
    let apart = |c: char| c.is_whitespace() || "\"'`(),;[]<>".contains(c);
    for word in text.split(apart).filter(|word| !word.is_empty()) {
        let mut parts = word.split([':', '#']);
        let first = parts.next().unwrap_or_default();
        if looks_like_path(first) {
            path = Some(first);
            found.extend(waiting.drain(..).map(|line| (first, line)));
            found.extend(
                parts.next().into_iter().flat_map(parse_line_numbers).map(|line| (first, line)),
            );
            says_line = false;
            continue;
        }
        let lines: Vec<LineNumber> =
            if says_line { parse_line_numbers(word).collect() } else { Vec::new() };
        let is_joint = matches!(word, "and" | "or" | "to" | "through" | "-" | "&");
        says_line = is_line_word(word) || (says_line && (is_joint || !lines.is_empty()));
        match path {
            Some(path) => found.extend(lines.into_iter().map(|line| (path, line))),
            None if waiting.len() < PENDING_NUMBERS_MAX => waiting.extend(lines),
            None => {}
        }
    }
    found
}

fn is_line_word(word: &str) -> bool {
    let word = word.trim_end_matches(':');
    word.eq_ignore_ascii_case("line") || word.eq_ignore_ascii_case("lines")
}

/// Parses the numbers in `12`, `L12`, `12-20` and `L12-L20`.
fn parse_line_numbers(word: &str) -> impl Iterator<Item = LineNumber> {
    let number = |part: &str| {
        let digits = part.trim_start_matches('L').trim_end_matches(['.', ':']);
        digits.parse().ok().filter(|number| *number > 0).map(LineNumber)
    };
    word.split(['-', '\u{2013}']).map_while(number).take(2)
}

/// Returns whether a word ends with a file extension: a dot and one to five letters.
fn looks_like_path(word: &str) -> bool {
    let ending = word.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
    ending.is_some_and(|(_, ending)| {
        (1..=5).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphabetic())
    })
}

#[cfg(test)]
mod tests {
    use super::find_line_references;

    fn check(text: &str, expected: &str) {
        let found: Vec<String> = find_line_references(text)
            .iter()
            .map(|(path, line)| format!("{path}:{}", line.0))
            .collect();
        assert_eq!(found.join(" "), expected, "{text}");
    }

    #[test]
    fn lines_are_told_in_many_ways() {
        check("at src/a.rs:12:5 and b.go:3", "src/a.rs:12 b.go:3");
        check("  File \"x/a.py\", line 12, in f", "x/a.py:12");
        check("a.rs:12-20, a.rs#L7", "a.rs:12 a.rs:20 a.rs:7");
        check("the file a.go, specifically around lines 235 and 256.", "a.go:235 a.go:256");
        check("lines 10 - 12 of lib/a.c", "lib/a.c:10 lib/a.c:12");
        check("Line 4 is wrong", "");
        check("a.py has 12 tests; line up 3 of them", "");
        check("see a.rs:abc, line 99999999999", "");
        check("a.py line 3 to b.py line 5", "a.py:3 b.py:5");
    }
}
