//! Error messages for requests that could not be parsed: the fault, and the correct form.
#![expect(deprecated, reason = "most clients speak versions of the protocol that have logging")]

use rmcp::model::{
    CallToolRequestParams, CustomRequest, ErrorCode, ErrorData, ReadResourceRequestParams,
    SetLevelRequestParams,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Characters of the client's own text in a message.
const QUOTED_CHARS_MAX: usize = 200;

/// Returns the error for a request that the protocol does not define: its method is unknown, or its
/// parameters do not fit the method.
pub(crate) fn invalid_request_error(request: &CustomRequest) -> ErrorData {
    let params = request.params.as_ref();
    let (why, give) = match request.method.as_str() {
        "tools/call" => (
            describe_call_params_error(params),
            "give `name`, the name of a tool, and `arguments`, an object, as in {\"name\": \
             \"read_file\", \"arguments\": {\"path\": \"src/main.rs\"}}; tools/list tells of both",
        ),
        "resources/read" => (
            describe_params_error::<ReadResourceRequestParams>(params),
            "give `uri`, as resources/list and resources/templates/list tell it",
        ),
        "logging/setLevel" => (
            describe_params_error::<SetLevelRequestParams>(params),
            "give `level`: debug, info, notice, warning, error, critical, alert or emergency",
        ),
        method => {
            let what = format!("there is no method `{}` here", truncate_quote(method));
            return ErrorData::new(ErrorCode::METHOD_NOT_FOUND, what, None);
        }
    };
    let what = format!("{}: {why}; {give}", request.method);
    ErrorData::invalid_params(what, None)
}

/// Describes the fault in the parameters of `tools/call`, field by field.
fn describe_call_params_error(params: Option<&Value>) -> String {
    let Some(Value::Object(fields)) = params else {
        return describe_params_error::<CallToolRequestParams>(params);
    };
    match (fields.get("name"), fields.get("arguments")) {
        (None, _) => "`name` is missing".to_owned(),
        (Some(name), _) if !name.is_string() => {
            format!("`name` is {}, no string", json_type_name(name))
        }
        (_, Some(arguments)) if !arguments.is_object() && !arguments.is_null() => {
            format!("`arguments` is {}, no object", json_type_name(arguments))
        }
        _ => describe_params_error::<CallToolRequestParams>(params),
    }
}

fn describe_params_error<T: DeserializeOwned>(params: Option<&Value>) -> String {
    match params {
        None | Some(Value::Null) => "params are missing".to_owned(),
        Some(params @ Value::Object(_)) => match serde_json::from_value::<T>(params.clone()) {
            Err(error) => truncate_quote(&error.to_string()),
            // The parameters are valid; the message around them is no request.
            Ok(_) => "the request could not be read".to_owned(),
        },
        Some(params) => format!("params is {}, no object", json_type_name(params)),
    }
}

fn json_type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn truncate_quote(text: &str) -> String {
    let count = text.chars().count();
    let shown: String = text.chars().take(QUOTED_CHARS_MAX).collect();
    if count > QUOTED_CHARS_MAX { shown + "…" } else { shown }
}
