//! Conversations written as text.
//!
//! A line that starts with `//- ` begins an entry; the lines below it are its text:
//!
//! | line | entry |
//! |---|---|
//! | `//- system`, `//- user`, `//- injected`, `//- summary` | a message |
//! | `//- assistant` | a response |
//! | `//- call Read {"file_path":"a.rs"}` | a call of the response above, or of a new one |
//! | `//- result`, `//- error` | the result of the oldest unanswered call |
//! | `//- compact`, `//- compact keep 4` | a compaction, optionally keeping entries from 4 on |
//! | `//- rewind 4` | a rewind to before entry 4; the text below is the user's new message |
//!
//! The time between two entries is one second; `@+400s` (or `ms`, `m`, `h`) at the end of the
//! line sets it. The indentation of the first such line is removed from all lines.

use std::collections::VecDeque;

use foveal_transcript::{
    ContentBlock, Conversation, EntryIndex, EntryMark, MessageRole, RecordingPosition, Timestamp,
    ToolCall, ToolResult, TranscriptEntry,
};

const DIRECTIVE: &str = "//- ";

/// The default gap between two entries.
const GAP_MS: i64 = 1000;

/// Returns the conversation that `text` describes; see the module's table.
///
/// # Panics
/// If the text is not of that form; the message names the line.
pub fn parse_fixture(text: &str) -> Conversation {
    let mut builder = FixtureBuilder::default();
    let indent = indentation(text);
    let mut open: Option<(&str, Vec<&str>)> = None;
    for line in text.lines() {
        if let Some(directive) = line.trim_start().strip_prefix(DIRECTIVE) {
            if let Some((directive, body)) = open.take() {
                builder.apply_directive(directive, &body.join("\n"));
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
        builder.apply_directive(directive, &body.join("\n"));
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
pub struct FixtureBuilder {
    entries: Vec<TranscriptEntry>,
    clock_ms: i64,
    gap_ms: Option<i64>,
    step: u32,
    results: u16,
    calls: u32,
    unanswered: VecDeque<String>,
}

impl FixtureBuilder {
    /// Returns the conversation.
    pub fn finish(self) -> Conversation {
        self.entries.into_iter().collect()
    }

    /// Returns the entries so far.
    pub fn entries(&self) -> &[TranscriptEntry] {
        &self.entries
    }

    /// Sets the time between the last entry and the next one to `gap_ms` milliseconds.
    pub fn set_gap_ms(&mut self, gap_ms: i64) {
        self.gap_ms = Some(gap_ms);
    }

    /// Returns the number of entries so far.
    pub fn len(&self) -> u32 {
        self.entries.len() as u32
    }

    /// Returns whether there is no entry yet.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds a message without calls; one with an empty text has no blocks.
    pub fn message(&mut self, role: MessageRole, mark: EntryMark, text: &str) {
        let blocks =
            if text.is_empty() { Vec::new() } else { vec![ContentBlock::Text(text.to_owned())] };
        self.step += 1;
        self.results = 0;
        self.unanswered.clear();
        let source = RecordingPosition { step: self.step, result: None };
        self.push_entry(source, role, mark, blocks);
    }

    /// Adds a call to the last response, or to a new one if the last entry is no response.
    pub fn call(&mut self, name: &str, arguments: serde_json::Value) {
        let open = self.entries.last().is_some_and(|e| e.role == MessageRole::Assistant);
        if !open {
            self.message(MessageRole::Assistant, EntryMark::None, "");
        }
        self.calls += 1;
        let id = format!("call-{}", self.calls);
        self.unanswered.push_back(id.clone());
        let last = self.entries.last_mut().expect("a response is open");
        last.blocks.push(ContentBlock::Call(ToolCall { id, name: name.to_owned(), arguments }));
    }

    /// Adds the result of the oldest unanswered call.
    ///
    /// # Panics
    /// If no call is unanswered.
    pub fn result(&mut self, content: &str, is_error: bool) {
        let call = self.unanswered.pop_front().expect("a result needs a call that has none");
        let source = RecordingPosition { step: self.step, result: Some(self.results) };
        self.results += 1;
        let result = ToolResult { call, content: content.to_owned(), is_error };
        self.push_entry(
            source,
            MessageRole::Tool,
            EntryMark::None,
            vec![ContentBlock::Result(result)],
        );
    }

    fn push_entry(
        &mut self,
        source: RecordingPosition,
        role: MessageRole,
        mark: EntryMark,
        blocks: Vec<ContentBlock>,
    ) {
        if !self.entries.is_empty() {
            self.clock_ms += self.gap_ms.unwrap_or(GAP_MS);
        }
        self.gap_ms = None;
        let time = Some(Timestamp(self.clock_ms));
        let (model, usage) = (None, None);
        self.entries.push(TranscriptEntry { source, role, time, mark, model, usage, blocks });
    }

    fn apply_directive(&mut self, directive: &str, body: &str) {
        let directive = match directive.rsplit_once("@+") {
            Some((rest, gap)) if parse_milliseconds(gap).is_some() => {
                self.gap_ms = parse_milliseconds(gap);
                rest.trim_end()
            }
            _ => directive,
        };
        let (word, rest) = directive.split_once(' ').unwrap_or((directive, ""));
        let rest = rest.trim();
        match word {
            "system" => self.message(MessageRole::System, EntryMark::None, body),
            "user" => self.message(MessageRole::User, EntryMark::None, body),
            "injected" => self.message(MessageRole::User, EntryMark::Injected, body),
            "summary" => self.message(MessageRole::User, EntryMark::CompactSummary, body),
            "assistant" => self.message(MessageRole::Assistant, EntryMark::None, body),
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
                let keep_from =
                    rest.strip_prefix("keep ").map(|at| parse_entry_index(at, directive));
                self.message(MessageRole::System, EntryMark::CompactBoundary { keep_from }, body);
            }
            "rewind" => {
                let to = parse_entry_index(rest, directive);
                self.message(MessageRole::User, EntryMark::Rewind { to }, body);
            }
            _ => panic!("`//- {directive}` is not a known directive"),
        }
    }
}

fn parse_entry_index(text: &str, directive: &str) -> EntryIndex {
    let at = text.trim().parse();
    EntryIndex(at.unwrap_or_else(|_| panic!("`//- {directive}` needs the number of an entry")))
}

fn parse_milliseconds(gap: &str) -> Option<i64> {
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
