//! What a model is told of the tools, and what that costs.

use foveal_pricing::tokens::Tokenizer;
use foveal_tool_effects::ToolKind;
use foveal_tools::tool_table::{TOOLS, ToolSet};
use serde_json::json;

/// Tokens of the tools as a client sends them: name, description, schema.
fn tokens(set: ToolSet) -> u64 {
    let told = |tool: &foveal_tools::Tool| {
        json!({
            "name": tool.name, "description": tool.description, "input_schema": tool.schema(),
        })
    };
    let all: Vec<_> = set.tools().map(told).collect();
    Tokenizer::O200k.count(&json!(all).to_string()).0
}

#[test]
fn what_is_told_of_the_tools_is_short() {
    let (lean, full) = (tokens(ToolSet::Lean), tokens(ToolSet::Full));
    println!("lean {lean}, full {full} tokens");
    assert!(ToolSet::Lean.tools().count() <= 6);
    assert!(lean <= 1_000, "{lean} tokens");
    assert!(full <= 2_500, "{full} tokens");
}

#[test]
fn every_tool_has_a_schema_without_references() {
    for tool in TOOLS {
        let schema = tool.schema();
        assert_eq!(schema["type"], "object", "{}", tool.name);
        assert!(!schema.to_string().contains("$ref"), "{schema}");
        assert!(tool.description.ends_with('.'), "{}", tool.name);
    }
    let mut names: Vec<_> = TOOLS.iter().map(|tool| tool.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), TOOLS.len());
}

#[test]
fn every_tool_is_of_a_kind_that_says_the_same_of_it() {
    for tool in TOOLS {
        let kind = ToolKind::find_by_name(tool.name);
        let is_read_only = kind.map(|kind| kind.is_read_only);
        assert_eq!(is_read_only, Some(tool.hints.read_only), "{}", tool.name);
    }
}
