//! Markdown.

use foveal_parser_runtime::Node;

use crate::entity::EntityKind;
use crate::spec::{Named, PLAIN, Role, Roles, Site, Spec, child_of_kind};

pub(super) const SPEC: Spec =
    Spec { grammar: || tree_sitter_md::LANGUAGE.into(), roles: &[ROLES], body, ..PLAIN };

const ROLES: Roles = &[
    ("section", Role::Define(EntityKind::Section, heading)),
    ("setext_heading", Role::Define(EntityKind::Section, own_heading)),
    ("fenced_code_block", Role::Skip),
    ("indented_code_block", Role::Skip),
    ("html_block", Role::Skip),
    ("list", Role::Items),
    ("inline", Role::Prose),
];

/// What follows the heading.
fn body(node: Node<'_>) -> Option<Node<'_>> {
    if node.kind() == "section" { node.named_child(1) } else { None }
}

fn heading(site: &Site<'_>) -> Option<Named> {
    let first = child_of_kind(site.node, &["atx_heading"])?;
    let name = site.text_of(first).trim().trim_matches('#').trim();
    (!name.is_empty()).then(|| Named::new(name, first.start_byte()))
}

fn own_heading(site: &Site<'_>) -> Option<Named> {
    let name = site.text_of(site.field("heading_content")?).trim();
    let name = name.lines().next().unwrap_or_default();
    (!name.is_empty()).then(|| Named::new(name, site.node.start_byte()))
}
