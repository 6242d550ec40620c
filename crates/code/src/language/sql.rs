//! SQL.

use foveal_parser_runtime::Node;

use crate::entity::EntityKind;
use crate::spec::{Named, PLAIN, Role, Roles, Site, Spec, child_of_kind, name_field};

pub(super) const SPEC: Spec =
    Spec { grammar: || tree_sitter_sequel::LANGUAGE.into(), roles: &[ROLES], body, ..PLAIN };

const ROLES: Roles = &[
    ("comment", Role::Comment),
    ("marginalia", Role::Comment),
    ("statement", Role::Wrap),
    ("create_table", Role::Define(EntityKind::Type, object_name)),
    ("create_view", Role::Define(EntityKind::Type, object_name)),
    ("create_materialized_view", Role::Define(EntityKind::Type, object_name)),
    ("create_type", Role::Define(EntityKind::Type, object_name)),
    ("create_function", Role::Define(EntityKind::Function, object_name)),
    ("create_trigger", Role::Define(EntityKind::Function, object_name)),
    ("create_index", Role::Define(EntityKind::Constant, index_name)),
    ("column_definitions", Role::Body),
    ("column_definition", Role::Ask(column)),
    ("identifier", Role::Name),
    ("literal", Role::Skip),
];

fn body(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "column_definition" | "create_index" => None,
        _ => child_of_kind(node, &["column_definitions", "create_query", "function_body"]),
    }
}

/// Columns of a table, not those that a statement adds.
fn column(site: &Site<'_>) -> Role {
    match site.container {
        Some(EntityKind::Type) => Role::Define(EntityKind::Field, name_field),
        _ => Role::Plain,
    }
}

fn object_name(site: &Site<'_>) -> Option<Named> {
    site.named(child_of_kind(site.node, &["object_reference"])?.child_by_field_name("name")?)
}

fn index_name(site: &Site<'_>) -> Option<Named> {
    site.named(site.field("column")?)
}
