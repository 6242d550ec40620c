//! One session of Claude Code: its conversations, and the position of each line in them.

use std::collections::HashMap;

use foveal_protocols::conversation_builder::{StepDraft, StepIndex, StepMark};
use foveal_protocols::json::{self, JsonObject};
use foveal_protocols::problem::ProblemKind;
use foveal_transcript::{MessageRole, RecordedSession};
use serde_json::Value;

use super::line_envelope::LineEnvelope;
use super::recorded_requests::RecordedRequests;
use super::session_conversation::SessionConversation;
use crate::session_sink::SessionSink;

/// Subtypes of system lines that the model does not receive.
const SYSTEM_BOOKKEEPING: [&str; 14] = [
    "model_refusal_fallback",
    "model_refusal_no_fallback",
    "stop_hook_summary",
    "turn_duration",
    "api_error",
    "api_metrics",
    "informational",
    "away_summary",
    "bridge_status",
    "permission_retry",
    "agents_killed",
    "memory_saved",
    "microcompact_boundary",
    "init",
];

/// One session: the main conversation first, then side-chains in order of appearance.
pub(super) struct ClaudeCodeSession {
    pub(super) id: String,
    /// The number of its first line.
    pub(super) first_line: u32,
    conversations: Vec<SessionConversation>,
    /// The positions of lines by uuid.
    positions: HashMap<String, LineLocation>,
    requests: RecordedRequests,
}

#[derive(Clone, Copy)]
struct LineLocation {
    conversation: usize,
    steps: usize,
}

impl ClaudeCodeSession {
    pub(super) fn new(id: String, first_line: u32) -> Self {
        let main = SessionConversation::new(id.clone(), None);
        Self {
            id,
            first_line,
            conversations: vec![main],
            positions: HashMap::new(),
            requests: RecordedRequests::default(),
        }
    }

    pub(super) fn finish(self, output: &mut SessionSink<'_>) {
        let conversations: Vec<_> = self
            .conversations
            .into_iter()
            .filter(|track| !track.draft.is_empty())
            .map(|track| track.draft.finish())
            .collect();
        if !conversations.is_empty() {
            output.emit_session(RecordedSession { id: self.id, conversations });
        }
    }

    /// Reads a line about a request.
    pub(super) fn read_request_line(&mut self, kind: &str, record: JsonObject) {
        self.requests.read_request_line(kind, record, &mut self.conversations);
    }

    /// Reads a message line. Returns its type if it is unknown.
    pub(super) fn read_message_line(
        &mut self,
        kind: &str,
        mut record: JsonObject,
        output: &mut SessionSink<'_>,
    ) -> Option<String> {
        let envelope = LineEnvelope::from_record(&mut record, output);
        if let Some(uuid) = &envelope.uuid
            && self.positions.contains_key(uuid)
        {
            // Some versions write lines again when a session is resumed.
            output.report_problem(ProblemKind::DuplicateRecord { id: uuid.clone() });
            return None;
        }
        let at = self.conversation_of_line(&record, &envelope);
        let branch = match &envelope.parent {
            Some(Some(parent)) => {
                self.positions.get(parent).filter(|p| p.conversation == at).map(|p| p.steps)
            }
            Some(None) => Some(0),
            None => None,
        };
        let track = &mut self.conversations[at];
        if track.draft.directory.is_none() {
            track.draft.directory = json::take_text(&mut record, "cwd");
        }
        if let Some(request) = json::take_text(&mut record, "requestRef") {
            self.requests.set_system_prompt(&request, track);
        }
        let uuid = envelope.uuid.clone();
        let place = match kind {
            "assistant" => Ok(track.add_response_line(record, &envelope, output)),
            "user" => Ok(track.add_user_line(record, &envelope, branch, output)),
            "attachment" => Ok(track.add_attachment(record, &envelope)),
            _ => self.read_system_line(at, &record, &envelope),
        };
        let (steps, unknown) = match place {
            // A line that is no message of its own has the position of its parent.
            Ok(None) => (branch.unwrap_or(self.conversations[at].draft.len()), None),
            Ok(Some(step)) => (step.0 + 1, None),
            Err(UnknownSubtype(kind)) => {
                (branch.unwrap_or(self.conversations[at].draft.len()), Some(kind))
            }
        };
        if let Some(uuid) = uuid {
            self.positions.insert(uuid, LineLocation { conversation: at, steps });
        }
        unknown
    }

    /// Notes a line without a message at the position of its parent.
    pub(super) fn link_line(&mut self, record: &mut JsonObject) {
        let place = match record.get("parentUuid").and_then(Value::as_str) {
            Some(parent) => self.positions.get(parent).copied(),
            None => Some(LineLocation { conversation: 0, steps: 0 }),
        };
        if let (Some(place), Some(uuid)) = (place, json::take_text(record, "uuid")) {
            self.positions.entry(uuid).or_insert(place);
        }
    }

    /// Returns the conversation of a line, created if necessary. Side-chains of older versions have
    /// no agent id: the parent decides, and a line without a known parent starts one.
    fn conversation_of_line(&mut self, record: &JsonObject, envelope: &LineEnvelope) -> usize {
        let agent = json::get_text(record, "agentId")
            .or_else(|| json::get_text(record, "parent_tool_use_id"));
        if !json::is_true(record, "isSidechain") && agent.is_none() {
            return 0;
        }
        let parent = envelope.parent.as_ref().and_then(Option::as_ref);
        let id = match (agent, parent.and_then(|parent| self.positions.get(parent))) {
            (Some(agent), _) => agent.to_owned(),
            (None, Some(place)) if place.conversation > 0 => return place.conversation,
            (None, _) => envelope.uuid.clone().unwrap_or_else(|| "sidechain".to_owned()),
        };
        // Ids of conversations are unique within a session.
        let id = if id == self.id { format!("{id}/sidechain") } else { id };
        if let Some(at) = self.conversations.iter().skip(1).position(|track| track.draft.id == id) {
            return at + 1;
        }
        self.conversations.push(SessionConversation::new(id, Some(self.id.clone())));
        self.conversations.len() - 1
    }

    fn read_system_line(
        &mut self,
        at: usize,
        record: &JsonObject,
        envelope: &LineEnvelope,
    ) -> Result<Option<StepIndex>, UnknownSubtype> {
        let subtype = json::get_text(record, "subtype").unwrap_or_default();
        let blocks = json::message_blocks(record.get("content").cloned());
        let draft = &mut self.conversations[at].draft;
        match subtype {
            "compact_boundary" => {
                let kept = json::get_object(record, "compactMetadata")
                    .and_then(|metadata| json::get_object(metadata, "preservedSegment"))
                    .and_then(|segment| json::get_text(segment, "headUuid"))
                    .and_then(|head| self.positions.get(head))
                    .filter(|place| place.conversation == at && place.steps > 0)
                    .map(|place| StepIndex(place.steps - 1));
                let step = StepDraft::with_blocks(MessageRole::System, envelope.time, blocks);
                Ok(Some(
                    draft.push_step(step.with_mark(StepMark::CompactBoundary { keep_from: kept })),
                ))
            }
            "local_command" => {
                let step = StepDraft::with_blocks(MessageRole::User, envelope.time, blocks);
                Ok(Some(draft.push_step(step.with_mark(StepMark::Injected))))
            }
            known if SYSTEM_BOOKKEEPING.contains(&known) => Ok(None),
            other => Err(UnknownSubtype(format!("system/{other}"))),
        }
    }
}

/// The name of an unknown subtype of a `system` line, for problems.
struct UnknownSubtype(String);
