//! Assigns the lines of a stream to Claude Code's sessions.

use super::recorded_requests::REQUEST_LINE_TYPES;
use super::session_lines::ClaudeCodeSession;
use crate::key_paths::KeyPaths;
use crate::record_reader::RecordReader;
use crate::session_sink::SessionSink;
use foveal_protocols::json::{self, JsonObject};
use foveal_protocols::problem::ProblemKind;

/// Line types of the client's own book-keeping, which are never part of a prompt.
const BOOKKEEPING: [&str; 29] = [
    "atis-latch",
    "frame-link",
    "bridge-session",
    "relocated",
    "continued-in",
    "file-history-delta",
    "cost-state",
    "tools-used",
    "summary",
    "file-history-snapshot",
    "queue-operation",
    "progress",
    "pr-link",
    "custom-title",
    "ai-title",
    "agent-name",
    "agent-color",
    "agent-setting",
    "tag",
    "last-prompt",
    "mode",
    "permission-mode",
    "worktree-state",
    "content-replacement",
    "attribution-snapshot",
    "speculation-accept",
    "task-summary",
    "stream_event",
    "result",
];

/// Maximum number of sessions of one stream that are open at a time. Later lines of a session that
/// was closed for another one start a new session with the same id.
pub const OPEN_SESSIONS_MAX: usize = 4;

/// Detects a session by the keys of its lines. Other agents' lines have some of them, too, before
/// their own keys.
pub(crate) fn is_format(head: &KeyPaths) -> bool {
    const SIGNS: [&str; 2] = ["leafUuid", "snapshot.trackedFileBackups"];
    const SHARED: [&str; 3] = ["sessionId", "parentUuid", "isSidechain"];
    head.has_any_key(&SIGNS)
        || (head.is_exhausted && head.has_any_key(&SHARED))
        || (head.has_key("session_id") && head.has_text("type", &["system", "assistant", "user"]))
}

/// Reads lines of any number of sessions.
#[derive(Default)]
pub(crate) struct ClaudeCodeReader {
    /// Open sessions, the least recently written first.
    open_sessions: Vec<ClaudeCodeSession>,
}

impl RecordReader for ClaudeCodeReader {
    fn read_record(&mut self, mut record: JsonObject, output: &mut SessionSink<'_>) {
        let kind = json::take_text(&mut record, "type").unwrap_or_default();
        match kind.as_str() {
            "user" | "assistant" | "system" | "attachment" => {
                output.mark_recognised();
                let id = json::take_text(&mut record, "sessionId")
                    .or_else(|| json::take_text(&mut record, "session_id"));
                let unknown =
                    self.get_or_open_session(id, output).read_message_line(&kind, record, output);
                if let Some(kind) = unknown {
                    output.report_unknown_type(kind);
                }
            }
            known if REQUEST_LINE_TYPES.contains(&known) => {
                output.mark_recognised();
                let id = json::take_text(&mut record, "sessionId");
                self.get_or_open_session(id, output).read_request_line(&kind, record);
            }
            known if BOOKKEEPING.contains(&known) => {
                if record.contains_key("sessionId") || known == "summary" {
                    output.mark_recognised();
                }
                self.link_line(&mut record, output);
            }
            "" => output.report_problem(ProblemKind::NotARecord),
            _ => {
                self.link_line(&mut record, output);
                output.report_unknown_type(kind);
            }
        }
    }

    fn finish(self, output: &mut SessionSink<'_>) {
        let mut open = self.open_sessions;
        open.sort_by_key(|recording| recording.first_line);
        for recording in open {
            recording.finish(output);
        }
    }
}

impl ClaudeCodeReader {
    /// Returns the open session `id`, or without an id the last written one. Opens one if
    /// necessary.
    fn get_or_open_session(
        &mut self,
        id: Option<String>,
        output: &mut SessionSink<'_>,
    ) -> &mut ClaudeCodeSession {
        let last = self.open_sessions.len().checked_sub(1);
        let at = match &id {
            Some(id) => self.open_sessions.iter().position(|recording| recording.id == *id),
            None => last,
        };
        let recording = match at {
            Some(at) if Some(at) != last => self.open_sessions.remove(at),
            Some(_) => return self.open_sessions.last_mut().expect("`last` is the index of one"),
            None => {
                if self.open_sessions.len() == OPEN_SESSIONS_MAX {
                    self.open_sessions.remove(0).finish(output);
                }
                let id = id.unwrap_or_else(|| output.name.to_owned());
                ClaudeCodeSession::new(id, output.problems.line.0)
            }
        };
        self.open_sessions.push(recording);
        self.open_sessions.last_mut().expect("one was just pushed")
    }

    /// Notes a line without a message if messages can name it as their parent.
    fn link_line(&mut self, record: &mut JsonObject, output: &mut SessionSink<'_>) {
        if record.contains_key("parentUuid") {
            let id = json::take_text(record, "sessionId");
            self.get_or_open_session(id, output).link_line(record);
        }
    }
}
