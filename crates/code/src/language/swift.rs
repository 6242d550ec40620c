//! Swift.

use foveal_parser_runtime::Node;

use crate::entity::{EntityKind, Visibility};
use crate::spec::{
    Header, Imported, Named, PLAIN, Role, Roles, Site, Spec, child_of_kind, name_field,
};

pub(super) const SPEC: Spec = Spec {
    grammar: || tree_sitter_swift::LANGUAGE.into(),
    roles: &[ROLES],
    body,
    visibility,
    is_test,
    imports,
    ..PLAIN
};

const ROLES: Roles = &[
    ("comment", Role::Comment),
    ("multiline_comment", Role::Comment),
    ("modifiers", Role::Modifiers),
    ("attribute", Role::Attribute),
    ("import_declaration", Role::Import),
    ("class_declaration", Role::Ask(class)),
    ("protocol_declaration", Role::Define(EntityKind::Trait, name_field)),
    ("typealias_declaration", Role::Define(EntityKind::Type, name_field)),
    ("function_declaration", Role::Define(EntityKind::Function, name_field)),
    ("protocol_function_declaration", Role::Define(EntityKind::Method, name_field)),
    ("init_declaration", Role::Define(EntityKind::Method, keyword_name)),
    ("deinit_declaration", Role::Define(EntityKind::Method, keyword_name)),
    ("subscript_declaration", Role::Define(EntityKind::Method, keyword_name)),
    ("property_declaration", Role::Ask(property)),
    ("protocol_property_declaration", Role::Define(EntityKind::Field, pattern_name)),
    ("enum_entry", Role::Define(EntityKind::Field, name_field)),
    ("class_body", Role::Body),
    ("enum_class_body", Role::Body),
    ("protocol_body", Role::Body),
    ("statements", Role::Body),
    ("simple_identifier", Role::Name),
    ("type_identifier", Role::TypeName),
    ("line_str_text", Role::Skip),
];

fn body(node: Node<'_>) -> Option<Node<'_>> {
    ["body", "computed_value", "value"]
        .iter()
        .find_map(|field| node.child_by_field_name(field))
        .or_else(|| child_of_kind(node, &["computed_property"]))
}

fn class(site: &Site<'_>) -> Role {
    match site.field("declaration_kind").map(|kind| site.text_of(kind)) {
        Some("enum") => Role::Define(EntityKind::Enum, name_field),
        Some("extension") => Role::Define(EntityKind::Impl, extension_name),
        _ => Role::Define(EntityKind::Type, name_field),
    }
}

/// `Protocol for Type`, or `Type` where an extension adds no protocol.
fn extension_name(site: &Site<'_>) -> Option<Named> {
    let name = site.field("name")?;
    let target = site.text_of(name);
    let protocol = child_of_kind(site.node, &["inheritance_specifier"]);
    let text = match protocol {
        Some(protocol) => format!("{} for {target}", site.text_of(protocol)),
        None => target.to_owned(),
    };
    // The names in the header are uses of the protocol and the type.
    Some(Named::new(&text, site.node.start_byte()).owned_by(Some(target)))
}

/// `init` and the like are named by their keyword.
fn keyword_name(site: &Site<'_>) -> Option<Named> {
    let name = site.node.kind().trim_end_matches("_declaration");
    Some(Named::new(name, site.node.start_byte()))
}

fn property(site: &Site<'_>) -> Role {
    let kind = match site.container {
        Some(kind) if kind.has_members() => EntityKind::Field,
        _ => EntityKind::Constant,
    };
    Role::Bind(kind, pattern_name)
}

fn pattern_name(site: &Site<'_>) -> Option<Named> {
    site.named(site.field("name")?.child_by_field_name("bound_identifier")?)
}

fn visibility(header: &Header<'_>) -> Visibility {
    header.modifiers().unwrap_or(match header.container {
        Some((EntityKind::Trait | EntityKind::Enum, visibility)) => visibility,
        _ => Visibility::Restricted,
    })
}

fn is_test(header: &Header<'_>) -> bool {
    matches!(header.kind, EntityKind::Function | EntityKind::Method)
        && (header.before_name.contains("@Test")
            || header.kind == EntityKind::Method && header.name.starts_with("test"))
}

fn imports(text: &str) -> Vec<Imported> {
    let path = text.split_whitespace().last().map(str::to_owned);
    path.map(|path| (path, Vec::new())).into_iter().collect()
}
