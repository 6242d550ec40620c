//! A small file system in memory, and the tools of an agent that works on it.
//!
//! The answers of the tools agree with the files at that moment, so that a law about lines of files
//! can be checked against the files themselves.

use std::fmt::Write;

/// The working directory; relative paths start here.
pub const DIRECTORY: &str = "/w";

/// The paths of the files; the last does not exist at first.
pub const PATHS: [&str; 4] = ["/w/src/a.rs", "/w/src/deep/b.rs", "/w/README.md", "/w/src/new.rs"];

/// Beginnings of lines. All but the first few are followed by a number, so that some lines repeat,
/// as braces and blank lines do, and most differ from each other.
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

/// The number of [`LINES`] that are used without a number.
const UNNUMBERED_LINES: usize = 4;

/// A deterministic random number generator.
#[derive(Debug, Clone)]
pub struct RandomNumbers(u64);

impl RandomNumbers {
    /// Creates a generator from `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// Returns the next number below `limit`, which must not be 0.
    pub fn random_below(&mut self, limit: usize) -> usize {
        // An LCG by Knuth; its high bits are good enough for choosing lines.
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    /// Returns a line of text.
    pub fn random_line(&mut self) -> String {
        let at = self.random_below(LINES.len());
        if at < UNNUMBERED_LINES {
            LINES[at].to_owned()
        } else {
            format!("{}{}", LINES[at], self.random_below(500))
        }
    }

    /// Returns `count` lines of text.
    pub fn random_lines(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.random_line()).collect()
    }
}

/// The files, by their index in [`PATHS`].
#[derive(Debug, Clone)]
pub struct SimulatedFiles {
    files: [Option<Vec<String>>; PATHS.len()],
    /// The earlier contents of each file, the oldest first.
    earlier_contents: [Vec<Vec<String>>; PATHS.len()],
}

/// The answer of a simulated tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimulatedAnswer {
    /// The text.
    pub content: String,
    /// Whether it is an error.
    pub is_error: bool,
}

impl SimulatedAnswer {
    fn success(content: impl Into<String>) -> Self {
        Self { content: content.into(), is_error: false }
    }

    fn failure(content: impl Into<String>) -> Self {
        Self { content: content.into(), is_error: true }
    }
}

impl SimulatedFiles {
    /// Generates the files from `seed`.
    pub fn new(seed: u64) -> Self {
        let mut numbers = RandomNumbers::new(seed);
        let mut files: [Option<Vec<String>>; PATHS.len()] = std::array::from_fn(|_| None);
        for file in files.iter_mut().take(PATHS.len() - 1) {
            let count = 1 + numbers.random_below(90);
            *file = Some(numbers.random_lines(count));
        }
        Self { files, earlier_contents: Default::default() }
    }

    /// Returns the lines of a file, if it exists.
    pub fn file_lines(&self, file: usize) -> Option<&[String]> {
        self.files[file].as_deref()
    }

    /// Writes a file.
    pub fn write_file(&mut self, file: usize, lines: Vec<String>) -> SimulatedAnswer {
        self.earlier_contents[file].extend(self.files[file].replace(lines));
        SimulatedAnswer::success(format!("File written: {}", PATHS[file]))
    }

    /// Restores the content of a file this many changes ago, as version control does.
    pub fn check_out(&mut self, file: usize, changes: usize) -> SimulatedAnswer {
        let earlier = &self.earlier_contents[file];
        let at = earlier.len().saturating_sub(1 + changes);
        match earlier.get(at).cloned() {
            Some(lines) => {
                self.write_file(file, lines);
                SimulatedAnswer::success("Updated 1 path from the index")
            }
            None => SimulatedAnswer::success("Updated 0 paths from the index"),
        }
    }

    /// Changes a line of a file without a tool call.
    pub fn change_line(&mut self, file: usize, line: usize, text: String) {
        if let Some(lines) = &mut self.files[file] {
            self.earlier_contents[file].push(lines.clone());
            let at = line % lines.len().max(1);
            match lines.get_mut(at) {
                Some(line) => *line = text,
                None => lines.push(text),
            }
        }
    }

    /// Returns lines `first..first + count` (from 1; `None` for all) with line numbers.
    pub fn read_numbered(&self, file: usize, range: Option<(usize, usize)>) -> SimulatedAnswer {
        let Some(lines) = self.file_lines(file) else {
            return SimulatedAnswer::failure("File does not exist.");
        };
        let (first, count) = range.unwrap_or((1, lines.len()));
        let mut text = String::new();
        for (at, line) in lines.iter().enumerate().skip(first - 1).take(count) {
            writeln!(text, "{:6}\u{2192}{line}", at + 1).expect("writing to a string");
        }
        if text.is_empty() {
            return SimulatedAnswer::failure(format!("The file has only {} lines.", lines.len()));
        }
        text.pop();
        SimulatedAnswer::success(text)
    }

    /// Returns lines `first..first + count` (from 1; `None` for all) as a shell prints them.
    pub fn read_unnumbered(&self, file: usize, range: Option<(usize, usize)>) -> SimulatedAnswer {
        let Some(lines) = self.file_lines(file) else {
            return SimulatedAnswer::failure(format!(
                "cat: {}: No such file or directory",
                PATHS[file]
            ));
        };
        let (first, count) = range.unwrap_or((1, lines.len()));
        let shown: Vec<_> = lines.iter().skip(first - 1).take(count).map(String::as_str).collect();
        SimulatedAnswer::success(shown.join("\n"))
    }

    /// Replaces `old` by `new` if `old` occurs in the file exactly once.
    pub fn replace_text(&mut self, file: usize, old: &str, new: &str) -> SimulatedAnswer {
        let Some(lines) = &self.files[file] else {
            return SimulatedAnswer::failure("File does not exist.");
        };
        let text = lines.join("\n");
        match text.matches(old).count() {
            1 if !old.is_empty() => {
                let changed = text.replacen(old, new, 1);
                self.write_file(file, changed.split('\n').map(str::to_owned).collect());
                SimulatedAnswer::success(format!("The file {} has been updated.", PATHS[file]))
            }
            0 => SimulatedAnswer::failure("String to replace not found in file."),
            found => {
                SimulatedAnswer::failure(format!("Found {found} matches of the string to replace."))
            }
        }
    }

    /// Returns every line that contains `word`, as `path:number:line`.
    pub fn search(&self, word: &str) -> SimulatedAnswer {
        let mut text = String::new();
        for (path, lines) in PATHS.iter().zip(&self.files) {
            for (at, line) in lines.iter().flatten().enumerate() {
                if line.contains(word) {
                    writeln!(text, "{path}:{}:{line}", at + 1).expect("writing to a string");
                }
            }
        }
        if text.is_empty() {
            return SimulatedAnswer::success("No matches found");
        }
        text.pop();
        SimulatedAnswer::success(text)
    }

    /// Returns the paths of all files.
    pub fn list(&self) -> SimulatedAnswer {
        let there = PATHS.iter().zip(&self.files).filter(|(_, file)| file.is_some());
        SimulatedAnswer::success(there.map(|(path, _)| *path).collect::<Vec<_>>().join("\n"))
    }
}

/// Returns the output of a program: `lines` lines, some of them repeated, coloured or overwritten,
/// and a last line with the result.
pub fn program_output(seed: u64, lines: usize) -> SimulatedAnswer {
    let mut numbers = RandomNumbers::new(seed);
    let mut text = String::new();
    let failed = numbers.random_below(3) == 0;
    for at in 0..lines {
        match numbers.random_below(8) {
            0 => text.push_str("   Compiling widget v0.1.0\n"),
            1 => writeln!(text, "\u{1b}[32mok\u{1b}[0m test_{at}").expect("writing to a string"),
            2 => writeln!(text, "{at}%\r{}%", at + 1).expect("writing to a string"),
            3 if failed => text.push_str("error[E0308]: mismatched types\n"),
            _ => writeln!(text, "{}", numbers.random_line()).expect("writing to a string"),
        }
    }
    text.push_str(if failed { "test result: FAILED. 1 failed" } else { "test result: ok." });
    SimulatedAnswer { content: text, is_error: failed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_tell_the_truth_about_the_files() {
        let mut world = SimulatedFiles::new(1);
        world.write_file(3, vec!["one".to_owned(), "two".to_owned(), "two".to_owned()]);
        let rows = [
            (world.read_numbered(3, None), "     1→one\n     2→two\n     3→two"),
            (world.read_numbered(3, Some((2, 1))), "     2→two"),
            (world.read_numbered(3, Some((4, 1))), "The file has only 3 lines."),
            (world.read_unnumbered(3, Some((1, 2))), "one\ntwo"),
            (world.replace_text(3, "two", "2"), "Found 2 matches of the string to replace."),
            (world.replace_text(3, "one", "1"), "The file /w/src/new.rs has been updated."),
            (world.search("two"), "/w/src/new.rs:2:two\n/w/src/new.rs:3:two"),
            (world.search("absent"), "No matches found"),
        ];
        for (answer, expected) in rows {
            assert_eq!(answer.content, expected);
        }
        assert_eq!(world.read_unnumbered(3, None).content, "1\ntwo\ntwo");
    }
}
