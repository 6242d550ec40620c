//! C#.

use foveal_parser_runtime::Node;

use crate::entity::{EntityKind, Visibility};
use crate::language_spec::{
    DEFAULT_SPEC, DefinitionHeader, DefinitionName, LanguageSpec, NodeContext, NodeRole,
    ParsedImport, RoleTable, append_alias, child_of_kind, name_from_field,
};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_c_sharp::LANGUAGE.into(),
    roles: &[ROLES],
    body,
    visibility,
    is_test,
    imports,
    ..DEFAULT_SPEC
};

const ROLES: RoleTable = &[
    ("comment", NodeRole::Comment),
    ("attribute_list", NodeRole::Attribute),
    ("using_directive", NodeRole::Import),
    ("namespace_declaration", NodeRole::Define(EntityKind::Module, name_from_field)),
    ("file_scoped_namespace_declaration", NodeRole::Define(EntityKind::Module, name_from_field)),
    ("class_declaration", NodeRole::Define(EntityKind::Type, name_from_field)),
    ("struct_declaration", NodeRole::Define(EntityKind::Type, name_from_field)),
    ("record_declaration", NodeRole::Define(EntityKind::Type, name_from_field)),
    ("delegate_declaration", NodeRole::Define(EntityKind::Type, name_from_field)),
    ("interface_declaration", NodeRole::Define(EntityKind::Trait, name_from_field)),
    ("enum_declaration", NodeRole::Define(EntityKind::Enum, name_from_field)),
    ("enum_member_declaration", NodeRole::Define(EntityKind::Field, name_from_field)),
    ("method_declaration", NodeRole::Define(EntityKind::Method, name_from_field)),
    ("constructor_declaration", NodeRole::Define(EntityKind::Method, name_from_field)),
    ("destructor_declaration", NodeRole::Define(EntityKind::Method, name_from_field)),
    ("local_function_statement", NodeRole::Define(EntityKind::Function, name_from_field)),
    ("operator_declaration", NodeRole::Define(EntityKind::Method, operator_name)),
    ("property_declaration", NodeRole::Define(EntityKind::Field, name_from_field)),
    ("event_declaration", NodeRole::Define(EntityKind::Field, name_from_field)),
    ("field_declaration", NodeRole::Define(EntityKind::Field, field_name)),
    ("event_field_declaration", NodeRole::Define(EntityKind::Field, field_name)),
    ("declaration_list", NodeRole::Body),
    ("enum_member_declaration_list", NodeRole::Body),
    ("block", NodeRole::Body),
    ("switch_body", NodeRole::Body),
    ("initializer_expression", NodeRole::Items),
    ("base_list", NodeRole::TypeScope),
    ("type_argument_list", NodeRole::TypeScope),
    ("identifier", NodeRole::Name),
    ("string_literal", NodeRole::Skip),
    ("raw_string_literal", NodeRole::Skip),
    ("verbatim_string_literal", NodeRole::Skip),
];

fn body(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("body").or_else(|| node.child_by_field_name("accessors"))
}

/// Returns the name of the first field of a declaration.
fn field_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    let declaration = child_of_kind(site.node, &["variable_declaration"])?;
    let declarator = child_of_kind(declaration, &["variable_declarator"])?;
    site.definition_name(declarator.child_by_field_name("name")?)
}

fn operator_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    let operator = site.field("operator")?;
    let name = format!("operator {}", site.text_of(operator));
    Some(DefinitionName::new(&name, operator.start_byte()))
}

fn visibility(header: &DefinitionHeader<'_>) -> Visibility {
    header.modifier_visibility().unwrap_or(match header.container {
        Some((EntityKind::Trait | EntityKind::Enum, visibility)) => visibility,
        Some((EntityKind::Type, _)) => Visibility::Private,
        _ if header.kind == EntityKind::Module => Visibility::Public,
        _ => Visibility::Restricted,
    })
}

fn is_test(header: &DefinitionHeader<'_>) -> bool {
    let names = ["Test", "TestCase", "TestMethod", "DataTestMethod", "Fact", "Theory", "Benchmark"];
    header.kind == EntityKind::Method
        && header.before_name.contains('[')
        && header.has_attribute(&names)
}

fn imports(text: &str) -> Vec<ParsedImport> {
    let path = text.trim_start_matches("global ").trim_start_matches("using ");
    let path = path.trim_start_matches("static ").trim_end_matches(';');
    let (alias, path) = path.split_once('=').unwrap_or(("", path));
    vec![(append_alias(path.trim(), alias.trim()), Vec::new())]
}
