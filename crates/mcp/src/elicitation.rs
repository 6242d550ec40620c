//! Asks the user for an approval through the client's elicitation form.

use std::time::Duration;

use foveal_screen::{escape_one_line, quote_escaped};
use foveal_tools::call_control::{Approval, ApprovalQuestion};
use rmcp::RoleServer;
use rmcp::model::{
    ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, EnumSchema,
    PrimitiveSchemaDefinition,
};
use rmcp::service::{Peer, RequestContext, ServiceError};
use serde_json::Value;

/// How long the user may take.
const APPROVAL_TIMEOUT: Duration = Duration::from_secs(600);

/// The form's only field.
const APPROVAL_FIELD: &str = "allow";

/// Returns whether the client can show a form.
pub(crate) fn is_supported(context: &RequestContext<RoleServer>) -> bool {
    context
        .client_capabilities()
        .and_then(|capabilities| capabilities.elicitation)
        .is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none())
}

/// Asks the user. No answer or a failed request counts as no.
pub(crate) async fn request_approval(
    peer: &Peer<RoleServer>,
    question: &ApprovalQuestion,
) -> Approval {
    match peer
        .create_elicitation_with_timeout(approval_form(question), Some(APPROVAL_TIMEOUT))
        .await
    {
        Ok(answer) => parse_approval(&answer),
        Err(ServiceError::UnexpectedResponse) => Approval::Unclear,
        Err(_) => Approval::No,
    }
}

/// Builds the form for a question.
pub(crate) fn approval_form(question: &ApprovalQuestion) -> ElicitRequestParams {
    let ApprovalQuestion { tool, subject, reason } = question;
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: format!(
            "Allow {tool} on {}? ({})",
            quote_escaped(subject),
            escape_one_line(reason)
        ),
        requested_schema: approval_schema(),
    }
}

fn approval_schema() -> ElicitationSchema {
    let named = ["once", "session", "always"].map(str::to_owned).to_vec();
    let titled = ["This time", "In this session", "Always"].map(str::to_owned).to_vec();
    let choice = EnumSchema::builder(named).title("Allow").enum_titles(titled);
    let choice = choice.and_then(|choice| choice.with_default("once"));
    let choice = choice.expect("as many titles as values, and the default is one of them").build();
    ElicitationSchema::builder()
        .property(APPROVAL_FIELD, PrimitiveSchemaDefinition::Enum(choice))
        .build()
        .expect("no field is required")
}

/// Parses the user's answer. Accepting the form without a choice approves this call. Otherwise only
/// a valid choice in the only field counts: an empty field was cleared, and a form with other
/// fields is not the one that was shown; either may be meant as a no.
pub(crate) fn parse_approval(answer: &ElicitResult) -> Approval {
    if answer.action != ElicitationAction::Accept {
        return Approval::No;
    }
    let choice = match &answer.content {
        None | Some(Value::Null) => None,
        Some(Value::Object(form)) if form.keys().all(|field| field == APPROVAL_FIELD) => {
            form.get(APPROVAL_FIELD)
        }
        Some(_) => return Approval::Unclear,
    };
    match choice.map(Value::as_str) {
        None | Some(Some("once")) => Approval::Once,
        Some(Some("session")) => Approval::Session,
        Some(Some("always")) => Approval::Always,
        Some(_) => Approval::Unclear,
    }
}

#[cfg(test)]
mod tests;
