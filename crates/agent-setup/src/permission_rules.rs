//! Permission rules that let tools run without approval, in a list in an agent's settings.

use foveal_tools::tool_table::TOOLS;
use jsonc_parser::cst::{CstArray, CstNode};

use super::foveal_entry::{EditError, NAME};
use super::json_servers::{
    comment_count, is_empty, parse_tree, root_object, text_unless_comment_lost,
    text_with_final_newline, to_cst_input,
};

/// The keys of the list of rules, for the agents that have one.
const RULE_LIST_KEYS: [&str; 2] = ["permissions", "allow"];

/// Returns the tools that change nothing and contact no other machine.
pub(crate) fn read_only_tools() -> impl Iterator<Item = &'static str> {
    let tools = TOOLS.iter().filter(|tool| tool.hints.read_only && !tool.hints.open_world);
    tools.map(|tool| tool.name)
}

/// Returns the rules in the form of Claude Code and Qwen Code.
fn permission_rules() -> impl Iterator<Item = String> {
    read_only_tools().map(|tool| format!("mcp__{NAME}__{tool}"))
}

/// Returns the text with foveal's rules; `None` if it has them all.
pub(crate) fn add_rules(text: &str) -> Result<Option<String>, EditError> {
    let root = parse_tree(text)?;
    let wrong = |key: &str, expected| EditError::WrongType { key: key.to_owned(), expected };
    let permissions = root_object(&root)?
        .object_value_or_create(RULE_LIST_KEYS[0])
        .ok_or_else(|| wrong(RULE_LIST_KEYS[0], "an object"))?;
    let list = permissions
        .array_value_or_create(RULE_LIST_KEYS[1])
        .ok_or_else(|| wrong(&RULE_LIST_KEYS.join("."), "a list"))?;
    let known: Vec<String> = list.elements().iter().filter_map(element_text).collect();
    let mut is_changed = false;
    for rule in permission_rules().filter(|rule| !known.contains(rule)) {
        list.append(to_cst_input(&rule.into()));
        is_changed = true;
    }
    Ok(is_changed.then(|| text_with_final_newline(&root, text)))
}

/// Returns the text without foveal's rules and the objects that become empty; `None` if there are
/// none.
pub(crate) fn remove_rules(text: &str) -> Result<Option<String>, EditError> {
    let root = parse_tree(text)?;
    let Some(object) = root.object_value() else { return Ok(None) };
    let Some(permissions) = object.object_value(RULE_LIST_KEYS[0]) else { return Ok(None) };
    let Some(list) = permissions.array_value(RULE_LIST_KEYS[1]) else { return Ok(None) };
    let ours: Vec<CstNode> = list.elements().into_iter().filter(is_foveal_rule).collect();
    if ours.is_empty() {
        return Ok(None);
    }
    ours.into_iter().for_each(CstNode::remove);
    let (with_empty, comments) = (root.to_string(), comment_count(&root));
    if let Some(own) = permissions.get(RULE_LIST_KEYS[1]).filter(|_| is_empty_list(&list)) {
        own.remove();
    }
    if let Some(own) = object.get(RULE_LIST_KEYS[0]).filter(|_| is_empty(&permissions)) {
        own.remove();
    }
    Ok(Some(text_unless_comment_lost(&root, comments, with_empty)))
}

fn is_empty_list(list: &CstArray) -> bool {
    list.elements().is_empty()
}

fn is_foveal_rule(element: &CstNode) -> bool {
    element_text(element).is_some_and(|text| permission_rules().any(|rule| rule == text))
}

fn element_text(element: &CstNode) -> Option<String> {
    Some(element.to_serde_value()?.as_str()?.to_owned())
}
