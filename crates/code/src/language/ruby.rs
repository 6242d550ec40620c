//! Ruby.

use foveal_parser_runtime::Node;

use crate::entity::{EntityKind, Visibility};
use crate::spec::{
    Header, Imported, Named, PLAIN, Role, Roles, Site, Spec, child_of_kind, name_field,
};

pub(super) const SPEC: Spec = Spec {
    grammar: || tree_sitter_ruby::LANGUAGE.into(),
    roles: &[ROLES],
    body,
    visibility,
    is_test,
    imports,
    ..PLAIN
};

const ROLES: Roles = &[
    ("comment", Role::Comment),
    ("module", Role::Define(EntityKind::Module, name_field)),
    ("class", Role::Define(EntityKind::Type, name_field)),
    ("method", Role::Ask(method)),
    ("singleton_method", Role::Ask(method)),
    ("assignment", Role::Ask(assignment)),
    ("call", Role::Ask(call)),
    ("identifier", Role::Ask(identifier)),
    ("constant", Role::Name),
    ("body_statement", Role::Body),
    ("block_body", Role::Body),
    ("then", Role::Body),
    ("else", Role::Body),
    ("do", Role::Body),
    ("hash", Role::Items),
    ("array", Role::Items),
    ("string_content", Role::Skip),
];

/// Calls that hold a test or a group of them.
const TESTS: &[&str] =
    &["context", "describe", "feature", "it", "scenario", "shared_examples", "specify", "test"];

fn body(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "call" => node.child_by_field_name("block")?.child_by_field_name("body"),
        "assignment" => node.child_by_field_name("right"),
        _ => node.child_by_field_name("body"),
    }
}

fn method(site: &Site<'_>) -> Role {
    match site.container {
        Some(EntityKind::Module) => Role::Define(EntityKind::Method, name_field),
        _ => Role::Define(EntityKind::Function, name_field),
    }
}

fn assignment(site: &Site<'_>) -> Role {
    match site.field("left").map(|left| left.kind()) {
        Some("constant") => {
            Role::Bind(EntityKind::Constant, |site| site.named(site.field("left")?))
        }
        _ => Role::Plain,
    }
}

fn call(site: &Site<'_>) -> Role {
    let word = site.field("method").map(|node| site.text_of(node)).unwrap_or_default();
    match word {
        "require" | "require_relative" | "load" if site.field("receiver").is_none() => Role::Import,
        "attr_reader" | "attr_writer" | "attr_accessor" => {
            Role::Define(EntityKind::Field, attribute_name)
        }
        _ if TESTS.contains(&word) && site.field("block").is_some() => {
            Role::Define(EntityKind::Test, test_name)
        }
        _ => Role::Plain,
    }
}

fn attribute_name(site: &Site<'_>) -> Option<Named> {
    let first = child_of_kind(site.field("arguments")?, &["simple_symbol"])?;
    let name = site.text_of(first).trim_start_matches(':');
    Some(Named::new(name, first.start_byte()))
}

fn test_name(site: &Site<'_>) -> Option<Named> {
    let first = site.field("arguments")?.named_child(0)?;
    let name = site.text_of(first).trim_matches(['"', '\'']);
    let name = name.lines().next().filter(|name| !name.is_empty())?;
    Some(Named::new(name, site.field("method")?.start_byte()))
}

/// A bare `private` changes what follows; a name after a dot or first in a call is called.
fn identifier(site: &Site<'_>) -> Role {
    let text = site.text_of(site.node);
    if matches!(text, "private" | "protected" | "public") && site.parent == "body_statement" {
        return Role::Access(|site| match site.text_of(site.node) {
            "private" => Some(Visibility::Private),
            "protected" => Some(Visibility::Restricted),
            _ => Some(Visibility::Public),
        });
    }
    let before = site.text[..site.node.start_byte()].ends_with('.');
    let after = site.text[site.node.end_byte()..].starts_with(['.', '&']);
    if site.parent == "call" && (before || (site.is_first && !after)) {
        Role::CallName
    } else {
        Role::Name
    }
}

fn visibility(header: &Header<'_>) -> Visibility {
    let is_method = matches!(header.kind, EntityKind::Method | EntityKind::Field);
    header.access.filter(|_| is_method).unwrap_or(Visibility::Public)
}

fn is_test(header: &Header<'_>) -> bool {
    header.kind == EntityKind::Method && header.name.starts_with("test_")
}

fn imports(text: &str) -> Vec<Imported> {
    let path = text.split(['"', '\'']).nth(1).map(str::to_owned);
    path.map(|path| (path, Vec::new())).into_iter().collect()
}
