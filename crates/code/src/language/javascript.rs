//! JavaScript, TypeScript and TSX.

mod imports;

use foveal_parser_runtime::Node;

use self::imports::{exports, imports};
use crate::entity::{EntityKind, Visibility};
use crate::spec::{Header, Named, Role, Roles, Site, Spec, name_field};

pub(super) const JAVASCRIPT: Spec = Spec {
    grammar: || tree_sitter_javascript::LANGUAGE.into(),
    roles: &[BOTH, &[("field_definition", Role::Define(EntityKind::Field, property_name))]],
    body,
    visibility,
    is_test: |_| false,
    exports,
    imports,
};

pub(super) const TYPESCRIPT: Spec = Spec {
    grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    roles: &[BOTH, TYPED],
    ..JAVASCRIPT
};

pub(super) const TSX: Spec =
    Spec { grammar: || tree_sitter_typescript::LANGUAGE_TSX.into(), ..TYPESCRIPT };

const BOTH: Roles = &[
    ("comment", Role::Comment),
    ("decorator", Role::Attribute),
    ("import_statement", Role::Import),
    ("export_statement", Role::Ask(export)),
    ("function_declaration", Role::Define(EntityKind::Function, name_field)),
    ("generator_function_declaration", Role::Define(EntityKind::Function, name_field)),
    ("function_expression", Role::Ask(default_function)),
    ("arrow_function", Role::Ask(default_function)),
    ("class_declaration", Role::Define(EntityKind::Type, name_field)),
    ("class", Role::Ask(default_class)),
    ("method_definition", Role::Define(EntityKind::Method, name_field)),
    ("pair", Role::Ask(pair)),
    ("lexical_declaration", Role::Ask(declaration)),
    ("variable_declaration", Role::Ask(declaration)),
    ("variable_declarator", Role::Ask(declarator)),
    ("expression_statement", Role::Ask(statement)),
    ("assignment_expression", Role::Ask(assignment)),
    ("call_expression", Role::Ask(call)),
    ("statement_block", Role::Body),
    ("class_body", Role::Body),
    ("switch_body", Role::Body),
    ("object", Role::Items),
    ("array", Role::Items),
    ("identifier", Role::Name),
    ("property_identifier", Role::Name),
    ("private_property_identifier", Role::Name),
    ("shorthand_property_identifier", Role::Name),
    ("string_fragment", Role::Skip),
    ("regex", Role::Skip),
];

const TYPED: Roles = &[
    ("abstract_class_declaration", Role::Define(EntityKind::Type, name_field)),
    ("interface_declaration", Role::Define(EntityKind::Trait, name_field)),
    ("type_alias_declaration", Role::Define(EntityKind::Type, name_field)),
    ("enum_declaration", Role::Define(EntityKind::Enum, name_field)),
    ("enum_assignment", Role::Define(EntityKind::Field, name_field)),
    ("enum_body", Role::Body),
    ("property_identifier", Role::Ask(variant)),
    ("internal_module", Role::Define(EntityKind::Module, module_name)),
    ("module", Role::Define(EntityKind::Module, module_name)),
    ("ambient_declaration", Role::Wrap),
    ("function_signature", Role::Define(EntityKind::Function, name_field)),
    ("method_signature", Role::Ask(member)),
    ("abstract_method_signature", Role::Define(EntityKind::Method, name_field)),
    ("property_signature", Role::Ask(member)),
    ("public_field_definition", Role::Define(EntityKind::Field, name_field)),
    ("interface_body", Role::Body),
    ("object_type", Role::Body),
    ("type_identifier", Role::TypeName),
];

/// Calls that hold a test or a group of them.
const TESTS: &[&str] = &["bench", "context", "describe", "it", "specify", "suite", "test"];

fn body(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "call_expression" => test_function(node)?.child_by_field_name("body"),
        "assignment_expression" => {
            let right = node.child_by_field_name("right")?;
            Some(right.child_by_field_name("body").unwrap_or(right))
        }
        // Of a union of types no part may be missing; it counts as header.
        "type_alias_declaration" => {
            node.child_by_field_name("value").filter(|value| value.kind() == "object_type")
        }
        _ => crate::spec::body_or_value(node),
    }
}

/// `export … from` imports; any other stands around what it exports.
fn export(site: &Site<'_>) -> Role {
    if site.field("source").is_some() { Role::Import } else { Role::Wrap }
}

fn default_function(site: &Site<'_>) -> Role {
    match site.parent {
        "export_statement" => Role::Define(EntityKind::Function, default_name),
        _ => Role::Plain,
    }
}

fn default_class(site: &Site<'_>) -> Role {
    match site.parent {
        "export_statement" => Role::Define(EntityKind::Type, default_name),
        _ => Role::Plain,
    }
}

fn default_name(site: &Site<'_>) -> Option<Named> {
    name_field(site).or_else(|| Some(Named::new("default", site.node.start_byte())))
}

fn property_name(site: &Site<'_>) -> Option<Named> {
    site.named(site.field("property")?)
}

fn module_name(site: &Site<'_>) -> Option<Named> {
    let name = site.field("name")?;
    let text = site.text_of(name).trim_matches(['"', '\'']);
    Some(Named::new(text, name.start_byte()))
}

fn is_function(node: Node<'_>) -> bool {
    matches!(node.kind(), "arrow_function" | "function_expression" | "generator_function")
}

/// Members of types written in place, as of parameters, name nothing that can be found.
fn member(site: &Site<'_>) -> Role {
    let kind = match site.node.kind() {
        "method_signature" => EntityKind::Method,
        _ => EntityKind::Field,
    };
    match (site.parent, site.container) {
        ("interface_body" | "class_body", _) | ("object_type", Some(EntityKind::Type)) => {
            Role::Define(kind, name_field)
        }
        _ => Role::Plain,
    }
}

fn variant(site: &Site<'_>) -> Role {
    match site.parent {
        "enum_body" => Role::Define(EntityKind::Field, |site| site.named(site.node)),
        _ => Role::Name,
    }
}

/// Functions of an object that is no argument or local.
fn pair(site: &Site<'_>) -> Role {
    let known = !matches!(
        site.container,
        Some(EntityKind::Function | EntityKind::Method | EntityKind::Test)
    );
    match site.field("value") {
        Some(value) if known && is_function(value) => {
            Role::Define(EntityKind::Method, |site| site.named(site.field("key")?))
        }
        _ => Role::Plain,
    }
}

/// `const x = require(…)` and `const x = require(…).name` import; any other declaration
/// stands around what it declares.
fn declaration(site: &Site<'_>) -> Role {
    let value = site.node.named_child(0).and_then(|child| child.child_by_field_name("value"));
    let value = value.and_then(|value| match value.kind() {
        "member_expression" => value.child_by_field_name("object"),
        _ => Some(value),
    });
    let callee = value.and_then(|value| value.child_by_field_name("function"));
    match callee.map(|callee| site.text_of(callee)) {
        Some("require") => Role::Import,
        _ => Role::Wrap,
    }
}

fn declarator(site: &Site<'_>) -> Role {
    let Some(value) = site.field("value") else {
        return Role::Bind(EntityKind::Constant, declared_name);
    };
    let rows = value.end_position().row - value.start_position().row;
    if value.kind() == "class" {
        Role::Define(EntityKind::Type, declared_name)
    } else if is_function(value) && (rows > 0 || !site.in_statements()) {
        Role::Define(EntityKind::Function, declared_name)
    } else {
        Role::Bind(EntityKind::Constant, declared_name)
    }
}

fn declared_name(site: &Site<'_>) -> Option<Named> {
    let name = site.field("name")?;
    match name.kind() {
        "identifier" => site.named(name),
        _ => {
            let first = name.named_child(0)?;
            let first = first.child_by_field_name("value").unwrap_or(first);
            site.named(first).filter(|named| !named.name.contains(['{', '[', '\n']))
        }
    }
}

fn statement(site: &Site<'_>) -> Role {
    match site.node.named_child(0).map(|child| child.kind()) {
        Some("assignment_expression" | "call_expression" | "internal_module") => Role::Wrap,
        _ => Role::Plain,
    }
}

/// `app.use = function …` defines, and so does what a file exports.
fn assignment(site: &Site<'_>) -> Role {
    let (Some(left), Some(right)) = (site.field("left"), site.field("right")) else {
        return Role::Plain;
    };
    if site.parent != "expression_statement" {
        return Role::Plain;
    }
    let target = site.text_of(left);
    let exported = target.starts_with("module.exports") || target.starts_with("exports");
    match left.kind() {
        _ if is_function(right) && exported => Role::Define(EntityKind::Function, assigned_name),
        "member_expression" if is_function(right) => {
            Role::Define(EntityKind::Method, assigned_name)
        }
        _ if right.kind() == "class" => Role::Define(EntityKind::Type, assigned_name),
        _ if exported && matches!(right.kind(), "object" | "array" | "call_expression") => {
            Role::Bind(EntityKind::Constant, assigned_name)
        }
        _ => Role::Plain,
    }
}

fn assigned_name(site: &Site<'_>) -> Option<Named> {
    let left = site.field("left")?;
    let Some(property) = left.child_by_field_name("property") else { return site.named(left) };
    let owner = site.text_of(left.child_by_field_name("object")?);
    let owner = owner.trim_end_matches(".prototype");
    let is_word = owner.len() < 60 && !owner.contains(['(', '\n']);
    Some(site.named(property)?.owned_by(is_word.then_some(owner)))
}

fn call(site: &Site<'_>) -> Role {
    let callee = site.field("function").map(|node| site.text_of(node)).unwrap_or_default();
    let word = callee.split(['.', '(', '`']).next().unwrap_or_default();
    if site.parent == "expression_statement"
        && TESTS.contains(&word)
        && test_function(site.node).is_some()
    {
        Role::Define(EntityKind::Test, test_name)
    } else {
        Role::Plain
    }
}

/// The function that is the last argument of a call that begins with a string.
fn test_function(node: Node<'_>) -> Option<Node<'_>> {
    let arguments = node.child_by_field_name("arguments")?;
    let count = arguments.named_child_count();
    let last = arguments.named_child(u32::try_from(count.checked_sub(1)?).ok()?)?;
    let last = if is_function(last) { last } else { arguments.named_child(1)? };
    is_function(last).then_some(last)
}

fn test_name(site: &Site<'_>) -> Option<Named> {
    let first = site.field("arguments")?.named_child(0)?;
    let name = site.text_of(first).trim_matches(['"', '\'', '`']).trim();
    let name = name.lines().next().unwrap_or_default();
    // The word that makes it a test is no use of a name either.
    (!name.is_empty()).then(|| Named::new(name, site.node.start_byte()))
}

fn visibility(header: &Header<'_>) -> Visibility {
    if header.has("private") || header.name.starts_with('#') {
        return Visibility::Private;
    }
    if header.has("protected") {
        return Visibility::Restricted;
    }
    let is_member = matches!(header.kind, EntityKind::Method | EntityKind::Field);
    match header.container {
        _ if header.exported => Visibility::Public,
        // A module's exports are marked; what it declares for others is.
        Some((EntityKind::Module, visibility)) if header.has("declare") => visibility,
        Some((kind, visibility)) if is_member && !kind.has_statements() => visibility,
        None if header.kind == EntityKind::Method => Visibility::Public,
        None if header.name == "exports" || header.before_name.contains("exports.") => {
            Visibility::Public
        }
        _ => Visibility::Private,
    }
}
