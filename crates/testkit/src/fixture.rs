//! Conversations written as text.
//!
//! A line that starts with `//- ` begins an entry, the lines below it are its text:
//!
//! | line | entry |
//! |---|---|
//! | `//- system`, `//- user`, `//- injected`, `//- summary` | a message |
//! | `//- assistant` | a response |
//! | `//- call Read {"file_path":"a.rs"}` | a call of the response above, or of a new one |
//! | `//- result`, `//- error` | the answer to the oldest call that has none |
//! | `//- compact`, `//- compact keep 4` | a compaction, perhaps keeping entries from 4 on |
//! | `//- rewind 4` | back to before entry 4; text below it is the user's new message |
//!
//! Every entry is a second after the last; `@+400s` (or `ms`, `m`, `h`) at the end of the
//! line makes the gap that long. The indentation of the first such line is taken off all.

use std::collections::VecDeque;

use foveal_transcript::{
    Block, Call, Conversation, Entry, EntryIndex, Mark, Role, Source, Timestamp, ToolResult,
};

const DIRECTIVE: &str = "//- ";

/// The gap between two entries where none is given.
const GAP_MS: i64 = 1000;

/// The conversation that `text` describes; see the module's table.
///
/// # Panics
/// If the text is not of that form, naming the line.
pub fn fixture(text: &str) -> Conversation {
    let mut builder = Builder::default();
    let indent = indentation(text);
    let mut open: Option<(&str, Vec<&str>)> = None;
    for line in text.lines() {
        if let Some(directive) = line.trim_start().strip_prefix(DIRECTIVE) {
            if let Some((directive, body)) = open.take() {
                builder.take(directive, &body.join("\n"));
            }
            open = Some((directive.trim(), Vec::new()));
        } else if let Some((_, body)) = &mut open {
            let margin = line.bytes().take(indent).take_while(|byte| *byte == b' ').count();
            body.push(&line[margin..]);
        } else {
            assert!(line.trim().is_empty(), "text before the first `//- ` line: {line}");
        }
    }
    if let Some((directive, mut body)) = open {
        // The line of the closing quote.
        if body.last().is_some_and(|line| line.trim().is_empty()) {
            body.pop();
        }
        builder.take(directive, &body.join("\n"));
    }
    builder.finish()
}

fn indentation(text: &str) -> usize {
    text.lines()
        .find(|line| line.trim_start().starts_with(DIRECTIVE))
        .map_or(0, |line| line.len() - line.trim_start().len())
}

/// Builds a conversation entry by entry, for fixtures and generators.
#[derive(Debug, Default)]
pub struct Builder {
    entries: Vec<Entry>,
    clock_ms: i64,
    gap_ms: Option<i64>,
    step: u32,
    results: u16,
    calls: u32,
    unanswered: VecDeque<String>,
}

impl Builder {
    /// What was built.
    pub fn finish(self) -> Conversation {
        self.entries.into_iter().collect()
    }

    /// What is there so far.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Makes the next entry come `gap_ms` milliseconds after the last.
    pub fn wait_ms(&mut self, gap_ms: i64) {
        self.gap_ms = Some(gap_ms);
    }

    /// Number of entries so far.
    pub fn len(&self) -> u32 {
        self.entries.len() as u32
    }

    /// Whether there is no entry yet.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds a message without calls; one without text has no blocks.
    pub fn message(&mut self, role: Role, mark: Mark, text: &str) {
        let blocks = if text.is_empty() { Vec::new() } else { vec![Block::Text(text.to_owned())] };
        self.step += 1;
        self.results = 0;
        self.unanswered.clear();
        let source = Source { step: self.step, result: None };
        self.push(source, role, mark, blocks);
    }

    /// Adds a call to the response that is open, or to a new one.
    pub fn call(&mut self, name: &str, arguments: serde_json::Value) {
        let open = self.entries.last().is_some_and(|e| e.role == Role::Assistant);
        if !open {
            self.message(Role::Assistant, Mark::None, "");
        }
        self.calls += 1;
        let id = format!("call-{}", self.calls);
        self.unanswered.push_back(id.clone());
        let last = self.entries.last_mut().expect("a response is open");
        last.blocks.push(Block::Call(Call { id, name: name.to_owned(), arguments }));
    }

    /// Answers the oldest call that has no answer.
    ///
    /// # Panics
    /// If every call has one.
    pub fn result(&mut self, content: &str, is_error: bool) {
        let call = self.unanswered.pop_front().expect("a result needs a call that has none");
        let source = Source { step: self.step, result: Some(self.results) };
        self.results += 1;
        let result = ToolResult { call, content: content.to_owned(), is_error };
        self.push(source, Role::Tool, Mark::None, vec![Block::Result(result)]);
    }

    fn push(&mut self, source: Source, role: Role, mark: Mark, blocks: Vec<Block>) {
        if !self.entries.is_empty() {
            self.clock_ms += self.gap_ms.unwrap_or(GAP_MS);
        }
        self.gap_ms = None;
        let time = Some(Timestamp(self.clock_ms));
        let (model, usage) = (None, None);
        self.entries.push(Entry { source, role, time, mark, model, usage, blocks });
    }

    fn take(&mut self, directive: &str, body: &str) {
        let directive = match directive.rsplit_once("@+") {
            Some((rest, gap)) if milliseconds(gap).is_some() => {
                self.gap_ms = milliseconds(gap);
                rest.trim_end()
            }
            _ => directive,
        };
        let (word, rest) = directive.split_once(' ').unwrap_or((directive, ""));
        let rest = rest.trim();
        match word {
            "system" => self.message(Role::System, Mark::None, body),
            "user" => self.message(Role::User, Mark::None, body),
            "injected" => self.message(Role::User, Mark::Injected, body),
            "summary" => self.message(Role::User, Mark::CompactSummary, body),
            "assistant" => self.message(Role::Assistant, Mark::None, body),
            "call" => {
                let (name, arguments) = rest.split_once(' ').unwrap_or((rest, ""));
                let json = format!("{arguments}\n{body}");
                let json = if json.trim().is_empty() { "{}" } else { json.trim() };
                let arguments = serde_json::from_str(json)
                    .unwrap_or_else(|error| panic!("`//- {directive}`: {error}"));
                self.call(name, arguments);
            }
            "result" => self.result(body, false),
            "error" => self.result(body, true),
            "compact" => {
                let keep_from = rest.strip_prefix("keep ").map(|at| index(at, directive));
                self.message(Role::System, Mark::CompactBoundary { keep_from }, body);
            }
            "rewind" => {
                let to = index(rest, directive);
                self.message(Role::User, Mark::Rewind { to }, body);
            }
            _ => panic!("`//- {directive}` is none of the known lines"),
        }
    }
}

fn index(text: &str, directive: &str) -> EntryIndex {
    let at = text.trim().parse();
    EntryIndex(at.unwrap_or_else(|_| panic!("`//- {directive}` needs the number of an entry")))
}

fn milliseconds(gap: &str) -> Option<i64> {
    let digits = gap.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &gap[digits.len()..] {
        "ms" => 1,
        "s" => 1000,
        "m" => 60 * 1000,
        "h" => 60 * 60 * 1000,
        _ => return None,
    };
    digits.parse::<i64>().ok().map(|count| count * unit)
}

#[cfg(test)]
mod tests;
