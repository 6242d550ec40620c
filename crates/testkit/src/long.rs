//! Long conversations of an agent at work, for benchmarks: as many tokens as asked for,
//! the same every time.
//!
//! A few dozen files are read (in whole, in part, again after edits), searched and edited,
//! and a program is run over them, in about the mix that recorded sessions have.

use std::fmt::Write;

use foveal_context::tokens::{Tokenizer, Tokens};
use foveal_transcript::{Conversation, Mark, Role};
use serde_json::json;

use crate::fixture::Builder;
use crate::world::Numbers;

/// Files there are.
const FILES: usize = 48;

/// Names that lines are made of.
const NAMES: [&str; 16] = [
    "buffer", "cursor", "decoder", "frame", "header", "index", "journal", "ledger", "message",
    "offset", "packet", "record", "segment", "session", "stream", "window",
];

/// Lines of code; `{a}` and `{b}` are names, `{n}` is a number.
const LINES: [&str; 14] = [
    "    let {a}_{n} = self.{b}.take({n})?;",
    "    if {a}.is_empty() || {b}_{n} > {a}.len() {",
    "        return Err({a}Error::Missing { at: {n} });",
    "    }",
    "",
    "pub fn {a}_{b}_{n}(&mut self, {b}: &{a}State) -> Result<usize, Error> {",
    "    // The {a} owns its {b} until entry {n} is written.",
    "    self.{a}_{n}.push({b}.clone());",
    "    for {a} in self.{b}_{n}.iter().filter(|{a}| {a}.is_open()) {",
    "        total += {a}.{b}_count({n});",
    "}",
    "    assert_eq!({a}_{n}.{b}(), Some({n}));",
    "    tracing::debug!(\"{a} {n} moved past {b}\");",
    "    Ok({a}.finish({b}, {n}))",
];

/// A conversation whose prompt ends at `tokens` or a little above, and whose last entry is a
/// response.
pub fn long_conversation(tokens: Tokens) -> Conversation {
    let mut work = Work::new();
    let mut total = Tokens(0);
    let mut counted = 0;
    while total < tokens {
        work.step();
        let entries = work.builder.entries();
        for entry in &entries[counted..] {
            total += Tokenizer::O200k.count(&entry.prompt_text());
        }
        counted = entries.len();
    }
    work.builder.message(Role::Assistant, Mark::None, "All of it is done.");
    work.builder.finish()
}

/// An agent at work.
struct Work {
    builder: Builder,
    numbers: Numbers,
    files: Vec<Vec<String>>,
    /// The file it works on.
    at: usize,
}

impl Work {
    fn new() -> Self {
        let mut numbers = Numbers::new(7);
        let files = (0..FILES)
            .map(|_| {
                let count = 60 + numbers.below(440);
                (0..count).map(|_| line(&mut numbers)).collect()
            })
            .collect();
        let mut builder = Builder::default();
        builder.message(Role::System, Mark::None, "You are an agent that works on a repository.");
        builder.message(Role::User, Mark::None, "Make the journal survive a broken stream.");
        Self { builder, numbers, files, at: 0 }
    }

    /// One response and what its call gives.
    fn step(&mut self) {
        if self.numbers.below(4) == 0 {
            self.at = self.numbers.below(FILES);
        }
        let name = NAMES[self.numbers.below(NAMES.len())];
        let words = format!("Now I look at how the {name} is handled in {}.", path(self.at));
        self.builder.message(Role::Assistant, Mark::None, &words);
        match self.numbers.below(10) {
            0 | 1 => self.read(0, usize::MAX),
            2..=4 => {
                let first = self.numbers.below(self.files[self.at].len());
                let count = 30 + self.numbers.below(90);
                self.read(first, count);
            }
            5 | 6 => self.edit(),
            7 => self.search(name),
            _ => self.run(),
        }
    }

    fn read(&mut self, first: usize, count: usize) {
        let path = path(self.at);
        let whole = count == usize::MAX;
        let arguments = if whole {
            json!({ "file_path": path })
        } else {
            json!({ "file_path": path, "offset": first + 1, "limit": count })
        };
        let mut text = String::new();
        let lines = self.files[self.at].iter().enumerate().skip(first).take(count);
        for (at, line) in lines {
            writeln!(text, "{:6}→{line}", at + 1).expect("text takes all");
        }
        self.answer("Read", arguments, &text);
    }

    fn edit(&mut self) {
        let file = &mut self.files[self.at];
        let first = self.numbers.below(file.len() - 8);
        let old = file[first..first + 6].join("\n");
        let new: Vec<String> = (0..7).map(|_| line(&mut self.numbers)).collect();
        file.splice(first..first + 6, new.iter().cloned());
        let path = path(self.at);
        let arguments =
            json!({ "file_path": path, "old_string": old, "new_string": new.join("\n") });
        self.answer("Edit", arguments, &format!("The file {path} has been updated."));
    }

    fn search(&mut self, name: &str) {
        let mut text = String::new();
        let hits = self.files.iter().enumerate().flat_map(|(file, lines)| {
            let hits = lines.iter().enumerate().filter(|(_, line)| line.contains(name));
            hits.take(3).map(move |(at, line)| (file, at, line))
        });
        for (file, at, line) in hits {
            writeln!(text, "{}:{}:{line}", path(file), at + 1).expect("text takes all");
        }
        self.answer("Grep", json!({ "pattern": name, "output_mode": "content" }), &text);
    }

    fn run(&mut self) {
        let mut text = String::from("   Compiling journal v0.3.1 (/w)\n");
        for _ in 0..20 + self.numbers.below(120) {
            let (a, n) = (NAMES[self.numbers.below(NAMES.len())], self.numbers.below(900));
            writeln!(text, "test {a}::tests::keeps_order_{n} ... ok").expect("text takes all");
        }
        text.push_str("test result: ok. 0 failed; 0 ignored; finished in 0.41s\n");
        self.answer("Bash", json!({ "command": "cargo test --workspace" }), &text);
    }

    fn answer(&mut self, tool: &str, arguments: serde_json::Value, text: &str) {
        self.builder.call(tool, arguments);
        self.builder.result(text, false);
    }
}

fn path(file: usize) -> String {
    format!("/w/src/{}/{}_{file}.rs", NAMES[file % 5], NAMES[file % NAMES.len()])
}

fn line(numbers: &mut Numbers) -> String {
    let pattern = LINES[numbers.below(LINES.len())];
    let (a, b) = (NAMES[numbers.below(NAMES.len())], NAMES[numbers.below(NAMES.len())]);
    let number = numbers.below(1000).to_string();
    pattern.replace("{a}", a).replace("{b}", b).replace("{n}", &number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_conversation_has_the_size_asked_for_and_is_the_same_again() {
        let conversation = long_conversation(Tokens(30_000));
        let total: Tokens =
            conversation.entries().iter().map(|e| Tokenizer::O200k.count(&e.prompt_text())).sum();
        assert!((30_000..40_000).contains(&total.0), "{total:?}");
        assert_eq!(conversation, long_conversation(Tokens(30_000)));
    }
}
