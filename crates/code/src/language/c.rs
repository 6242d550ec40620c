//! C and C++.

use foveal_parser_runtime::Node;

use crate::entity::{EntityKind, Visibility};
use crate::spec::{Header, Imported, Named, PLAIN, Role, Roles, Site, Spec, name_field};

pub(super) const C: Spec = Spec {
    grammar: || tree_sitter_c::LANGUAGE.into(),
    roles: &[BOTH],
    body,
    visibility,
    is_test: |_| false,
    imports,
    ..PLAIN
};

pub(super) const CPP: Spec =
    Spec { grammar: || tree_sitter_cpp::LANGUAGE.into(), roles: &[BOTH, CLASSES], ..C };

const BOTH: Roles = &[
    ("comment", Role::Comment),
    ("preproc_include", Role::Import),
    ("preproc_def", Role::Bind(EntityKind::Constant, name_field)),
    ("preproc_function_def", Role::Define(EntityKind::Function, name_field)),
    ("preproc_ifdef", Role::Body),
    ("preproc_if", Role::Body),
    ("preproc_else", Role::Body),
    ("preproc_elif", Role::Body),
    ("function_definition", Role::Ask(function)),
    ("declaration", Role::Ask(declaration)),
    ("type_definition", Role::Ask(type_definition)),
    ("struct_specifier", Role::Ask(specifier)),
    ("union_specifier", Role::Ask(specifier)),
    ("enum_specifier", Role::Ask(specifier)),
    ("enumerator", Role::Define(EntityKind::Field, name_field)),
    ("field_declaration", Role::Ask(field)),
    ("field_declaration_list", Role::Body),
    ("enumerator_list", Role::Body),
    ("declaration_list", Role::Body),
    ("compound_statement", Role::Body),
    ("initializer_list", Role::Items),
    ("identifier", Role::Name),
    ("field_identifier", Role::Name),
    ("type_identifier", Role::TypeName),
    ("string_literal", Role::Skip),
    ("system_lib_string", Role::Skip),
];

const CLASSES: Roles = &[
    ("namespace_definition", Role::Define(EntityKind::Module, name_field)),
    ("class_specifier", Role::Ask(specifier)),
    ("alias_declaration", Role::Define(EntityKind::Type, name_field)),
    ("concept_definition", Role::Define(EntityKind::Trait, name_field)),
    ("template_declaration", Role::Wrap),
    ("access_specifier", Role::Access(access)),
    ("raw_string_literal", Role::Skip),
];

/// Nodes around a declared name that are looked through; more are not written by people.
const DECLARATORS_MAX: usize = 16;

/// Macros of test frameworks that look like functions.
const TEST_MACROS: &[&str] =
    &["BENCHMARK_F", "TEST", "TEST_CASE", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P"];

fn body(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "type_definition" => node.child_by_field_name("type")?.child_by_field_name("body"),
        "declaration" => {
            let declarator = node.child_by_field_name("declarator")?;
            declarator.child_by_field_name("value")
        }
        "field_declaration" => node.child_by_field_name("type")?.child_by_field_name("body"),
        _ => crate::spec::body_or_value(node),
    }
}

fn function(site: &Site<'_>) -> Role {
    let named = declared(site);
    match named {
        Some(named) if TEST_MACROS.contains(&named.name.as_str()) => {
            Role::Define(EntityKind::Test, test_name)
        }
        Some(named) if named.owner.is_some() => Role::Define(EntityKind::Method, declared),
        _ => Role::Define(EntityKind::Function, declared),
    }
}

/// `Suite.Name` of `TEST(Suite, Name)`.
fn test_name(site: &Site<'_>) -> Option<Named> {
    let parameters = site.field("declarator")?.child_by_field_name("parameters")?;
    let text = site.text_of(parameters).trim_matches(['(', ')']);
    let name: Vec<&str> = text.split(',').map(str::trim).collect();
    Some(Named::new(&name.join("."), parameters.start_byte()))
}

fn declaration(site: &Site<'_>) -> Role {
    let is_function = declares_function(site.node);
    match site.container {
        Some(EntityKind::Type) if is_function => Role::Define(EntityKind::Method, declared),
        _ if is_function => Role::Bind(EntityKind::Function, declared),
        _ => Role::Bind(EntityKind::Constant, declared),
    }
}

fn field(site: &Site<'_>) -> Role {
    let kind = if declares_function(site.node) { EntityKind::Method } else { EntityKind::Field };
    Role::Define(kind, declared)
}

/// Whether what is declared is a function, not a pointer to one.
fn declares_function(node: Node<'_>) -> bool {
    let mut at = node.child_by_field_name("declarator");
    for _ in 0..DECLARATORS_MAX {
        let Some(node) = at else { return false };
        match node.kind() {
            "function_declarator" => {
                let inner = node.child_by_field_name("declarator");
                return inner.is_some_and(|inner| inner.kind() != "parenthesized_declarator");
            }
            "reference_declarator" => at = node.named_child(0),
            _ => at = node.child_by_field_name("declarator"),
        }
    }
    false
}

/// A struct or enum with a name of its own; one in a `typedef` goes by that name.
fn specifier(site: &Site<'_>) -> Role {
    if site.field("body").is_none() || site.parent == "type_definition" {
        return Role::Plain;
    }
    match site.node.kind() {
        "enum_specifier" => Role::Define(EntityKind::Enum, name_field),
        _ => Role::Define(EntityKind::Type, name_field),
    }
}

fn type_definition(site: &Site<'_>) -> Role {
    match site.field("type").map(|of| of.kind()) {
        Some("enum_specifier") => Role::Define(EntityKind::Enum, declared),
        _ => Role::Define(EntityKind::Type, declared),
    }
}

/// The name inside all declarators, with the class before its last `::`.
fn declared(site: &Site<'_>) -> Option<Named> {
    let mut at = site.field("declarator")?;
    let mut owner = None;
    for _ in 0..DECLARATORS_MAX {
        match at.kind() {
            "identifier" | "field_identifier" | "type_identifier" | "destructor_name"
            | "operator_name" | "operator_cast" | "primitive_type" => {
                return Some(site.named(at)?.owned_by(owner));
            }
            "qualified_identifier" => {
                let scope = at.child_by_field_name("scope").map(|scope| site.text_of(scope));
                owner = scope.map(|scope| scope.split('<').next().unwrap_or(scope)).or(owner);
                at = at.child_by_field_name("name")?;
            }
            "template_function" => at = at.child_by_field_name("name")?,
            _ => match at.child_by_field_name("declarator") {
                Some(inner) => at = inner,
                None => at = at.named_child(0)?,
            },
        }
    }
    None
}

fn access(site: &Site<'_>) -> Option<Visibility> {
    match site.text_of(site.node).trim_end_matches(':').trim() {
        "public" => Some(Visibility::Public),
        "protected" => Some(Visibility::Restricted),
        "private" => Some(Visibility::Private),
        _ => None,
    }
}

fn visibility(header: &Header<'_>) -> Visibility {
    let is_member = header.container.is_some_and(|(kind, _)| kind.has_members());
    match header.access {
        Some(visibility) if is_member => visibility,
        _ if !is_member && header.has("static") => Visibility::Private,
        _ => match header.container {
            Some((EntityKind::Type | EntityKind::Enum, visibility)) => visibility,
            _ => Visibility::Public,
        },
    }
}

fn imports(text: &str) -> Vec<Imported> {
    let path = text.split(['"', '<', '>']).nth(1).map(str::to_owned);
    path.map(|path| (path, Vec::new())).into_iter().collect()
}
