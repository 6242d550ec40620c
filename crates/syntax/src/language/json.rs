//! JSON.

use foveal_parser_runtime::Node;

use crate::entity::EntityKind;
use crate::language_spec::{
    DEFAULT_SPEC, DefinitionName, LanguageSpec, NodeContext, NodeRole, RoleTable,
};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_json::LANGUAGE.into(),
    roles: &[ROLES],
    body,
    ..DEFAULT_SPEC
};

const ROLES: RoleTable = &[
    ("comment", NodeRole::Comment),
    ("pair", NodeRole::Define(EntityKind::Key, key_name)),
    ("array", NodeRole::Items),
    ("string", NodeRole::Skip),
];

/// Returns the value. Only a multi-line value can be left out.
fn body(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("value")
}

/// Returns the text of the field `key` without quotes.
pub(super) fn key_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    let key = site.field("key")?;
    let text = site.text_of(key).trim().trim_matches(['"', '\'']);
    let text = text.lines().next().unwrap_or_default();
    (!text.is_empty()).then(|| DefinitionName::new(text, key.start_byte()))
}
