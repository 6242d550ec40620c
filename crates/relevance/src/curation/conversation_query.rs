//! The curation query of a conversation that is about to read a file.

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::entry_facts::EntryFacts;
use foveal_tool_effects::EffectKind;
use foveal_transcript::{
    ContentBlock, EntryIndex, EntryMark, LineNumber, MessageRole, TranscriptEntry,
};

use super::line_references::find_line_references;
use super::query::{CurationQuery, MentionedLine, PhraseSource};

/// The number of responses of the model that count as recent.
const RECENT_RESPONSES: u32 = 10;
/// The number of bytes read of a user's message.
const USER_BYTES_MAX: usize = 6_000;
/// The number of bytes read of any other text.
const TEXT_BYTES_MAX: usize = 2_500;
/// The number of mentioned lines that are stored.
const MENTIONED_LINES_MAX: usize = 500;

impl CurationQuery {
    /// Returns the query of a conversation at the time when the result at `upto` arrives; that
    /// entry and later ones are ignored.
    pub fn from_conversation(record: &ConversationRecord, upto: EntryIndex) -> Self {
        let before = &record.entries()[..upto.as_usize().min(record.entries().len())];
        let mut question = Self::default();
        question.add_task_messages(before);
        let mut has_subject = !question.is_empty();
        let mut age = 0;
        for (at, entry) in before.iter().enumerate().rev() {
            if age > RECENT_RESPONSES {
                break;
            }
            let Ok(index) = u32::try_from(at) else { continue };
            let facts = record.facts(EntryIndex(index));
            match entry.role {
                MessageRole::Assistant => {
                    has_subject |= has_subject_of_its_own(entry, facts);
                    question.add_response(entry, facts, age);
                    age += 1;
                }
                MessageRole::Tool => question.add_result(entry, facts, age),
                MessageRole::System | MessageRole::User => {}
            }
        }
        // Paths and contents of files that were merely read tell no subject.
        if !has_subject && question.told.is_empty() {
            question.phrases.clear();
        }
        question
    }

    /// Adds the first and the last message of the user as the task.
    fn add_task_messages(&mut self, before: &[TranscriptEntry]) {
        let mut users = before
            .iter()
            .filter(|entry| entry.role == MessageRole::User && entry.mark == EntryMark::None);
        let (first, last) = (users.next(), users.next_back());
        for entry in [first, last].into_iter().flatten() {
            let text = entry.text();
            self.add_phrase(leading_text(&text, USER_BYTES_MAX), PhraseSource::Task, 0);
            self.add_line_references(leading_text(&text, USER_BYTES_MAX), 0);
        }
    }

    fn add_response(&mut self, entry: &TranscriptEntry, facts: &EntryFacts, age: u32) {
        for block in &entry.blocks {
            match block {
                ContentBlock::Text(text) | ContentBlock::Reasoning(text) => {
                    self.add_phrase(
                        trailing_text(text, TEXT_BYTES_MAX),
                        PhraseSource::Assistant,
                        age,
                    );
                    self.add_line_references(trailing_text(text, TEXT_BYTES_MAX), age);
                }
                ContentBlock::Call(call) => {
                    let mut texts = Vec::new();
                    collect_strings(&call.arguments, &mut texts);
                    self.add_phrase(
                        leading_text(&texts.join("\n"), TEXT_BYTES_MAX),
                        PhraseSource::Arguments,
                        age,
                    );
                }
                ContentBlock::Result(_) | ContentBlock::Opaque { .. } => {}
            }
        }
        let written = facts.calls.iter().flat_map(|call| &call.effect.writes);
        for path in written.map(|write| &write.path) {
            if !self.edited.contains(path) {
                self.edited.push(path.clone());
            }
        }
    }

    fn add_result(&mut self, entry: &TranscriptEntry, facts: &EntryFacts, age: u32) {
        let Some(result) = entry.tool_result() else { return };
        self.add_phrase(leading_text(&result.content, TEXT_BYTES_MAX), PhraseSource::Result, age);
        match facts.kind() {
            EffectKind::Search => {
                for line in &facts.printed.lines {
                    let path = line.path.and_then(|at| facts.printed.paths.get(usize::from(at)));
                    if let (Some(path), Some(line)) = (path, line.number) {
                        self.add_mentioned_line(path, line, age);
                    }
                }
            }
            EffectKind::Run => {
                self.add_line_references(trailing_text(&result.content, 4 * TEXT_BYTES_MAX), age);
            }
            EffectKind::Read
            | EffectKind::List
            | EffectKind::Edit
            | EffectKind::Write
            | EffectKind::Fetch
            | EffectKind::Other => {}
        }
    }

    fn add_line_references(&mut self, text: &str, age: u32) {
        for (path, line) in find_line_references(text) {
            self.add_mentioned_line(path, line, age);
        }
    }

    fn add_mentioned_line(&mut self, path: &str, line: LineNumber, age: u32) {
        if self.told.len() < MENTIONED_LINES_MAX {
            self.told.push(MentionedLine { path: path.to_owned(), line, age });
        }
    }
}

/// Returns whether a response of the model tells what it looks for: by its words, by a call that
/// does more than show places, or by a question to a tool.
fn has_subject_of_its_own(entry: &TranscriptEntry, facts: &EntryFacts) -> bool {
    let shows_places = |kind: EffectKind| matches!(kind, EffectKind::Read | EffectKind::List);
    let asks = |block: &ContentBlock| match block {
        ContentBlock::Text(text) | ContentBlock::Reasoning(text) => !text.trim().is_empty(),
        ContentBlock::Call(call) => {
            let question = call.arguments.get("question").and_then(|asked| asked.as_str());
            question.is_some_and(|asked| !asked.trim().is_empty())
        }
        ContentBlock::Result(_) | ContentBlock::Opaque { .. } => false,
    };
    facts.calls.iter().any(|call| !shows_places(call.effect.kind)) || entry.blocks.iter().any(asks)
}

/// Collects all strings in the arguments of a call.
fn collect_strings(value: &serde_json::Value, found: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => found.push(text.clone()),
        serde_json::Value::Array(values) => {
            values.iter().for_each(|value| collect_strings(value, found));
        }
        serde_json::Value::Object(fields) => {
            fields.values().for_each(|value| collect_strings(value, found));
        }
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {}
    }
}

fn leading_text(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes.min(text.len()))]
}

/// Returns the last `bytes` of a text; the end of a text says most about the next read.
fn trailing_text(text: &str, bytes: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(bytes))..]
}
