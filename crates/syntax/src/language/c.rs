//! C and C++.

use foveal_parser_runtime::Node;

use crate::entity::{EntityKind, Visibility};
use crate::language_spec::{
    DEFAULT_SPEC, DefinitionHeader, DefinitionName, LanguageSpec, NodeContext, NodeRole,
    ParsedImport, RoleTable, name_from_field,
};

pub(super) const C: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_c::LANGUAGE.into(),
    roles: &[COMMON_ROLES],
    body,
    visibility,
    is_test: |_| false,
    imports,
    ..DEFAULT_SPEC
};

pub(super) const CPP: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_cpp::LANGUAGE.into(),
    roles: &[COMMON_ROLES, CPP_ROLES],
    ..C
};

const COMMON_ROLES: RoleTable = &[
    ("comment", NodeRole::Comment),
    ("preproc_include", NodeRole::Import),
    ("preproc_def", NodeRole::Bind(EntityKind::Constant, name_from_field)),
    ("preproc_function_def", NodeRole::Define(EntityKind::Function, name_from_field)),
    ("preproc_ifdef", NodeRole::Body),
    ("preproc_if", NodeRole::Body),
    ("preproc_else", NodeRole::Body),
    ("preproc_elif", NodeRole::Body),
    ("function_definition", NodeRole::Contextual(function_role)),
    ("declaration", NodeRole::Contextual(declaration_role)),
    ("type_definition", NodeRole::Contextual(type_definition_role)),
    ("struct_specifier", NodeRole::Contextual(specifier_role)),
    ("union_specifier", NodeRole::Contextual(specifier_role)),
    ("enum_specifier", NodeRole::Contextual(specifier_role)),
    ("enumerator", NodeRole::Define(EntityKind::Field, name_from_field)),
    ("field_declaration", NodeRole::Contextual(field_role)),
    ("field_declaration_list", NodeRole::Body),
    ("enumerator_list", NodeRole::Body),
    ("declaration_list", NodeRole::Body),
    ("compound_statement", NodeRole::Body),
    ("initializer_list", NodeRole::Items),
    ("identifier", NodeRole::Name),
    ("field_identifier", NodeRole::Name),
    ("type_identifier", NodeRole::TypeName),
    ("string_literal", NodeRole::Skip),
    ("system_lib_string", NodeRole::Skip),
];

const CPP_ROLES: RoleTable = &[
    ("namespace_definition", NodeRole::Define(EntityKind::Module, name_from_field)),
    ("class_specifier", NodeRole::Contextual(specifier_role)),
    ("alias_declaration", NodeRole::Define(EntityKind::Type, name_from_field)),
    ("concept_definition", NodeRole::Define(EntityKind::Trait, name_from_field)),
    ("template_declaration", NodeRole::Wrapper),
    ("access_specifier", NodeRole::AccessLabel(access_visibility)),
    ("raw_string_literal", NodeRole::Skip),
];

/// The largest number of nested declarators that are searched for a name; real code has fewer.
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
        _ => crate::language_spec::body_or_value(node),
    }
}

fn function_role(site: &NodeContext<'_>) -> NodeRole {
    let named = declared_name(site);
    match named {
        Some(named) if TEST_MACROS.contains(&named.name.as_str()) => {
            NodeRole::Define(EntityKind::Test, test_name)
        }
        Some(named) if named.owner.is_some() => NodeRole::Define(EntityKind::Method, declared_name),
        _ => NodeRole::Define(EntityKind::Function, declared_name),
    }
}

/// Returns `Suite.Name` for `TEST(Suite, Name)`.
fn test_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    let parameters = site.field("declarator")?.child_by_field_name("parameters")?;
    let text = site.text_of(parameters).trim_matches(['(', ')']);
    let name: Vec<&str> = text.split(',').map(str::trim).collect();
    Some(DefinitionName::new(&name.join("."), parameters.start_byte()))
}

fn declaration_role(site: &NodeContext<'_>) -> NodeRole {
    let is_function = is_function_declaration(site.node);
    match site.container {
        Some(EntityKind::Type) if is_function => {
            NodeRole::Define(EntityKind::Method, declared_name)
        }
        _ if is_function => NodeRole::Bind(EntityKind::Function, declared_name),
        _ => NodeRole::Bind(EntityKind::Constant, declared_name),
    }
}

fn field_role(site: &NodeContext<'_>) -> NodeRole {
    let kind =
        if is_function_declaration(site.node) { EntityKind::Method } else { EntityKind::Field };
    NodeRole::Define(kind, declared_name)
}

/// Returns whether the declaration is of a function, not of a pointer to one.
fn is_function_declaration(node: Node<'_>) -> bool {
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

/// Returns the role of a struct, union or enum; one in a `typedef` has the name of the typedef.
fn specifier_role(site: &NodeContext<'_>) -> NodeRole {
    if site.field("body").is_none() || site.parent_kind == "type_definition" {
        return NodeRole::Plain;
    }
    match site.node.kind() {
        "enum_specifier" => NodeRole::Define(EntityKind::Enum, name_from_field),
        _ => NodeRole::Define(EntityKind::Type, name_from_field),
    }
}

fn type_definition_role(site: &NodeContext<'_>) -> NodeRole {
    match site.field("type").map(|of| of.kind()) {
        Some("enum_specifier") => NodeRole::Define(EntityKind::Enum, declared_name),
        _ => NodeRole::Define(EntityKind::Type, declared_name),
    }
}

/// Returns the name inside all declarators, owned by the class before its last `::`.
fn declared_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    let mut at = site.field("declarator")?;
    let mut owner = None;
    for _ in 0..DECLARATORS_MAX {
        match at.kind() {
            "identifier" | "field_identifier" | "type_identifier" | "destructor_name"
            | "operator_name" | "operator_cast" | "primitive_type" => {
                return Some(site.definition_name(at)?.with_owner(owner));
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

fn access_visibility(site: &NodeContext<'_>) -> Option<Visibility> {
    match site.text_of(site.node).trim_end_matches(':').trim() {
        "public" => Some(Visibility::Public),
        "protected" => Some(Visibility::Restricted),
        "private" => Some(Visibility::Private),
        _ => None,
    }
}

fn visibility(header: &DefinitionHeader<'_>) -> Visibility {
    let is_member = header.container.is_some_and(|(kind, _)| kind.has_members());
    match header.access {
        Some(visibility) if is_member => visibility,
        _ if !is_member && header.has_modifier("static") => Visibility::Private,
        _ => match header.container {
            Some((EntityKind::Type | EntityKind::Enum, visibility)) => visibility,
            _ => Visibility::Public,
        },
    }
}

fn imports(text: &str) -> Vec<ParsedImport> {
    let path = text.split(['"', '<', '>']).nth(1).map(str::to_owned);
    path.map(|path| (path, Vec::new())).into_iter().collect()
}
