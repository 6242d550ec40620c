//! Reads and sets addresses in JSON, which may have comments and trailing commas.

use jsonc_parser::cst::{CstNode, CstObject};
use serde_json::Value;

use super::address_entries::AddressChange;
use crate::foveal_entry::EditError;
use crate::json_servers::{
    comment_count, is_empty, parse_tree, root_object, text_unless_comment_lost,
    text_with_final_newline,
};

/// Parses a settings file.
pub(super) fn parse_settings(text: &str) -> Result<Value, EditError> {
    crate::json_servers::parse_value(text)
}

/// Returns the text with these changes. Objects that become empty are removed.
pub(super) fn set_addresses(text: &str, changed: &[AddressChange]) -> Result<String, EditError> {
    let root = parse_tree(text)?;
    let object = root_object(&root)?;
    for (keys, wanted) in changed {
        let Some((key, before)) = keys.split_last() else { continue };
        let wrong = || EditError::WrongType { key: before.join("."), expected: "an object" };
        match wanted {
            Some(wanted) => {
                let holder = object_at(&object, before, true).ok_or_else(wrong)?;
                match holder.get(key) {
                    Some(known) => known.set_value(wanted.as_str().into()),
                    None => drop(holder.append(key, wanted.as_str().into())),
                }
            }
            None => {
                let holder = object_at(&object, before, false);
                if let Some(known) = holder.and_then(|holder| holder.get(key)) {
                    known.remove();
                }
            }
        }
    }
    let (with_empty, comments) = (text_with_final_newline(&root, text), comment_count(&root));
    for (keys, _) in changed.iter().filter(|(_, wanted)| wanted.is_none()) {
        for depth in (1..keys.len()).rev() {
            let inner = object_at(&object, &keys[..depth], false);
            let outer = object_at(&object, &keys[..depth - 1], false);
            let (Some(_), Some(outer)) = (inner.filter(is_empty), outer) else { break };
            if let Some(own) = outer.get(&keys[depth - 1]) {
                own.remove();
            }
        }
    }
    let is_pruned = changed.iter().any(|(_, wanted)| wanted.is_none());
    Ok(if is_pruned { text_unless_comment_lost(&root, comments, with_empty) } else { with_empty })
}

/// Returns the object that `keys` lead to. If `creates`, missing objects are created.
fn object_at(object: &CstObject, keys: &[String], creates: bool) -> Option<CstObject> {
    let mut object = object.clone();
    let mut left = keys.iter();
    while let Some(key) = left.next() {
        object = match object.array_value(key) {
            Some(list) => {
                let at: usize = left.next()?.parse().ok()?;
                list.elements().get(at).and_then(CstNode::as_object)?
            }
            None if creates => object.object_value_or_create(key)?,
            None => object.object_value(key)?,
        };
    }
    Some(object)
}
