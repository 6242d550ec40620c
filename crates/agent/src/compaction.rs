//! Compaction of a conversation that exceeds the model's window.

use std::fmt::Write;

use foveal_pricing::tokens::estimate_tokens;
use foveal_transcript::{ContentBlock, EntryMark, Handle, MessageRole, TranscriptEntry};

/// Bytes of one user message that the note quotes at most.
const USER_TEXT_BYTES_MAX: usize = 4_000;
/// Bytes of all user messages together that the note quotes at most.
const ALL_USER_TEXT_BYTES_MAX: usize = 16_000;

/// The omission of a conversation's oldest messages.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Compaction {
    /// The index of the first omitted message; system messages come before it.
    pub(crate) first_omitted: usize,
    /// The index of the first message behind the omitted ones.
    pub(crate) first_kept: usize,
    /// The note that stands in place of the omitted messages.
    pub(crate) omission_note: String,
    /// The omitted messages as text.
    pub(crate) omitted_messages: String,
}

impl Compaction {
    /// Omits about half of a conversation, but never its last turn. Returns `None` where nothing
    /// can be omitted, or where the note would not be shorter.
    pub(crate) fn from_entries(entries: &[TranscriptEntry]) -> Option<Self> {
        let from = entries.iter().take_while(|entry| entry.role == MessageRole::System).count();
        let weights: Vec<u64> = entries.iter().map(estimate_message_tokens).collect();
        let half = weights[from..].iter().sum::<u64>() / 2;
        let behind = |at: usize| weights[at..].iter().sum::<u64>();
        // The kept part never begins with results, which belong to the calls before them.
        let begins =
            |at: &usize| matches!(entries[*at].role, MessageRole::Assistant | MessageRole::User);
        let places: Vec<usize> = (from + 1..entries.len()).filter(begins).collect();
        let to =
            places.iter().copied().find(|at| behind(*at) <= half).or(places.last().copied())?;
        let left_out = render_messages(&entries[from..to]);
        let summary = format_omission_note(&entries[from..to], &left_out);
        let is_shorter = estimate_tokens(&summary).0 < weights[from..to].iter().sum();
        is_shorter.then_some(Self {
            first_omitted: from,
            first_kept: to,
            omission_note: summary,
            omitted_messages: left_out,
        })
    }

    /// Returns the number of omitted messages.
    pub(crate) fn omitted_count(&self) -> usize {
        self.first_kept - self.first_omitted
    }
}

/// Returns the estimated tokens of a message, including opaque provider blocks.
fn estimate_message_tokens(entry: &TranscriptEntry) -> u64 {
    let of_block = |block: &ContentBlock| match block {
        ContentBlock::Opaque { raw, .. } => estimate_tokens(raw).0,
        ContentBlock::Result(result) => estimate_tokens(&result.content).0,
        ContentBlock::Call(call) => estimate_tokens(&call.arguments.to_string()).0,
        ContentBlock::Text(text) => estimate_tokens(text).0,
        ContentBlock::Reasoning(_) => 0,
    };
    entry.blocks.iter().map(of_block).sum()
}

/// Returns the note for omitted messages. It quotes the user's messages up to their byte limits.
fn format_omission_note(entries: &[TranscriptEntry], left_out: &str) -> String {
    let handle = Handle::from_content(left_out.as_bytes());
    let count = entries.len();
    let mut text = format!(
        "[The conversation became longer than the model can hold. Its first {count} messages are \
         left out here; expand with handle {handle} gives them back. Read files again where their \
         content matters."
    );
    let said: Vec<String> = entries.iter().filter_map(quoted_user_text).collect();
    if !said.is_empty() {
        text.push_str(" The person said in them:]\n");
    } else {
        text.push_str("]\n");
    }
    let mut left = ALL_USER_TEXT_BYTES_MAX;
    for words in said {
        let words = &words[..words.floor_char_boundary(left.min(words.len()))];
        left -= words.len();
        text.push_str(words);
        text.push('\n');
    }
    text
}

/// Returns the user's text in a message, or the quotes in the note of an earlier compaction.
fn quoted_user_text(entry: &TranscriptEntry) -> Option<String> {
    let text = entry.text();
    let words = match entry.mark {
        EntryMark::CompactSummary => {
            text.split_once("]\n").map_or("", |(_, words)| words).trim_end()
        }
        _ => text.trim(),
    };
    if entry.role != MessageRole::User || words.is_empty() {
        return None;
    }
    let kept = &words[..words.floor_char_boundary(USER_TEXT_BYTES_MAX.min(words.len()))];
    let is_cut = kept.len() < words.len();
    Some(if is_cut { format!("{kept} [cut here]") } else { kept.to_owned() })
}

/// Returns messages as plain text.
fn render_messages(entries: &[TranscriptEntry]) -> String {
    let mut text = String::new();
    for entry in entries {
        let role = match entry.role {
            MessageRole::System => "system",
            MessageRole::User => "user",
            MessageRole::Assistant => "assistant",
            MessageRole::Tool => "result",
        };
        writeln!(text, "[{role}]").expect("writing to a string");
        for block in &entry.blocks {
            let written = match block {
                ContentBlock::Text(words) => writeln!(text, "{words}"),
                ContentBlock::Call(call) => {
                    writeln!(text, "[calls {} {}]", call.name, call.arguments)
                }
                ContentBlock::Result(result) => writeln!(text, "{}", result.content),
                ContentBlock::Reasoning(_) | ContentBlock::Opaque { .. } => Ok(()),
            };
            written.expect("writing to a string");
        }
    }
    text
}
