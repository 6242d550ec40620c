//! Messages in one line each, as every command names them.

use foveal_context::record::Record;
use foveal_context::shape::{Decision, Shape};
use foveal_context::tokens::Tokens;
use foveal_effects::EffectKind;
use foveal_transcript::{EntryIndex, Role};

use crate::numbers;

/// Longest label, in characters.
const LABEL_CHARS_MAX: usize = 72;

/// The number a message is called by: its place in the conversation, from 1, of at least
/// two digits.
pub(crate) fn number(index: EntryIndex) -> String {
    format!("{:02}", u64::from(index.0) + 1)
}

/// `03 tool_result read: Read a.rs 2.1kt`.
pub(crate) fn line(record: &Record, index: EntryIndex) -> String {
    let facts = record.facts(index);
    let entry = record.entry(index);
    let what = match entry.role {
        Role::System => "system".to_owned(),
        Role::User => "user".to_owned(),
        Role::Assistant => "assistant".to_owned(),
        Role::Tool => format!("tool_result {}:", kind_word(facts.kind())),
    };
    let label = match entry.role {
        Role::Tool => facts.label().to_owned(),
        Role::System | Role::User => first_line(&entry.text()),
        Role::Assistant => {
            let text = first_line(&entry.text());
            let calls: Vec<&str> = facts.calls.iter().map(|call| call.label.as_str()).collect();
            match (text.is_empty(), calls.is_empty()) {
                (_, true) => text,
                (true, false) => format!("[{}]", calls.join("; ")),
                (false, false) => format!("{text} [{}]", calls.join("; ")),
            }
        }
    };
    format!("{} {what} {} {}t", number(index), shortened(&label), numbers::tokens(facts.tokens))
}

/// What stands in a result's place, for its line: ` -> pointer to 01 (shown, 0.1kt, handle …)`.
pub(crate) fn replacement(decision: &Decision, tokens: Tokens) -> String {
    decision.shape().map_or_else(String::new, |shape| {
        format!(
            " -> {}{} (rule {}, {}t, handle {})",
            shape.kind.word(),
            targets(shape),
            shape.rule,
            numbers::tokens(tokens),
            shape.handle
        )
    })
}

fn targets(shape: &Shape) -> String {
    let numbers: Vec<String> = shape.refers_to().into_iter().map(number).collect();
    if numbers.is_empty() { String::new() } else { format!(" to {}", numbers.join(", ")) }
}

/// The first line that is not blank.
fn first_line(text: &str) -> String {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned()
}

fn shortened(label: &str) -> String {
    // Control characters of a recording must not reach the terminal.
    let clean = label.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut short: String = clean.take(LABEL_CHARS_MAX).collect();
    if label.chars().nth(LABEL_CHARS_MAX).is_some() {
        short.push('…');
    }
    short
}

/// The word for what a call does.
fn kind_word(kind: EffectKind) -> &'static str {
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
