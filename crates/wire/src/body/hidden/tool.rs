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

/// The tool as a request of this API declares it.
pub fn expand_tool(protocol: Protocol) -> String {
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
        // What is not said to be free is strict there, and would have to name all parameters.
        Protocol::Responses => json!({
            "type": "function", "name": EXPAND_TOOL, "description": DESCRIPTION,
            "parameters": parameters, "strict": false,
        }),
        Protocol::Gemini => json!({
            "name": EXPAND_TOOL, "description": DESCRIPTION, "parameters": parameters,
        }),
    };
    tool.to_string()
}

/// Whether a request can have the tool: it declares tools, and none of this name, and its answer
/// comes at once. At a conversation's start, which `begins`, the model has to be free to choose
/// among them too.
///
/// # Errors
/// If the tools are no JSON.
pub fn takes_tool(body: &Body, bytes: &[u8], begins: bool) -> Result<bool, BodyError> {
    let Some(tools) = &body.tools else { return Ok(false) };
    let Some(all) = walk::elements(bytes, tools)? else { return Ok(false) };
    if all.is_empty() || (body.protocol == Protocol::Responses && is_later(bytes)?) {
        return Ok(false);
    }
    if body.protocol == Protocol::Gemini && declared(bytes, tools)?.is_none() {
        return Ok(false);
    }
    for tool in &all {
        const NAMES: [&str; 4] =
            ["name", "function", "functionDeclarations", "function_declarations"];
        let [name, function, camel, snake] = walk::members(bytes, tool, NAMES)?;
        let mut inner: Vec<Place> = function.into_iter().collect();
        if let Some(declared) = camel.or(snake) {
            inner.extend(walk::elements(bytes, &declared)?.unwrap_or_default());
        }
        let is_it = |place: Place| walk::text(bytes, &place).is_some_and(|it| it == EXPAND_TOOL);
        let mut names = vec![name];
        for function in inner {
            names.extend(walk::members(bytes, &function, ["name"])?);
        }
        if names.into_iter().flatten().any(is_it) {
            return Ok(false);
        }
    }
    Ok(!begins || is_free(body.protocol, bytes)?)
}

/// Whether the answer is made in the background, and fetched later.
fn is_later(bytes: &[u8]) -> Result<bool, BodyError> {
    let [background] = walk::members(bytes, &(0..bytes.len()), ["background"])?;
    Ok(background.is_some_and(|it| &bytes[it] == b"true"))
}

/// The last list of functions among Gemini's tools that has any.
fn declared(bytes: &[u8], tools: &Place) -> Result<Option<Place>, BodyError> {
    for tool in walk::elements(bytes, tools)?.unwrap_or_default().iter().rev() {
        let names = ["functionDeclarations", "function_declarations"];
        let [camel, snake] = walk::members(bytes, tool, names)?;
        let Some(list) = camel.or(snake) else { continue };
        if walk::elements(bytes, &list)?.is_some_and(|all| !all.is_empty()) {
            return Ok(Some(list));
        }
    }
    Ok(None)
}

/// Whether nothing says which tool is to be called, and one answer is wanted.
fn is_free(protocol: Protocol, bytes: &[u8]) -> Result<bool, BodyError> {
    const NAMES: [&str; 6] =
        ["tool_choice", "n", "toolConfig", "tool_config", "generationConfig", "generation_config"];
    let members = walk::members(bytes, &(0..bytes.len()), NAMES)?;
    let value = |place: Place| serde_json::from_slice::<Value>(&bytes[place]).unwrap_or_default();
    let [choice, count, camel, snake, own, other] = members.map(|it| it.map(value));
    let is_one = |count: &Value| count.is_null() || *count == 1;
    if protocol == Protocol::Gemini {
        let settings = own.or(other).unwrap_or_default();
        let counts = ["candidateCount", "candidate_count"].map(|key| &settings[key]);
        let is_free = camel.or(snake).is_none_or(|choice| may_choose(&choice));
        return Ok(is_free && counts.into_iter().all(is_one));
    }
    let is_free = choice.is_none_or(|choice| match &choice {
        Value::Null => true,
        Value::String(choice) => choice == "auto" || choice == "none",
        choice => choice["type"] == "auto" || choice["type"] == "none",
    });
    Ok(is_free && count.as_ref().is_none_or(is_one))
}

/// Whether Gemini's model may choose among all functions.
fn may_choose(choice: &Value) -> bool {
    let keys = ["functionCallingConfig", "function_calling_config"];
    keys.iter().map(|key| &choice[*key]).all(|choice| {
        let is_any = choice["mode"].as_str().is_some_and(|mode| mode.eq_ignore_ascii_case("any"));
        let names = ["allowedFunctionNames", "allowed_function_names"].map(|key| &choice[key]);
        !is_any && names.into_iter().all(Value::is_null)
    })
}

/// Puts the tool behind a request's own tools. A mark on the last of these then means what it meant:
/// it ends the client's tools, and the tool, the same in each request, is covered by the marks
/// behind it.
pub fn offered(body: &Body, bytes: &[u8], tool: &str) -> Option<Insertion> {
    let tools = body.tools.as_ref()?;
    let list = match body.protocol {
        Protocol::Gemini => declared(bytes, tools).ok()??,
        _ => tools.clone(),
    };
    Some(Insertion::new(list.end - 1, format!(",{tool}")))
}
