//! Markdown.

use foveal_parser_runtime::Node;

use crate::entity::EntityKind;
use crate::language_spec::{
    DEFAULT_SPEC, DefinitionName, LanguageSpec, NodeContext, NodeRole, RoleTable, child_of_kind,
};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_md::LANGUAGE.into(),
    roles: &[ROLES],
    body,
    ..DEFAULT_SPEC
};

const ROLES: RoleTable = &[
    ("section", NodeRole::Define(EntityKind::Section, atx_heading_name)),
    ("setext_heading", NodeRole::Define(EntityKind::Section, setext_heading_name)),
    ("fenced_code_block", NodeRole::Skip),
    ("indented_code_block", NodeRole::Skip),
    ("html_block", NodeRole::Skip),
    ("list", NodeRole::Items),
    ("inline", NodeRole::Prose),
];

/// Returns the first node after the heading.
fn body(node: Node<'_>) -> Option<Node<'_>> {
    if node.kind() == "section" { node.named_child(1) } else { None }
}

fn atx_heading_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    let first = child_of_kind(site.node, &["atx_heading"])?;
    let name = site.text_of(first).trim().trim_matches('#').trim();
    (!name.is_empty()).then(|| DefinitionName::new(name, first.start_byte()))
}

fn setext_heading_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    let name = site.text_of(site.field("heading_content")?).trim();
    let name = name.lines().next().unwrap_or_default();
    (!name.is_empty()).then(|| DefinitionName::new(name, site.node.start_byte()))
}
