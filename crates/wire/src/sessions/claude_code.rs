//! Claude Code's session JSONL.
//!
//! A response is spread over lines of one `message.id`, results of parallel calls come
//! between them, and side-chains of sub-agents are interleaved with the main conversation.
//! `parentUuid` links every line to the one before it in its conversation.

use std::collections::HashMap;

use foveal_transcript::{Block, Role, Session, Timestamp};
use serde_json::Value;

use crate::draft::{Draft, Step, StepIndex, StepMark};
use crate::head::Head;
use crate::json::{self, Object};
use crate::output::Output;
use crate::problem::ProblemKind;
use crate::reader::Reader;
use crate::requests::anthropic::{anthropic_usage, response_blocks, user_blocks};

/// Line types that are the client's own book-keeping and never part of a prompt.
const BOOKKEEPING: [&str; 21] = [
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

/// Subtypes of system lines that the model is not sent.
const SYSTEM_BOOKKEEPING: [&str; 12] = [
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

/// Most sessions of one stream that are open at a time. Lines of a session that was closed for
/// another start a new session of the same id.
pub const OPEN_SESSIONS_MAX: usize = 4;

/// Signs of a session's lines.
pub(crate) fn is_format(head: &Head) -> bool {
    const SIGNS: [&str; 5] =
        ["sessionId", "parentUuid", "isSidechain", "leafUuid", "snapshot.trackedFileBackups"];
    head.any(&SIGNS)
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

/// One session: the main conversation first, then side-chains in order of appearance.
struct Recording {
    id: String,
    /// The line it started on.
    started: u32,
    tracks: Vec<Track>,
    /// Lines by uuid: their track, and the steps of it up to and with the line.
    places: HashMap<String, Place>,
}

#[derive(Clone, Copy)]
struct Place {
    track: usize,
    steps: usize,
}

/// A conversation of a recording.
struct Track {
    draft: Draft,
    /// Steps of responses by message id.
    responses: HashMap<String, StepIndex>,
}

/// What a line says beside its message.
struct Envelope {
    uuid: Option<String>,
    /// `None` where the line has no such field, `Some(None)` where it is null.
    parent: Option<Option<String>>,
    time: Option<Timestamp>,
    mark: StepMark,
}

impl Recording {
    fn new(id: String, started: u32) -> Self {
        let main = Track::new(id.clone(), None);
        Self { id, started, tracks: vec![main], places: HashMap::new() }
    }

    fn finish(self, output: &mut Output<'_>) {
        let conversations: Vec<_> = self
            .tracks
            .into_iter()
            .filter(|track| !track.draft.is_empty())
            .map(|track| track.draft.finish())
            .collect();
        if !conversations.is_empty() {
            output.session(Session { id: self.id, conversations });
        }
    }

    /// Reads a message line; returns its type if that is not known.
    fn line(&mut self, kind: &str, mut record: Object, output: &mut Output<'_>) -> Option<String> {
        let envelope = envelope(&mut record, output);
        if let Some(uuid) = &envelope.uuid
            && self.places.contains_key(uuid)
        {
            // The same line again, as some versions write when a session is resumed.
            output.problem(ProblemKind::DuplicateRecord { id: uuid.clone() });
            return None;
        }
        let at = self.track(&record, &envelope);
        let branch = match &envelope.parent {
            Some(Some(parent)) => {
                self.places.get(parent).filter(|p| p.track == at).map(|p| p.steps)
            }
            Some(None) => Some(0),
            None => None,
        };
        let track = &mut self.tracks[at];
        if track.draft.directory.is_none() {
            track.draft.directory = json::take_text(&mut record, "cwd");
        }
        let uuid = envelope.uuid.clone();
        let place = match kind {
            "assistant" => Ok(track.response(record, &envelope, output)),
            "user" => Ok(track.message(record, &envelope, branch, output)),
            "attachment" => Ok(track.attachment(record, &envelope)),
            _ => self.system(at, &record, &envelope),
        };
        let (steps, unknown) = match place {
            // A line that is no message of its own stands where its parent stands.
            Ok(None) => (branch.unwrap_or(self.tracks[at].draft.len()), None),
            Ok(Some(step)) => (step.0 + 1, None),
            Err(UnknownSystem(kind)) => (branch.unwrap_or(self.tracks[at].draft.len()), Some(kind)),
        };
        if let Some(uuid) = uuid {
            self.places.insert(uuid, Place { track: at, steps });
        }
        unknown
    }

    /// Remembers where a line without a message stands: where its parent stands.
    fn link(&mut self, record: &mut Object) {
        let place = match record.get("parentUuid").and_then(Value::as_str) {
            Some(parent) => self.places.get(parent).copied(),
            None => Some(Place { track: 0, steps: 0 }),
        };
        if let (Some(place), Some(uuid)) = (place, json::take_text(record, "uuid")) {
            self.places.entry(uuid).or_insert(place);
        }
    }

    /// The conversation a line belongs to. Side-chains of older versions have no agent id:
    /// there the parent tells, and a line without a known parent starts one.
    fn track(&mut self, record: &Object, envelope: &Envelope) -> usize {
        let agent =
            json::text(record, "agentId").or_else(|| json::text(record, "parent_tool_use_id"));
        if !json::is_true(record, "isSidechain") && agent.is_none() {
            return 0;
        }
        let parent = envelope.parent.as_ref().and_then(Option::as_ref);
        let id = match (agent, parent.and_then(|parent| self.places.get(parent))) {
            (Some(agent), _) => agent.to_owned(),
            (None, Some(place)) if place.track > 0 => return place.track,
            (None, _) => envelope.uuid.clone().unwrap_or_else(|| "sidechain".to_owned()),
        };
        // Ids of conversations are unique within a session.
        let id = if id == self.id { format!("{id}/sidechain") } else { id };
        if let Some(at) = self.tracks.iter().skip(1).position(|track| track.draft.id == id) {
            return at + 1;
        }
        self.tracks.push(Track::new(id, Some(self.id.clone())));
        self.tracks.len() - 1
    }

    fn system(
        &mut self,
        at: usize,
        record: &Object,
        envelope: &Envelope,
    ) -> Result<Option<StepIndex>, UnknownSystem> {
        let subtype = json::text(record, "subtype").unwrap_or_default();
        let blocks = json::message_blocks(record.get("content").cloned());
        let draft = &mut self.tracks[at].draft;
        match subtype {
            "compact_boundary" => {
                let kept = json::object(record, "compactMetadata")
                    .and_then(|metadata| json::object(metadata, "preservedSegment"))
                    .and_then(|segment| json::text(segment, "headUuid"))
                    .and_then(|head| self.places.get(head))
                    .filter(|place| place.track == at && place.steps > 0)
                    .map(|place| StepIndex(place.steps - 1));
                let step = Step::with(Role::System, envelope.time, blocks);
                Ok(Some(draft.push(step.marked(StepMark::CompactBoundary { keep_from: kept }))))
            }
            "local_command" => {
                let step = Step::with(Role::User, envelope.time, blocks);
                Ok(Some(draft.push(step.marked(StepMark::Injected))))
            }
            known if SYSTEM_BOOKKEEPING.contains(&known) => Ok(None),
            other => Err(UnknownSystem(format!("system/{other}"))),
        }
    }
}

/// A `system` line of a subtype nothing is known about, by its name in problems.
struct UnknownSystem(String);

fn envelope(record: &mut Object, output: &mut Output<'_>) -> Envelope {
    let parent = record.get("parentUuid").map(|value| value.as_str().map(str::to_owned));
    let mark = if json::is_true(record, "isCompactSummary") {
        StepMark::CompactSummary
    } else if json::is_true(record, "isMeta") {
        StepMark::Injected
    } else {
        StepMark::None
    };
    Envelope {
        uuid: json::take_text(record, "uuid"),
        parent,
        time: output.time(record, "timestamp"),
        mark,
    }
}

impl Track {
    fn new(id: String, parent: Option<String>) -> Self {
        let mut draft = Draft::new(id);
        draft.parent = parent;
        draft.agent = Some("Claude Code".to_owned());
        Self { draft, responses: HashMap::new() }
    }

    /// A line of a response; lines of one message id make one step.
    fn response(
        &mut self,
        mut record: Object,
        envelope: &Envelope,
        output: &mut Output<'_>,
    ) -> Option<StepIndex> {
        let Some(mut message) = json::take_object(&mut record, "message") else {
            output.bad_field("message", "an object");
            return None;
        };
        let id = json::take_text(&mut message, "id");
        let known = id.as_ref().and_then(|id| self.responses.get(id)).copied();
        let index = known.unwrap_or_else(|| {
            let mut step = Step::with(Role::Assistant, envelope.time, Vec::new());
            step.model = json::text(&message, "model").map(Into::into);
            self.draft.push(step)
        });
        if let Some(id) = id {
            self.responses.insert(id, index);
        }
        if let Some(usage) = json::object(&message, "usage") {
            self.draft.step_mut(index).usage = Some(anthropic_usage(usage));
        }
        let content = json::take(&mut message, "content");
        response_blocks(&mut self.draft, index, content, output);
        Some(index)
    }

    /// A user line: results, a message, or both.
    fn message(
        &mut self,
        mut record: Object,
        envelope: &Envelope,
        branch: Option<usize>,
        output: &mut Output<'_>,
    ) -> Option<StepIndex> {
        let Some(mut message) = json::take_object(&mut record, "message") else {
            output.bad_field("message", "an object");
            return None;
        };
        let content = json::take(&mut message, "content");
        let (answers, blocks) = user_blocks(content, envelope.time);
        let answered = !answers.is_empty();
        let mut place = None;
        for answer in answers {
            place = self.draft.step_of(&answer.call).or(place);
            output.check(self.draft.answer(answer));
        }
        if blocks.is_empty() {
            return place.or(self.draft.last());
        }
        let mut step = Step::with(Role::User, envelope.time, blocks);
        step.mark = envelope.mark;
        if step.mark == StepMark::None && !answered {
            step.mark = self.rewind(branch);
        }
        Some(self.draft.push(step))
    }

    /// A message whose parent is followed by a message that was answered replaces what came
    /// after the parent. Calls in parallel make results branch too, so that only messages
    /// count here, and one that was never answered was queued rather than replaced.
    fn rewind(&self, branch: Option<usize>) -> StepMark {
        let Some(to) = branch else { return StepMark::None };
        let later = self.draft.steps().get(to..).unwrap_or_default();
        let asked = later.iter().position(|s| s.role == Role::User && s.mark == StepMark::None);
        let replaced =
            asked.is_some_and(|at| later[at..].iter().any(|s| s.role == Role::Assistant));
        let compacted = || later.iter().any(|s| matches!(s.mark, StepMark::CompactBoundary { .. }));
        if replaced && !compacted() {
            StepMark::Rewind { to: StepIndex(to) }
        } else {
            StepMark::None
        }
    }

    /// Something the client puts beside a message. What is text is kept as such.
    fn attachment(&mut self, mut record: Object, envelope: &Envelope) -> Option<StepIndex> {
        let attachment = json::take(&mut record, "attachment")?;
        let kind = format!("attachment/{}", json::kind_of(&attachment));
        let fields = ["prompt", "content", "snippet"];
        let text = fields.iter().find_map(|field| attachment.get(field).and_then(Value::as_str));
        let block = match text {
            Some(text) => Block::Text(text.to_owned()),
            None => json::opaque(&kind, &attachment),
        };
        let mut step = Step::with(Role::User, envelope.time, vec![block]);
        if kind != "attachment/queued_command" {
            step.mark = StepMark::Injected;
        }
        Some(self.draft.push(step))
    }
}
