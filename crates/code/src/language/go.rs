//! Go.

use foveal_parser_runtime::Node;

use crate::entity::{EntityKind, Visibility};
use crate::spec::{
    Header, Imported, Named, PLAIN, Role, Roles, Site, Spec, name_field, with_alias,
    without_comments,
};

pub(super) const SPEC: Spec = Spec {
    grammar: || tree_sitter_go::LANGUAGE.into(),
    roles: &[ROLES],
    body,
    visibility,
    is_test,
    imports,
    ..PLAIN
};

const ROLES: Roles = &[
    ("comment", Role::Comment),
    ("package_clause", Role::Skip),
    ("import_declaration", Role::Import),
    ("function_declaration", Role::Define(EntityKind::Function, name_field)),
    ("method_declaration", Role::Define(EntityKind::Method, method_name)),
    ("method_elem", Role::Define(EntityKind::Method, name_field)),
    ("type_declaration", Role::Wrap),
    ("type_spec", Role::Ask(type_spec)),
    ("type_alias", Role::Define(EntityKind::Type, name_field)),
    ("const_declaration", Role::Wrap),
    ("const_spec", Role::Bind(EntityKind::Constant, name_field)),
    ("var_declaration", Role::Wrap),
    ("var_spec_list", Role::Wrap),
    ("var_spec", Role::Bind(EntityKind::Constant, name_field)),
    ("field_declaration", Role::Ask(field)),
    ("field_declaration_list", Role::Body),
    ("interface_type", Role::Body),
    ("statement_list", Role::Body),
    ("literal_value", Role::Items),
    ("identifier", Role::Name),
    ("field_identifier", Role::Name),
    ("type_identifier", Role::TypeName),
    ("interpreted_string_literal", Role::Skip),
    ("raw_string_literal", Role::Skip),
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
        _ => crate::spec::body_or_value(node),
    }
}

fn type_spec(site: &Site<'_>) -> Role {
    match site.field("type").map(|of| of.kind()) {
        Some("interface_type") => Role::Define(EntityKind::Trait, name_field),
        _ => Role::Define(EntityKind::Type, name_field),
    }
}

/// Fields of anonymous structs in functions name nothing that can be found.
fn field(site: &Site<'_>) -> Role {
    match site.container {
        Some(EntityKind::Type) => Role::Define(EntityKind::Field, field_name),
        _ => Role::Plain,
    }
}

/// An embedded field is named by its type.
fn field_name(site: &Site<'_>) -> Option<Named> {
    if let Some(named) = name_field(site) {
        return Some(named);
    }
    let of = site.field("type")?;
    let name = base_type(site.text_of(of));
    // The type's name is a use of that type.
    Some(Named::new(name, site.node.end_byte()))
}

fn method_name(site: &Site<'_>) -> Option<Named> {
    let receiver = site.field("receiver").map(|node| site.text_of(node)).unwrap_or_default();
    let of = receiver.trim_matches(['(', ')', ' ']).rsplit(' ').next().map(base_type);
    Some(name_field(site)?.owned_by(of.filter(|name| !name.is_empty())))
}

/// `Engine` of `*pkg.Engine[T]`.
fn base_type(text: &str) -> &str {
    let text = text.trim_start_matches(['*', '&', ' ']);
    let text = text.split('[').next().unwrap_or(text).trim();
    text.rsplit('.').next().unwrap_or(text)
}

fn visibility(header: &Header<'_>) -> Visibility {
    if header.name.starts_with(char::is_uppercase) {
        Visibility::Public
    } else {
        Visibility::Private
    }
}

fn is_test(header: &Header<'_>) -> bool {
    header.kind == EntityKind::Function
        && header.in_test_file
        && ["Test", "Benchmark", "Fuzz", "Example"].iter().any(|prefix| {
            let rest = header.name.strip_prefix(prefix);
            rest.is_some_and(|rest| !rest.starts_with(char::is_lowercase))
        })
}

fn imports(text: &str) -> Vec<Imported> {
    let quoted = |line: &str| {
        let mut parts = line.split(['"', '`']);
        let before = parts.next()?.trim_start_matches("import").trim();
        let path = parts.next()?;
        Some(match before.trim_start_matches('(').trim() {
            "." => (path.to_owned(), vec!["*".to_owned()]),
            "_" => (path.to_owned(), Vec::new()),
            alias => (with_alias(path, alias), Vec::new()),
        })
    };
    without_comments(text).split(['\n', ';']).filter_map(quoted).collect()
}
