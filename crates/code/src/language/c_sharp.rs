//! C#.

use foveal_parser_runtime::Node;

use crate::entity::{EntityKind, Visibility};
use crate::spec::{
    Header, Imported, Named, PLAIN, Role, Roles, Site, Spec, child_of_kind, name_field, with_alias,
};

pub(super) const SPEC: Spec = Spec {
    grammar: || tree_sitter_c_sharp::LANGUAGE.into(),
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
    ("using_directive", Role::Import),
    ("namespace_declaration", Role::Define(EntityKind::Module, name_field)),
    ("file_scoped_namespace_declaration", Role::Define(EntityKind::Module, name_field)),
    ("class_declaration", Role::Define(EntityKind::Type, name_field)),
    ("struct_declaration", Role::Define(EntityKind::Type, name_field)),
    ("record_declaration", Role::Define(EntityKind::Type, name_field)),
    ("delegate_declaration", Role::Define(EntityKind::Type, name_field)),
    ("interface_declaration", Role::Define(EntityKind::Trait, name_field)),
    ("enum_declaration", Role::Define(EntityKind::Enum, name_field)),
    ("enum_member_declaration", Role::Define(EntityKind::Field, name_field)),
    ("method_declaration", Role::Define(EntityKind::Method, name_field)),
    ("constructor_declaration", Role::Define(EntityKind::Method, name_field)),
    ("destructor_declaration", Role::Define(EntityKind::Method, name_field)),
    ("local_function_statement", Role::Define(EntityKind::Function, name_field)),
    ("operator_declaration", Role::Define(EntityKind::Method, operator_name)),
    ("property_declaration", Role::Define(EntityKind::Field, name_field)),
    ("event_declaration", Role::Define(EntityKind::Field, name_field)),
    ("field_declaration", Role::Define(EntityKind::Field, field_name)),
    ("event_field_declaration", Role::Define(EntityKind::Field, field_name)),
    ("declaration_list", Role::Body),
    ("enum_member_declaration_list", Role::Body),
    ("block", Role::Body),
    ("switch_body", Role::Body),
    ("initializer_expression", Role::Items),
    ("base_list", Role::TypeScope),
    ("type_argument_list", Role::TypeScope),
    ("identifier", Role::Name),
    ("string_literal", Role::Skip),
    ("raw_string_literal", Role::Skip),
    ("verbatim_string_literal", Role::Skip),
];

fn body(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("body").or_else(|| node.child_by_field_name("accessors"))
}

/// The first of the fields declared together.
fn field_name(site: &Site<'_>) -> Option<Named> {
    let declaration = child_of_kind(site.node, &["variable_declaration"])?;
    let declarator = child_of_kind(declaration, &["variable_declarator"])?;
    site.named(declarator.child_by_field_name("name")?)
}

fn operator_name(site: &Site<'_>) -> Option<Named> {
    let operator = site.field("operator")?;
    let name = format!("operator {}", site.text_of(operator));
    Some(Named::new(&name, operator.start_byte()))
}

fn visibility(header: &Header<'_>) -> Visibility {
    header.modifiers().unwrap_or(match header.container {
        Some((EntityKind::Trait | EntityKind::Enum, visibility)) => visibility,
        Some((EntityKind::Type, _)) => Visibility::Private,
        _ if header.kind == EntityKind::Module => Visibility::Public,
        _ => Visibility::Restricted,
    })
}

fn is_test(header: &Header<'_>) -> bool {
    let names = ["Test", "TestCase", "TestMethod", "DataTestMethod", "Fact", "Theory", "Benchmark"];
    header.kind == EntityKind::Method
        && header.before_name.contains('[')
        && header.has_attribute(&names)
}

fn imports(text: &str) -> Vec<Imported> {
    let path = text.trim_start_matches("global ").trim_start_matches("using ");
    let path = path.trim_start_matches("static ").trim_end_matches(';');
    let (alias, path) = path.split_once('=').unwrap_or(("", path));
    vec![(with_alias(path.trim(), alias.trim()), Vec::new())]
}
