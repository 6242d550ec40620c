//! Asks the person in front of the client for an approval.

use std::time::Duration;

use foveal_screen::{in_one_line, quoted};
use foveal_tools::control::{Approval, Question};
use rmcp::RoleServer;
use rmcp::model::{
    ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, EnumSchema,
    PrimitiveSchemaDefinition,
};
use rmcp::service::{Peer, RequestContext, ServiceError};
use serde_json::Value;

/// How long a person may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// The field of the form.
const FIELD: &str = "allow";

/// Whether the client can put a form before the person.
pub(crate) fn is_supported(context: &RequestContext<RoleServer>) -> bool {
    context
        .client_capabilities()
        .and_then(|capabilities| capabilities.elicitation)
        .is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none())
}

/// Puts a question before the person. No answer is a no, and so is one that cannot be read.
pub(crate) async fn ask(peer: &Peer<RoleServer>, question: &Question) -> Approval {
    match peer.create_elicitation_with_timeout(form(question), Some(PATIENCE)).await {
        Ok(answer) => approval(&answer),
        Err(ServiceError::UnexpectedResponse) => Approval::Unclear,
        Err(_) => Approval::No,
    }
}

/// What the person is shown.
pub(crate) fn form(question: &Question) -> ElicitRequestParams {
    let Question { tool, subject, reason } = question;
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: format!("Allow {tool} on {}? ({})", quoted(subject), in_one_line(reason)),
        requested_schema: choice(),
    }
}

fn choice() -> ElicitationSchema {
    let named = ["once", "session", "always"].map(str::to_owned).to_vec();
    let titled = ["This time", "In this session", "Always"].map(str::to_owned).to_vec();
    let choice = EnumSchema::builder(named).title("Allow").enum_titles(titled);
    let choice = choice.and_then(|choice| choice.with_default("once"));
    let choice = choice.expect("as many titles as values, and the default is one of them").build();
    ElicitationSchema::builder()
        .property(FIELD, PrimitiveSchemaDefinition::Enum(choice))
        .build()
        .expect("no field is required")
}

/// Accepting without a choice, which the form allows, is a yes for this call. Anything else but one
/// of the choices in its field, alone, is no answer: a field that is there and empty was cleared, and
/// a form with other fields is not the one that was shown. Either may be meant as a no.
pub(crate) fn approval(answer: &ElicitResult) -> Approval {
    if answer.action != ElicitationAction::Accept {
        return Approval::No;
    }
    let choice = match &answer.content {
        None | Some(Value::Null) => None,
        Some(Value::Object(form)) if form.keys().all(|field| field == FIELD) => form.get(FIELD),
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
