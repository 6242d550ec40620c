//! A session as short text: a line per entry with all that was read, for comparing in tests.

use std::fmt::Write as _;

use foveal_transcript::{Block, Conversation, Entry, Mark, Role, Session};

/// The session as text. Each entry is a line `step[.result] role [what it means] facts`,
/// and a line below it per block, with line breaks shown as `\n`.
pub fn render(session: &Session) -> String {
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

fn render_entry(entry: &Entry, text: &mut String) {
    let mut line = entry.source.step.to_string();
    if let Some(result) = entry.source.result {
        line += &format!(".{result}");
    }
    line += match entry.role {
        Role::System => " system",
        Role::User => " user",
        Role::Assistant => " assistant",
        Role::Tool => " tool",
    };
    line += &match entry.mark {
        Mark::None => String::new(),
        Mark::Injected => " [injected]".to_owned(),
        Mark::Demonstration => " [demonstration]".to_owned(),
        Mark::CompactBoundary { keep_from: None } => " [compact]".to_owned(),
        Mark::CompactBoundary { keep_from: Some(from) } => format!(" [compact, keep #{}]", from.0),
        Mark::CompactSummary => " [summary]".to_owned(),
        Mark::Rewind { to } => format!(" [rewind to #{}]", to.0),
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

fn render_block(block: &Block) -> String {
    match block {
        Block::Text(text) => format!("text {text}"),
        Block::Reasoning(text) => format!("reasoning {text}"),
        Block::Call(call) => format!("call {} {} {}", call.id, call.name, call.arguments),
        Block::Result(result) => {
            let word = if result.is_error { "error" } else { "result" };
            format!("{word} {} {}", result.call, result.content)
        }
        Block::Opaque { kind, raw } => format!("opaque {kind} {raw}"),
    }
}
