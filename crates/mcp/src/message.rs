//! Parses JSON-RPC messages of clients, and describes the fault of invalid ones.

use rmcp::RoleServer;
use rmcp::model::{ErrorCode, ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::error::Category;

use foveal_tools::UniqueKeys;

/// Longest message, in bytes.
pub(crate) const MESSAGE_BYTES_MAX: usize = 16 << 20;

/// Longest request id, in bytes. It is kept until the request is answered.
const ID_BYTES_MAX: usize = 1_024;

/// The result of parsing bytes.
#[derive(Debug)]
pub(crate) enum ParsedMessage {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// A notification or a response that cannot be parsed: it gets no answer.
    Ignored,
    Refused(JsonRpcRefusal),
}

/// Why bytes are no message, and the id of the request if it is known.
#[derive(Debug)]
pub(crate) struct JsonRpcRefusal {
    id: Option<RequestId>,
    error: ErrorData,
}

impl JsonRpcRefusal {
    /// A message over [`MESSAGE_BYTES_MAX`].
    pub(crate) fn too_long() -> Self {
        Self::invalid(None, format!("a message has at most {MESSAGE_BYTES_MAX} bytes"))
    }

    /// A request whose id belongs to an unanswered request.
    pub(crate) fn id_in_use(id: RequestId) -> Self {
        let what = "a request with this id is not answered yet; choose another id";
        Self::invalid(Some(id), what.to_owned())
    }

    /// A request beyond the limit of unanswered ones.
    pub(crate) fn too_many_requests(id: RequestId) -> Self {
        let what = "too many requests are not answered yet; send it again when some are";
        Self { id: Some(id), error: ErrorData::new(ErrorCode::INTERNAL_ERROR, what, None) }
    }

    /// Not a message of the protocol.
    pub(crate) fn invalid(id: Option<RequestId>, what: String) -> Self {
        Self { id, error: ErrorData::invalid_request(what, None) }
    }

    fn invalid_json(error: &dyn std::error::Error) -> Self {
        let what = format!("the message is not valid JSON: {error}");
        Self { id: None, error: ErrorData::parse_error(what, None) }
    }

    /// Converts this to the JSON-RPC error that is sent.
    pub(crate) fn into_error_response(self) -> TxJsonRpcMessage<RoleServer> {
        JsonRpcMessage::error(self.error, self.id)
    }
}

/// The fields of a message, none of which may occur twice.
#[derive(Deserialize)]
struct JsonRpcEnvelope {
    #[serde(rename = "jsonrpc")]
    _version: Option<IgnoredAny>,
    #[serde(default, deserialize_with = "present")]
    id: Option<Value>,
    method: Option<IgnoredAny>,
    #[serde(rename = "params")]
    _params: Option<IgnoredAny>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// Distinguishes a null field from a missing one.
fn present<'de, D: Deserializer<'de>>(field: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(field).map(Some)
}

/// Parses one message.
pub(crate) fn parse_message(bytes: &[u8]) -> ParsedMessage {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if let Err(error) = std::str::from_utf8(bytes) {
        return ParsedMessage::Refused(JsonRpcRefusal::invalid_json(&error));
    }
    let envelope = match serde_json::from_slice::<JsonRpcEnvelope>(bytes) {
        Ok(envelope) => envelope,
        Err(error) => return ParsedMessage::Refused(envelope_refusal(bytes, &error)),
    };
    let id = envelope.id.clone().map(parse_request_id);
    let id = match (id, &envelope.method) {
        (Some(Err(what)), Some(_)) => {
            return ParsedMessage::Refused(JsonRpcRefusal::invalid(None, what.to_string()));
        }
        (Some(Ok(id)), _) => Some(id),
        (None | Some(Err(_)), _) => None,
    };
    if let Some(what) = describe_duplicate_key(bytes) {
        return match envelope.method {
            Some(_) if id.is_some() => ParsedMessage::Refused(JsonRpcRefusal::invalid(id, what)),
            Some(_) | None => ParsedMessage::Ignored,
        };
    }
    match serde_json::from_slice(bytes) {
        Ok(message) => ParsedMessage::Message(Box::new(message)),
        // Neither responses nor notifications are answered.
        Err(_) if envelope.result.is_some() || envelope.error.is_some() => ParsedMessage::Ignored,
        Err(_) if envelope.method.is_some() && envelope.id.is_none() => ParsedMessage::Ignored,
        // Nested too deep.
        Err(error) if error.classify() == Category::Syntax => ParsedMessage::Refused(
            JsonRpcRefusal::invalid(id, format!("the message cannot be read: {error}")),
        ),
        Err(_) => {
            let what = "a message has \"jsonrpc\": \"2.0\", `method`, perhaps `params`, which is an \
                        object, and, if it is a request, `id`";
            ParsedMessage::Refused(JsonRpcRefusal::invalid(id, what.to_owned()))
        }
    }
}

/// Describes a key that occurs twice in one object of the message, if there is one.
fn describe_duplicate_key(bytes: &[u8]) -> Option<String> {
    let error = serde_json::from_slice::<UniqueKeys>(bytes).err()?;
    // Invalid JSON is reported by the parser.
    (error.classify() == Category::Data).then(|| format!("the message is ambiguous: {error}"))
}

/// Describes the fault of bytes that are no object, or an object with a field twice.
fn envelope_refusal(bytes: &[u8], error: &serde_json::Error) -> JsonRpcRefusal {
    match error.classify() {
        Category::Syntax | Category::Eof => JsonRpcRefusal::invalid_json(error),
        Category::Io | Category::Data => match serde_json::from_slice::<IgnoredAny>(bytes) {
            Err(error) => JsonRpcRefusal::invalid_json(&error),
            Ok(_) if bytes.trim_ascii_start().starts_with(b"[") => JsonRpcRefusal::invalid(
                None,
                "send each message by itself, not in a list".to_owned(),
            ),
            Ok(_) => JsonRpcRefusal::invalid(None, format!("a message is an object: {error}")),
        },
    }
}

/// Why a request id is invalid.
#[derive(Debug, thiserror::Error)]
enum InvalidRequestId {
    #[error("an id is a string or a whole number")]
    Kind,
    #[error("an id has at most {ID_BYTES_MAX} bytes")]
    TooLong,
}

/// Parses the id of a request.
fn parse_request_id(id: Value) -> Result<RequestId, InvalidRequestId> {
    let id: RequestId = serde_json::from_value(id).map_err(|_| InvalidRequestId::Kind)?;
    match &id {
        RequestId::String(text) if text.len() > ID_BYTES_MAX => Err(InvalidRequestId::TooLong),
        RequestId::String(_) | RequestId::Number(_) => Ok(id),
    }
}

#[cfg(test)]
mod tests;
