//! Requests in several round trips. From protocol version 2026-07-28 on a client cannot be asked
//! while its request runs: the response says which input is required, and the client repeats the
//! request with it.
#![expect(deprecated, reason = "who still has roots names them here too")]

use std::collections::BTreeMap;

use foveal_tools::call_control::{Approval, ApprovalQuestion};
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

const ROOTS_KEY: &str = "roots";

/// Longest state that is accepted back, in bytes.
const STATE_BYTES_MAX: usize = 1 << 20;

/// Returns whether questions to this client must end its request.
pub(crate) fn are_required(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// The questions of earlier round trips and the client's answers. The state is not authenticated:
/// the client could give the same answers without it.
#[derive(Debug, Clone, Default)]
pub(crate) struct RoundTrips {
    /// By question; null if it was asked and not answered.
    answers: BTreeMap<String, Value>,
}

impl RoundTrips {
    /// Parses the state and the responses that a request carries.
    pub(crate) fn from_request(state: Option<&str>, responses: Option<InputResponses>) -> Self {
        let state = state.filter(|state| state.len() <= STATE_BYTES_MAX);
        let before = state.and_then(|state| serde_json::from_str(state).ok());
        let mut answers: BTreeMap<String, Value> = before.unwrap_or_default();
        answers.extend(responses.unwrap_or_default());
        Self { answers }
    }

    /// Returns the client's root folders; `None` if it was not asked.
    pub(crate) fn client_roots(&self) -> Option<ClientRoots> {
        let roots = self.answers.get(ROOTS_KEY)?.get("roots");
        let roots: Option<Vec<_>> =
            roots.and_then(|roots| serde_json::from_value(roots.clone()).ok());
        Some(roots.map_or(ClientRoots::Unanswered, |roots| {
            ClientRoots::Named(roots::parse_roots(&roots))
        }))
    }

    /// Returns the user's answer to a question; `None` if it was not asked.
    pub(crate) fn approval_for(&self, question: &ApprovalQuestion) -> Option<Approval> {
        let answer = self.answers.get(&question_key(question))?;
        Some(match serde_json::from_value(answer.clone()) {
            Ok(answer) => elicitation::parse_approval(&answer),
            Err(_) if answer.is_null() => Approval::No,
            Err(_) => Approval::Unclear,
        })
    }

    /// Returns the response that asks for the client's folders.
    pub(crate) fn request_folders(self) -> InputRequiredResult {
        self.into_input_required(
            ROOTS_KEY.to_owned(),
            InputRequest::ListRoots(ListRootsRequest::default()),
        )
    }

    /// Returns the response that asks the user for an approval.
    pub(crate) fn request_approval(self, question: &ApprovalQuestion) -> InputRequiredResult {
        let request = ElicitRequest::new(elicitation::approval_form(question));
        self.into_input_required(question_key(question), InputRequest::Elicitation(request))
    }

    fn into_input_required(mut self, key: String, request: InputRequest) -> InputRequiredResult {
        self.answers.insert(key.clone(), Value::Null);
        let state = serde_json::to_string(&self.answers).expect("all keys are text");
        InputRequiredResult::new(Some(BTreeMap::from([(key, request)])), Some(state))
    }
}

fn question_key(question: &ApprovalQuestion) -> String {
    let ApprovalQuestion { tool, subject, reason } = question;
    format!("allow-{}", Handle::from_content(format!("{tool}\n{subject}\n{reason}").as_bytes()))
}

#[cfg(test)]
mod tests;
