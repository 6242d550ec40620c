//! Which format a stream is in, from its first bytes.
//!
//! The head may end anywhere, so it is not parsed: its keys are listed by path as far as
//! they go, and each format is told by keys that no other has. A head that is cut before
//! such a key is not guessed at.

use std::collections::HashSet;

use crate::format::Format;
use crate::responses;

/// How many bytes [`detect`] looks at.
pub const DETECT_BYTES: usize = 64 << 10;

/// Deepest nesting whose keys are listed.
const DEPTH_MAX: usize = 6;

/// Longest text that is listed with its key, in bytes.
const TEXT_BYTES_MAX: usize = 64;

/// The format of a stream that starts with `head`, which may be cut off anywhere. Looks at
/// the first [`DETECT_BYTES`] bytes, line by line or document by document, until one tells.
pub fn detect(head: &[u8]) -> Option<Format> {
    let mut rest = &head[..head.len().min(DETECT_BYTES)];
    // A request body as long as this has shown all that can be hoped for.
    let long = head.len() >= DETECT_BYTES;
    while let Some((facts, after)) = scan(rest) {
        if let Some(format) = recording(&facts).or_else(|| request(&facts, long)) {
            return Some(format);
        }
        rest = after;
    }
    None
}

/// The keys of one document by path, such as `messages[].role`.
#[derive(Default)]
struct Facts {
    keys: HashSet<String>,
    /// `path=text` for short texts.
    texts: HashSet<String>,
    complete: bool,
}

impl Facts {
    fn has(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    fn any(&self, keys: &[&str]) -> bool {
        keys.iter().any(|key| self.has(key))
    }

    fn all(&self, keys: &[&str]) -> bool {
        keys.iter().all(|key| self.has(key))
    }

    fn is(&self, key: &str, texts: &[&str]) -> bool {
        texts.iter().any(|text| self.texts.contains(&format!("{key}={text}")))
    }

    fn text(&self, key: &str) -> Option<&str> {
        let start = format!("{key}=");
        self.texts.iter().find_map(|text| text.strip_prefix(&start))
    }

    fn starts(&self, key: &str, start: &str) -> bool {
        self.text(key).is_some_and(|text| text.starts_with(start))
    }
}

/// Recordings of sessions.
fn recording(facts: &Facts) -> Option<Format> {
    let format = if facts.starts("schema_version", "ATIF") || facts.has("steps[].step_id") {
        Format::Atif
    } else if is_codex(facts) {
        Format::Codex
    } else if is_claude_code(facts) {
        Format::ClaudeCode
    } else if is_pi(facts) {
        Format::Pi
    } else if is_mini_swe_agent(facts) {
        Format::MiniSweAgent
    } else if facts.has("messages[].parts") || facts.all(&["info.id", "info.time"]) {
        Format::OpenCode
    } else if is_open_hands(facts) {
        Format::OpenHands
    } else if facts.any(&["history[].role", "trajectory[].action", "trajectory[].response"]) {
        Format::SweAgent
    } else {
        return None;
    };
    Some(format)
}

fn is_codex(facts: &Facts) -> bool {
    const ENVELOPES: [&str; 5] =
        ["session_meta", "response_item", "turn_context", "event_msg", "compacted"];
    let header = facts.complete && facts.all(&["id", "timestamp"]) && !facts.has("type");
    let item = facts.complete
        && facts.text("type").is_some_and(responses::is_item)
        && facts.any(&["role", "call_id", "summary", "action"]);
    (facts.has("payload") && facts.is("type", &ENVELOPES))
        || (header && facts.any(&["instructions", "git"]))
        || facts.is("record_type", &["state"])
        || item
}

fn is_claude_code(facts: &Facts) -> bool {
    facts.any(&[
        "sessionId",
        "parentUuid",
        "isSidechain",
        "leafUuid",
        "snapshot.trackedFileBackups",
    ]) || (facts.has("session_id") && facts.is("type", &["system", "assistant", "user"]))
}

fn is_pi(facts: &Facts) -> bool {
    let header = facts.is("type", &["session"]) && facts.any(&["cwd", "timestamp", "version"]);
    let message = facts.is("type", &["message"]) && facts.has("message.role");
    header || (message && facts.complete)
}

fn is_mini_swe_agent(facts: &Facts) -> bool {
    facts.starts("trajectory_format", "mini-swe-agent")
        || facts.any(&["info.mini_version", "info.config.agent_type"])
}

fn is_open_hands(facts: &Facts) -> bool {
    const HISTORY: [&str; 4] =
        ["history[].action", "history[].observation", "history[][].action", "history[].kind"];
    let from = facts.is("source", &["agent", "user", "environment", "hook"]);
    // SWE-agent's history has actions as well, with a role.
    (facts.any(&HISTORY) && !facts.has("history[].role") && !facts.has("environment"))
        || facts.all(&["instance_id", "instruction", "metadata"])
        || (from && facts.any(&["action", "observation"]) && facts.any(&["args", "content"]))
        || (from && facts.text("kind").is_some_and(|kind| kind.ends_with("Event")))
}

/// Request bodies. Anthropic's and OpenAI's messages look the same at first; where nothing
/// else tells and all was seen, the model does.
fn request(facts: &Facts, long: bool) -> Option<Format> {
    const ANTHROPIC: [&str; 8] = [
        "system",
        "anthropic_version",
        "thinking",
        "tools[].input_schema",
        "messages[].content[].tool_use_id",
        "messages[].content[].input",
        "messages[].content[].cache_control",
        "stop_sequences",
    ];
    const CHAT: [&str; 8] = [
        "messages[].tool_calls",
        "messages[].tool_call_id",
        "messages[].content[].image_url",
        "messages[].reasoning_content",
        "tools[].function",
        "max_completion_tokens",
        "stream_options",
        "response_format",
    ];
    let whole = facts.complete || long;
    if facts.has("messages") {
        let chat_roles = ["system", "developer", "tool", "function"];
        return if facts.is("messages[].role", &chat_roles) || facts.any(&CHAT) {
            Some(Format::OpenAiChat)
        } else if facts.any(&ANTHROPIC) {
            Some(Format::AnthropicMessages)
        } else if !whole || !facts.has("messages[].role") {
            None
        } else if facts.starts("model", "claude") {
            Some(Format::AnthropicMessages)
        } else {
            Some(Format::OpenAiChat)
        };
    }
    let typed = facts.any(&["input[].type", "input[].role"]);
    let told = facts.any(&["instructions", "model", "previous_response_id"]);
    let responses = facts.has("input") && (typed || (facts.complete && told));
    responses.then_some(Format::OpenAiResponses)
}

/// Lists the keys of the next document, up to where the head ends, and returns what comes
/// after it. `None` where there is no further document.
fn scan(head: &[u8]) -> Option<(Facts, &[u8])> {
    let start = head.iter().position(|byte| *byte == b'{')?;
    let mut scanner = Scanner { bytes: head, at: start, facts: Facts::default() };
    let after = scanner.document();
    Some((scanner.facts, &head[after..]))
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    facts: Facts,
}

impl Scanner<'_> {
    /// Reads the document at `at`; returns where the next may start.
    fn document(&mut self) -> usize {
        // The path of each open bracket: `messages` while in its object, `messages[]` in
        // its list.
        let mut open: Vec<(u8, String)> = Vec::new();
        let mut key: Option<String> = None;
        while let Some(byte) = self.bytes.get(self.at).copied() {
            self.at += 1;
            match byte {
                b'"' => {
                    let Some(text) = self.text() else { return self.at };
                    let is_key = self.next_is_colon();
                    let path = open.last().map_or("", |(_, path)| path.as_str());
                    if open.len() > DEPTH_MAX {
                        continue;
                    }
                    if is_key && matches!(open.last(), Some((b'{', _))) {
                        let path = join(path, &text);
                        self.facts.keys.insert(path.clone());
                        key = Some(path);
                    } else if let Some(key) = key.take()
                        && text.len() <= TEXT_BYTES_MAX
                    {
                        self.facts.texts.insert(format!("{key}={text}"));
                    }
                }
                b'{' | b'[' => {
                    let parent = open.last().map_or("", |(_, path)| path.as_str());
                    // Paths stop growing where they are no longer listed.
                    let path = if open.len() > DEPTH_MAX {
                        String::new()
                    } else {
                        key.take().unwrap_or_else(|| parent.to_owned())
                    };
                    open.push((byte, if byte == b'[' { path + "[]" } else { path }));
                    key = None;
                }
                b'}' | b']' => {
                    open.pop();
                    key = None;
                    if open.is_empty() {
                        self.facts.complete = true;
                        return self.at;
                    }
                }
                b',' => key = None,
                _ => {}
            }
        }
        self.at
    }

    /// The text whose opening quote was read; `None` where it does not end on its line.
    fn text(&mut self) -> Option<String> {
        let start = self.at;
        while let Some(byte) = self.bytes.get(self.at).copied() {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'"' => {
                    let text = &self.bytes[start..self.at - 1];
                    let shown = &text[..text.len().min(TEXT_BYTES_MAX + 1)];
                    return Some(String::from_utf8_lossy(shown).into_owned());
                }
                b'\n' => return None,
                _ => {}
            }
        }
        self.at = self.bytes.len();
        None
    }

    fn next_is_colon(&self) -> bool {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        rest.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
