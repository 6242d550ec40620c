//! A conversation that the model cannot hold, without its oldest messages.

use std::fmt::Write;

use foveal_context::tokens::estimate;
use foveal_transcript::{Block, Entry, Handle, Mark, Role};

/// Bytes of what the person said that stay, of one message and of all.
const MESSAGE_BYTES_MAX: usize = 4_000;
const MESSAGES_BYTES_MAX: usize = 16_000;

/// What becomes of a conversation whose oldest messages are left out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Compaction {
    /// The first message that is left out: those before it are system messages.
    pub(crate) from: usize,
    /// The first one behind that stays.
    pub(crate) to: usize,
    /// What the model is told in their place.
    pub(crate) summary: String,
    /// All that is left out, as a text.
    pub(crate) left_out: String,
}

impl Compaction {
    /// Leaves out about half of a conversation, but for its last turn; `None` where there is
    /// nothing else.
    pub(crate) fn of(entries: &[Entry]) -> Option<Self> {
        let from = entries.iter().take_while(|entry| entry.role == Role::System).count();
        let weights: Vec<u64> = entries.iter().map(weight).collect();
        let half = weights[from..].iter().sum::<u64>() / 2;
        let behind = |at: usize| weights[at..].iter().sum::<u64>();
        // Results follow their calls.
        let begins = |at: &usize| matches!(entries[*at].role, Role::Assistant | Role::User);
        let places: Vec<usize> = (from + 1..entries.len()).filter(begins).collect();
        let to =
            places.iter().copied().find(|at| behind(*at) <= half).or(places.last().copied())?;
        let left_out = spelled(&entries[from..to]);
        let summary = summary(&entries[from..to], &left_out);
        let is_shorter = estimate(&summary).0 < weights[from..to].iter().sum();
        is_shorter.then_some(Self { from, to, summary, left_out })
    }

    /// How many messages are left out.
    pub(crate) fn messages(&self) -> usize {
        self.to - self.from
    }
}

/// Tokens of a message, by estimate, with what only its provider can read.
fn weight(entry: &Entry) -> u64 {
    let of_block = |block: &Block| match block {
        Block::Opaque { raw, .. } => estimate(raw).0,
        Block::Result(result) => estimate(&result.content).0,
        Block::Call(call) => estimate(&call.arguments.to_string()).0,
        Block::Text(text) => estimate(text).0,
        Block::Reasoning(_) => 0,
    };
    entry.blocks.iter().map(of_block).sum()
}

/// What the model is told in place of messages. What the person said stays, if it is not long.
fn summary(entries: &[Entry], left_out: &str) -> String {
    let handle = Handle::of(left_out.as_bytes());
    let count = entries.len();
    let mut text = format!(
        "[The conversation became longer than the model can hold. Its first {count} messages are \
         left out here; expand with handle {handle} gives them back. Read files again where their \
         content matters."
    );
    let said: Vec<String> = entries.iter().filter_map(said).collect();
    if !said.is_empty() {
        text.push_str(" The person said in them:]\n");
    } else {
        text.push_str("]\n");
    }
    let mut left = MESSAGES_BYTES_MAX;
    for words in said {
        let words = &words[..words.floor_char_boundary(left.min(words.len()))];
        left -= words.len();
        text.push_str(words);
        text.push('\n');
    }
    text
}

/// The words of the person in a message, or what stands for those of earlier ones.
fn said(entry: &Entry) -> Option<String> {
    let text = entry.text();
    let words = match entry.mark {
        Mark::CompactSummary => text.split_once("]\n").map_or("", |(_, words)| words).trim_end(),
        _ => text.trim(),
    };
    if entry.role != Role::User || words.is_empty() {
        return None;
    }
    let kept = &words[..words.floor_char_boundary(MESSAGE_BYTES_MAX.min(words.len()))];
    let is_cut = kept.len() < words.len();
    Some(if is_cut { format!("{kept} [cut here]") } else { kept.to_owned() })
}

/// Messages as a text to be read.
fn spelled(entries: &[Entry]) -> String {
    let mut text = String::new();
    for entry in entries {
        let role = match entry.role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "result",
        };
        writeln!(text, "[{role}]").expect("writing to a string");
        for block in &entry.blocks {
            let written = match block {
                Block::Text(words) => writeln!(text, "{words}"),
                Block::Call(call) => writeln!(text, "[calls {} {}]", call.name, call.arguments),
                Block::Result(result) => writeln!(text, "{}", result.content),
                Block::Reasoning(_) | Block::Opaque { .. } => Ok(()),
            };
            written.expect("writing to a string");
        }
    }
    text
}
