//! Requests that could not be read: what is wrong with them, and what to send instead.
#![expect(deprecated, reason = "most clients speak versions of the protocol that have logging")]

use rmcp::model::{
    CallToolRequestParams, CustomRequest, ErrorCode, ErrorData, ReadResourceRequestParams,
    SetLevelRequestParams,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Characters of a client's own words in a message.
const QUOTED_CHARS_MAX: usize = 200;

/// What is answered to a request that is none of the protocol's: either its method is unknown,
/// or its parameters are not those of its method.
pub(crate) fn error_for(request: &CustomRequest) -> ErrorData {
    let params = request.params.as_ref();
    let (why, give) = match request.method.as_str() {
        "tools/call" => (
            of_call(params),
            "give `name`, the name of a tool, and `arguments`, an object, as in {\"name\": \
             \"read_file\", \"arguments\": {\"path\": \"src/main.rs\"}}; tools/list tells of both",
        ),
        "resources/read" => (
            of::<ReadResourceRequestParams>(params),
            "give `uri`, as resources/list and resources/templates/list tell it",
        ),
        "logging/setLevel" => (
            of::<SetLevelRequestParams>(params),
            "give `level`: debug, info, notice, warning, error, critical, alert or emergency",
        ),
        method => {
            let what = format!("there is no method `{}` here", quoted(method));
            return ErrorData::new(ErrorCode::METHOD_NOT_FOUND, what, None);
        }
    };
    let what = format!("{}: {why}; {give}", request.method);
    ErrorData::invalid_params(what, None)
}

/// What is wrong with the parameters of a call, field by field.
fn of_call(params: Option<&Value>) -> String {
    let Some(Value::Object(fields)) = params else { return of::<CallToolRequestParams>(params) };
    match (fields.get("name"), fields.get("arguments")) {
        (None, _) => "`name` is missing".to_owned(),
        (Some(name), _) if !name.is_string() => format!("`name` is {}, no string", kind(name)),
        (_, Some(arguments)) if !arguments.is_object() && !arguments.is_null() => {
            format!("`arguments` is {}, no object", kind(arguments))
        }
        _ => of::<CallToolRequestParams>(params),
    }
}

fn of<T: DeserializeOwned>(params: Option<&Value>) -> String {
    match params {
        None | Some(Value::Null) => "params are missing".to_owned(),
        Some(params @ Value::Object(_)) => match serde_json::from_value::<T>(params.clone()) {
            Err(error) => quoted(&error.to_string()),
            // It is the message around them that is no request.
            Ok(_) => "the request could not be read".to_owned(),
        },
        Some(params) => format!("params is {}, no object", kind(params)),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn quoted(text: &str) -> String {
    let count = text.chars().count();
    let shown: String = text.chars().take(QUOTED_CHARS_MAX).collect();
    if count > QUOTED_CHARS_MAX { shown + "…" } else { shown }
}
