//! The lines of Claude Code's sessions, each given to its session.

use super::recording::Recording;
use super::requests::REQUESTS;
use crate::head::Head;
use crate::json::{self, Object};
use crate::output::Output;
use crate::problem::ProblemKind;
use crate::reader::Reader;

/// Line types that are the client's own book-keeping and never part of a prompt.
const BOOKKEEPING: [&str; 24] = [
    "atis-latch",
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

/// Most sessions of one stream that are open at a time. Lines of a session that was closed for
/// another start a new session of the same id.
pub const OPEN_SESSIONS_MAX: usize = 4;

/// Signs of a session's lines. Some stand in other agents' lines too, before what tells them.
pub(crate) fn is_format(head: &Head) -> bool {
    const SIGNS: [&str; 2] = ["leafUuid", "snapshot.trackedFileBackups"];
    const SHARED: [&str; 3] = ["sessionId", "parentUuid", "isSidechain"];
    head.any(&SIGNS)
        || (head.is_all && head.any(&SHARED))
        || (head.has("session_id") && head.is("type", &["system", "assistant", "user"]))
}

/// Reads lines of any number of sessions.
#[derive(Default)]
pub(crate) struct ClaudeCode {
    /// Open sessions, the least recently written first.
    open: Vec<Recording>,
}

impl Reader for ClaudeCode {
    fn record(&mut self, mut record: Object, output: &mut Output<'_>) {
        let kind = json::take_text(&mut record, "type").unwrap_or_default();
        match kind.as_str() {
            "user" | "assistant" | "system" | "attachment" => {
                output.recognise();
                let id = json::take_text(&mut record, "sessionId")
                    .or_else(|| json::take_text(&mut record, "session_id"));
                let unknown = self.session(id, output).line(&kind, record, output);
                if let Some(kind) = unknown {
                    output.unknown_type(kind);
                }
            }
            known if REQUESTS.contains(&known) => {
                output.recognise();
                let id = json::take_text(&mut record, "sessionId");
                self.session(id, output).request(&kind, record);
            }
            known if BOOKKEEPING.contains(&known) => {
                if record.contains_key("sessionId") || known == "summary" {
                    output.recognise();
                }
                self.link(&mut record, output);
            }
            "" => output.problem(ProblemKind::NotARecord),
            _ => {
                self.link(&mut record, output);
                output.unknown_type(kind);
            }
        }
    }

    fn finish(self, output: &mut Output<'_>) {
        let mut open = self.open;
        open.sort_by_key(|recording| recording.started);
        for recording in open {
            recording.finish(output);
        }
    }
}

impl ClaudeCode {
    /// The open session `id`, or without an id the one written last; opened if need be.
    fn session(&mut self, id: Option<String>, output: &mut Output<'_>) -> &mut Recording {
        let last = self.open.len().checked_sub(1);
        let at = match &id {
            Some(id) => self.open.iter().position(|recording| recording.id == *id),
            None => last,
        };
        let recording = match at {
            Some(at) if Some(at) != last => self.open.remove(at),
            Some(_) => return self.open.last_mut().expect("`last` is the index of one"),
            None => {
                if self.open.len() == OPEN_SESSIONS_MAX {
                    self.open.remove(0).finish(output);
                }
                let id = id.unwrap_or_else(|| output.name.to_owned());
                Recording::new(id, output.line.0)
            }
        };
        self.open.push(recording);
        self.open.last_mut().expect("one was just pushed")
    }

    /// Notes a line without a message, if messages can name it as their parent.
    fn link(&mut self, record: &mut Object, output: &mut Output<'_>) {
        if record.contains_key("parentUuid") {
            let id = json::take_text(record, "sessionId");
            self.session(id, output).link(record);
        }
    }
}
