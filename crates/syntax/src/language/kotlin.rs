//! Kotlin.

use foveal_parser_runtime::Node;

use super::java::imports;
use crate::entity::{EntityKind, Visibility};
use crate::language_spec::{
    DEFAULT_SPEC, DefinitionHeader, DefinitionName, LanguageSpec, NodeContext, NodeRole, RoleTable,
    child_of_kind, contains_word, name_from_field,
};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_kotlin_ng::LANGUAGE.into(),
    roles: &[ROLES],
    body,
    visibility,
    is_test,
    imports,
    ..DEFAULT_SPEC
};

const ROLES: RoleTable = &[
    ("line_comment", NodeRole::Comment),
    ("block_comment", NodeRole::Comment),
    ("modifiers", NodeRole::Modifiers),
    ("annotation", NodeRole::Attribute),
    ("package_header", NodeRole::Skip),
    ("import", NodeRole::Import),
    ("class_declaration", NodeRole::Contextual(class_role)),
    ("object_declaration", NodeRole::Define(EntityKind::Type, name_from_field)),
    ("companion_object", NodeRole::Define(EntityKind::Type, companion_name)),
    ("type_alias", NodeRole::Define(EntityKind::Type, alias_name)),
    ("function_declaration", NodeRole::Define(EntityKind::Function, function_name)),
    ("secondary_constructor", NodeRole::Define(EntityKind::Method, constructor_name)),
    ("property_declaration", NodeRole::Contextual(property_role)),
    ("class_parameter", NodeRole::Contextual(parameter_role)),
    ("enum_entry", NodeRole::Define(EntityKind::Field, first_identifier)),
    ("class_body", NodeRole::Body),
    ("enum_class_body", NodeRole::Body),
    ("block", NodeRole::Body),
    ("lambda_literal", NodeRole::Body),
    ("when_expression", NodeRole::Body),
    ("user_type", NodeRole::TypeScope),
    ("identifier", NodeRole::Name),
    ("string_literal", NodeRole::Skip),
];

fn body(node: Node<'_>) -> Option<Node<'_>> {
    child_of_kind(node, &["function_body", "class_body", "enum_class_body", "block", "getter"])
}

fn class_role(site: &NodeContext<'_>) -> NodeRole {
    let end = site.field("name").map_or(site.node.end_byte(), |name| name.start_byte());
    let before = site.text.get(site.node.start_byte()..end).unwrap_or_default();
    let kind = if contains_word(before, "interface") {
        EntityKind::Trait
    } else if contains_word(before, "enum") {
        EntityKind::Enum
    } else {
        EntityKind::Type
    };
    NodeRole::Define(kind, name_from_field)
}

fn companion_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    name_from_field(site).or_else(|| Some(DefinitionName::new("companion", site.node.start_byte())))
}

fn alias_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    site.definition_name(site.field("type")?)
}

/// An extension function is owned by the type before its name.
fn function_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    let name = site.field("name")?;
    let before = &site.text[..name.start_byte()];
    let owner = child_of_kind(site.node, &["user_type"]).filter(|_| before.ends_with('.'));
    let owner = owner.filter(|of| of.end_byte() < name.start_byte());
    Some(site.definition_name(name)?.with_owner(owner.map(|of| site.text_of(of))))
}

fn constructor_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    Some(DefinitionName::new("constructor", site.node.start_byte()))
}

fn first_identifier(site: &NodeContext<'_>) -> Option<DefinitionName> {
    site.definition_name(child_of_kind(site.node, &["identifier"])?)
}

fn property_role(site: &NodeContext<'_>) -> NodeRole {
    let kind = match site.container {
        Some(kind) if kind.has_members() => EntityKind::Field,
        _ => EntityKind::Constant,
    };
    NodeRole::Bind(kind, |site| {
        let declared = child_of_kind(site.node, &["variable_declaration"])?;
        site.definition_name(child_of_kind(declared, &["identifier"])?)
    })
}

/// A class parameter with `val` or `var` is a property.
fn parameter_role(site: &NodeContext<'_>) -> NodeRole {
    match child_of_kind(site.node, &["val", "var"]) {
        Some(_) => NodeRole::Define(EntityKind::Field, first_identifier),
        None => NodeRole::Plain,
    }
}

fn visibility(header: &DefinitionHeader<'_>) -> Visibility {
    header
        .modifier_visibility()
        .filter(|_| !header.has_modifier("open"))
        .unwrap_or(Visibility::Public)
}

fn is_test(header: &DefinitionHeader<'_>) -> bool {
    matches!(header.kind, EntityKind::Function | EntityKind::Method)
        && ["@Test", "@ParameterizedTest", "@RepeatedTest"]
            .iter()
            .any(|name| header.before_name.contains(name))
}
