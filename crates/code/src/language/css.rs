//! CSS.

use foveal_parser_runtime::Node;

use crate::entity::EntityKind;
use crate::spec::{Imported, Named, PLAIN, Role, Roles, Site, Spec, child_of_kind};

pub(super) const SPEC: Spec =
    Spec { grammar: || tree_sitter_css::LANGUAGE.into(), roles: &[ROLES], body, imports, ..PLAIN };

const ROLES: Roles = &[
    ("comment", Role::Comment),
    ("import_statement", Role::Import),
    ("rule_set", Role::Define(EntityKind::Section, rule_name)),
    ("media_statement", Role::Define(EntityKind::Section, rule_name)),
    ("supports_statement", Role::Define(EntityKind::Section, rule_name)),
    ("keyframes_statement", Role::Define(EntityKind::Section, rule_name)),
    ("at_rule", Role::Define(EntityKind::Section, rule_name)),
    ("block", Role::Body),
    ("keyframe_block_list", Role::Body),
    ("class_name", Role::Name),
    ("id_name", Role::Name),
];

fn body(node: Node<'_>) -> Option<Node<'_>> {
    child_of_kind(node, &["block", "keyframe_block_list"])
}

/// All before the bracket, on one line.
fn rule_name(site: &Site<'_>) -> Option<Named> {
    let end = body(site.node).map_or(site.node.end_byte(), |body| body.start_byte());
    let header = site.text.get(site.node.start_byte()..end).unwrap_or_default();
    let words: Vec<&str> = header.split_whitespace().collect();
    // Classes and ids in a selector are uses of their names.
    (!words.is_empty()).then(|| Named::new(&words.join(" "), site.node.end_byte()))
}

fn imports(text: &str) -> Vec<Imported> {
    let path = text.split(['"', '\'', '(', ')']).find(|part| {
        let part = part.trim();
        !part.is_empty() && !part.starts_with("@import") && part != "url"
    });
    path.map(|path| (path.to_owned(), Vec::new())).into_iter().collect()
}
