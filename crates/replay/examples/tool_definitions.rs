//! Tokens of the tools that request bodies declare, as they are, without what says nothing in their
//! schemas, and with short descriptions too.
//!
//! ```text
//! cargo run --release -p foveal-replay --example tool_definitions -- BODY…
//! ```
//!
//! A line for each list of tools; lists that stood in an earlier body are left out.

use std::collections::HashSet;

use foveal_context::tokens::Tokenizer;
use foveal_wire::body::{Shortened, definitions, without};
use serde_json::Value;

fn main() {
    let mut seen = HashSet::new();
    println!("{:>6} {:>8} {:>8} {:>8} {:>6}  body", "tools", "tokens", "plain", "short", "less");
    for path in std::env::args().skip(1) {
        let Ok(bytes) = std::fs::read(&path) else {
            eprintln!("`{path}` cannot be read");
            continue;
        };
        let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        if body["tools"].is_array() && seen.insert(body["tools"].to_string()) {
            line(&body["tools"], &path);
        }
    }
}

/// What a list of tools comes to.
fn line(tools: &Value, path: &str) {
    let text = tools.to_string();
    let bytes = text.as_bytes();
    let all = definitions(bytes, &(0..bytes.len())).expect("written as JSON");
    let tokens = |how: Option<Shortened>| -> u64 {
        let shortened = |how| all.iter().map(move |it| it.shortened(bytes, how, &|_| false));
        let left_out: Vec<_> =
            how.into_iter().flat_map(shortened).flat_map(|it| it.expect("JSON")).collect();
        Tokenizer::O200k.count(&String::from_utf8_lossy(&without(bytes, &left_out))).0
    };
    let (whole, plain) = (tokens(None), tokens(Some(Shortened::Noise)));
    let short = tokens(Some(Shortened::Texts));
    let less = 100.0 * (1.0 - short as f64 / whole.max(1) as f64);
    println!("{:>6} {whole:>8} {plain:>8} {short:>8} {less:>5.1}%  {path}", all.len());
}
