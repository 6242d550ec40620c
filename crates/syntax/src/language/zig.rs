//! Zig.

use foveal_parser_runtime::Node;

use crate::entity::{EntityKind, Visibility};
use crate::language_spec::{
    DEFAULT_SPEC, DefinitionHeader, DefinitionName, LanguageSpec, NodeContext, NodeRole,
    ParsedImport, RoleTable, append_alias, child_of_kind, name_from_field,
};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_zig::LANGUAGE.into(),
    roles: &[ROLES],
    body,
    visibility,
    is_test: |_| false,
    imports,
    ..DEFAULT_SPEC
};

const ROLES: RoleTable = &[
    ("comment", NodeRole::Comment),
    ("function_declaration", NodeRole::Define(EntityKind::Function, name_from_field)),
    ("variable_declaration", NodeRole::Contextual(variable_role)),
    ("container_field", NodeRole::Define(EntityKind::Field, name_from_field)),
    ("test_declaration", NodeRole::Define(EntityKind::Test, test_name)),
    ("struct_declaration", NodeRole::Body),
    ("union_declaration", NodeRole::Body),
    ("enum_declaration", NodeRole::Body),
    ("opaque_declaration", NodeRole::Body),
    ("error_set_declaration", NodeRole::Body),
    ("block", NodeRole::Body),
    ("initializer_list", NodeRole::Items),
    ("identifier", NodeRole::Name),
    ("string", NodeRole::Skip),
];

/// Values of constants that define types.
const TYPE_VALUES: &[&str] =
    &["struct_declaration", "union_declaration", "opaque_declaration", "error_set_declaration"];

fn body(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "variable_declaration" => assigned_value(node),
        "test_declaration" => child_of_kind(node, &["block"]),
        _ => node.child_by_field_name("body"),
    }
}

/// Returns the node after the `=`.
fn assigned_value(node: Node<'_>) -> Option<Node<'_>> {
    child_of_kind(node, &["="])?.next_named_sibling()
}

fn variable_role(site: &NodeContext<'_>) -> NodeRole {
    let value = assigned_value(site.node);
    let kind = value.map(|value| value.kind()).unwrap_or_default();
    let text = value.map(|value| site.text_of(value)).unwrap_or_default();
    match kind {
        "enum_declaration" => NodeRole::Define(EntityKind::Enum, first_identifier),
        _ if TYPE_VALUES.contains(&kind) => NodeRole::Define(EntityKind::Type, first_identifier),
        _ if text.starts_with("@import(") && !site.is_in_statements() => NodeRole::Import,
        _ => NodeRole::Bind(EntityKind::Constant, first_identifier),
    }
}

fn first_identifier(site: &NodeContext<'_>) -> Option<DefinitionName> {
    site.definition_name(child_of_kind(site.node, &["identifier"])?)
}

fn test_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    let name = child_of_kind(site.node, &["string", "identifier"]);
    let text = name.map_or("test", |name| site.text_of(name)).trim_matches('"');
    Some(DefinitionName::new(text, name.map_or(site.node.start_byte(), |name| name.start_byte())))
}

fn visibility(header: &DefinitionHeader<'_>) -> Visibility {
    match header.container {
        Some((EntityKind::Type | EntityKind::Enum, visibility))
            if header.kind == EntityKind::Field =>
        {
            visibility
        }
        _ if header.has_modifier("pub") || header.has_modifier("export") => Visibility::Public,
        _ => Visibility::Private,
    }
}

fn imports(text: &str) -> Vec<ParsedImport> {
    let Some((before, rest)) = text.split_once("@import(\"") else { return Vec::new() };
    let (path, rest) = rest.split_once('"').unwrap_or((rest, ""));
    let alias = before.trim_end().trim_end_matches('=').split(':').next().unwrap_or_default();
    let alias = alias.split_whitespace().last().unwrap_or_default();
    match rest.trim_matches([')', ';', '.', ' ']) {
        // A value derived from the module is not an alias of the module.
        made if made.contains(['(', '"', ',']) => vec![(path.to_owned(), Vec::new())],
        "" => vec![(append_alias(path, alias), Vec::new())],
        name => vec![(path.to_owned(), vec![append_alias(name, alias)])],
    }
}
