//! Records of sent requests in newer versions: the system prompt and the tools, and messages that
//! were sent in another form than their lines have.

use std::collections::HashMap;

use foveal_protocols::anthropic::split_user_content;
use foveal_protocols::conversation_builder::StepDraft;
use foveal_protocols::json::{self, JsonObject};
use foveal_transcript::{ContentBlock, MessageRole};

use super::session_conversation::SessionConversation;

/// Line types of requests.
pub(super) const REQUEST_LINE_TYPES: [&str; 3] =
    ["api-request", "api-request-blob", "api-request-shape"];

/// The recorded requests of a session.
#[derive(Default)]
pub(super) struct RecordedRequests {
    /// The system prompts with the tools, by the hash that requests name.
    prompts_by_hash: HashMap<String, Vec<ContentBlock>>,
    /// The hashes by the ids of the requests.
    hash_by_request: HashMap<String, String>,
}

impl RecordedRequests {
    /// Reads a line of one of the [`REQUEST_LINE_TYPES`].
    pub(super) fn read_request_line(
        &mut self,
        kind: &str,
        mut record: JsonObject,
        tracks: &mut [SessionConversation],
    ) {
        let hash = json::take_text(&mut record, "shapeHash");
        match kind {
            "api-request" => {
                if let (Some(id), Some(hash)) = (json::take_text(&mut record, "id"), hash) {
                    self.hash_by_request.insert(id, hash);
                }
            }
            "api-request-shape" => {
                let shape = json::take_object(&mut record, "shape");
                if let (Some(mut shape), Some(hash)) = (shape, hash) {
                    let mut blocks = json::message_blocks(json::take_value(&mut shape, "system"));
                    // Providers count the descriptions of tools as text of the prompt.
                    let tools = json::take_value(&mut shape, "tools");
                    blocks.extend(tools.map(|tools| ContentBlock::Text(tools.to_string())));
                    self.prompts_by_hash.insert(hash, blocks);
                }
            }
            _ => amend_sent_results(&mut record, tracks),
        }
    }

    /// Sets the system prompt of the conversation in which the request `id` was answered, unless it
    /// has one.
    pub(super) fn set_system_prompt(&self, id: &str, track: &mut SessionConversation) {
        let shape = self.hash_by_request.get(id).and_then(|hash| self.prompts_by_hash.get(hash));
        if let Some(shape) = shape.filter(|_| track.draft.system.is_none()) {
            track.draft.system =
                Some(StepDraft::with_blocks(MessageRole::System, None, shape.clone()));
        }
    }
}

/// Replaces results that were sent in another form than their lines have. Results that the model
/// received in an earlier request stay as they were first sent.
fn amend_sent_results(record: &mut JsonObject, tracks: &mut [SessionConversation]) {
    let message = json::take_object(record, "message");
    let content = message.and_then(|mut message| json::take_value(&mut message, "content"));
    let (answers, _) = split_user_content(content, None);
    for answer in answers {
        for track in tracks.iter_mut() {
            let steps = track.draft.steps();
            let last = steps.iter().rposition(|step| step.role == MessageRole::Assistant);
            let made = track.draft.step_of_call(&answer.call).map(|step| step.0);
            if made.is_some() && made == last {
                track.draft.replace_result_content(&answer.call, &answer.content);
            }
        }
    }
}
