//! CSS.

use foveal_parser_runtime::Node;

use crate::entity::EntityKind;
use crate::language_spec::{
    DEFAULT_SPEC, DefinitionName, LanguageSpec, NodeContext, NodeRole, ParsedImport, RoleTable,
    child_of_kind,
};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_css::LANGUAGE.into(),
    roles: &[ROLES],
    body,
    imports,
    ..DEFAULT_SPEC
};

const ROLES: RoleTable = &[
    ("comment", NodeRole::Comment),
    ("import_statement", NodeRole::Import),
    ("rule_set", NodeRole::Define(EntityKind::Section, rule_name)),
    ("media_statement", NodeRole::Define(EntityKind::Section, rule_name)),
    ("supports_statement", NodeRole::Define(EntityKind::Section, rule_name)),
    ("keyframes_statement", NodeRole::Define(EntityKind::Section, rule_name)),
    ("at_rule", NodeRole::Define(EntityKind::Section, rule_name)),
    ("block", NodeRole::Body),
    ("keyframe_block_list", NodeRole::Body),
    ("class_name", NodeRole::Name),
    ("id_name", NodeRole::Name),
];

fn body(node: Node<'_>) -> Option<Node<'_>> {
    child_of_kind(node, &["block", "keyframe_block_list"])
}

/// Returns all text before the opening bracket, on one line.
fn rule_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    let end = body(site.node).map_or(site.node.end_byte(), |body| body.start_byte());
    let header = site.text.get(site.node.start_byte()..end).unwrap_or_default();
    let words: Vec<&str> = header.split_whitespace().collect();
    // The name is at the end of the node, so that classes and ids in the selector count as uses.
    (!words.is_empty()).then(|| DefinitionName::new(&words.join(" "), site.node.end_byte()))
}

fn imports(text: &str) -> Vec<ParsedImport> {
    let path = text.split(['"', '\'', '(', ')']).find(|part| {
        let part = part.trim();
        !part.is_empty() && !part.starts_with("@import") && part != "url"
    });
    path.map(|path| (path.to_owned(), Vec::new())).into_iter().collect()
}
