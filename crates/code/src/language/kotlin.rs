//! Kotlin.

use foveal_parser_runtime::Node;

use super::java::imports;
use crate::entity::{EntityKind, Visibility};
use crate::spec::{
    Header, Named, PLAIN, Role, Roles, Site, Spec, child_of_kind, has_word, name_field,
};

pub(super) const SPEC: Spec = Spec {
    grammar: || tree_sitter_kotlin_ng::LANGUAGE.into(),
    roles: &[ROLES],
    body,
    visibility,
    is_test,
    imports,
    ..PLAIN
};

const ROLES: Roles = &[
    ("line_comment", Role::Comment),
    ("block_comment", Role::Comment),
    ("modifiers", Role::Modifiers),
    ("annotation", Role::Attribute),
    ("package_header", Role::Skip),
    ("import", Role::Import),
    ("class_declaration", Role::Ask(class)),
    ("object_declaration", Role::Define(EntityKind::Type, name_field)),
    ("companion_object", Role::Define(EntityKind::Type, companion_name)),
    ("type_alias", Role::Define(EntityKind::Type, alias_name)),
    ("function_declaration", Role::Define(EntityKind::Function, function_name)),
    ("secondary_constructor", Role::Define(EntityKind::Method, constructor_name)),
    ("property_declaration", Role::Ask(property)),
    ("class_parameter", Role::Ask(parameter)),
    ("enum_entry", Role::Define(EntityKind::Field, first_identifier)),
    ("class_body", Role::Body),
    ("enum_class_body", Role::Body),
    ("block", Role::Body),
    ("lambda_literal", Role::Body),
    ("when_expression", Role::Body),
    ("user_type", Role::TypeScope),
    ("identifier", Role::Name),
    ("string_literal", Role::Skip),
];

fn body(node: Node<'_>) -> Option<Node<'_>> {
    child_of_kind(node, &["function_body", "class_body", "enum_class_body", "block", "getter"])
}

fn class(site: &Site<'_>) -> Role {
    let end = site.field("name").map_or(site.node.end_byte(), |name| name.start_byte());
    let before = site.text.get(site.node.start_byte()..end).unwrap_or_default();
    let kind = if has_word(before, "interface") {
        EntityKind::Trait
    } else if has_word(before, "enum") {
        EntityKind::Enum
    } else {
        EntityKind::Type
    };
    Role::Define(kind, name_field)
}

fn companion_name(site: &Site<'_>) -> Option<Named> {
    name_field(site).or_else(|| Some(Named::new("companion", site.node.start_byte())))
}

fn alias_name(site: &Site<'_>) -> Option<Named> {
    site.named(site.field("type")?)
}

/// An extension function belongs to the type before its name.
fn function_name(site: &Site<'_>) -> Option<Named> {
    let name = site.field("name")?;
    let before = &site.text[..name.start_byte()];
    let owner = child_of_kind(site.node, &["user_type"]).filter(|_| before.ends_with('.'));
    let owner = owner.filter(|of| of.end_byte() < name.start_byte());
    Some(site.named(name)?.owned_by(owner.map(|of| site.text_of(of))))
}

fn constructor_name(site: &Site<'_>) -> Option<Named> {
    Some(Named::new("constructor", site.node.start_byte()))
}

fn first_identifier(site: &Site<'_>) -> Option<Named> {
    site.named(child_of_kind(site.node, &["identifier"])?)
}

fn property(site: &Site<'_>) -> Role {
    let kind = match site.container {
        Some(kind) if kind.has_members() => EntityKind::Field,
        _ => EntityKind::Constant,
    };
    Role::Bind(kind, |site| {
        let declared = child_of_kind(site.node, &["variable_declaration"])?;
        site.named(child_of_kind(declared, &["identifier"])?)
    })
}

/// A parameter of a class with `val` or `var` is a property of it.
fn parameter(site: &Site<'_>) -> Role {
    match child_of_kind(site.node, &["val", "var"]) {
        Some(_) => Role::Define(EntityKind::Field, first_identifier),
        None => Role::Plain,
    }
}

fn visibility(header: &Header<'_>) -> Visibility {
    header.modifiers().filter(|_| !header.has("open")).unwrap_or(Visibility::Public)
}

fn is_test(header: &Header<'_>) -> bool {
    matches!(header.kind, EntityKind::Function | EntityKind::Method)
        && ["@Test", "@ParameterizedTest", "@RepeatedTest"]
            .iter()
            .any(|name| header.before_name.contains(name))
}
