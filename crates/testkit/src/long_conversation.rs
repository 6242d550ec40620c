//! Deterministic long conversations of an agent at work with a given number of tokens, for
//! benchmarks.
//!
//! The agent reads a few dozen files (whole, in part, again after edits), searches and edits them,
//! and runs a program, in about the proportions of recorded sessions.

use std::fmt::Write;

use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_transcript::{Conversation, EntryMark, MessageRole};
use serde_json::json;

use crate::fixture::FixtureBuilder;
use crate::simulated_files::RandomNumbers;

/// The number of files.
const FILE_COUNT: usize = 48;

/// Names used in lines.
const NAMES: [&str; 16] = [
    "buffer", "cursor", "decoder", "frame", "header", "index", "journal", "ledger", "message",
    "offset", "packet", "record", "segment", "session", "stream", "window",
];

/// Templates of lines of code; `{a}` and `{b}` are names, `{n}` is a number.
const LINE_TEMPLATES: [&str; 14] = [
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

/// Returns a conversation whose prompt ends at `tokens` or a little above, and whose last entry is
/// a response.
pub fn long_conversation(tokens: Tokens) -> Conversation {
    let mut work = AgentSimulation::new();
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
    work.builder.message(MessageRole::Assistant, EntryMark::None, "All of it is done.");
    work.builder.finish()
}

/// An agent at work.
struct AgentSimulation {
    builder: FixtureBuilder,
    numbers: RandomNumbers,
    files: Vec<Vec<String>>,
    /// The file in work.
    current_file: usize,
}

impl AgentSimulation {
    fn new() -> Self {
        let mut numbers = RandomNumbers::new(7);
        let files = (0..FILE_COUNT)
            .map(|_| {
                let count = 60 + numbers.random_below(440);
                (0..count).map(|_| random_code_line(&mut numbers)).collect()
            })
            .collect();
        let mut builder = FixtureBuilder::default();
        builder.message(
            MessageRole::System,
            EntryMark::None,
            "You are an agent that works on a repository.",
        );
        builder.message(
            MessageRole::User,
            EntryMark::None,
            "Make the journal survive a broken stream.",
        );
        Self { builder, numbers, files, current_file: 0 }
    }

    /// Adds one response with a call and its result.
    fn step(&mut self) {
        if self.numbers.random_below(4) == 0 {
            self.current_file = self.numbers.random_below(FILE_COUNT);
        }
        let name = NAMES[self.numbers.random_below(NAMES.len())];
        let words =
            format!("Now I look at how the {name} is handled in {}.", file_path(self.current_file));
        self.builder.message(MessageRole::Assistant, EntryMark::None, &words);
        match self.numbers.random_below(10) {
            0 | 1 => self.read_file(0, usize::MAX),
            2..=4 => {
                let first = self.numbers.random_below(self.files[self.current_file].len());
                let count = 30 + self.numbers.random_below(90);
                self.read_file(first, count);
            }
            5 | 6 => self.edit_file(),
            7 => self.search_files(name),
            _ => self.run_tests(),
        }
    }

    fn read_file(&mut self, first: usize, count: usize) {
        let path = file_path(self.current_file);
        let whole = count == usize::MAX;
        let arguments = if whole {
            json!({ "file_path": path })
        } else {
            json!({ "file_path": path, "offset": first + 1, "limit": count })
        };
        let mut text = String::new();
        let lines = self.files[self.current_file].iter().enumerate().skip(first).take(count);
        for (at, line) in lines {
            writeln!(text, "{:6}→{line}", at + 1).expect("text takes all");
        }
        self.push_call("Read", arguments, &text);
    }

    fn edit_file(&mut self) {
        let file = &mut self.files[self.current_file];
        let first = self.numbers.random_below(file.len() - 8);
        let old = file[first..first + 6].join("\n");
        let new: Vec<String> = (0..7).map(|_| random_code_line(&mut self.numbers)).collect();
        file.splice(first..first + 6, new.iter().cloned());
        let path = file_path(self.current_file);
        let arguments =
            json!({ "file_path": path, "old_string": old, "new_string": new.join("\n") });
        self.push_call("Edit", arguments, &format!("The file {path} has been updated."));
    }

    fn search_files(&mut self, name: &str) {
        let mut text = String::new();
        let hits = self.files.iter().enumerate().flat_map(|(file, lines)| {
            let hits = lines.iter().enumerate().filter(|(_, line)| line.contains(name));
            hits.take(3).map(move |(at, line)| (file, at, line))
        });
        for (file, at, line) in hits {
            writeln!(text, "{}:{}:{line}", file_path(file), at + 1).expect("text takes all");
        }
        self.push_call("Grep", json!({ "pattern": name, "output_mode": "content" }), &text);
    }

    fn run_tests(&mut self) {
        let mut text = String::from("   Compiling journal v0.3.1 (/w)\n");
        for _ in 0..20 + self.numbers.random_below(120) {
            let (a, n) =
                (NAMES[self.numbers.random_below(NAMES.len())], self.numbers.random_below(900));
            writeln!(text, "test {a}::tests::keeps_order_{n} ... ok").expect("text takes all");
        }
        text.push_str("test result: ok. 0 failed; 0 ignored; finished in 0.41s\n");
        self.push_call("Bash", json!({ "command": "cargo test --workspace" }), &text);
    }

    fn push_call(&mut self, tool: &str, arguments: serde_json::Value, text: &str) {
        self.builder.call(tool, arguments);
        self.builder.result(text, false);
    }
}

fn file_path(file: usize) -> String {
    format!("/w/src/{}/{}_{file}.rs", NAMES[file % 5], NAMES[file % NAMES.len()])
}

fn random_code_line(numbers: &mut RandomNumbers) -> String {
    let pattern = LINE_TEMPLATES[numbers.random_below(LINE_TEMPLATES.len())];
    let (a, b) =
        (NAMES[numbers.random_below(NAMES.len())], NAMES[numbers.random_below(NAMES.len())]);
    let number = numbers.random_below(1000).to_string();
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
