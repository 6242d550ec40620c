//! Server entries in JSON, which may have comments and trailing commas.

use std::collections::HashSet;

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;

use super::foveal_entry::{EditError, NAME, is_foveal_command, replace_profile};

/// Parses a text into a syntax tree that preserves it and can be edited.
pub(crate) fn parse_tree(text: &str) -> Result<CstRootNode, EditError> {
    let options = ParseOptions {
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
        ..ParseOptions::default()
    };
    let root = CstRootNode::parse(text, &options).map_err(|error| EditError::Broken {
        line: error.line_display(),
        what: error.kind().to_string().to_lowercase(),
    })?;
    match duplicate_key(&root) {
        Some(key) => Err(EditError::DuplicateKey { key }),
        None => Ok(root),
    }
}

/// Returns the first key that an object has twice.
fn duplicate_key(root: &CstRootNode) -> Option<String> {
    let mut nodes = root.children();
    while let Some(node) = nodes.pop() {
        if let Some(object) = node.as_object() {
            let mut keys = HashSet::new();
            let names = object.properties().into_iter().filter_map(|property| property.name());
            for name in names.filter_map(|name| name.decoded_value().ok()) {
                if !keys.insert(name.clone()) {
                    return Some(name);
                }
            }
        }
        nodes.extend(node.children());
    }
    None
}

/// Parses a text into a value.
pub(crate) fn parse_value(text: &str) -> Result<Value, EditError> {
    Ok(parse_tree(text)?.value().and_then(|value| value.to_serde_value()).unwrap_or_default())
}

/// Returns the outermost object, which is created in an empty text.
pub(crate) fn root_object(root: &CstRootNode) -> Result<CstObject, EditError> {
    root.object_value_or_create()
        .ok_or_else(|| EditError::WrongType { key: "the whole".to_owned(), expected: "an object" })
}

/// Converts a value for insertion into a syntax tree.
pub fn to_cst_input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(all) => CstInputValue::Array(all.iter().map(to_cst_input).collect()),
        Value::Object(all) => CstInputValue::Object(
            all.iter().map(|(name, value)| (name.clone(), to_cst_input(value))).collect(),
        ),
    }
}

/// Returns the text with foveal's entry below `keys`; `None` if it has one with the same program
/// and, if `profile` is given, with that profile.
pub(crate) fn add_entry(
    text: &str,
    keys: &[&str],
    entry: &Value,
    profile: Option<&str>,
) -> Result<Option<String>, EditError> {
    let root = parse_tree(text)?;
    let mut object = root_object(&root)?;
    for (depth, key) in keys.iter().enumerate() {
        object = object.object_value_or_create(key).ok_or_else(|| EditError::WrongType {
            key: keys[..=depth].join("."),
            expected: "an object",
        })?;
    }
    let Some(there) = object.get(NAME) else {
        object.append(NAME, to_cst_input(entry));
        return Ok(Some(text_with_final_newline(&root, text)));
    };
    let known = there.value().and_then(|value| value.to_serde_value()).unwrap_or_default();
    let (command, wanted) = (entry_program(&known), entry_program(entry));
    if !command.is_some_and(is_foveal_command) {
        return Err(EditError::NameTaken);
    }
    let known = entry_arguments(&known);
    let arguments = profile.map(|profile| replace_profile(&known, profile));
    let arguments = arguments.filter(|arguments| *arguments != known);
    if command == wanted && arguments.is_none() {
        return Ok(None);
    }
    // The rest of the entry may be the user's own.
    if let (Some(there), Some(program)) = (there.object_value(), wanted) {
        update_entry(&there, program, arguments);
    }
    Ok(Some(root.to_string()))
}

/// Sets the program of an entry, and its arguments if some are given.
fn update_entry(there: &CstObject, program: &str, arguments: Option<Vec<String>>) {
    let Some(command) = there.get("command") else { return };
    match (command.array_value(), arguments) {
        (Some(_), Some(arguments)) => {
            let program = std::iter::once(program.to_owned());
            command.set_value(program.chain(arguments).collect::<Vec<_>>().into());
        }
        (Some(array), None) => {
            let first = array.elements().into_iter().next();
            if let Some(first) = first.and_then(|first| first.as_string_lit()) {
                first.replace_with(CstInputValue::String(program.to_owned()));
            }
        }
        (None, arguments) => {
            command.set_value(program.into());
            let Some(arguments) = arguments else { return };
            match there.get("args") {
                Some(known) => known.set_value(arguments.into()),
                None => drop(there.append("args", arguments.into())),
            }
        }
    }
}

/// Returns the text without foveal's entry below `keys` and the objects that become empty.
pub(crate) fn remove_entry(text: &str, keys: &[&str]) -> Result<Option<String>, EditError> {
    let root = parse_tree(text)?;
    let Some(path) = object_path(&root, keys) else { return Ok(None) };
    let Some(entry) = path.last().and_then(|object| object.get(NAME)) else { return Ok(None) };
    if !entry
        .value()
        .and_then(|entry| entry.to_serde_value())
        .as_ref()
        .and_then(entry_program)
        .is_some_and(is_foveal_command)
    {
        return Ok(None);
    }
    entry.remove();
    let (with_empty, comments) = (root.to_string(), comment_count(&root));
    for depth in (1..path.len()).rev() {
        let is_empty = is_empty(&path[depth]);
        if let Some(own) = path[depth - 1].get(keys[depth - 1]).filter(|_| is_empty) {
            own.remove();
        }
    }
    Ok(Some(text_unless_comment_lost(&root, comments, with_empty)))
}

/// Returns the tree as text, or `instead` if the removal of empty objects removed a comment.
pub(crate) fn text_unless_comment_lost(
    root: &CstRootNode,
    comments_before: usize,
    instead: String,
) -> String {
    if comment_count(root) < comments_before { instead } else { root.to_string() }
}

/// Returns the number of comments in a tree.
pub(crate) fn comment_count(root: &CstRootNode) -> usize {
    let mut left = root.children();
    let mut count = 0;
    while let Some(node) = left.pop() {
        count += usize::from(node.is_comment());
        left.extend(node.children());
    }
    count
}

/// Returns the program that foveal's entry below `keys` starts.
pub(crate) fn installed_program(text: &str, keys: &[&str]) -> Option<String> {
    entry_program(&find_entry(text, keys)?).map(str::to_owned)
}

/// Returns foveal's entry below `keys`.
pub(crate) fn find_entry(text: &str, keys: &[&str]) -> Option<Value> {
    let root = parse_tree(text).ok()?;
    let entry = object_path(&root, keys)?.last()?.get(NAME)?.value()?.to_serde_value()?;
    entry_program(&entry).is_some_and(is_foveal_command).then_some(entry)
}

/// Returns whether there is an object below `keys`.
pub(crate) fn has_object(text: &str, keys: &[&str]) -> bool {
    parse_tree(text).ok().is_some_and(|root| object_path(&root, keys).is_some())
}

/// Returns the outermost object and the objects on the way along `keys`, if all exist.
fn object_path(root: &CstRootNode, keys: &[&str]) -> Option<Vec<CstObject>> {
    let mut path = vec![root.object_value()?];
    for key in keys {
        path.push(path.last()?.object_value(key)?);
    }
    Some(path)
}

/// Returns whether an object has neither properties nor comments.
pub(crate) fn is_empty(object: &CstObject) -> bool {
    object.properties().is_empty() && !object.children().iter().any(|child| child.is_comment())
}

/// Returns the program of an entry: its command, or the first element of that.
fn entry_program(entry: &Value) -> Option<&str> {
    let command = entry.get("command")?;
    command.as_str().or_else(|| command.get(0)?.as_str())
}

/// Returns the arguments with which an entry starts its program.
fn entry_arguments(entry: &Value) -> Vec<&str> {
    let all = match entry.get("args") {
        Some(arguments) => arguments.as_array().map(Vec::as_slice),
        None => entry.get("command").and_then(Value::as_array).and_then(|command| command.get(1..)),
    };
    all.unwrap_or_default().iter().filter_map(Value::as_str).collect()
}

/// Returns the tree as text, with a final line break if the text was empty before.
pub(crate) fn text_with_final_newline(root: &CstRootNode, before: &str) -> String {
    let mut text = root.to_string();
    if before.trim().is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}
