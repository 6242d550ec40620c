//! What the model would see of a conversation, as short text for snapshots.

use std::fmt::Write;

use foveal_context::projector::Projector;
use foveal_context::record::Record;
use foveal_context::shape::Shape;
use foveal_context::step::{Item, Step};
use foveal_context::tokens::{Tokenizer, Tokens};
use foveal_transcript::{Conversation, Entry, EntryIndex, Role};

/// The prompt after the last entry, one line a message: its entry, role, label and tokens as
/// recorded, and what stands in its place: `03 tool_result Read a.rs 2.1kt -> pointer to 01`.
/// The projector must be at the start; it is taken through every request.
pub fn visible(conversation: &Conversation, mut projector: Projector) -> String {
    let record = Record::of(conversation.clone(), Tokenizer::O200k);
    advance_to_end(&record, &mut projector, |_| {});
    let mut text = String::new();
    for index in projector.window() {
        let item = projector.item(*index);
        line(&mut text, &record, *index, item);
    }
    text
}

/// The prompt after the last entry as it would be sent: under a line with its entry and role
/// the text of each message.
pub fn prompt(conversation: &Conversation, mut projector: Projector) -> String {
    let record = Record::of(conversation.clone(), Tokenizer::O200k);
    advance_to_end(&record, &mut projector, |_| {});
    let mut text = String::new();
    for index in projector.window() {
        let entry = record.entry(*index);
        let shown = shown_text(entry, projector.item(*index));
        writeln!(text, "//- {:02} {}\n{shown}", index.0, role_word(entry))
            .expect("writing to a string");
    }
    text
}

/// What each request changed, one line a request: how much of the last prompt stayed, what
/// is decided anew, and why results that were already sent changed.
pub fn course(conversation: &Conversation, mut projector: Projector) -> String {
    let record = Record::of(conversation.clone(), Tokenizer::O200k);
    let mut text = String::new();
    advance_to_end(&record, &mut projector, |step| {
        write!(text, "before {:02}: kept {}", step.answer.0, step.kept).expect("a string");
        for (index, decision) in &step.changed {
            let what = decision.shape().map_or_else(|| "whole".to_owned(), describe);
            write!(text, ", {:02} {what}", index.0).expect("writing to a string");
        }
        if let Some(reason) = step.rewrite {
            write!(text, ", rewrite {reason:?}").expect("writing to a string");
        }
        text.push('\n');
    });
    text
}

/// The text the model is sent for `entry`.
pub fn shown_text(entry: &Entry, item: &Item) -> String {
    let original = entry.prompt_text();
    match item.decision.shape() {
        Some(shape) => shape.render(&original),
        None => original,
    }
}

/// Takes a projector at the start through every request, and through one more behind the
/// last entry.
pub fn advance_to_end(record: &Record, projector: &mut Projector, mut each: impl FnMut(&Step)) {
    let end = EntryIndex(record.len() as u32);
    for answer in record.conversation().responses().chain([end]) {
        let before = answer.at().checked_sub(1);
        let now = before.and_then(|at| record.entries()[at].time);
        each(&projector.advance(record, answer, now));
    }
}

fn line(text: &mut String, record: &Record, index: EntryIndex, item: &Item) {
    let entry = record.entry(index);
    let facts = record.facts(index);
    let label = match entry.role {
        Role::Tool => facts.label().to_owned(),
        Role::System | Role::User | Role::Assistant => {
            let said = excerpt(&entry.text());
            let calls = facts.calls.iter().map(|call| call.label.clone());
            said.into_iter().chain(calls).collect::<Vec<_>>().join(", ")
        }
    };
    let size = size(facts.tokens);
    write!(text, "{:02} {} {label} {size}", index.0, role_word(entry)).expect("a string");
    if let Some(shape) = item.decision.shape() {
        write!(text, " -> {}", describe(shape)).expect("writing to a string");
    }
    text.push('\n');
}

fn describe(shape: &Shape) -> String {
    let mut text = shape.kind.word().to_owned();
    for (at, target) in shape.refers_to().iter().enumerate() {
        let link = if at == 0 { " to" } else { "," };
        write!(text, "{link} {:02}", target.0).expect("writing to a string");
    }
    text
}

fn role_word(entry: &Entry) -> &'static str {
    match entry.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool_result",
    }
}

/// Characters of a message's text that a line shows.
const EXCERPT_LENGTH: usize = 24;

fn excerpt(text: &str) -> Option<String> {
    let first = text.lines().next()?;
    let short: String = first.chars().take(EXCERPT_LENGTH).collect();
    let dots = if short.len() < text.len() { "…" } else { "" };
    Some(format!("\"{short}{dots}\""))
}

/// Tokens in few characters: `12t`, `2.1kt`.
pub fn size(tokens: Tokens) -> String {
    if tokens.0 < 1000 {
        format!("{}t", tokens.0)
    } else {
        format!("{:.1}kt", tokens.0 as f64 / 1000.0)
    }
}

#[cfg(test)]
mod tests;
