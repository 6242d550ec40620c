//! Java.

use crate::entity::{EntityKind, Visibility};
use crate::language_spec::{
    DEFAULT_SPEC, DefinitionHeader, DefinitionName, LanguageSpec, NodeContext, NodeRole,
    ParsedImport, RoleTable, name_from_field,
};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_java::LANGUAGE.into(),
    roles: &[ROLES],
    visibility,
    is_test,
    imports,
    ..DEFAULT_SPEC
};

const ROLES: RoleTable = &[
    ("line_comment", NodeRole::Comment),
    ("block_comment", NodeRole::Comment),
    ("modifiers", NodeRole::Modifiers),
    ("annotation", NodeRole::Attribute),
    ("marker_annotation", NodeRole::Attribute),
    ("package_declaration", NodeRole::Skip),
    ("import_declaration", NodeRole::Import),
    ("class_declaration", NodeRole::Define(EntityKind::Type, name_from_field)),
    ("record_declaration", NodeRole::Define(EntityKind::Type, name_from_field)),
    ("interface_declaration", NodeRole::Define(EntityKind::Trait, name_from_field)),
    ("annotation_type_declaration", NodeRole::Define(EntityKind::Trait, name_from_field)),
    ("annotation_type_element_declaration", NodeRole::Define(EntityKind::Field, name_from_field)),
    ("enum_declaration", NodeRole::Define(EntityKind::Enum, name_from_field)),
    ("enum_constant", NodeRole::Define(EntityKind::Field, name_from_field)),
    ("method_declaration", NodeRole::Define(EntityKind::Method, name_from_field)),
    ("constructor_declaration", NodeRole::Define(EntityKind::Method, name_from_field)),
    ("compact_constructor_declaration", NodeRole::Define(EntityKind::Method, name_from_field)),
    ("field_declaration", NodeRole::Define(EntityKind::Field, field_name)),
    ("constant_declaration", NodeRole::Define(EntityKind::Field, field_name)),
    ("class_body", NodeRole::Body),
    ("interface_body", NodeRole::Body),
    ("enum_body", NodeRole::Body),
    ("annotation_type_body", NodeRole::Body),
    ("constructor_body", NodeRole::Body),
    ("block", NodeRole::Body),
    ("switch_block", NodeRole::Body),
    ("array_initializer", NodeRole::Items),
    ("identifier", NodeRole::Name),
    ("type_identifier", NodeRole::TypeName),
    ("string_literal", NodeRole::Skip),
];

/// Returns the name of the first field of a declaration.
fn field_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    site.definition_name(site.field("declarator")?.child_by_field_name("name")?)
}

fn visibility(header: &DefinitionHeader<'_>) -> Visibility {
    header.modifier_visibility().unwrap_or(match header.container {
        Some((EntityKind::Trait | EntityKind::Enum, visibility)) => visibility,
        _ => Visibility::Restricted,
    })
}

fn is_test(header: &DefinitionHeader<'_>) -> bool {
    let names = ["@Test", "@ParameterizedTest", "@RepeatedTest", "@TestFactory", "@Property"];
    header.kind == EntityKind::Method && names.iter().any(|name| header.before_name.contains(name))
}

/// Parses `import a.b.C;` and its variants, including those of Kotlin.
pub(super) fn imports(text: &str) -> Vec<ParsedImport> {
    let path = text.trim_start_matches("import").trim().trim_end_matches(';');
    let path = path.strip_prefix("static ").unwrap_or(path);
    let path = path.trim();
    let (module, name) = path.rsplit_once('.').unwrap_or((path, ""));
    let names = if name.is_empty() { Vec::new() } else { vec![name.to_owned()] };
    vec![(module.to_owned(), names)]
}
