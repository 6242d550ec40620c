//! Renders the model's view of a conversation as short text for snapshots.

use std::fmt::Write;

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::message_shape::MessageShape;
use foveal_engine::plan_step::{EntryState, PlanStep};
use foveal_engine::projector::Projector;
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_transcript::{Conversation, EntryIndex, MessageRole, TranscriptEntry};

/// Returns the prompt after the last entry, one line per message: its entry, role, label and
/// recorded tokens, and its replacement: `03 tool_result Read a.rs 2.1kt -> pointer to 01`. The
/// projector must be at the start; it is advanced through every request.
pub fn prompt_summary(conversation: &Conversation, mut projector: Projector) -> String {
    let record = ConversationRecord::from_conversation(conversation.clone(), Tokenizer::O200k);
    advance_to_end(&record, &mut projector, |_| {});
    let mut text = String::new();
    for index in projector.window() {
        let item = projector.entry_state(*index);
        write_summary_line(&mut text, &record, *index, item);
    }
    text
}

/// Returns the prompt after the last entry as it would be sent: the text of each message below a
/// line with its entry and role.
pub fn prompt_text(conversation: &Conversation, mut projector: Projector) -> String {
    let record = ConversationRecord::from_conversation(conversation.clone(), Tokenizer::O200k);
    advance_to_end(&record, &mut projector, |_| {});
    let mut text = String::new();
    for index in projector.window() {
        let entry = record.entry(*index);
        let shown = sent_text(entry, projector.entry_state(*index));
        writeln!(text, "//- {:02} {}\n{shown}", index.0, role_name(entry))
            .expect("writing to a string");
    }
    text
}

/// Returns the changes at each request, one line per request: the retained part of the last prompt,
/// the new decisions, and the reason for a rewrite.
pub fn step_summary(conversation: &Conversation, mut projector: Projector) -> String {
    let record = ConversationRecord::from_conversation(conversation.clone(), Tokenizer::O200k);
    let mut text = String::new();
    advance_to_end(&record, &mut projector, |step| {
        write!(text, "before {:02}: kept {}", step.answer.0, step.kept).expect("a string");
        for (index, decision) in &step.changed {
            let what = decision.shape().map_or_else(|| "whole".to_owned(), describe_shape);
            write!(text, ", {:02} {what}", index.0).expect("writing to a string");
        }
        if let Some(reason) = step.rewrite {
            write!(text, ", rewrite {reason:?}").expect("writing to a string");
        }
        text.push('\n');
    });
    text
}

/// Returns the text that the model is sent for `entry`.
pub fn sent_text(entry: &TranscriptEntry, item: &EntryState) -> String {
    let original = entry.prompt_text();
    match item.decision.shape() {
        Some(shape) => shape.render(&original),
        None => original,
    }
}

/// Advances a projector at the start through every request, and through one more after the last
/// entry.
pub fn advance_to_end(
    record: &ConversationRecord,
    projector: &mut Projector,
    mut each: impl FnMut(&PlanStep),
) {
    let end = EntryIndex(record.len() as u32);
    for answer in record.conversation().response_indices().chain([end]) {
        let before = answer.as_usize().checked_sub(1);
        let now = before.and_then(|at| record.entries()[at].time);
        each(&projector.advance(record, answer, now));
    }
}

fn write_summary_line(
    text: &mut String,
    record: &ConversationRecord,
    index: EntryIndex,
    item: &EntryState,
) {
    let entry = record.entry(index);
    let facts = record.facts(index);
    let label = match entry.role {
        MessageRole::Tool => facts.label().to_owned(),
        MessageRole::System | MessageRole::User | MessageRole::Assistant => {
            let said = excerpt(&entry.text());
            let calls = facts.calls.iter().map(|call| call.label.clone());
            said.into_iter().chain(calls).collect::<Vec<_>>().join(", ")
        }
    };
    let size = format_tokens(facts.tokens);
    write!(text, "{:02} {} {label} {size}", index.0, role_name(entry)).expect("a string");
    if let Some(shape) = item.decision.shape() {
        write!(text, " -> {}", describe_shape(shape)).expect("writing to a string");
    }
    text.push('\n');
}

fn describe_shape(shape: &MessageShape) -> String {
    let mut text = shape.kind.label().to_owned();
    for (at, target) in shape.referenced_entries().iter().enumerate() {
        let link = if at == 0 { " to" } else { "," };
        write!(text, "{link} {:02}", target.0).expect("writing to a string");
    }
    text
}

fn role_name(entry: &TranscriptEntry) -> &'static str {
    match entry.role {
        MessageRole::System => "system",
        MessageRole::User => "user",
        MessageRole::Assistant => "assistant",
        MessageRole::Tool => "tool_result",
    }
}

/// The most characters of a message's text in a line.
const EXCERPT_LENGTH: usize = 24;

fn excerpt(text: &str) -> Option<String> {
    let first = text.lines().next()?;
    let short: String = first.chars().take(EXCERPT_LENGTH).collect();
    let dots = if short.len() < text.len() { "…" } else { "" };
    Some(format!("\"{short}{dots}\""))
}

/// Formats tokens in few characters: `12t`, `2.1kt`.
pub fn format_tokens(tokens: Tokens) -> String {
    if tokens.0 < 1000 {
        format!("{}t", tokens.0)
    } else {
        format!("{:.1}kt", tokens.0 as f64 / 1000.0)
    }
}

#[cfg(test)]
mod tests;
