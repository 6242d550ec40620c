//! What a model said as its provider takes it back, where that is not as it came.

use serde_json::Value;
use serde_json::value::RawValue;

/// Items of OpenAI's Responses. A provider that keeps nothing takes reasoning back
/// only where that is there, and without it no ids either.
pub(super) fn items(said: &[u8], store: Option<bool>) -> Vec<u8> {
    let list = [b"[", said, b"]"].concat();
    let items: Vec<&RawValue> = serde_json::from_slice(&list).unwrap_or_default();
    let is_bare = |item: &&RawValue| {
        let item: Value = serde_json::from_str(item.get()).unwrap_or_default();
        item["type"] == "reasoning" && !item["encrypted_content"].is_string()
    };
    if store != Some(false) || !items.iter().any(is_bare) {
        return said.to_vec();
    }
    let rest: Vec<String> = items.into_iter().filter(|item| !is_bare(item)).map(nameless).collect();
    rest.join(",").into_bytes()
}

/// An item without its id.
fn nameless(item: &RawValue) -> String {
    match serde_json::from_str(item.get()) {
        Ok(Value::Object(mut item)) => {
            item.shift_remove("id");
            Value::Object(item).to_string()
        }
        _ => item.get().to_owned(),
    }
}
