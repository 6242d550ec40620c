//! TOML.

use foveal_parser_runtime::Node;

use crate::entity::EntityKind;
use crate::spec::{Named, PLAIN, Role, Roles, Site, Spec};

pub(super) const SPEC: Spec =
    Spec { grammar: || tree_sitter_toml_ng::LANGUAGE.into(), roles: &[ROLES], body, ..PLAIN };

const ROLES: Roles = &[
    ("comment", Role::Comment),
    ("table", Role::Define(EntityKind::Key, key_name)),
    ("table_array_element", Role::Define(EntityKind::Key, key_name)),
    ("pair", Role::Define(EntityKind::Key, key_name)),
    ("inline_table", Role::Skip),
    ("array", Role::Items),
    ("string", Role::Skip),
];

/// The value of a pair, or the pairs of a table from the first on.
fn body(node: Node<'_>) -> Option<Node<'_>> {
    node.named_child(1)
}

fn key_name(site: &Site<'_>) -> Option<Named> {
    site.named(site.node.named_child(0)?)
}
