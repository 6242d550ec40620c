//! SQL.

use foveal_parser_runtime::Node;

use crate::entity::EntityKind;
use crate::language_spec::{
    DEFAULT_SPEC, DefinitionName, LanguageSpec, NodeContext, NodeRole, RoleTable, child_of_kind,
    name_from_field,
};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_sequel::LANGUAGE.into(),
    roles: &[ROLES],
    body,
    ..DEFAULT_SPEC
};

const ROLES: RoleTable = &[
    ("comment", NodeRole::Comment),
    ("marginalia", NodeRole::Comment),
    ("statement", NodeRole::Wrapper),
    ("create_table", NodeRole::Define(EntityKind::Type, object_reference_name)),
    ("create_view", NodeRole::Define(EntityKind::Type, object_reference_name)),
    ("create_materialized_view", NodeRole::Define(EntityKind::Type, object_reference_name)),
    ("create_type", NodeRole::Define(EntityKind::Type, object_reference_name)),
    ("create_function", NodeRole::Define(EntityKind::Function, object_reference_name)),
    ("create_trigger", NodeRole::Define(EntityKind::Function, object_reference_name)),
    ("create_index", NodeRole::Define(EntityKind::Constant, index_name)),
    ("column_definitions", NodeRole::Body),
    ("column_definition", NodeRole::Contextual(column_role)),
    ("identifier", NodeRole::Name),
    ("literal", NodeRole::Skip),
];

fn body(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "column_definition" | "create_index" => None,
        _ => child_of_kind(node, &["column_definitions", "create_query", "function_body"]),
    }
}

/// Columns of a table, not those that `ALTER TABLE` adds.
fn column_role(site: &NodeContext<'_>) -> NodeRole {
    match site.container {
        Some(EntityKind::Type) => NodeRole::Define(EntityKind::Field, name_from_field),
        _ => NodeRole::Plain,
    }
}

fn object_reference_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    site.definition_name(
        child_of_kind(site.node, &["object_reference"])?.child_by_field_name("name")?,
    )
}

fn index_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    site.definition_name(site.field("column")?)
}
