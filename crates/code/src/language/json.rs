//! JSON.

use foveal_parser_runtime::Node;

use crate::entity::EntityKind;
use crate::spec::{Named, PLAIN, Role, Roles, Site, Spec};

pub(super) const SPEC: Spec =
    Spec { grammar: || tree_sitter_json::LANGUAGE.into(), roles: &[ROLES], body, ..PLAIN };

const ROLES: Roles = &[
    ("comment", Role::Comment),
    ("pair", Role::Define(EntityKind::Key, key_name)),
    ("array", Role::Items),
    ("string", Role::Skip),
];

/// Only a value of several lines can be left out.
fn body(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("value")
}

/// The key in the field `key`, without quotes.
pub(super) fn key_name(site: &Site<'_>) -> Option<Named> {
    let key = site.field("key")?;
    let text = site.text_of(key).trim().trim_matches(['"', '\'']);
    let text = text.lines().next().unwrap_or_default();
    (!text.is_empty()).then(|| Named::new(text, key.start_byte()))
}
