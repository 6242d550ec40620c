//! Swift.

use foveal_parser_runtime::Node;

use crate::entity::{EntityKind, Visibility};
use crate::language_spec::{
    DEFAULT_SPEC, DefinitionHeader, DefinitionName, LanguageSpec, NodeContext, NodeRole,
    ParsedImport, RoleTable, child_of_kind, name_from_field,
};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_swift::LANGUAGE.into(),
    roles: &[ROLES],
    body,
    visibility,
    is_test,
    imports,
    ..DEFAULT_SPEC
};

const ROLES: RoleTable = &[
    ("comment", NodeRole::Comment),
    ("multiline_comment", NodeRole::Comment),
    ("modifiers", NodeRole::Modifiers),
    ("attribute", NodeRole::Attribute),
    ("import_declaration", NodeRole::Import),
    ("class_declaration", NodeRole::Contextual(class_role)),
    ("protocol_declaration", NodeRole::Define(EntityKind::Trait, name_from_field)),
    ("typealias_declaration", NodeRole::Define(EntityKind::Type, name_from_field)),
    ("function_declaration", NodeRole::Define(EntityKind::Function, name_from_field)),
    ("protocol_function_declaration", NodeRole::Define(EntityKind::Method, name_from_field)),
    ("init_declaration", NodeRole::Define(EntityKind::Method, keyword_name)),
    ("deinit_declaration", NodeRole::Define(EntityKind::Method, keyword_name)),
    ("subscript_declaration", NodeRole::Define(EntityKind::Method, keyword_name)),
    ("property_declaration", NodeRole::Contextual(property_role)),
    ("protocol_property_declaration", NodeRole::Define(EntityKind::Field, pattern_name)),
    ("enum_entry", NodeRole::Define(EntityKind::Field, name_from_field)),
    ("class_body", NodeRole::Body),
    ("enum_class_body", NodeRole::Body),
    ("protocol_body", NodeRole::Body),
    ("statements", NodeRole::Body),
    ("simple_identifier", NodeRole::Name),
    ("type_identifier", NodeRole::TypeName),
    ("line_str_text", NodeRole::Skip),
];

fn body(node: Node<'_>) -> Option<Node<'_>> {
    ["body", "computed_value", "value"]
        .iter()
        .find_map(|field| node.child_by_field_name(field))
        .or_else(|| child_of_kind(node, &["computed_property"]))
}

fn class_role(site: &NodeContext<'_>) -> NodeRole {
    match site.field("declaration_kind").map(|kind| site.text_of(kind)) {
        Some("enum") => NodeRole::Define(EntityKind::Enum, name_from_field),
        Some("extension") => NodeRole::Define(EntityKind::Impl, extension_name),
        _ => NodeRole::Define(EntityKind::Type, name_from_field),
    }
}

/// Returns `Protocol for Type`, or `Type` for an extension without a protocol.
fn extension_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    let name = site.field("name")?;
    let target = site.text_of(name);
    let protocol = child_of_kind(site.node, &["inheritance_specifier"]);
    let text = match protocol {
        Some(protocol) => format!("{} for {target}", site.text_of(protocol)),
        None => target.to_owned(),
    };
    // The name is at the start of the node, so that the names in the header count as uses of the
    // protocol and the type.
    Some(DefinitionName::new(&text, site.node.start_byte()).with_owner(Some(target)))
}

/// Initialisers, deinitialisers and subscripts have their keyword as name.
fn keyword_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    let name = site.node.kind().trim_end_matches("_declaration");
    Some(DefinitionName::new(name, site.node.start_byte()))
}

fn property_role(site: &NodeContext<'_>) -> NodeRole {
    let kind = match site.container {
        Some(kind) if kind.has_members() => EntityKind::Field,
        _ => EntityKind::Constant,
    };
    NodeRole::Bind(kind, pattern_name)
}

fn pattern_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    site.definition_name(site.field("name")?.child_by_field_name("bound_identifier")?)
}

fn visibility(header: &DefinitionHeader<'_>) -> Visibility {
    header.modifier_visibility().unwrap_or(match header.container {
        Some((EntityKind::Trait | EntityKind::Enum, visibility)) => visibility,
        _ => Visibility::Restricted,
    })
}

fn is_test(header: &DefinitionHeader<'_>) -> bool {
    matches!(header.kind, EntityKind::Function | EntityKind::Method)
        && (header.before_name.contains("@Test")
            || header.kind == EntityKind::Method && header.name.starts_with("test"))
}

fn imports(text: &str) -> Vec<ParsedImport> {
    let path = text.split_whitespace().last().map(str::to_owned);
    path.map(|path| (path, Vec::new())).into_iter().collect()
}
