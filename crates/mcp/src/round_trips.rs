//! Requests in several round trips. From version 2026-07-28 on a client cannot be asked while its
//! request runs: an answer says what is needed, and the client sends the request again with it.
#![expect(deprecated, reason = "who still has roots names them here too")]

use std::collections::BTreeMap;

use foveal_tools::control::{Approval, Question};
use foveal_transcript::Handle;
use rmcp::RoleServer;
use rmcp::model::{
    ElicitRequest, InputRequest, InputRequiredResult, InputResponses, ListRootsRequest,
    ProtocolVersion,
};
use rmcp::service::RequestContext;
use serde_json::Value;

use crate::roots::ClientRoots;
use crate::{elicitation, roots};

const ROOTS: &str = "roots";

/// Longest state that is taken back, in bytes.
const STATE_BYTES_MAX: usize = 1 << 20;

/// Whether a client can be asked only by ending its request.
pub(crate) fn are_needed(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// What was asked in the round trips before, and what came back. All of it is what the client
/// says: it could say the same without the state that it hands back.
#[derive(Debug, Clone, Default)]
pub(crate) struct RoundTrips {
    /// Null: asked, and not answered.
    answers: BTreeMap<String, Value>,
}

impl RoundTrips {
    /// What a request brings along.
    pub(crate) fn of(state: Option<&str>, responses: Option<InputResponses>) -> Self {
        let state = state.filter(|state| state.len() <= STATE_BYTES_MAX);
        let before = state.and_then(|state| serde_json::from_str(state).ok());
        let mut answers: BTreeMap<String, Value> = before.unwrap_or_default();
        answers.extend(responses.unwrap_or_default());
        Self { answers }
    }

    /// What the client says of its folders; `None` if it was not asked.
    pub(crate) fn folders(&self) -> Option<ClientRoots> {
        let roots = self.answers.get(ROOTS)?.get("roots");
        let roots: Option<Vec<_>> =
            roots.and_then(|roots| serde_json::from_value(roots.clone()).ok());
        Some(
            roots.map_or(ClientRoots::Unanswered, |roots| {
                ClientRoots::Named(roots::folders(&roots))
            }),
        )
    }

    /// What the person said to a question; `None` if it was not asked.
    pub(crate) fn approval(&self, question: &Question) -> Option<Approval> {
        let answer = self.answers.get(&key(question))?;
        Some(match serde_json::from_value(answer.clone()) {
            Ok(answer) => elicitation::approval(&answer),
            Err(_) if answer.is_null() => Approval::No,
            Err(_) => Approval::Unclear,
        })
    }

    /// The answer that asks for the client's folders.
    pub(crate) fn ask_folders(self) -> InputRequiredResult {
        self.ask(ROOTS.to_owned(), InputRequest::ListRoots(ListRootsRequest::default()))
    }

    /// The answer that asks the person for an approval.
    pub(crate) fn ask_approval(self, question: &Question) -> InputRequiredResult {
        let request = ElicitRequest::new(elicitation::form(question));
        self.ask(key(question), InputRequest::Elicitation(request))
    }

    fn ask(mut self, key: String, request: InputRequest) -> InputRequiredResult {
        self.answers.insert(key.clone(), Value::Null);
        let state = serde_json::to_string(&self.answers).expect("all keys are text");
        InputRequiredResult::new(Some(BTreeMap::from([(key, request)])), Some(state))
    }
}

fn key(question: &Question) -> String {
    let Question { tool, subject, reason } = question;
    format!("allow-{}", Handle::of(format!("{tool}\n{subject}\n{reason}").as_bytes()))
}

#[cfg(test)]
mod tests;
