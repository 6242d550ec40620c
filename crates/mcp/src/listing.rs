//! The table of tools as clients are told of it.

use std::sync::Arc;

use foveal_tools::table::{Tool, ToolSet};
use rmcp::model;
use serde_json::Value;

/// Under this name Claude Code is told how many characters of an answer it may show; of longer
/// ones it would show the beginning alone, and what was shown would not be what we think.
const SIZE_KEY: &str = "anthropic/maxResultSizeChars";

/// The most that may be asked for.
const SIZE_MAX: u64 = 500_000;

/// Under this name Claude Code is told that a tool belongs in every prompt. It tells its model of
/// others by name alone, until the model searches for them.
const ALWAYS_KEY: &str = "anthropic/alwaysLoad";

/// All tools of a set, in the table's order.
pub(crate) fn tools(set: ToolSet) -> Vec<model::Tool> {
    set.tools().map(listed).collect()
}

fn listed(tool: &Tool) -> model::Tool {
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
    let mut meta = model::JsonObject::from_iter([(SIZE_KEY.to_owned(), SIZE_MAX.into())]);
    if tool.is_lean {
        meta.insert(ALWAYS_KEY.to_owned(), true.into());
    }
    model::Tool::new(tool.name, tool.description, Arc::new(schema))
        .with_title(tool.title)
        .with_annotations(annotations)
        .with_meta(model::MetaObject(meta))
}
