//! Values in JSON, comments and trailing commas allowed.

use jsonc_parser::cst::{CstNode, CstObject};
use serde_json::Value;

use super::places::Changed;
use crate::clients::entry::EditError;
use crate::clients::json::{comments, ended, is_empty, outermost, parse, unless_lost};

/// What a text says.
pub(super) fn value(text: &str) -> Result<Value, EditError> {
    crate::clients::json::value(text)
}

/// The text with these values, and without what is empty when they have gone.
pub(super) fn set(text: &str, changed: &[Changed]) -> Result<String, EditError> {
    let root = parse(text)?;
    let object = outermost(&root)?;
    for (keys, wanted) in changed {
        let Some((key, before)) = keys.split_last() else { continue };
        let wrong = || EditError::Kind { key: before.join("."), expected: "an object" };
        match wanted {
            Some(wanted) => {
                let holder = holder(&object, before, true).ok_or_else(wrong)?;
                match holder.get(key) {
                    Some(known) => known.set_value(wanted.as_str().into()),
                    None => drop(holder.append(key, wanted.as_str().into())),
                }
            }
            None => {
                let holder = holder(&object, before, false);
                if let Some(known) = holder.and_then(|holder| holder.get(key)) {
                    known.remove();
                }
            }
        }
    }
    let (with_empty, comments) = (ended(&root, text), comments(&root));
    for (keys, _) in changed.iter().filter(|(_, wanted)| wanted.is_none()) {
        for depth in (1..keys.len()).rev() {
            let inner = holder(&object, &keys[..depth], false);
            let outer = holder(&object, &keys[..depth - 1], false);
            let (Some(_), Some(outer)) = (inner.filter(is_empty), outer) else { break };
            if let Some(own) = outer.get(&keys[depth - 1]) {
                own.remove();
            }
        }
    }
    let is_pruned = changed.iter().any(|(_, wanted)| wanted.is_none());
    Ok(if is_pruned { unless_lost(&root, comments, with_empty) } else { with_empty })
}

/// The object that keys lead to; made where it is not there, if it `creates`.
fn holder(object: &CstObject, keys: &[String], creates: bool) -> Option<CstObject> {
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
