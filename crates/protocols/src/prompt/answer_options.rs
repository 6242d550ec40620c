//! Options of an answer for servers that support them.

use serde_json::{Value, json};

use super::api_dialect::ApiDialect;
use super::prompt_content::Prompt;
use super::prompt_encoding::encode_prompt;

/// Options of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerOptions {
    /// The sampling temperature, from 0 to 1.
    pub temperature: f32,
    /// The name and the JSON schema of the answer. Messages has no such field: the prompt has to
    /// ask for the schema.
    pub schema: Option<(&'static str, Value)>,
}

/// Returns the body of a request with options. Servers that do not support one of them refuse the
/// request.
pub fn encode_with_options(
    dialect: ApiDialect,
    prompt: &Prompt<'_>,
    wish: &AnswerOptions,
) -> Vec<u8> {
    let body = encode_prompt(dialect, prompt);
    let Ok(Value::Object(mut body)) = serde_json::from_slice(&body) else { return body };
    // The decimal form: 0.3 and not 0.30000001192092896.
    let temperature = (f64::from(wish.temperature) * 1e3).round() / 1e3;
    body.insert("temperature".to_owned(), json!(temperature));
    if let Some((name, schema)) = &wish.schema {
        let (name, form) = match dialect {
            ApiDialect::Messages => return Value::Object(body).to_string().into_bytes(),
            ApiDialect::Chat => {
                let schema = json!({"name": name, "schema": schema, "strict": true});
                ("response_format", json!({"type": "json_schema", "json_schema": schema}))
            }
            ApiDialect::Responses => {
                let form = json!({"type": "json_schema", "name": name, "schema": schema,
                    "strict": true});
                ("text", json!({"format": form}))
            }
        };
        body.insert(name.to_owned(), form);
    }
    Value::Object(body).to_string().into_bytes()
}
