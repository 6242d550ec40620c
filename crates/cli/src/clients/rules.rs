//! Rules by which an agent lets a tool run without asking: texts in a list of its settings.

use foveal_tools::table::TOOLS;
use jsonc_parser::cst::{CstArray, CstNode};

use super::entry::{EditError, NAME};
use super::json::{comments, ended, input, is_empty, outermost, parse, unless_lost};

/// The list with such rules, below these keys, of the agents that have one.
const KEYS: [&str; 2] = ["permissions", "allow"];

/// The tools that change nothing and ask no other machine.
pub(super) fn read_only_tools() -> impl Iterator<Item = &'static str> {
    let tools = TOOLS.iter().filter(|tool| tool.hints.read_only && !tool.hints.open_world);
    tools.map(|tool| tool.name)
}

/// The rules, as Claude Code and Qwen Code spell them.
fn rules() -> impl Iterator<Item = String> {
    read_only_tools().map(|tool| format!("mcp__{NAME}__{tool}"))
}

/// The text with our rules; `None` if all are there.
pub(super) fn add(text: &str) -> Result<Option<String>, EditError> {
    let root = parse(text)?;
    let wrong = |key: &str, expected| EditError::Kind { key: key.to_owned(), expected };
    let permissions = outermost(&root)?
        .object_value_or_create(KEYS[0])
        .ok_or_else(|| wrong(KEYS[0], "an object"))?;
    let list = permissions
        .array_value_or_create(KEYS[1])
        .ok_or_else(|| wrong(&KEYS.join("."), "a list"))?;
    let known: Vec<String> = list.elements().iter().filter_map(text_of).collect();
    let mut is_changed = false;
    for rule in rules().filter(|rule| !known.contains(rule)) {
        list.append(input(&rule.into()));
        is_changed = true;
    }
    Ok(is_changed.then(|| ended(&root, text)))
}

/// The text without our rules, nor what is empty without them.
pub(super) fn remove(text: &str) -> Result<Option<String>, EditError> {
    let root = parse(text)?;
    let Some(object) = root.object_value() else { return Ok(None) };
    let Some(permissions) = object.object_value(KEYS[0]) else { return Ok(None) };
    let Some(list) = permissions.array_value(KEYS[1]) else { return Ok(None) };
    let ours: Vec<CstNode> = list.elements().into_iter().filter(is_ours).collect();
    if ours.is_empty() {
        return Ok(None);
    }
    ours.into_iter().for_each(CstNode::remove);
    let (with_empty, comments) = (root.to_string(), comments(&root));
    if let Some(own) = permissions.get(KEYS[1]).filter(|_| has_nothing(&list)) {
        own.remove();
    }
    if let Some(own) = object.get(KEYS[0]).filter(|_| is_empty(&permissions)) {
        own.remove();
    }
    Ok(Some(unless_lost(&root, comments, with_empty)))
}

fn has_nothing(list: &CstArray) -> bool {
    list.elements().is_empty()
}

fn is_ours(element: &CstNode) -> bool {
    text_of(element).is_some_and(|text| rules().any(|rule| rule == text))
}

fn text_of(element: &CstNode) -> Option<String> {
    Some(element.to_serde_value()?.as_str()?.to_owned())
}
