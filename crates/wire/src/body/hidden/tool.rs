//! The tool as requests declare it.

use serde_json::{Value, json};

use super::insertion::Insertion;
use crate::body::error::BodyError;
use crate::body::scan::Body;
use crate::body::walk::{self, Place};
use crate::protocol::Protocol;
use crate::response::EXPAND_TOOL;

/// What the model is told of the tool.
const DESCRIPTION: &str = "Get back what was left out of an earlier tool result. Where lines were \
                           left out, a note in the result names their handle (12 hex digits).";

/// The tool as a request of this API declares it; `None` where it cannot be put in.
pub fn expand_tool(protocol: Protocol) -> Option<String> {
    let parameters = json!({
        "type": "object",
        "properties": {
            "handle": {"type": "string", "description": "The handle in the note"},
            "start": {"type": "integer", "description": "First line, 1 if not given"},
        },
        "required": ["handle"],
    });
    let tool = match protocol {
        Protocol::Messages => json!({
            "name": EXPAND_TOOL, "description": DESCRIPTION, "input_schema": parameters,
        }),
        Protocol::Chat => json!({"type": "function", "function": {
            "name": EXPAND_TOOL, "description": DESCRIPTION, "parameters": parameters,
        }}),
        Protocol::Responses | Protocol::Gemini => return None,
    };
    Some(tool.to_string())
}

/// Whether a request can have the tool: it declares tools, and none of this name. At a
/// conversation's start, which `begins`, the model has to be free to choose among them too.
///
/// # Errors
/// If the tools are no JSON.
pub fn takes_tool(body: &Body, bytes: &[u8], begins: bool) -> Result<bool, BodyError> {
    let Some(tools) = &body.tools else { return Ok(false) };
    let Some(all) = walk::elements(bytes, tools)? else { return Ok(false) };
    if all.is_empty() {
        return Ok(false);
    }
    for tool in &all {
        let [name, function] = walk::members(bytes, tool, ["name", "function"])?;
        let inner = match function {
            Some(function) => walk::members(bytes, &function, ["name"])?,
            None => [None],
        };
        let is_it = |place: Place| walk::text(bytes, &place).is_some_and(|it| it == EXPAND_TOOL);
        if name.is_some_and(is_it) || inner.into_iter().flatten().any(is_it) {
            return Ok(false);
        }
    }
    Ok(!begins || is_free(bytes)?)
}

/// Whether nothing says which tool is to be called, and one answer is wanted.
fn is_free(bytes: &[u8]) -> Result<bool, BodyError> {
    let [choice, count] = walk::members(bytes, &(0..bytes.len()), ["tool_choice", "n"])?;
    let value = |place: Place| serde_json::from_slice::<Value>(&bytes[place]).unwrap_or_default();
    let is_one = count.map(value).is_none_or(|count| count.is_null() || count == 1);
    let is_free = choice.map(value).is_none_or(|choice| match &choice {
        Value::Null => true,
        Value::String(choice) => choice == "auto" || choice == "none",
        choice => choice["type"] == "auto" || choice["type"] == "none",
    });
    Ok(is_one && is_free)
}

/// Puts the tool behind a request's own tools. A mark on the last of these then means what it meant:
/// it ends the client's tools, and the tool, the same in each request, is covered by the marks
/// behind it.
pub fn offered(body: &Body, tool: &str) -> Option<Insertion> {
    let tools = body.tools.as_ref()?;
    Some(Insertion::new(tools.end - 1, format!(",{tool}")))
}
