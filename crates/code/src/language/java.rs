//! Java.

use crate::entity::{EntityKind, Visibility};
use crate::spec::{Header, Imported, Named, PLAIN, Role, Roles, Site, Spec, name_field};

pub(super) const SPEC: Spec = Spec {
    grammar: || tree_sitter_java::LANGUAGE.into(),
    roles: &[ROLES],
    visibility,
    is_test,
    imports,
    ..PLAIN
};

const ROLES: Roles = &[
    ("line_comment", Role::Comment),
    ("block_comment", Role::Comment),
    ("modifiers", Role::Modifiers),
    ("annotation", Role::Attribute),
    ("marker_annotation", Role::Attribute),
    ("package_declaration", Role::Skip),
    ("import_declaration", Role::Import),
    ("class_declaration", Role::Define(EntityKind::Type, name_field)),
    ("record_declaration", Role::Define(EntityKind::Type, name_field)),
    ("interface_declaration", Role::Define(EntityKind::Trait, name_field)),
    ("annotation_type_declaration", Role::Define(EntityKind::Trait, name_field)),
    ("annotation_type_element_declaration", Role::Define(EntityKind::Field, name_field)),
    ("enum_declaration", Role::Define(EntityKind::Enum, name_field)),
    ("enum_constant", Role::Define(EntityKind::Field, name_field)),
    ("method_declaration", Role::Define(EntityKind::Method, name_field)),
    ("constructor_declaration", Role::Define(EntityKind::Method, name_field)),
    ("compact_constructor_declaration", Role::Define(EntityKind::Method, name_field)),
    ("field_declaration", Role::Define(EntityKind::Field, field_name)),
    ("constant_declaration", Role::Define(EntityKind::Field, field_name)),
    ("class_body", Role::Body),
    ("interface_body", Role::Body),
    ("enum_body", Role::Body),
    ("annotation_type_body", Role::Body),
    ("constructor_body", Role::Body),
    ("block", Role::Body),
    ("switch_block", Role::Body),
    ("array_initializer", Role::Items),
    ("identifier", Role::Name),
    ("type_identifier", Role::TypeName),
    ("string_literal", Role::Skip),
];

/// The first of the fields declared together.
fn field_name(site: &Site<'_>) -> Option<Named> {
    site.named(site.field("declarator")?.child_by_field_name("name")?)
}

fn visibility(header: &Header<'_>) -> Visibility {
    header.modifiers().unwrap_or(match header.container {
        Some((EntityKind::Trait | EntityKind::Enum, visibility)) => visibility,
        _ => Visibility::Restricted,
    })
}

fn is_test(header: &Header<'_>) -> bool {
    let names = ["@Test", "@ParameterizedTest", "@RepeatedTest", "@TestFactory", "@Property"];
    header.kind == EntityKind::Method && names.iter().any(|name| header.before_name.contains(name))
}

/// `import a.b.C;` and the like; also Kotlin's.
pub(super) fn imports(text: &str) -> Vec<Imported> {
    let path = text.trim_start_matches("import").trim().trim_end_matches(';');
    let path = path.strip_prefix("static ").unwrap_or(path);
    let path = path.trim();
    let (module, name) = path.rsplit_once('.').unwrap_or((path, ""));
    let names = if name.is_empty() { Vec::new() } else { vec![name.to_owned()] };
    vec![(module.to_owned(), names)]
}
