//! Python.

use crate::entity::{EntityKind, Visibility};
use crate::language_spec::{
    DEFAULT_SPEC, DefinitionHeader, DefinitionName, LanguageSpec, NodeContext, NodeRole,
    ParsedImport, RoleTable, name_from_field,
};
use foveal_parser_runtime::Node;

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_python::LANGUAGE.into(),
    roles: &[ROLES],
    body,
    visibility,
    is_test,
    imports,
    ..DEFAULT_SPEC
};

const ROLES: RoleTable = &[
    ("comment", NodeRole::Comment),
    ("decorator", NodeRole::Attribute),
    ("decorated_definition", NodeRole::Wrapper),
    ("import_statement", NodeRole::Import),
    ("import_from_statement", NodeRole::Import),
    ("future_import_statement", NodeRole::Import),
    ("function_definition", NodeRole::Define(EntityKind::Function, name_from_field)),
    ("class_definition", NodeRole::Define(EntityKind::Type, name_from_field)),
    ("type_alias_statement", NodeRole::Bind(EntityKind::Type, alias_name)),
    ("expression_statement", NodeRole::Contextual(statement_role)),
    ("assignment", NodeRole::Contextual(assignment_role)),
    ("block", NodeRole::Body),
    ("dictionary", NodeRole::Items),
    ("list", NodeRole::Items),
    ("tuple", NodeRole::Items),
    ("set", NodeRole::Items),
    ("type", NodeRole::TypeScope),
    ("identifier", NodeRole::Name),
    ("string_content", NodeRole::Skip),
];

fn body(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("body").or_else(|| node.child_by_field_name("right"))
}

/// The first string of a module, class or function is its docstring.
fn statement_role(site: &NodeContext<'_>) -> NodeRole {
    let Some(child) = site.node.child(0) else { return NodeRole::Plain };
    match child.kind() {
        "assignment" => NodeRole::Wrapper,
        "string" if site.is_first && site.node.child_count() == 1 => {
            let of = site.node.parent().and_then(|block| block.parent()).map(|node| node.kind());
            match of {
                None | Some("function_definition" | "class_definition") => NodeRole::Doc,
                Some(_) => NodeRole::Plain,
            }
        }
        _ => NodeRole::Plain,
    }
}

fn assignment_role(site: &NodeContext<'_>) -> NodeRole {
    if site.parent_kind != "expression_statement" {
        return NodeRole::Plain;
    }
    match site.container {
        Some(EntityKind::Type) => NodeRole::Bind(EntityKind::Field, assigned_name),
        _ => NodeRole::Bind(EntityKind::Constant, assigned_name),
    }
}

fn assigned_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    let left = site.field("left")?;
    match left.kind() {
        "identifier" => site.definition_name(left),
        "pattern_list" | "tuple_pattern" => site.definition_name(left.named_child(0)?),
        _ => None,
    }
}

fn alias_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    let left = site.field("left")?;
    let name = site.text_of(left).split('[').next()?.trim();
    Some(DefinitionName::new(name, left.start_byte()))
}

fn visibility(header: &DefinitionHeader<'_>) -> Visibility {
    let is_special = header.name.starts_with("__") && header.name.ends_with("__");
    if header.name.starts_with('_') && !is_special {
        Visibility::Private
    } else {
        Visibility::Public
    }
}

fn is_test(header: &DefinitionHeader<'_>) -> bool {
    matches!(header.kind, EntityKind::Function | EntityKind::Method)
        && (header.name.starts_with("test_") || (header.name == "test" && header.in_test_file))
        || header.kind == EntityKind::Method
            && header.in_test_file
            && header
                .name
                .strip_prefix("test")
                .is_some_and(|rest| rest.starts_with(|first: char| first.is_uppercase()))
}

fn imports(text: &str) -> Vec<ParsedImport> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or(line));
    let text = lines.collect::<Vec<&str>>().join(" ").replace('\\', " ");
    if let Some(rest) = text.strip_prefix("from ") {
        let Some((module, names)) = rest.split_once(" import") else { return Vec::new() };
        let names = names.trim().trim_start_matches('(').trim_end_matches(')');
        let names = names.split(',').map(collapse_whitespace).filter(|name| !name.is_empty());
        return vec![(module.trim().to_owned(), names.collect())];
    }
    let modules =
        text.strip_prefix("import ").unwrap_or_default().split(',').map(collapse_whitespace);
    modules.filter(|name| !name.is_empty()).map(|name| (name, Vec::new())).collect()
}

/// Returns a name with its alias, with single spaces between the words.
fn collapse_whitespace(part: &str) -> String {
    let words: Vec<&str> = part.split_whitespace().collect();
    words.join(" ")
}
