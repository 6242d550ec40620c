//! PHP.

use foveal_parser_runtime::Node;

use crate::entity::{EntityKind, Visibility};
use crate::language_spec::{
    DEFAULT_SPEC, DefinitionHeader, DefinitionName, LanguageSpec, NodeContext, NodeRole,
    ParsedImport, RoleTable, child_of_kind, name_from_field,
};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_php::LANGUAGE_PHP.into(),
    roles: &[ROLES],
    body,
    visibility,
    is_test,
    imports,
    ..DEFAULT_SPEC
};

const ROLES: RoleTable = &[
    ("comment", NodeRole::Comment),
    ("attribute_list", NodeRole::Attribute),
    ("namespace_use_declaration", NodeRole::Import),
    ("expression_statement", NodeRole::Contextual(statement_role)),
    ("namespace_definition", NodeRole::Define(EntityKind::Module, name_from_field)),
    ("class_declaration", NodeRole::Define(EntityKind::Type, name_from_field)),
    ("interface_declaration", NodeRole::Define(EntityKind::Trait, name_from_field)),
    ("trait_declaration", NodeRole::Define(EntityKind::Trait, name_from_field)),
    ("enum_declaration", NodeRole::Define(EntityKind::Enum, name_from_field)),
    ("enum_case", NodeRole::Define(EntityKind::Field, name_from_field)),
    ("method_declaration", NodeRole::Define(EntityKind::Method, name_from_field)),
    ("function_definition", NodeRole::Define(EntityKind::Function, name_from_field)),
    ("property_declaration", NodeRole::Define(EntityKind::Field, property_name)),
    ("const_declaration", NodeRole::Contextual(constant_role)),
    ("declaration_list", NodeRole::Body),
    ("enum_declaration_list", NodeRole::Body),
    ("compound_statement", NodeRole::Body),
    ("switch_block", NodeRole::Body),
    ("array_creation_expression", NodeRole::Items),
    ("named_type", NodeRole::TypeScope),
    ("base_clause", NodeRole::TypeScope),
    ("class_interface_clause", NodeRole::TypeScope),
    ("name", NodeRole::Name),
    ("string_content", NodeRole::Skip),
];

fn body(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("body")
}

/// `require 'file'` is an import, as `use` is.
fn statement_role(site: &NodeContext<'_>) -> NodeRole {
    match site.node.named_child(0).map(|child| child.kind()) {
        Some(
            "require_expression"
            | "require_once_expression"
            | "include_expression"
            | "include_once_expression",
        ) => NodeRole::Import,
        _ => NodeRole::Plain,
    }
}

/// Returns the name of the first property of a declaration.
fn property_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    let element = child_of_kind(site.node, &["property_element"])?;
    let name = child_of_kind(element.child_by_field_name("name")?, &["name"])?;
    site.definition_name(name)
}

fn constant_role(site: &NodeContext<'_>) -> NodeRole {
    let kind = match site.container {
        Some(kind) if kind.has_members() => EntityKind::Field,
        _ => EntityKind::Constant,
    };
    NodeRole::Define(kind, |site| {
        site.definition_name(child_of_kind(
            child_of_kind(site.node, &["const_element"])?,
            &["name"],
        )?)
    })
}

fn visibility(header: &DefinitionHeader<'_>) -> Visibility {
    header.modifier_visibility().unwrap_or(Visibility::Public)
}

fn is_test(header: &DefinitionHeader<'_>) -> bool {
    header.kind == EntityKind::Method
        && (header.has_attribute(&["Test", "DataProvider"])
            || header.in_test_file && header.name.starts_with("test"))
}

fn imports(text: &str) -> Vec<ParsedImport> {
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
