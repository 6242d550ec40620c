//! Which messages of a request the model said.

use super::error::BodyError;
use super::scan::Body;
use super::walk::{self, Place};
use crate::protocol::Protocol;

/// Whether the model said a message: as one of its role, or, of items of Responses, as one that
/// only it makes.
pub(super) fn is_said(bytes: &[u8], message: &Place) -> Result<bool, BodyError> {
    let [role, kind] = walk::members(bytes, message, ["role", "type"])?;
    let [role, kind] = [role, kind].map(|it| it.and_then(|it| walk::text(bytes, &it)));
    let is_item = |kind: &str| kind == "reasoning" || kind.ends_with("_call");
    Ok(match role {
        Some(role) => role == "assistant" || role == "model",
        None => kind.is_some_and(|kind| is_item(&kind)),
    })
}

/// The messages in which an answer of the model begins. Of Responses, the items of one answer
/// follow each other.
///
/// # Errors
/// If a message is no JSON.
pub fn answers(body: &Body, bytes: &[u8]) -> Result<Vec<usize>, BodyError> {
    let mut answers = Vec::new();
    let mut goes_on = false;
    for (at, message) in body.messages.iter().enumerate() {
        let is_said = is_said(bytes, message)?;
        if is_said && !goes_on {
            answers.push(at);
        }
        goes_on = is_said && body.protocol == Protocol::Responses;
    }
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use super::answers;
    use crate::body::Body;
    use crate::protocol::Protocol;

    fn check(protocol: Protocol, text: &str, expected: &[usize]) {
        let body = Body::scan(protocol, text.as_bytes()).unwrap();
        assert_eq!(answers(&body, text.as_bytes()).unwrap(), expected, "{text}");
    }

    #[test]
    fn answers_are_found_in_each_api() {
        check(
            Protocol::Messages,
            r#"{"messages":[{"role":"user"},{"role":"assistant"},{"role":"assistant"}]}"#,
            &[1, 2],
        );
        check(Protocol::Chat, r#"{"messages":[{"role":"system"},{"role":"user"}]}"#, &[]);
        check(Protocol::Gemini, r#"{"contents":[{"role":"user"},{"role":"model"},{}]}"#, &[1]);
        for item in [
            r#"{"type":"message","role":"assistant"}"#,
            r#"{"type":"function_call"}"#,
            r#"{"type":"reasoning"}"#,
        ] {
            let result = r#"{"type":"function_call_output"}"#;
            let text = format!(
                r#"{{"input":[{{"role":"user"}},{{"type":"message"}},{item},{item},{result},{item}]}}"#
            );
            check(Protocol::Responses, &text, &[2, 5]);
        }
    }
}
