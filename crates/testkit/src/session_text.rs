//! Renders a session as short text with all that was read, a line per entry, for comparison in
//! tests.

use std::fmt::Write as _;

use foveal_transcript::{
    ContentBlock, Conversation, EntryMark, MessageRole, RecordedSession, TranscriptEntry,
};

/// Returns the session as text. Each entry is a line `step[.result] role [mark] facts`, with a line
/// below it per block; line breaks are shown as `\n`.
pub fn render_session(session: &RecordedSession) -> String {
    let mut text = format!("session {}\n", session.id);
    for conversation in &session.conversations {
        render_conversation(conversation, &mut text);
    }
    text
}

fn render_conversation(conversation: &Conversation, text: &mut String) {
    let Conversation { id, parent, agent, directory, .. } = conversation;
    write!(text, "conversation {id}").expect("writing to a string never fails");
    for (word, value) in [("under", parent), ("by", agent), ("in", directory)] {
        if let Some(value) = value {
            write!(text, " {word} {value}").expect("writing to a string never fails");
        }
    }
    text.push('\n');
    for entry in conversation.entries() {
        render_entry(entry, text);
    }
}

fn render_entry(entry: &TranscriptEntry, text: &mut String) {
    let mut line = entry.source.step.to_string();
    if let Some(result) = entry.source.result {
        line += &format!(".{result}");
    }
    line += match entry.role {
        MessageRole::System => " system",
        MessageRole::User => " user",
        MessageRole::Assistant => " assistant",
        MessageRole::Tool => " tool",
    };
    line += &match entry.mark {
        EntryMark::None => String::new(),
        EntryMark::Injected => " [injected]".to_owned(),
        EntryMark::Demonstration => " [demonstration]".to_owned(),
        EntryMark::CompactBoundary { keep_from: None } => " [compact]".to_owned(),
        EntryMark::CompactBoundary { keep_from: Some(from) } => {
            format!(" [compact, keep #{}]", from.0)
        }
        EntryMark::CompactSummary => " [summary]".to_owned(),
        EntryMark::Rewind { to } => format!(" [rewind to #{}]", to.0),
    };
    if let Some(time) = entry.time {
        line += &format!(" @{}", time.0);
    }
    if let Some(model) = &entry.model {
        line += &format!(" {model}");
    }
    if let Some(usage) = entry.usage {
        line += &format!(
            " in={} read={} write={} out={}",
            usage.input, usage.cache_read, usage.cache_write, usage.output
        );
    }
    text.push_str(&line);
    text.push('\n');
    for block in &entry.blocks {
        text.push_str("  ");
        text.push_str(&render_block(block).replace('\n', "\\n"));
        text.push('\n');
    }
}

fn render_block(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => format!("text {text}"),
        ContentBlock::Reasoning(text) => format!("reasoning {text}"),
        ContentBlock::Call(call) => format!("call {} {} {}", call.id, call.name, call.arguments),
        ContentBlock::Result(result) => {
            let word = if result.is_error { "error" } else { "result" };
            format!("{word} {} {}", result.call, result.content)
        }
        ContentBlock::Opaque { kind, raw } => format!("opaque {kind} {raw}"),
    }
}
