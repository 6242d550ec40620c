//! JSON schemas as places: each schema in one, and what is left out of them.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::body::cursor::{Cursor, DEPTH_MAX};
use crate::body::error::BodyError;
use crate::body::walk::{self, Place};

/// Bytes that are left out, and what stands in their place in the spelling of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Which bytes.
    pub range: Range<usize>,
    /// What stands there.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// A member of an object.
pub(super) struct Member {
    pub(super) name: String,
    pub(super) start: usize,
    pub(super) value: Place,
}

/// The members of the object at `place`; `None` where it is none, or has two of one name.
fn members(bytes: &[u8], place: &Place) -> Result<Option<Vec<Member>>, BodyError> {
    if bytes[place.start] != b'{' {
        return Ok(None);
    }
    let mut members: Vec<Member> = Vec::new();
    Cursor::new(bytes, place.start).object(|cursor, key| {
        let value = cursor.skip()?;
        let name = String::from_utf8_lossy(&key.name()).into_owned();
        members.push(Member { name, start: key.start, value });
        Ok(())
    })?;
    let mut names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    names.sort_unstable();
    let is_clear = names.windows(2).all(|two| two[0] != two[1]);
    Ok(Some(members).filter(|_| is_clear))
}

/// Gives `each` the schema at `place` and all schemas in it, with the name of the property that
/// each describes. Values that are no schemas, such as examples, are passed over.
pub(super) fn each_schema(
    bytes: &[u8],
    place: &Place,
    each: &mut dyn FnMut(&[Member], Option<&str>),
) -> Result<(), BodyError> {
    let mut next = vec![(place.clone(), None::<String>, 0)];
    while let Some((place, property, depth)) = next.pop() {
        if bytes[place.start] == b'[' {
            let inner = walk::elements(bytes, &place)?.unwrap_or_default();
            next.extend(inner.into_iter().map(|it| (it, None, depth + 1)));
            continue;
        }
        let Some(members) = members(bytes, &place)?.filter(|_| depth < DEPTH_MAX) else { continue };
        each(&members, property.as_deref());
        for member in members {
            match member.name.as_str() {
                "properties" | "patternProperties" | "$defs" | "definitions"
                | "dependentSchemas" => {
                    let is_named = member.name == "properties";
                    for one in self::members(bytes, &member.value)?.unwrap_or_default() {
                        next.push((one.value, Some(one.name).filter(|_| is_named), depth + 1));
                    }
                }
                "items"
                | "additionalProperties"
                | "additionalItems"
                | "contains"
                | "not"
                | "if"
                | "then"
                | "else"
                | "propertyNames"
                | "unevaluatedItems"
                | "unevaluatedProperties"
                | "anyOf"
                | "oneOf"
                | "allOf"
                | "prefixItems" => {
                    next.push((member.value, None, depth + 1));
                }
                _ => {}
            }
        }
    }
    Ok(())
}
