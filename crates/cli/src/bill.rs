//! A bill as JSON.

use foveal_context::bill::Bill;
use serde_json::{Map, Value, json};

/// A bill as JSON: `{tokens, dollars}` for each part, `input` for all of the prompts, and
/// `dollars` for all.
pub(crate) fn json(bill: &Bill) -> Map<String, Value> {
    let amount = |tokens: u64, dollars: f64| json!({ "tokens": tokens, "dollars": dollars });
    let mut parts = Map::new();
    for (name, part) in bill.parts() {
        parts.insert(name.to_owned(), amount(part.tokens, part.dollars));
    }
    let input = bill.input();
    parts.insert("input".to_owned(), amount(input.tokens, input.dollars));
    parts.insert("dollars".to_owned(), json!(bill.dollars()));
    parts
}
