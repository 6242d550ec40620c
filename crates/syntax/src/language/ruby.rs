//! Ruby.

use foveal_parser_runtime::Node;

use crate::entity::{EntityKind, Visibility};
use crate::language_spec::{
    DEFAULT_SPEC, DefinitionHeader, DefinitionName, LanguageSpec, NodeContext, NodeRole,
    ParsedImport, RoleTable, child_of_kind, name_from_field,
};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_ruby::LANGUAGE.into(),
    roles: &[ROLES],
    body,
    visibility,
    is_test,
    imports,
    ..DEFAULT_SPEC
};

const ROLES: RoleTable = &[
    ("comment", NodeRole::Comment),
    ("module", NodeRole::Define(EntityKind::Module, name_from_field)),
    ("class", NodeRole::Define(EntityKind::Type, name_from_field)),
    ("method", NodeRole::Contextual(method_role)),
    ("singleton_method", NodeRole::Contextual(method_role)),
    ("assignment", NodeRole::Contextual(assignment_role)),
    ("call", NodeRole::Contextual(call_role)),
    ("identifier", NodeRole::Contextual(identifier_role)),
    ("constant", NodeRole::Name),
    ("body_statement", NodeRole::Body),
    ("block_body", NodeRole::Body),
    ("then", NodeRole::Body),
    ("else", NodeRole::Body),
    ("do", NodeRole::Body),
    ("hash", NodeRole::Items),
    ("array", NodeRole::Items),
    ("string_content", NodeRole::Skip),
];

/// Methods whose calls define a test or a group of tests.
const TEST_CALLS: &[&str] =
    &["context", "describe", "feature", "it", "scenario", "shared_examples", "specify", "test"];

fn body(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "call" => node.child_by_field_name("block")?.child_by_field_name("body"),
        "assignment" => node.child_by_field_name("right"),
        _ => node.child_by_field_name("body"),
    }
}

fn method_role(site: &NodeContext<'_>) -> NodeRole {
    match site.container {
        Some(EntityKind::Module) => NodeRole::Define(EntityKind::Method, name_from_field),
        _ => NodeRole::Define(EntityKind::Function, name_from_field),
    }
}

fn assignment_role(site: &NodeContext<'_>) -> NodeRole {
    match site.field("left").map(|left| left.kind()) {
        Some("constant") => {
            NodeRole::Bind(EntityKind::Constant, |site| site.definition_name(site.field("left")?))
        }
        _ => NodeRole::Plain,
    }
}

fn call_role(site: &NodeContext<'_>) -> NodeRole {
    let word = site.field("method").map(|node| site.text_of(node)).unwrap_or_default();
    match word {
        "require" | "require_relative" | "load" if site.field("receiver").is_none() => {
            NodeRole::Import
        }
        "attr_reader" | "attr_writer" | "attr_accessor" => {
            NodeRole::Define(EntityKind::Field, attribute_name)
        }
        _ if TEST_CALLS.contains(&word) && site.field("block").is_some() => {
            NodeRole::Define(EntityKind::Test, test_name)
        }
        _ => NodeRole::Plain,
    }
}

fn attribute_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    let first = child_of_kind(site.field("arguments")?, &["simple_symbol"])?;
    let name = site.text_of(first).trim_start_matches(':');
    Some(DefinitionName::new(name, first.start_byte()))
}

fn test_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    let first = site.field("arguments")?.named_child(0)?;
    let name = site.text_of(first).trim_matches(['"', '\'']);
    let name = name.lines().next().filter(|name| !name.is_empty())?;
    Some(DefinitionName::new(name, site.field("method")?.start_byte()))
}

/// `private` without arguments is an access label; a name after a dot or at the start of a call is
/// a call.
fn identifier_role(site: &NodeContext<'_>) -> NodeRole {
    let text = site.text_of(site.node);
    if matches!(text, "private" | "protected" | "public") && site.parent_kind == "body_statement" {
        return NodeRole::AccessLabel(|site| match site.text_of(site.node) {
            "private" => Some(Visibility::Private),
            "protected" => Some(Visibility::Restricted),
            _ => Some(Visibility::Public),
        });
    }
    let before = site.text[..site.node.start_byte()].ends_with('.');
    let after = site.text[site.node.end_byte()..].starts_with(['.', '&']);
    if site.parent_kind == "call" && (before || (site.is_first && !after)) {
        NodeRole::CallName
    } else {
        NodeRole::Name
    }
}

fn visibility(header: &DefinitionHeader<'_>) -> Visibility {
    let is_method = matches!(header.kind, EntityKind::Method | EntityKind::Field);
    header.access.filter(|_| is_method).unwrap_or(Visibility::Public)
}

fn is_test(header: &DefinitionHeader<'_>) -> bool {
    header.kind == EntityKind::Method && header.name.starts_with("test_")
}

fn imports(text: &str) -> Vec<ParsedImport> {
    let path = text.split(['"', '\'']).nth(1).map(str::to_owned);
    path.map(|path| (path, Vec::new())).into_iter().collect()
}
