//! Zig.

use foveal_parser_runtime::Node;

use crate::entity::{EntityKind, Visibility};
use crate::spec::{
    Header, Imported, Named, PLAIN, Role, Roles, Site, Spec, child_of_kind, name_field, with_alias,
};

pub(super) const SPEC: Spec = Spec {
    grammar: || tree_sitter_zig::LANGUAGE.into(),
    roles: &[ROLES],
    body,
    visibility,
    is_test: |_| false,
    imports,
    ..PLAIN
};

const ROLES: Roles = &[
    ("comment", Role::Comment),
    ("function_declaration", Role::Define(EntityKind::Function, name_field)),
    ("variable_declaration", Role::Ask(variable)),
    ("container_field", Role::Define(EntityKind::Field, name_field)),
    ("test_declaration", Role::Define(EntityKind::Test, test_name)),
    ("struct_declaration", Role::Body),
    ("union_declaration", Role::Body),
    ("enum_declaration", Role::Body),
    ("opaque_declaration", Role::Body),
    ("error_set_declaration", Role::Body),
    ("block", Role::Body),
    ("initializer_list", Role::Items),
    ("identifier", Role::Name),
    ("string", Role::Skip),
];

/// Values of a constant that make it a type.
const TYPES: &[&str] =
    &["struct_declaration", "union_declaration", "opaque_declaration", "error_set_declaration"];

fn body(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "variable_declaration" => value(node),
        "test_declaration" => child_of_kind(node, &["block"]),
        _ => node.child_by_field_name("body"),
    }
}

/// What stands after the `=`.
fn value(node: Node<'_>) -> Option<Node<'_>> {
    child_of_kind(node, &["="])?.next_named_sibling()
}

fn variable(site: &Site<'_>) -> Role {
    let value = value(site.node);
    let kind = value.map(|value| value.kind()).unwrap_or_default();
    let text = value.map(|value| site.text_of(value)).unwrap_or_default();
    match kind {
        "enum_declaration" => Role::Define(EntityKind::Enum, first_identifier),
        _ if TYPES.contains(&kind) => Role::Define(EntityKind::Type, first_identifier),
        _ if text.starts_with("@import(") && !site.in_statements() => Role::Import,
        _ => Role::Bind(EntityKind::Constant, first_identifier),
    }
}

fn first_identifier(site: &Site<'_>) -> Option<Named> {
    site.named(child_of_kind(site.node, &["identifier"])?)
}

fn test_name(site: &Site<'_>) -> Option<Named> {
    let name = child_of_kind(site.node, &["string", "identifier"]);
    let text = name.map_or("test", |name| site.text_of(name)).trim_matches('"');
    Some(Named::new(text, name.map_or(site.node.start_byte(), |name| name.start_byte())))
}

fn visibility(header: &Header<'_>) -> Visibility {
    match header.container {
        Some((EntityKind::Type | EntityKind::Enum, visibility))
            if header.kind == EntityKind::Field =>
        {
            visibility
        }
        _ if header.has("pub") || header.has("export") => Visibility::Public,
        _ => Visibility::Private,
    }
}

fn imports(text: &str) -> Vec<Imported> {
    let Some((before, rest)) = text.split_once("@import(\"") else { return Vec::new() };
    let (path, rest) = rest.split_once('"').unwrap_or((rest, ""));
    let alias = before.trim_end().trim_end_matches('=').split(':').next().unwrap_or_default();
    let alias = alias.split_whitespace().last().unwrap_or_default();
    match rest.trim_matches([')', ';', '.', ' ']) {
        // What is made from the module is not the module.
        made if made.contains(['(', '"', ',']) => vec![(path.to_owned(), Vec::new())],
        "" => vec![(with_alias(path, alias), Vec::new())],
        name => vec![(path.to_owned(), vec![with_alias(name, alias)])],
    }
}
