//! Entries in JSON, comments and trailing commas allowed.

use std::collections::HashSet;

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;

use super::entry::{EditError, NAME, is_ours, with_profile};

/// The text as it is written, with what can be changed in it.
pub(super) fn parse(text: &str) -> Result<CstRootNode, EditError> {
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

/// What a text says.
pub(super) fn value(text: &str) -> Result<Value, EditError> {
    Ok(parse(text)?.value().and_then(|value| value.to_serde_value()).unwrap_or_default())
}

/// The outermost object, made if there is nothing at all.
pub(super) fn outermost(root: &CstRootNode) -> Result<CstObject, EditError> {
    root.object_value_or_create()
        .ok_or_else(|| EditError::Kind { key: "the whole".to_owned(), expected: "an object" })
}

/// What is to be written of a value.
pub(crate) fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(all) => CstInputValue::Array(all.iter().map(input).collect()),
        Value::Object(all) => CstInputValue::Object(
            all.iter().map(|(name, value)| (name.clone(), input(value))).collect(),
        ),
    }
}

/// The text with our entry below `keys`; `None` if one is there that starts the same program,
/// with this profile if it is to have one.
pub(super) fn add(
    text: &str,
    keys: &[&str],
    entry: &Value,
    profile: Option<&str>,
) -> Result<Option<String>, EditError> {
    let root = parse(text)?;
    let mut object = outermost(&root)?;
    for (depth, key) in keys.iter().enumerate() {
        object = object.object_value_or_create(key).ok_or_else(|| EditError::Kind {
            key: keys[..=depth].join("."),
            expected: "an object",
        })?;
    }
    let Some(there) = object.get(NAME) else {
        object.append(NAME, input(entry));
        return Ok(Some(ended(&root, text)));
    };
    let known = there.value().and_then(|value| value.to_serde_value()).unwrap_or_default();
    let (command, wanted) = (command(&known), command(entry));
    if !command.is_some_and(is_ours) {
        return Err(EditError::Taken);
    }
    let known = arguments(&known);
    let arguments = profile.map(|profile| with_profile(&known, profile));
    let arguments = arguments.filter(|arguments| *arguments != known);
    if command == wanted && arguments.is_none() {
        return Ok(None);
    }
    // The rest of the entry may be the user's own.
    if let (Some(there), Some(program)) = (there.object_value(), wanted) {
        update(&there, program, arguments);
    }
    Ok(Some(root.to_string()))
}

/// Gives an entry another program, and other arguments if there are any.
fn update(there: &CstObject, program: &str, arguments: Option<Vec<String>>) {
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

/// The text without our entry below `keys`, nor what is empty without it.
pub(super) fn remove(text: &str, keys: &[&str]) -> Result<Option<String>, EditError> {
    let root = parse(text)?;
    let Some(path) = path_to(&root, keys) else { return Ok(None) };
    let Some(entry) = path.last().and_then(|object| object.get(NAME)) else { return Ok(None) };
    if !entry
        .value()
        .and_then(|entry| entry.to_serde_value())
        .as_ref()
        .and_then(command)
        .is_some_and(is_ours)
    {
        return Ok(None);
    }
    entry.remove();
    let (with_empty, comments) = (root.to_string(), comments(&root));
    for depth in (1..path.len()).rev() {
        let is_empty = is_empty(&path[depth]);
        if let Some(own) = path[depth - 1].get(keys[depth - 1]).filter(|_| is_empty) {
            own.remove();
        }
    }
    Ok(Some(unless_lost(&root, comments, with_empty)))
}

/// The text as changed, or else `instead` where a comment went with what was empty.
pub(super) fn unless_lost(root: &CstRootNode, comments_before: usize, instead: String) -> String {
    if comments(root) < comments_before { instead } else { root.to_string() }
}

/// Comments in the whole.
pub(super) fn comments(root: &CstRootNode) -> usize {
    let mut left = root.children();
    let mut count = 0;
    while let Some(node) = left.pop() {
        count += usize::from(node.is_comment());
        left.extend(node.children());
    }
    count
}

/// The program that our entry below `keys` starts.
pub(super) fn program(text: &str, keys: &[&str]) -> Option<String> {
    command(&entry(text, keys)?).map(str::to_owned)
}

/// Our entry below `keys`.
pub(super) fn entry(text: &str, keys: &[&str]) -> Option<Value> {
    let root = parse(text).ok()?;
    let entry = path_to(&root, keys)?.last()?.get(NAME)?.value()?.to_serde_value()?;
    command(&entry).is_some_and(is_ours).then_some(entry)
}

/// Whether there is an object below `keys`.
pub(super) fn has(text: &str, keys: &[&str]) -> bool {
    parse(text).ok().is_some_and(|root| path_to(&root, keys).is_some())
}

/// The outermost object and those that `keys` lead through, if all are there.
fn path_to(root: &CstRootNode, keys: &[&str]) -> Option<Vec<CstObject>> {
    let mut path = vec![root.object_value()?];
    for key in keys {
        path.push(path.last()?.object_value(key)?);
    }
    Some(path)
}

/// Whether there is nothing in an object, no comment either.
pub(super) fn is_empty(object: &CstObject) -> bool {
    object.properties().is_empty() && !object.children().iter().any(|child| child.is_comment())
}

/// The program of an entry, which is text or the first of a list.
fn command(entry: &Value) -> Option<&str> {
    let command = entry.get("command")?;
    command.as_str().or_else(|| command.get(0)?.as_str())
}

/// What an entry starts its program with.
fn arguments(entry: &Value) -> Vec<&str> {
    let all = match entry.get("args") {
        Some(arguments) => arguments.as_array().map(Vec::as_slice),
        None => entry.get("command").and_then(Value::as_array).and_then(|command| command.get(1..)),
    };
    all.unwrap_or_default().iter().filter_map(Value::as_str).collect()
}

/// The text as changed, with a line's end after it where the text was new.
pub(super) fn ended(root: &CstRootNode, before: &str) -> String {
    let mut text = root.to_string();
    if before.trim().is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}
