//! TOML.

use foveal_parser_runtime::Node;

use crate::entity::EntityKind;
use crate::language_spec::{
    DEFAULT_SPEC, DefinitionName, LanguageSpec, NodeContext, NodeRole, RoleTable,
};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_toml_ng::LANGUAGE.into(),
    roles: &[ROLES],
    body,
    ..DEFAULT_SPEC
};

const ROLES: RoleTable = &[
    ("comment", NodeRole::Comment),
    ("table", NodeRole::Define(EntityKind::Key, key_name)),
    ("table_array_element", NodeRole::Define(EntityKind::Key, key_name)),
    ("pair", NodeRole::Define(EntityKind::Key, key_name)),
    ("inline_table", NodeRole::Skip),
    ("array", NodeRole::Items),
    ("string", NodeRole::Skip),
];

/// Returns the value of a pair, or the first pair of a table.
fn body(node: Node<'_>) -> Option<Node<'_>> {
    node.named_child(1)
}

fn key_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    site.definition_name(site.node.named_child(0)?)
}
