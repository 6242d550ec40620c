//! Detection of the protocol of messages.

use super::error::BodyError;
use super::json_lookup::{self, ByteRange};
use crate::protocol::Protocol;

/// Returns the API of the messages, by the first message that identifies it. Messages that fit all
/// APIs count as Chat.
///
/// # Errors
/// If an examined message is not valid JSON.
pub fn detect_protocol(bytes: &[u8], messages: &[ByteRange]) -> Result<Protocol, BodyError> {
    for message in messages {
        if let Some(protocol) = message_protocol(bytes, message)? {
            return Ok(protocol);
        }
    }
    Ok(Protocol::Chat)
}

/// Returns the API that one message identifies.
fn message_protocol(bytes: &[u8], message: &ByteRange) -> Result<Option<Protocol>, BodyError> {
    if bytes.get(message.start) != Some(&b'{') {
        return Ok(None);
    }
    const NAMES: [&str; 5] = ["parts", "tool_calls", "role", "type", "content"];
    let [parts, calls, role, kind, content] = json_lookup::find_members(bytes, message, NAMES)?;
    let text =
        |place: Option<ByteRange>| place.and_then(|place| json_lookup::string_text(bytes, &place));
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
    let blocks = json_lookup::array_elements(bytes, &content)?.unwrap_or_default();
    for block in blocks.iter().filter(|block| bytes.get(block.start) == Some(&b'{')) {
        let [kind] = json_lookup::find_members(bytes, block, ["type"])?;
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
    use super::detect_protocol;
    use crate::protocol::Protocol;
    use crate::request_body::RequestBody;

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
            let body =
                RequestBody::scan(Protocol::Chat, bytes.as_bytes()).expect("a list of messages");
            let spoken =
                detect_protocol(bytes.as_bytes(), &body.messages).expect("no broken message");
            assert_eq!(spoken, expected, "{messages}");
        }
    }
}
