//! Which API messages are of, where nobody says it.

use super::error::BodyError;
use super::walk::{self, Place};
use crate::protocol::Protocol;

/// The API whose messages these are, by the first one that shows it. What all of them could say
/// alike is taken for Chat.
///
/// # Errors
/// If one that is looked at is broken.
pub fn spoken(bytes: &[u8], messages: &[Place]) -> Result<Protocol, BodyError> {
    for message in messages {
        if let Some(protocol) = of_message(bytes, message)? {
            return Ok(protocol);
        }
    }
    Ok(Protocol::Chat)
}

/// The API that one message shows.
fn of_message(bytes: &[u8], message: &Place) -> Result<Option<Protocol>, BodyError> {
    if bytes.get(message.start) != Some(&b'{') {
        return Ok(None);
    }
    const NAMES: [&str; 5] = ["parts", "tool_calls", "role", "type", "content"];
    let [parts, calls, role, kind, content] = walk::members(bytes, message, NAMES)?;
    let text = |place: Option<Place>| place.and_then(|place| walk::text(bytes, &place));
    if parts.is_some() {
        return Ok(Some(Protocol::Gemini));
    }
    if calls.is_some() || matches!(text(role).as_deref(), Some("tool" | "function")) {
        return Ok(Some(Protocol::Chat));
    }
    let kind = text(kind);
    let is_item = |kind: &str| {
        kind == "reasoning" || kind.ends_with("_call") || kind.ends_with("_call_output")
    };
    if kind.as_deref().is_some_and(is_item) {
        return Ok(Some(Protocol::Responses));
    }
    let Some(content) = content else { return Ok(None) };
    let blocks = walk::elements(bytes, &content)?.unwrap_or_default();
    for block in blocks.iter().filter(|block| bytes.get(block.start) == Some(&b'{')) {
        let [kind] = walk::members(bytes, block, ["type"])?;
        match text(kind).as_deref() {
            Some("tool_use" | "tool_result" | "thinking" | "redacted_thinking") => {
                return Ok(Some(Protocol::Messages));
            }
            Some("input_text" | "output_text" | "input_image") => {
                return Ok(Some(Protocol::Responses));
            }
            Some(_) | None => {}
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::spoken;
    use crate::body::Body;
    use crate::protocol::Protocol;

    #[test]
    fn messages_show_their_api() {
        let cases = [
            (r#"[]"#, Protocol::Chat),
            (r#"[{"role":"user","content":"x"},1]"#, Protocol::Chat),
            (r#"[{"role":"tool","content":"\"tool_result\""}]"#, Protocol::Chat),
            (r#"[{"role":"assistant","content":null,"tool_calls":[]}]"#, Protocol::Chat),
            (
                r#"[{"role":"user","content":[{"type":"tool_result","content":"x"}]}]"#,
                Protocol::Messages,
            ),
            (r#"[{"role":"user","content":[{"type":"text","text":"x"}]}]"#, Protocol::Chat),
            (
                r#"[{"role":"user","content":"x"},{"type":"function_call_output","output":"x"}]"#,
                Protocol::Responses,
            ),
            (r#"[{"role":"user","parts":[{"text":"x"}]}]"#, Protocol::Gemini),
        ];
        for (messages, expected) in cases {
            let bytes = format!(r#"{{"messages":{messages}}}"#);
            let body = Body::scan(Protocol::Chat, bytes.as_bytes()).expect("a list of messages");
            let spoken = spoken(bytes.as_bytes(), &body.messages).expect("no broken message");
            assert_eq!(spoken, expected, "{messages}");
        }
    }
}
