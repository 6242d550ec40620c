//! Messages of clients, read from bytes. What is no message of the protocol is told what it is.

use rmcp::RoleServer;
use rmcp::model::{ErrorCode, ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::error::Category;

use foveal_tools::UniqueKeys;

/// Bytes of the longest message.
pub(crate) const MESSAGE_BYTES_MAX: usize = 16 << 20;

/// Bytes of the longest id that a request may have. It is held until the request is answered.
const ID_BYTES_MAX: usize = 1_024;

/// What bytes are.
#[derive(Debug)]
pub(crate) enum Parsed {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// Nothing that is answered: a notification or an answer that cannot be read.
    Nothing,
    Refused(Refusal),
}

/// Why bytes are no message, and the id of what was asked, where that is known.
#[derive(Debug)]
pub(crate) struct Refusal {
    id: Option<RequestId>,
    error: ErrorData,
}

impl Refusal {
    /// What is too long to be read.
    pub(crate) fn too_long() -> Self {
        Self::invalid(None, format!("a message has at most {MESSAGE_BYTES_MAX} bytes"))
    }

    /// A request whose id another has that is not answered yet.
    pub(crate) fn id_in_use(id: RequestId) -> Self {
        let what = "a request with this id is not answered yet; choose another id";
        Self::invalid(Some(id), what.to_owned())
    }

    /// A request beside too many others.
    pub(crate) fn too_many(id: RequestId) -> Self {
        let what = "too many requests are not answered yet; send it again when some are";
        Self { id: Some(id), error: ErrorData::new(ErrorCode::INTERNAL_ERROR, what, None) }
    }

    /// What is no message of the protocol.
    pub(crate) fn invalid(id: Option<RequestId>, what: String) -> Self {
        Self { id, error: ErrorData::invalid_request(what, None) }
    }

    fn no_json(error: &dyn std::error::Error) -> Self {
        let what = format!("this is no JSON: {error}");
        Self { id: None, error: ErrorData::parse_error(what, None) }
    }

    /// What is answered.
    pub(crate) fn answer(self) -> TxJsonRpcMessage<RoleServer> {
        JsonRpcMessage::error(self.error, self.id)
    }
}

/// The fields of a message, each of which it has once.
#[derive(Deserialize)]
struct Envelope {
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

/// Tells a field that is null from one that is not there.
fn present<'de, D: Deserializer<'de>>(field: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(field).map(Some)
}

/// Reads a message.
pub(crate) fn parse(bytes: &[u8]) -> Parsed {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if let Err(error) = std::str::from_utf8(bytes) {
        return Parsed::Refused(Refusal::no_json(&error));
    }
    let envelope = match serde_json::from_slice::<Envelope>(bytes) {
        Ok(envelope) => envelope,
        Err(error) => return Parsed::Refused(no_envelope(bytes, &error)),
    };
    let id = envelope.id.clone().map(id_of);
    let id = match (id, &envelope.method) {
        (Some(Err(what)), Some(_)) => {
            return Parsed::Refused(Refusal::invalid(None, what.to_string()));
        }
        (Some(Ok(id)), _) => Some(id),
        (None | Some(Err(_)), _) => None,
    };
    if let Some(what) = twice(bytes) {
        return match envelope.method {
            Some(_) if id.is_some() => Parsed::Refused(Refusal::invalid(id, what)),
            Some(_) | None => Parsed::Nothing,
        };
    }
    match serde_json::from_slice(bytes) {
        Ok(message) => Parsed::Message(Box::new(message)),
        // Neither an answer nor a notification is answered.
        Err(_) if envelope.result.is_some() || envelope.error.is_some() => Parsed::Nothing,
        Err(_) if envelope.method.is_some() && envelope.id.is_none() => Parsed::Nothing,
        // It is nested too deep.
        Err(error) if error.classify() == Category::Syntax => {
            Parsed::Refused(Refusal::invalid(id, format!("this cannot be read: {error}")))
        }
        Err(_) => {
            let what = "a message has \"jsonrpc\": \"2.0\", `method`, perhaps `params`, which is an \
                        object, and, if it is a request, `id`";
            Parsed::Refused(Refusal::invalid(id, what.to_owned()))
        }
    }
}

/// Which field stands twice somewhere in a message, in words.
fn twice(bytes: &[u8]) -> Option<String> {
    let error = serde_json::from_slice::<UniqueKeys>(bytes).err()?;
    // What is no JSON is told where it is read.
    (error.classify() == Category::Data).then(|| format!("this can be read in two ways: {error}"))
}

/// What is wrong with bytes that are no object, or one that has a field twice.
fn no_envelope(bytes: &[u8], error: &serde_json::Error) -> Refusal {
    match error.classify() {
        Category::Syntax | Category::Eof => Refusal::no_json(error),
        Category::Io | Category::Data => match serde_json::from_slice::<IgnoredAny>(bytes) {
            Err(error) => Refusal::no_json(&error),
            Ok(_) if bytes.trim_ascii_start().starts_with(b"[") => {
                Refusal::invalid(None, "send each message by itself, not in a list".to_owned())
            }
            Ok(_) => Refusal::invalid(None, format!("a message is an object: {error}")),
        },
    }
}

/// Why an id is none.
#[derive(Debug, thiserror::Error)]
enum BadId {
    #[error("an id is a string or a whole number")]
    Kind,
    #[error("an id has at most {ID_BYTES_MAX} bytes")]
    TooLong,
}

/// The id of a request.
fn id_of(id: Value) -> Result<RequestId, BadId> {
    let id: RequestId = serde_json::from_value(id).map_err(|_| BadId::Kind)?;
    match &id {
        RequestId::String(text) if text.len() > ID_BYTES_MAX => Err(BadId::TooLong),
        RequestId::String(_) | RequestId::Number(_) => Ok(id),
    }
}

#[cfg(test)]
mod tests;
