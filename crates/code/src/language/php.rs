//! PHP.

use foveal_parser_runtime::Node;

use crate::entity::{EntityKind, Visibility};
use crate::spec::{
    Header, Imported, Named, PLAIN, Role, Roles, Site, Spec, child_of_kind, name_field,
};

pub(super) const SPEC: Spec = Spec {
    grammar: || tree_sitter_php::LANGUAGE_PHP.into(),
    roles: &[ROLES],
    body,
    visibility,
    is_test,
    imports,
    ..PLAIN
};

const ROLES: Roles = &[
    ("comment", Role::Comment),
    ("attribute_list", Role::Attribute),
    ("namespace_use_declaration", Role::Import),
    ("expression_statement", Role::Ask(statement)),
    ("namespace_definition", Role::Define(EntityKind::Module, name_field)),
    ("class_declaration", Role::Define(EntityKind::Type, name_field)),
    ("interface_declaration", Role::Define(EntityKind::Trait, name_field)),
    ("trait_declaration", Role::Define(EntityKind::Trait, name_field)),
    ("enum_declaration", Role::Define(EntityKind::Enum, name_field)),
    ("enum_case", Role::Define(EntityKind::Field, name_field)),
    ("method_declaration", Role::Define(EntityKind::Method, name_field)),
    ("function_definition", Role::Define(EntityKind::Function, name_field)),
    ("property_declaration", Role::Define(EntityKind::Field, property_name)),
    ("const_declaration", Role::Ask(constant)),
    ("declaration_list", Role::Body),
    ("enum_declaration_list", Role::Body),
    ("compound_statement", Role::Body),
    ("switch_block", Role::Body),
    ("array_creation_expression", Role::Items),
    ("named_type", Role::TypeScope),
    ("base_clause", Role::TypeScope),
    ("class_interface_clause", Role::TypeScope),
    ("name", Role::Name),
    ("string_content", Role::Skip),
];

fn body(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("body")
}

/// `require 'file'` imports as `use` does.
fn statement(site: &Site<'_>) -> Role {
    match site.node.named_child(0).map(|child| child.kind()) {
        Some(
            "require_expression"
            | "require_once_expression"
            | "include_expression"
            | "include_once_expression",
        ) => Role::Import,
        _ => Role::Plain,
    }
}

/// The first of the properties declared together.
fn property_name(site: &Site<'_>) -> Option<Named> {
    let element = child_of_kind(site.node, &["property_element"])?;
    let name = child_of_kind(element.child_by_field_name("name")?, &["name"])?;
    site.named(name)
}

fn constant(site: &Site<'_>) -> Role {
    let kind = match site.container {
        Some(kind) if kind.has_members() => EntityKind::Field,
        _ => EntityKind::Constant,
    };
    Role::Define(kind, |site| {
        site.named(child_of_kind(child_of_kind(site.node, &["const_element"])?, &["name"])?)
    })
}

fn visibility(header: &Header<'_>) -> Visibility {
    header.modifiers().unwrap_or(Visibility::Public)
}

fn is_test(header: &Header<'_>) -> bool {
    header.kind == EntityKind::Method
        && (header.has_attribute(&["Test", "DataProvider"])
            || header.in_test_file && header.name.starts_with("test"))
}

fn imports(text: &str) -> Vec<Imported> {
    let Some(path) = text.strip_prefix("use ") else {
        let path = text.split(['"', '\'']).nth(1).map(str::to_owned);
        return path.map(|path| (path, Vec::new())).into_iter().collect();
    };
    let path = path.trim_end_matches(';').trim();
    let path = path.trim_start_matches("function ").trim_start_matches("const ");
    let name = |part: &str| part.trim().to_owned();
    if let Some((module, names)) = path.split_once('{') {
        let names = names.trim_end_matches('}').split(',').map(name);
        let names = names.filter(|name| !name.is_empty()).collect();
        return vec![(module.trim_end_matches('\\').to_owned(), names)];
    }
    let parts = path.split(',').map(name).map(|path| match path.rsplit_once('\\') {
        Some((module, name)) => (module.to_owned(), vec![name.to_owned()]),
        None => (path, Vec::new()),
    });
    parts.collect()
}
