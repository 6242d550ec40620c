//! The JSON form of a bill.

use foveal_pricing::bill::Bill;
use serde_json::{Map, Value, json};

/// Returns a bill as JSON: `{tokens, dollars}` for each part, `input` for all prompts, and
/// `dollars` for the total.
pub(crate) fn bill_to_json(bill: &Bill) -> Map<String, Value> {
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
