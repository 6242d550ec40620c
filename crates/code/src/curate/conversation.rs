//! The question that a conversation asks of the file it is about to read.

use foveal_context::facts::Facts;
use foveal_context::record::Record;
use foveal_effects::EffectKind;
use foveal_transcript::{Block, Entry, EntryIndex, LineNumber, Mark, Role};

use super::places::places;
use super::question::{Question, ToldLine, Voice};

/// Responses of the model that count as recent.
const RECENT_RESPONSES: u32 = 10;
/// Bytes read of a user's message.
const USER_BYTES_MAX: usize = 6_000;
/// Bytes read of any other text.
const TEXT_BYTES_MAX: usize = 2_500;
/// Lines told by number that are kept.
const TOLD_MAX: usize = 500;

impl Question {
    /// What a conversation asks when the result at `upto` arrives; that entry and what comes
    /// after it are not looked at.
    pub fn of_conversation(record: &Record, upto: EntryIndex) -> Self {
        let before = &record.entries()[..upto.at().min(record.entries().len())];
        let mut question = Self::default();
        question.take_users(before);
        let mut age = 0;
        for (at, entry) in before.iter().enumerate().rev() {
            if age > RECENT_RESPONSES {
                break;
            }
            let Ok(index) = u32::try_from(at) else { continue };
            let facts = record.facts(EntryIndex(index));
            match entry.role {
                Role::Assistant => {
                    question.take_response(entry, facts, age);
                    age += 1;
                }
                Role::Tool => question.take_result(entry, facts, age),
                Role::System | Role::User => {}
            }
        }
        question
    }

    /// The first and the last message of the user are the task.
    fn take_users(&mut self, before: &[Entry]) {
        let mut users =
            before.iter().filter(|entry| entry.role == Role::User && entry.mark == Mark::None);
        let (first, last) = (users.next(), users.next_back());
        for entry in [first, last].into_iter().flatten() {
            let text = entry.text();
            self.say(start(&text, USER_BYTES_MAX), Voice::Task, 0);
            self.take_places(start(&text, USER_BYTES_MAX), 0);
        }
    }

    fn take_response(&mut self, entry: &Entry, facts: &Facts, age: u32) {
        for block in &entry.blocks {
            match block {
                Block::Text(text) | Block::Reasoning(text) => {
                    self.say(end(text, TEXT_BYTES_MAX), Voice::Assistant, age);
                    self.take_places(end(text, TEXT_BYTES_MAX), age);
                }
                Block::Call(call) => {
                    let mut texts = Vec::new();
                    strings(&call.arguments, &mut texts);
                    self.say(start(&texts.join("\n"), TEXT_BYTES_MAX), Voice::Arguments, age);
                }
                Block::Result(_) | Block::Opaque { .. } => {}
            }
        }
        let written = facts.calls.iter().flat_map(|call| &call.effect.writes);
        for path in written.map(|write| &write.path) {
            if !self.edited.contains(path) {
                self.edited.push(path.clone());
            }
        }
    }

    fn take_result(&mut self, entry: &Entry, facts: &Facts, age: u32) {
        let Some(result) = entry.result() else { return };
        self.say(start(&result.content, TEXT_BYTES_MAX), Voice::Result, age);
        match facts.kind() {
            EffectKind::Search => {
                for line in &facts.printed.lines {
                    let path = line.path.and_then(|at| facts.printed.paths.get(usize::from(at)));
                    if let (Some(path), Some(line)) = (path, line.number) {
                        self.tell(path, line, age);
                    }
                }
            }
            EffectKind::Run => self.take_places(end(&result.content, 4 * TEXT_BYTES_MAX), age),
            EffectKind::Read
            | EffectKind::List
            | EffectKind::Edit
            | EffectKind::Write
            | EffectKind::Fetch
            | EffectKind::Other => {}
        }
    }

    fn take_places(&mut self, text: &str, age: u32) {
        for (path, line) in places(text) {
            self.tell(path, line, age);
        }
    }

    fn tell(&mut self, path: &str, line: LineNumber, age: u32) {
        if self.told.len() < TOLD_MAX {
            self.told.push(ToldLine { path: path.to_owned(), line, age });
        }
    }
}

/// All texts in a call's arguments.
fn strings(value: &serde_json::Value, found: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => found.push(text.clone()),
        serde_json::Value::Array(values) => values.iter().for_each(|value| strings(value, found)),
        serde_json::Value::Object(fields) => {
            fields.values().for_each(|value| strings(value, found));
        }
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {}
    }
}

fn start(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes.min(text.len()))]
}

/// The last `bytes` of a text: what was said last says most about what comes next.
fn end(text: &str, bytes: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(bytes))..]
}
