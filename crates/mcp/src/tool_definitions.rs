//! Tool definitions in the protocol's form.

use std::sync::Arc;

use foveal_tools::tool_table::{Tool, ToolSet};
use rmcp::model;
use serde_json::Value;

/// Metadata that tells Claude Code the most characters of a result to show. It cuts longer results
/// to their beginning, and our visibility would then be wrong.
const RESULT_CHARS_KEY: &str = "anthropic/maxResultSizeChars";

/// The largest limit that Claude Code accepts.
const RESULT_CHARS_MAX: u64 = 500_000;

/// Metadata that tells Claude Code to put a tool's definition in every prompt. Its model sees only
/// the names of other tools until it searches for them.
const ALWAYS_LOAD_KEY: &str = "anthropic/alwaysLoad";

/// Returns the definitions of a tool set, in the table's order.
pub(crate) fn tool_definitions(set: ToolSet) -> Vec<model::Tool> {
    set.tools().map(tool_definition).collect()
}

fn tool_definition(tool: &Tool) -> model::Tool {
    let schema = match tool.schema() {
        Value::Object(schema) => schema,
        // A schema of arguments is always an object.
        _ => model::JsonObject::new(),
    };
    let hints = tool.hints;
    let annotations = model::ToolAnnotations::new()
        .read_only(hints.read_only)
        .destructive(hints.destructive)
        .idempotent(hints.idempotent)
        .open_world(hints.open_world);
    let mut meta =
        model::JsonObject::from_iter([(RESULT_CHARS_KEY.to_owned(), RESULT_CHARS_MAX.into())]);
    if tool.is_lean {
        meta.insert(ALWAYS_LOAD_KEY.to_owned(), true.into());
    }
    model::Tool::new(tool.name, tool.description, Arc::new(schema))
        .with_title(tool.title)
        .with_annotations(annotations)
        .with_meta(model::MetaObject(meta))
}
