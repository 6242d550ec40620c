//! Go.

use foveal_parser_runtime::Node;

use crate::entity::{EntityKind, Visibility};
use crate::language_spec::{
    DEFAULT_SPEC, DefinitionHeader, DefinitionName, LanguageSpec, NodeContext, NodeRole,
    ParsedImport, RoleTable, append_alias, name_from_field, without_comments,
};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_go::LANGUAGE.into(),
    roles: &[ROLES],
    body,
    visibility,
    is_test,
    imports,
    ..DEFAULT_SPEC
};

const ROLES: RoleTable = &[
    ("comment", NodeRole::Comment),
    ("package_clause", NodeRole::Skip),
    ("import_declaration", NodeRole::Import),
    ("function_declaration", NodeRole::Define(EntityKind::Function, name_from_field)),
    ("method_declaration", NodeRole::Define(EntityKind::Method, method_name)),
    ("method_elem", NodeRole::Define(EntityKind::Method, name_from_field)),
    ("type_declaration", NodeRole::Wrapper),
    ("type_spec", NodeRole::Contextual(type_spec_role)),
    ("type_alias", NodeRole::Define(EntityKind::Type, name_from_field)),
    ("const_declaration", NodeRole::Wrapper),
    ("const_spec", NodeRole::Bind(EntityKind::Constant, name_from_field)),
    ("var_declaration", NodeRole::Wrapper),
    ("var_spec_list", NodeRole::Wrapper),
    ("var_spec", NodeRole::Bind(EntityKind::Constant, name_from_field)),
    ("field_declaration", NodeRole::Contextual(field_role)),
    ("field_declaration_list", NodeRole::Body),
    ("interface_type", NodeRole::Body),
    ("statement_list", NodeRole::Body),
    ("literal_value", NodeRole::Items),
    ("identifier", NodeRole::Name),
    ("field_identifier", NodeRole::Name),
    ("type_identifier", NodeRole::TypeName),
    ("interpreted_string_literal", NodeRole::Skip),
    ("raw_string_literal", NodeRole::Skip),
];

fn body(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "type_spec" => {
            let of = node.child_by_field_name("type")?;
            match of.kind() {
                "struct_type" => of.named_child(0),
                "interface_type" => Some(of),
                _ => None,
            }
        }
        "method_elem" | "field_declaration" => None,
        _ => crate::language_spec::body_or_value(node),
    }
}

fn type_spec_role(site: &NodeContext<'_>) -> NodeRole {
    match site.field("type").map(|of| of.kind()) {
        Some("interface_type") => NodeRole::Define(EntityKind::Trait, name_from_field),
        _ => NodeRole::Define(EntityKind::Type, name_from_field),
    }
}

/// Fields of anonymous structs in functions are no entities.
fn field_role(site: &NodeContext<'_>) -> NodeRole {
    match site.container {
        Some(EntityKind::Type) => NodeRole::Define(EntityKind::Field, field_name),
        _ => NodeRole::Plain,
    }
}

/// An embedded field has the name of its type.
fn field_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    if let Some(named) = name_from_field(site) {
        return Some(named);
    }
    let of = site.field("type")?;
    let name = base_type_name(site.text_of(of));
    // The name is at the end of the node, so that the type's name counts as a use.
    Some(DefinitionName::new(name, site.node.end_byte()))
}

fn method_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    let receiver = site.field("receiver").map(|node| site.text_of(node)).unwrap_or_default();
    let of = receiver.trim_matches(['(', ')', ' ']).rsplit(' ').next().map(base_type_name);
    Some(name_from_field(site)?.with_owner(of.filter(|name| !name.is_empty())))
}

/// Returns `Engine` for `*pkg.Engine[T]`.
fn base_type_name(text: &str) -> &str {
    let text = text.trim_start_matches(['*', '&', ' ']);
    let text = text.split('[').next().unwrap_or(text).trim();
    text.rsplit('.').next().unwrap_or(text)
}

fn visibility(header: &DefinitionHeader<'_>) -> Visibility {
    if header.name.starts_with(char::is_uppercase) {
        Visibility::Public
    } else {
        Visibility::Private
    }
}

fn is_test(header: &DefinitionHeader<'_>) -> bool {
    header.kind == EntityKind::Function
        && header.in_test_file
        && ["Test", "Benchmark", "Fuzz", "Example"].iter().any(|prefix| {
            let rest = header.name.strip_prefix(prefix);
            rest.is_some_and(|rest| !rest.starts_with(char::is_lowercase))
        })
}

fn imports(text: &str) -> Vec<ParsedImport> {
    let quoted = |line: &str| {
        let mut parts = line.split(['"', '`']);
        let before = parts.next()?.trim_start_matches("import").trim();
        let path = parts.next()?;
        Some(match before.trim_start_matches('(').trim() {
            "." => (path.to_owned(), vec!["*".to_owned()]),
            "_" => (path.to_owned(), Vec::new()),
            alias => (append_alias(path, alias), Vec::new()),
        })
    };
    without_comments(text).split(['\n', ';']).filter_map(quoted).collect()
}
