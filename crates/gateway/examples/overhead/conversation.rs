//! Conversations as Claude Code sends them: reads of this repository's files, and short results of
//! commands. The newest message has the cache breakpoint.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::json;

const MARK: &str = r#","cache_control":{"type":"ephemeral"}"#;

/// The texts of source files.
pub(crate) struct Texts(Vec<(String, String)>);

impl Texts {
    /// Reads all Rust files below `crates`, by name.
    pub(crate) fn of_this_repository() -> io::Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut folders: Vec<PathBuf> = vec![root];
        let mut texts = Vec::new();
        while let Some(folder) = folders.pop() {
            for found in std::fs::read_dir(&folder)? {
                let path = found?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ending| ending == "rs") {
                    texts.push((path.display().to_string(), std::fs::read_to_string(&path)?));
                }
            }
        }
        texts.sort();
        Ok(Self(texts))
    }
}

/// A conversation of an agent.
pub(crate) struct Conversation {
    head: String,
    /// Each message without its end: `}`, or for results a part that can carry the breakpoint.
    messages: Vec<Message>,
}

struct Message {
    text: String,
    /// The place of a breakpoint.
    mark: usize,
}

impl Conversation {
    /// Creates the conversation of an agent with this task that has read files until so many bytes
    /// were shown to it.
    pub(crate) fn read(texts: &Texts, task: &str, bytes: usize) -> Self {
        let system = json!([{ "type": "text", "text": "You are a coding agent. ".repeat(400) }]);
        let head = format!(
            r#"{{"model":"claude-opus-4-5","max_tokens":1000,"system":{system},"messages":["#
        );
        let mut read = Self { head, messages: Vec::new() };
        read.messages.push(Message::of(&json!({ "role": "user", "content": [
            { "type": "text", "text": format!("{task}: read all of it.") },
        ] })));
        // Each task starts with another file.
        let first = task.bytes().fold(7_usize, |sum, byte| sum * 31 + usize::from(byte));
        let mut shown = 0;
        let files = texts.0.iter().cycle().skip(first % texts.0.len());
        for (at, (path, text)) in files.enumerate() {
            if shown >= bytes {
                break;
            }
            let mut numbered = String::new();
            for (number, line) in text.lines().take(400).enumerate() {
                if shown + numbered.len() >= bytes {
                    break;
                }
                numbered.push_str(&format!("{:>6}\u{2192}{line}\n", number + 1));
            }
            shown += numbered.len();
            read.turn(&format!("r{at}"), "Read", &json!({ "file_path": path }), &numbered);
        }
        read
    }

    /// Adds a command with a short output.
    pub(crate) fn runs(&mut self, texts: &Texts, number: usize) {
        let (path, text) = &texts.0[number % texts.0.len()];
        let lines: Vec<&str> = text.lines().skip(number % 40).take(25).collect();
        let command = json!({ "command": format!("tail -n 25 {path} # {number}") });
        self.turn(&format!("b{number}"), "Bash", &command, &lines.join("\n"));
    }

    fn turn(&mut self, id: &str, tool: &str, input: &serde_json::Value, result: &str) {
        self.messages.push(Message::of(&json!({ "role": "assistant", "content": [
            { "type": "text", "text": "I look at the next one." },
            { "type": "tool_use", "id": id, "name": tool, "input": input },
        ] })));
        self.messages.push(Message::of(&json!({ "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": id, "content": result },
        ] })));
    }

    /// Returns the next request.
    pub(crate) fn body(&self) -> Vec<u8> {
        let mut body = self.head.clone();
        for (at, message) in self.messages.iter().enumerate() {
            let is_last = at + 1 == self.messages.len();
            let (before, behind) = message.text.split_at(message.mark);
            body.push_str(if at == 0 { "" } else { "," });
            body.push_str(before);
            body.push_str(if is_last { MARK } else { "" });
            body.push_str(behind);
        }
        body.push_str("]}");
        body.into_bytes()
    }
}

impl Message {
    fn of(value: &serde_json::Value) -> Self {
        let text = value.to_string();
        // The last block ends in front of the ends of the list and the message.
        assert!(text.ends_with("}]}"), "a list of blocks comes last");
        let mark = text.len() - 3;
        Self { text, mark }
    }
}

/// Returns a request of a few bytes.
pub(crate) fn small() -> Vec<u8> {
    json!({ "model": "m", "max_tokens": 9, "messages": [{ "role": "user", "content": "Hello" }] })
        .to_string()
        .into_bytes()
}
