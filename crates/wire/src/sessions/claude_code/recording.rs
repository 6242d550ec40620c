//! One session of Claude Code: its conversations, and where each line stands in them.

use std::collections::HashMap;

use foveal_transcript::{Role, Session};
use serde_json::Value;

use super::envelope::Envelope;
use super::requests::Requests;
use super::track::Track;
use crate::draft::{Step, StepIndex, StepMark};
use crate::json::{self, Object};
use crate::output::Output;
use crate::problem::ProblemKind;

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

/// One session: the main conversation first, then side-chains in order of appearance.
pub(super) struct Recording {
    pub(super) id: String,
    /// The line it started on.
    pub(super) started: u32,
    tracks: Vec<Track>,
    /// Lines by uuid: their track, and the steps of it up to and with the line.
    places: HashMap<String, RecordPosition>,
    requests: Requests,
}

#[derive(Clone, Copy)]
struct RecordPosition {
    track: usize,
    steps: usize,
}

impl Recording {
    pub(super) fn new(id: String, started: u32) -> Self {
        let main = Track::new(id.clone(), None);
        Self {
            id,
            started,
            tracks: vec![main],
            places: HashMap::new(),
            requests: Requests::default(),
        }
    }

    pub(super) fn finish(self, output: &mut Output<'_>) {
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

    /// Reads a line about a request.
    pub(super) fn request(&mut self, kind: &str, record: Object) {
        self.requests.line(kind, record, &mut self.tracks);
    }

    /// Reads a message line; returns its type if that is not known.
    pub(super) fn line(
        &mut self,
        kind: &str,
        mut record: Object,
        output: &mut Output<'_>,
    ) -> Option<String> {
        let envelope = Envelope::of(&mut record, output);
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
        if let Some(request) = json::take_text(&mut record, "requestRef") {
            self.requests.answered(&request, track);
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
            self.places.insert(uuid, RecordPosition { track: at, steps });
        }
        unknown
    }

    /// Remembers where a line without a message stands: where its parent stands.
    pub(super) fn link(&mut self, record: &mut Object) {
        let place = match record.get("parentUuid").and_then(Value::as_str) {
            Some(parent) => self.places.get(parent).copied(),
            None => Some(RecordPosition { track: 0, steps: 0 }),
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
