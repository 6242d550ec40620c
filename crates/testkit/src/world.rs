//! A small file system in memory, and the tools of an agent that works on it.
//!
//! What a tool answers is true of the files at that moment, so that a law about lines of
//! files can be checked against the world itself.

use std::fmt::Write;

/// The directory everything lies in; relative paths start here.
pub const DIRECTORY: &str = "/w";

/// The files there are; the last does not exist at first.
pub const PATHS: [&str; 4] = ["/w/src/a.rs", "/w/src/deep/b.rs", "/w/README.md", "/w/src/new.rs"];

/// Words of which lines are made; each but the first few is followed by a number, so that
/// some lines repeat, as braces and blank lines do, and most are unlike each other.
const LINES: [&str; 12] = [
    "",
    "}",
    "    }",
    "    return Err(Error::Missing);",
    "fn visit_",
    "    let größe_",
    "use crate::module_",
    "    // keeps the order of item_",
    "\tif ready_",
    "struct Widget_",
    "    assert_eq!(total, value_",
    "日本語の行 ",
];

/// How many of [`LINES`] stand for themselves.
const LINES_BARE: usize = 4;

/// A small deterministic source of numbers; the same seed gives the same numbers.
#[derive(Debug, Clone)]
pub struct Numbers(u64);

impl Numbers {
    /// Numbers from `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// The next number below `limit`, which must not be 0.
    pub fn below(&mut self, limit: usize) -> usize {
        // An LCG by Knuth; its high bits are good enough for choosing lines.
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    /// A line of text.
    pub fn line(&mut self) -> String {
        let at = self.below(LINES.len());
        if at < LINES_BARE {
            LINES[at].to_owned()
        } else {
            format!("{}{}", LINES[at], self.below(500))
        }
    }

    /// `count` lines of text.
    pub fn lines(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.line()).collect()
    }
}

/// The files, by their place in [`PATHS`].
#[derive(Debug, Clone)]
pub struct World {
    files: [Option<Vec<String>>; PATHS.len()],
    /// What each file held before it was changed, the oldest first.
    earlier: [Vec<Vec<String>>; PATHS.len()],
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The text.
    pub content: String,
    /// Whether it is an error.
    pub is_error: bool,
}

impl Answer {
    fn good(content: impl Into<String>) -> Self {
        Self { content: content.into(), is_error: false }
    }

    fn bad(content: impl Into<String>) -> Self {
        Self { content: content.into(), is_error: true }
    }
}

impl World {
    /// A world whose files are made from `seed`.
    pub fn new(seed: u64) -> Self {
        let mut numbers = Numbers::new(seed);
        let mut files: [Option<Vec<String>>; PATHS.len()] = std::array::from_fn(|_| None);
        for file in files.iter_mut().take(PATHS.len() - 1) {
            let count = 1 + numbers.below(90);
            *file = Some(numbers.lines(count));
        }
        Self { files, earlier: Default::default() }
    }

    /// The lines of a file, if it exists.
    pub fn file(&self, file: usize) -> Option<&[String]> {
        self.files[file].as_deref()
    }

    /// Puts a file in place.
    pub fn put(&mut self, file: usize, lines: Vec<String>) -> Answer {
        self.earlier[file].extend(self.files[file].replace(lines));
        Answer::good(format!("File written: {}", PATHS[file]))
    }

    /// Puts back what a file held so many changes ago, as version control does.
    pub fn check_out(&mut self, file: usize, changes: usize) -> Answer {
        let earlier = &self.earlier[file];
        let at = earlier.len().saturating_sub(1 + changes);
        match earlier.get(at).cloned() {
            Some(lines) => {
                self.put(file, lines);
                Answer::good("Updated 1 path from the index")
            }
            None => Answer::good("Updated 0 paths from the index"),
        }
    }

    /// Replaces one line of a file as nobody's tool call does.
    pub fn disturb(&mut self, file: usize, line: usize, text: String) {
        if let Some(lines) = &mut self.files[file] {
            self.earlier[file].push(lines.clone());
            let at = line % lines.len().max(1);
            match lines.get_mut(at) {
                Some(line) => *line = text,
                None => lines.push(text),
            }
        }
    }

    /// Lines `first..first + count` (from 1; `None` is all) with a gutter of numbers.
    pub fn numbered(&self, file: usize, range: Option<(usize, usize)>) -> Answer {
        let Some(lines) = self.file(file) else { return Answer::bad("File does not exist.") };
        let (first, count) = range.unwrap_or((1, lines.len()));
        let mut text = String::new();
        for (at, line) in lines.iter().enumerate().skip(first - 1).take(count) {
            writeln!(text, "{:6}\u{2192}{line}", at + 1).expect("writing to a string");
        }
        if text.is_empty() {
            return Answer::bad(format!("The file has only {} lines.", lines.len()));
        }
        text.pop();
        Answer::good(text)
    }

    /// Lines `first..first + count` (from 1; `None` is all) as a shell prints them.
    pub fn plain(&self, file: usize, range: Option<(usize, usize)>) -> Answer {
        let Some(lines) = self.file(file) else {
            return Answer::bad(format!("cat: {}: No such file or directory", PATHS[file]));
        };
        let (first, count) = range.unwrap_or((1, lines.len()));
        let shown: Vec<_> = lines.iter().skip(first - 1).take(count).map(String::as_str).collect();
        Answer::good(shown.join("\n"))
    }

    /// Replaces `old` by `new` where `old` is in the file exactly once.
    pub fn replace(&mut self, file: usize, old: &str, new: &str) -> Answer {
        let Some(lines) = &self.files[file] else { return Answer::bad("File does not exist.") };
        let text = lines.join("\n");
        match text.matches(old).count() {
            1 if !old.is_empty() => {
                let changed = text.replacen(old, new, 1);
                self.put(file, changed.split('\n').map(str::to_owned).collect());
                Answer::good(format!("The file {} has been updated.", PATHS[file]))
            }
            0 => Answer::bad("String to replace not found in file."),
            found => Answer::bad(format!("Found {found} matches of the string to replace.")),
        }
    }

    /// Every line that holds `word`, as `path:number:line`.
    pub fn search(&self, word: &str) -> Answer {
        let mut text = String::new();
        for (path, lines) in PATHS.iter().zip(&self.files) {
            for (at, line) in lines.iter().flatten().enumerate() {
                if line.contains(word) {
                    writeln!(text, "{path}:{}:{line}", at + 1).expect("writing to a string");
                }
            }
        }
        if text.is_empty() {
            return Answer::good("No matches found");
        }
        text.pop();
        Answer::good(text)
    }

    /// The names of all files.
    pub fn list(&self) -> Answer {
        let there = PATHS.iter().zip(&self.files).filter(|(_, file)| file.is_some());
        Answer::good(there.map(|(path, _)| *path).collect::<Vec<_>>().join("\n"))
    }
}

/// What a program prints: `lines` lines, some of them repeated, coloured or overwritten, and
/// a last one that says how it went.
pub fn program_output(seed: u64, lines: usize) -> Answer {
    let mut numbers = Numbers::new(seed);
    let mut text = String::new();
    let failed = numbers.below(3) == 0;
    for at in 0..lines {
        match numbers.below(8) {
            0 => text.push_str("   Compiling widget v0.1.0\n"),
            1 => writeln!(text, "\u{1b}[32mok\u{1b}[0m test_{at}").expect("writing to a string"),
            2 => writeln!(text, "{at}%\r{}%", at + 1).expect("writing to a string"),
            3 if failed => text.push_str("error[E0308]: mismatched types\n"),
            _ => writeln!(text, "{}", numbers.line()).expect("writing to a string"),
        }
    }
    text.push_str(if failed { "test result: FAILED. 1 failed" } else { "test result: ok." });
    Answer { content: text, is_error: failed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_tell_the_truth_about_the_files() {
        let mut world = World::new(1);
        world.put(3, vec!["one".to_owned(), "two".to_owned(), "two".to_owned()]);
        let rows = [
            (world.numbered(3, None), "     1→one\n     2→two\n     3→two"),
            (world.numbered(3, Some((2, 1))), "     2→two"),
            (world.numbered(3, Some((4, 1))), "The file has only 3 lines."),
            (world.plain(3, Some((1, 2))), "one\ntwo"),
            (world.replace(3, "two", "2"), "Found 2 matches of the string to replace."),
            (world.replace(3, "one", "1"), "The file /w/src/new.rs has been updated."),
            (world.search("two"), "/w/src/new.rs:2:two\n/w/src/new.rs:3:two"),
            (world.search("absent"), "No matches found"),
        ];
        for (answer, expected) in rows {
            assert_eq!(answer.content, expected);
        }
        assert_eq!(world.plain(3, None).content, "1\ntwo\ntwo");
    }
}
