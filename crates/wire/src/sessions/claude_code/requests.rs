//! What newer versions record of the requests that were sent: the system prompt and the tools,
//! and messages that are not sent as their lines have them.

use std::collections::HashMap;

use foveal_transcript::{Block, Role};

use super::track::Track;
use crate::draft::Step;
use crate::json::{self, Object};
use crate::requests::anthropic::user_blocks;

/// Line types of requests.
pub(super) const REQUESTS: [&str; 3] = ["api-request", "api-request-blob", "api-request-shape"];

/// What is known of a session's requests.
#[derive(Default)]
pub(super) struct Requests {
    /// The system prompt and the tools, by the hash that requests name.
    shapes: HashMap<String, Vec<Block>>,
    /// That hash, by the request's id.
    shape_of: HashMap<String, String>,
}

impl Requests {
    /// Takes a line of one of the [`REQUESTS`].
    pub(super) fn line(&mut self, kind: &str, mut record: Object, tracks: &mut [Track]) {
        let hash = json::take_text(&mut record, "shapeHash");
        match kind {
            "api-request" => {
                if let (Some(id), Some(hash)) = (json::take_text(&mut record, "id"), hash) {
                    self.shape_of.insert(id, hash);
                }
            }
            "api-request-shape" => {
                let shape = json::take_object(&mut record, "shape");
                if let (Some(mut shape), Some(hash)) = (shape, hash) {
                    let mut blocks = json::message_blocks(json::take(&mut shape, "system"));
                    // Providers count the descriptions of tools as text of the prompt.
                    let tools = json::take(&mut shape, "tools");
                    blocks.extend(tools.map(|tools| Block::Text(tools.to_string())));
                    self.shapes.insert(hash, blocks);
                }
            }
            _ => sent_otherwise(&mut record, tracks),
        }
    }

    /// Puts the system prompt in front of the conversation in which the request `id` was
    /// answered, unless it has one.
    pub(super) fn answered(&self, id: &str, track: &mut Track) {
        let shape = self.shape_of.get(id).and_then(|hash| self.shapes.get(hash));
        if let Some(shape) = shape.filter(|_| track.draft.system.is_none()) {
            track.draft.system = Some(Step::with(Role::System, None, shape.clone()));
        }
    }
}

/// Results in a message that is not sent as its lines have it. Those that the model was sent
/// before are left as it saw them first.
fn sent_otherwise(record: &mut Object, tracks: &mut [Track]) {
    let message = json::take_object(record, "message");
    let content = message.and_then(|mut message| json::take(&mut message, "content"));
    let (answers, _) = user_blocks(content, None);
    for answer in answers {
        for track in tracks.iter_mut() {
            let steps = track.draft.steps();
            let last = steps.iter().rposition(|step| step.role == Role::Assistant);
            let made = track.draft.step_of(&answer.call).map(|step| step.0);
            if made.is_some() && made == last {
                track.draft.amend(&answer.call, &answer.content);
            }
        }
    }
}
