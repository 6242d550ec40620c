//! One-line summaries of messages, the same in every command.

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::message_shape::{Decision, MessageShape};
use foveal_pricing::tokens::Tokens;
use foveal_tool_effects::EffectKind;
use foveal_transcript::{EntryIndex, MessageRole};

use crate::numbers;

/// Longest label, in characters.
const LABEL_CHARS_MAX: usize = 72;

/// Returns the number of a message: its position in the conversation from 1, with at least two
/// digits.
pub(crate) fn message_number(index: EntryIndex) -> String {
    format!("{:02}", u64::from(index.0) + 1)
}

/// Returns the summary of a message: `03 tool_result read: Read a.rs 2.1kt`.
pub(crate) fn summarize_message(record: &ConversationRecord, index: EntryIndex) -> String {
    let facts = record.facts(index);
    let entry = record.entry(index);
    let what = match entry.role {
        MessageRole::System => "system".to_owned(),
        MessageRole::User => "user".to_owned(),
        MessageRole::Assistant => "assistant".to_owned(),
        MessageRole::Tool => format!("tool_result {}:", effect_word(facts.kind())),
    };
    let label = match entry.role {
        MessageRole::Tool => facts.label().to_owned(),
        MessageRole::System | MessageRole::User => first_nonblank_line(&entry.text()),
        MessageRole::Assistant => {
            let text = first_nonblank_line(&entry.text());
            let calls: Vec<&str> = facts.calls.iter().map(|call| call.label.as_str()).collect();
            match (text.is_empty(), calls.is_empty()) {
                (_, true) => text,
                (true, false) => format!("[{}]", calls.join("; ")),
                (false, false) => format!("{text} [{}]", calls.join("; ")),
            }
        }
    };
    format!(
        "{} {what} {} {}t",
        message_number(index),
        truncate_label(&label),
        numbers::format_tokens(facts.tokens)
    )
}

/// Returns the suffix of a replaced result: ` -> pointer to 01 (shown, 0.1kt, handle …)`.
pub(crate) fn replacement_suffix(decision: &Decision, tokens: Tokens) -> String {
    decision.shape().map_or_else(String::new, |shape| {
        format!(
            " -> {}{} (rule {}, {}t, handle {})",
            shape.kind.label(),
            pointer_targets(shape),
            shape.rule,
            numbers::format_tokens(tokens),
            shape.handle
        )
    })
}

fn pointer_targets(shape: &MessageShape) -> String {
    let numbers: Vec<String> = shape.referenced_entries().into_iter().map(message_number).collect();
    if numbers.is_empty() { String::new() } else { format!(" to {}", numbers.join(", ")) }
}

/// Returns the first line that is not blank.
fn first_nonblank_line(text: &str) -> String {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned()
}

fn truncate_label(label: &str) -> String {
    // Control characters of a recording must not reach the terminal.
    let clean = label.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut short: String = clean.take(LABEL_CHARS_MAX).collect();
    if label.chars().nth(LABEL_CHARS_MAX).is_some() {
        short.push('…');
    }
    short
}

/// Returns the word for an effect.
fn effect_word(kind: EffectKind) -> &'static str {
    match kind {
        EffectKind::Read => "read",
        EffectKind::Search => "search",
        EffectKind::List => "list",
        EffectKind::Edit => "edit",
        EffectKind::Write => "write",
        EffectKind::Run => "run",
        EffectKind::Fetch => "fetch",
        EffectKind::Other => "other",
    }
}
