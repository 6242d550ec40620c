//! Python.

use crate::entity::{EntityKind, Visibility};
use crate::spec::{Header, Imported, Named, PLAIN, Role, Roles, Site, Spec, name_field};
use foveal_parser_runtime::Node;

pub(super) const SPEC: Spec = Spec {
    grammar: || tree_sitter_python::LANGUAGE.into(),
    roles: &[ROLES],
    body,
    visibility,
    is_test,
    imports,
    ..PLAIN
};

const ROLES: Roles = &[
    ("comment", Role::Comment),
    ("decorator", Role::Attribute),
    ("decorated_definition", Role::Wrap),
    ("import_statement", Role::Import),
    ("import_from_statement", Role::Import),
    ("future_import_statement", Role::Import),
    ("function_definition", Role::Define(EntityKind::Function, name_field)),
    ("class_definition", Role::Define(EntityKind::Type, name_field)),
    ("type_alias_statement", Role::Bind(EntityKind::Type, alias_name)),
    ("expression_statement", Role::Ask(statement)),
    ("assignment", Role::Ask(assignment)),
    ("block", Role::Body),
    ("dictionary", Role::Items),
    ("list", Role::Items),
    ("tuple", Role::Items),
    ("set", Role::Items),
    ("type", Role::TypeScope),
    ("identifier", Role::Name),
    ("string_content", Role::Skip),
];

fn body(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("body").or_else(|| node.child_by_field_name("right"))
}

/// A string that stands first in a module, class or function documents it.
fn statement(site: &Site<'_>) -> Role {
    let Some(child) = site.node.child(0) else { return Role::Plain };
    match child.kind() {
        "assignment" => Role::Wrap,
        "string" if site.is_first && site.node.child_count() == 1 => {
            let of = site.node.parent().and_then(|block| block.parent()).map(|node| node.kind());
            match of {
                None | Some("function_definition" | "class_definition") => Role::Doc,
                Some(_) => Role::Plain,
            }
        }
        _ => Role::Plain,
    }
}

fn assignment(site: &Site<'_>) -> Role {
    if site.parent != "expression_statement" {
        return Role::Plain;
    }
    match site.container {
        Some(EntityKind::Type) => Role::Bind(EntityKind::Field, left_name),
        _ => Role::Bind(EntityKind::Constant, left_name),
    }
}

fn left_name(site: &Site<'_>) -> Option<Named> {
    let left = site.field("left")?;
    match left.kind() {
        "identifier" => site.named(left),
        "pattern_list" | "tuple_pattern" => site.named(left.named_child(0)?),
        _ => None,
    }
}

fn alias_name(site: &Site<'_>) -> Option<Named> {
    let left = site.field("left")?;
    let name = site.text_of(left).split('[').next()?.trim();
    Some(Named::new(name, left.start_byte()))
}

fn visibility(header: &Header<'_>) -> Visibility {
    let is_special = header.name.starts_with("__") && header.name.ends_with("__");
    if header.name.starts_with('_') && !is_special {
        Visibility::Private
    } else {
        Visibility::Public
    }
}

fn is_test(header: &Header<'_>) -> bool {
    matches!(header.kind, EntityKind::Function | EntityKind::Method)
        && (header.name.starts_with("test_") || (header.name == "test" && header.in_test_file))
        || header.kind == EntityKind::Method
            && header.in_test_file
            && header
                .name
                .strip_prefix("test")
                .is_some_and(|rest| rest.starts_with(|first: char| first.is_uppercase()))
}

fn imports(text: &str) -> Vec<Imported> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or(line));
    let text = lines.collect::<Vec<&str>>().join(" ").replace('\\', " ");
    if let Some(rest) = text.strip_prefix("from ") {
        let Some((module, names)) = rest.split_once(" import") else { return Vec::new() };
        let names = names.trim().trim_start_matches('(').trim_end_matches(')');
        let names = names.split(',').map(in_words).filter(|name| !name.is_empty());
        return vec![(module.trim().to_owned(), names.collect())];
    }
    let modules = text.strip_prefix("import ").unwrap_or_default().split(',').map(in_words);
    modules.filter(|name| !name.is_empty()).map(|name| (name, Vec::new())).collect()
}

/// A name with its alias, single blanks between the words.
fn in_words(part: &str) -> String {
    let words: Vec<&str> = part.split_whitespace().collect();
    words.join(" ")
}
