//! JavaScript, TypeScript and TSX.

mod imports;

use foveal_parser_runtime::Node;

use self::imports::{exports, imports};
use crate::entity::{EntityKind, Visibility};
use crate::language_spec::{
    DefinitionHeader, DefinitionName, LanguageSpec, NodeContext, NodeRole, RoleTable,
    name_from_field,
};

pub(super) const JAVASCRIPT: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_javascript::LANGUAGE.into(),
    roles: &[
        COMMON_ROLES,
        &[("field_definition", NodeRole::Define(EntityKind::Field, property_name))],
    ],
    body,
    visibility,
    is_test: |_| false,
    exports,
    imports,
};

pub(super) const TYPESCRIPT: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    roles: &[COMMON_ROLES, TYPESCRIPT_ROLES],
    ..JAVASCRIPT
};

pub(super) const TSX: LanguageSpec =
    LanguageSpec { grammar: || tree_sitter_typescript::LANGUAGE_TSX.into(), ..TYPESCRIPT };

const COMMON_ROLES: RoleTable = &[
    ("comment", NodeRole::Comment),
    ("decorator", NodeRole::Attribute),
    ("import_statement", NodeRole::Import),
    ("export_statement", NodeRole::Contextual(export_role)),
    ("function_declaration", NodeRole::Define(EntityKind::Function, name_from_field)),
    ("generator_function_declaration", NodeRole::Define(EntityKind::Function, name_from_field)),
    ("function_expression", NodeRole::Contextual(default_function_role)),
    ("arrow_function", NodeRole::Contextual(default_function_role)),
    ("class_declaration", NodeRole::Define(EntityKind::Type, name_from_field)),
    ("class", NodeRole::Contextual(default_class_role)),
    ("method_definition", NodeRole::Define(EntityKind::Method, name_from_field)),
    ("pair", NodeRole::Contextual(pair_role)),
    ("lexical_declaration", NodeRole::Contextual(declaration_role)),
    ("variable_declaration", NodeRole::Contextual(declaration_role)),
    ("variable_declarator", NodeRole::Contextual(declarator_role)),
    ("expression_statement", NodeRole::Contextual(statement_role)),
    ("assignment_expression", NodeRole::Contextual(assignment_role)),
    ("call_expression", NodeRole::Contextual(call_role)),
    ("statement_block", NodeRole::Body),
    ("class_body", NodeRole::Body),
    ("switch_body", NodeRole::Body),
    ("object", NodeRole::Items),
    ("array", NodeRole::Items),
    ("identifier", NodeRole::Name),
    ("property_identifier", NodeRole::Name),
    ("private_property_identifier", NodeRole::Name),
    ("shorthand_property_identifier", NodeRole::Name),
    ("string_fragment", NodeRole::Skip),
    ("regex", NodeRole::Skip),
];

const TYPESCRIPT_ROLES: RoleTable = &[
    ("abstract_class_declaration", NodeRole::Define(EntityKind::Type, name_from_field)),
    ("interface_declaration", NodeRole::Define(EntityKind::Trait, name_from_field)),
    ("type_alias_declaration", NodeRole::Define(EntityKind::Type, name_from_field)),
    ("enum_declaration", NodeRole::Define(EntityKind::Enum, name_from_field)),
    ("enum_assignment", NodeRole::Define(EntityKind::Field, name_from_field)),
    ("enum_body", NodeRole::Body),
    ("property_identifier", NodeRole::Contextual(variant_role)),
    ("internal_module", NodeRole::Define(EntityKind::Module, module_name)),
    ("module", NodeRole::Define(EntityKind::Module, module_name)),
    ("ambient_declaration", NodeRole::Wrapper),
    ("function_signature", NodeRole::Define(EntityKind::Function, name_from_field)),
    ("method_signature", NodeRole::Contextual(member_role)),
    ("abstract_method_signature", NodeRole::Define(EntityKind::Method, name_from_field)),
    ("property_signature", NodeRole::Contextual(member_role)),
    ("public_field_definition", NodeRole::Define(EntityKind::Field, name_from_field)),
    ("interface_body", NodeRole::Body),
    ("object_type", NodeRole::Body),
    ("type_identifier", NodeRole::TypeName),
];

/// Functions whose calls define a test or a group of tests.
const TEST_CALLS: &[&str] = &["bench", "context", "describe", "it", "specify", "suite", "test"];

fn body(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "call_expression" => test_function(node)?.child_by_field_name("body"),
        "assignment_expression" => {
            let right = node.child_by_field_name("right")?;
            Some(right.child_by_field_name("body").unwrap_or(right))
        }
        // The parts of a union of types all matter, so they count as header.
        "type_alias_declaration" => {
            node.child_by_field_name("value").filter(|value| value.kind() == "object_type")
        }
        _ => crate::language_spec::body_or_value(node),
    }
}

/// An `export … from` is an import; any other export wraps its definition.
fn export_role(site: &NodeContext<'_>) -> NodeRole {
    if site.field("source").is_some() { NodeRole::Import } else { NodeRole::Wrapper }
}

fn default_function_role(site: &NodeContext<'_>) -> NodeRole {
    match site.parent_kind {
        "export_statement" => NodeRole::Define(EntityKind::Function, default_export_name),
        _ => NodeRole::Plain,
    }
}

fn default_class_role(site: &NodeContext<'_>) -> NodeRole {
    match site.parent_kind {
        "export_statement" => NodeRole::Define(EntityKind::Type, default_export_name),
        _ => NodeRole::Plain,
    }
}

fn default_export_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    name_from_field(site).or_else(|| Some(DefinitionName::new("default", site.node.start_byte())))
}

fn property_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    site.definition_name(site.field("property")?)
}

fn module_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    let name = site.field("name")?;
    let text = site.text_of(name).trim_matches(['"', '\'']);
    Some(DefinitionName::new(text, name.start_byte()))
}

fn is_function(node: Node<'_>) -> bool {
    matches!(node.kind(), "arrow_function" | "function_expression" | "generator_function")
}

/// Members of inline types, as in parameters, are no entities.
fn member_role(site: &NodeContext<'_>) -> NodeRole {
    let kind = match site.node.kind() {
        "method_signature" => EntityKind::Method,
        _ => EntityKind::Field,
    };
    match (site.parent_kind, site.container) {
        ("interface_body" | "class_body", _) | ("object_type", Some(EntityKind::Type)) => {
            NodeRole::Define(kind, name_from_field)
        }
        _ => NodeRole::Plain,
    }
}

fn variant_role(site: &NodeContext<'_>) -> NodeRole {
    match site.parent_kind {
        "enum_body" => NodeRole::Define(EntityKind::Field, |site| site.definition_name(site.node)),
        _ => NodeRole::Name,
    }
}

/// Functions of an object literal, unless it is an argument or local.
fn pair_role(site: &NodeContext<'_>) -> NodeRole {
    let known = !matches!(
        site.container,
        Some(EntityKind::Function | EntityKind::Method | EntityKind::Test)
    );
    match site.field("value") {
        Some(value) if known && is_function(value) => {
            NodeRole::Define(EntityKind::Method, |site| site.definition_name(site.field("key")?))
        }
        _ => NodeRole::Plain,
    }
}

/// `const x = require(…)` and `const x = require(…).name` are imports; any other declaration wraps
/// its declarators.
fn declaration_role(site: &NodeContext<'_>) -> NodeRole {
    let value = site.node.named_child(0).and_then(|child| child.child_by_field_name("value"));
    let value = value.and_then(|value| match value.kind() {
        "member_expression" => value.child_by_field_name("object"),
        _ => Some(value),
    });
    let callee = value.and_then(|value| value.child_by_field_name("function"));
    match callee.map(|callee| site.text_of(callee)) {
        Some("require") => NodeRole::Import,
        _ => NodeRole::Wrapper,
    }
}

fn declarator_role(site: &NodeContext<'_>) -> NodeRole {
    let Some(value) = site.field("value") else {
        return NodeRole::Bind(EntityKind::Constant, declared_name);
    };
    let rows = value.end_position().row - value.start_position().row;
    if value.kind() == "class" {
        NodeRole::Define(EntityKind::Type, declared_name)
    } else if is_function(value) && (rows > 0 || !site.is_in_statements()) {
        NodeRole::Define(EntityKind::Function, declared_name)
    } else {
        NodeRole::Bind(EntityKind::Constant, declared_name)
    }
}

fn declared_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    let name = site.field("name")?;
    match name.kind() {
        "identifier" => site.definition_name(name),
        _ => {
            let first = name.named_child(0)?;
            let first = first.child_by_field_name("value").unwrap_or(first);
            site.definition_name(first).filter(|named| !named.name.contains(['{', '[', '\n']))
        }
    }
}

fn statement_role(site: &NodeContext<'_>) -> NodeRole {
    match site.node.named_child(0).map(|child| child.kind()) {
        Some("assignment_expression" | "call_expression" | "internal_module") => NodeRole::Wrapper,
        _ => NodeRole::Plain,
    }
}

/// `app.use = function …` is a definition, and so are assignments to exports.
fn assignment_role(site: &NodeContext<'_>) -> NodeRole {
    let (Some(left), Some(right)) = (site.field("left"), site.field("right")) else {
        return NodeRole::Plain;
    };
    if site.parent_kind != "expression_statement" {
        return NodeRole::Plain;
    }
    let target = site.text_of(left);
    let exported = target.starts_with("module.exports") || target.starts_with("exports");
    match left.kind() {
        _ if is_function(right) && exported => {
            NodeRole::Define(EntityKind::Function, assigned_name)
        }
        "member_expression" if is_function(right) => {
            NodeRole::Define(EntityKind::Method, assigned_name)
        }
        _ if right.kind() == "class" => NodeRole::Define(EntityKind::Type, assigned_name),
        _ if exported && matches!(right.kind(), "object" | "array" | "call_expression") => {
            NodeRole::Bind(EntityKind::Constant, assigned_name)
        }
        _ => NodeRole::Plain,
    }
}

fn assigned_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    let left = site.field("left")?;
    let Some(property) = left.child_by_field_name("property") else {
        return site.definition_name(left);
    };
    let owner = site.text_of(left.child_by_field_name("object")?);
    let owner = owner.trim_end_matches(".prototype");
    let is_word = owner.len() < 60 && !owner.contains(['(', '\n']);
    Some(site.definition_name(property)?.with_owner(is_word.then_some(owner)))
}

fn call_role(site: &NodeContext<'_>) -> NodeRole {
    let callee = site.field("function").map(|node| site.text_of(node)).unwrap_or_default();
    let word = callee.split(['.', '(', '`']).next().unwrap_or_default();
    if site.parent_kind == "expression_statement"
        && TEST_CALLS.contains(&word)
        && test_function(site.node).is_some()
    {
        NodeRole::Define(EntityKind::Test, test_name)
    } else {
        NodeRole::Plain
    }
}

/// Returns the function that is the last or second argument of a call.
fn test_function(node: Node<'_>) -> Option<Node<'_>> {
    let arguments = node.child_by_field_name("arguments")?;
    let count = arguments.named_child_count();
    let last = arguments.named_child(u32::try_from(count.checked_sub(1)?).ok()?)?;
    let last = if is_function(last) { last } else { arguments.named_child(1)? };
    is_function(last).then_some(last)
}

fn test_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    let first = site.field("arguments")?.named_child(0)?;
    let name = site.text_of(first).trim_matches(['"', '\'', '`']).trim();
    let name = name.lines().next().unwrap_or_default();
    // The name is at the start of the call, so that the word `test` or `describe` is not counted as
    // a use.
    (!name.is_empty()).then(|| DefinitionName::new(name, site.node.start_byte()))
}

fn visibility(header: &DefinitionHeader<'_>) -> Visibility {
    if header.has_modifier("private") || header.name.starts_with('#') {
        return Visibility::Private;
    }
    if header.has_modifier("protected") {
        return Visibility::Restricted;
    }
    let is_member = matches!(header.kind, EntityKind::Method | EntityKind::Field);
    match header.container {
        _ if header.is_exported => Visibility::Public,
        // Exports of a module are marked; a `declare module` exports all its declarations.
        Some((EntityKind::Module, visibility)) if header.has_modifier("declare") => visibility,
        Some((kind, visibility)) if is_member && !kind.has_statements() => visibility,
        None if header.kind == EntityKind::Method => Visibility::Public,
        None if header.name == "exports" || header.before_name.contains("exports.") => {
            Visibility::Public
        }
        _ => Visibility::Private,
    }
}
