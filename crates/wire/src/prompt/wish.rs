//! How an answer is to be, where its server can be told.

use serde_json::{Value, json};

use super::dialect::Dialect;
use super::encode::encode;
use super::value::Prompt;

/// How an answer is to be.
#[derive(Debug, Clone, PartialEq)]
pub struct Wish {
    /// How freely the model answers, from 0 to 1.
    pub temperature: f32,
    /// The JSON schema of the answer, with a name. Messages is not told: its models have to be asked
    /// in words.
    pub schema: Option<(&'static str, Value)>,
}

/// The body of a request whose answer is to be so. Servers that do not know of one of it refuse the
/// request.
pub fn encode_wish(dialect: Dialect, prompt: &Prompt<'_>, wish: &Wish) -> Vec<u8> {
    let body = encode(dialect, prompt);
    let Ok(Value::Object(mut body)) = serde_json::from_slice(&body) else { return body };
    // As it is written: 0.3 and not 0.30000001192092896.
    let temperature = (f64::from(wish.temperature) * 1e3).round() / 1e3;
    body.insert("temperature".to_owned(), json!(temperature));
    if let Some((name, schema)) = &wish.schema {
        let (name, form) = match dialect {
            Dialect::Messages => return Value::Object(body).to_string().into_bytes(),
            Dialect::Chat => {
                let schema = json!({"name": name, "schema": schema, "strict": true});
                ("response_format", json!({"type": "json_schema", "json_schema": schema}))
            }
            Dialect::Responses => {
                let form = json!({"type": "json_schema", "name": name, "schema": schema,
                    "strict": true});
                ("text", json!({"format": form}))
            }
        };
        body.insert(name.to_owned(), form);
    }
    Value::Object(body).to_string().into_bytes()
}
