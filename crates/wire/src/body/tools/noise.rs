//! Members of JSON schemas that say nothing: without them the same calls are accepted, and a model
//! knows no less of what to send.

use super::schema::{LeftOut, Member, each_schema};
use crate::body::error::BodyError;
use crate::body::walk::{self, Place};

/// Dialects that read what is left alike.
const DIALECTS: [&str; 3] = ["draft-07/schema", "draft/2019-09/schema", "draft/2020-12/schema"];

/// Words that dialects read differently, or that lead somewhere by the schema's own address.
const BY_DIALECT: [&[u8]; 12] = [
    b"\"$ref\"",
    b"\"$dynamicRef\"",
    b"\"$recursiveRef\"",
    b"\"$anchor\"",
    b"\"$dynamicAnchor\"",
    b"\"$vocabulary\"",
    b"\"dependencies\"",
    b"\"prefixItems\"",
    b"\"additionalItems\"",
    b"\"contains\"",
    b"\"unevaluatedProperties\"",
    b"\"unevaluatedItems\"",
];

/// What each of these says is so without it too.
const DEFAULTS: [(&str, &[u8]); 10] = [
    ("default", b"null"),
    ("deprecated", b"false"),
    ("description", b"\"\""),
    ("examples", b"[]"),
    ("minItems", b"0"),
    ("minLength", b"0"),
    ("minProperties", b"0"),
    ("readOnly", b"false"),
    ("uniqueItems", b"false"),
    ("writeOnly", b"false"),
];

/// Finds what says nothing in a schema.
pub(super) fn find(
    bytes: &[u8],
    schema: &Place,
    found: &mut Vec<LeftOut>,
) -> Result<(), BodyError> {
    let text = &bytes[schema.clone()];
    let is_plain = !BY_DIALECT.iter().any(|word| memchr::memmem::find(text, word).is_some());
    let mut is_root = true;
    each_schema(bytes, schema, &mut |members, property| {
        let is_of_root = is_plain && std::mem::take(&mut is_root);
        let says_nothing = |member: &Member| match member.name.as_str() {
            "$schema" => is_of_root && is_known_dialect(bytes, &member.value),
            "$id" => is_of_root && walk::is_string(bytes, &member.value),
            "$comment" => walk::is_string(bytes, &member.value),
            "title" => property.is_some_and(|name| is_title_of(bytes, &member.value, name)),
            name => DEFAULTS.contains(&(name, &bytes[member.value.clone()])),
        };
        cut(members, says_nothing, found);
    })
}

/// Leaves members out, each with the comma that goes with it.
fn cut(members: &[Member], goes: impl Fn(&Member) -> bool, to: &mut Vec<LeftOut>) {
    let first_kept = members.iter().position(|member| !goes(member)).unwrap_or(members.len());
    for (at, member) in members.iter().enumerate().filter(|(_, member)| goes(member)) {
        let end = member.value.end;
        let range = if at > first_kept {
            members[at - 1].value.end..end
        } else {
            member.start..members.get(at + 1).map_or(end, |next| next.start)
        };
        to.push(LeftOut { range, text: String::new() });
    }
}

fn is_known_dialect(bytes: &[u8], value: &Place) -> bool {
    let name = walk::text(bytes, value);
    name.is_some_and(|name| DIALECTS.iter().any(|known| name.contains(known)))
}

/// Whether a title says the name of the property and no more: `File Path` of `file_path`.
fn is_title_of(bytes: &[u8], value: &Place, property: &str) -> bool {
    let letters = |text: &str| -> Vec<char> {
        text.chars().filter(|it| it.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    walk::text(bytes, value).is_some_and(|title| letters(&title) == letters(property))
}
