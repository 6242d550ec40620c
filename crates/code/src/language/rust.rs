//! Rust.

use crate::entity::{EntityKind, Visibility};
use crate::spec::{
    Header, Imported, Named, PLAIN, Role, Roles, Site, Spec, name_field, split_alias, with_alias,
};
use foveal_parser_runtime::Node;

pub(super) const SPEC: Spec = Spec {
    grammar: || tree_sitter_rust::LANGUAGE.into(),
    roles: &[ROLES],
    body,
    visibility,
    is_test,
    imports,
    ..PLAIN
};

const ROLES: Roles = &[
    ("line_comment", Role::Comment),
    ("block_comment", Role::Comment),
    ("attribute_item", Role::Attribute),
    ("use_declaration", Role::Import),
    ("extern_crate_declaration", Role::Import),
    ("function_item", Role::Define(EntityKind::Function, name_field)),
    ("function_signature_item", Role::Define(EntityKind::Function, name_field)),
    ("macro_definition", Role::Define(EntityKind::Function, name_field)),
    ("struct_item", Role::Define(EntityKind::Type, name_field)),
    ("union_item", Role::Define(EntityKind::Type, name_field)),
    ("type_item", Role::Define(EntityKind::Type, name_field)),
    ("associated_type", Role::Define(EntityKind::Field, name_field)),
    ("enum_item", Role::Define(EntityKind::Enum, name_field)),
    ("enum_variant", Role::Define(EntityKind::Field, name_field)),
    ("trait_item", Role::Define(EntityKind::Trait, name_field)),
    ("impl_item", Role::Define(EntityKind::Impl, impl_name)),
    ("mod_item", Role::Define(EntityKind::Module, name_field)),
    ("const_item", Role::Bind(EntityKind::Constant, name_field)),
    ("static_item", Role::Bind(EntityKind::Constant, name_field)),
    ("field_declaration", Role::Ask(field)),
    ("declaration_list", Role::Body),
    ("field_declaration_list", Role::Body),
    ("enum_variant_list", Role::Body),
    ("block", Role::Body),
    ("match_block", Role::Body),
    ("array_expression", Role::Items),
    ("field_initializer_list", Role::Items),
    ("identifier", Role::Name),
    ("field_identifier", Role::Name),
    ("shorthand_field_identifier", Role::Name),
    ("type_identifier", Role::TypeName),
    ("string_literal", Role::Skip),
    ("raw_string_literal", Role::Skip),
];

/// What a macro expands to is no part of its header.
fn body(node: Node<'_>) -> Option<Node<'_>> {
    if node.kind() != "macro_definition" {
        return crate::spec::body_or_value(node);
    }
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| child.kind() == "macro_rule")
}

/// Fields of a variant belong to its line.
fn field(site: &Site<'_>) -> Role {
    if site.container == Some(EntityKind::Type) {
        Role::Define(EntityKind::Field, name_field)
    } else {
        Role::Plain
    }
}

/// `Display for Line`, or `Line` for an impl of no trait; type arguments left out.
fn impl_name(site: &Site<'_>) -> Option<Named> {
    let of = site.field("type")?;
    let target = bare(site.text_of(of));
    let name = match site.field("trait") {
        Some(of) => format!("{} for {target}", bare(site.text_of(of))),
        None => target.to_owned(),
    };
    // The names in the header are uses of the trait and the type.
    Some(Named::new(&name, site.node.start_byte()).owned_by(Some(target)))
}

/// A type without path and arguments: `Vec` of `std::vec::Vec<T>`; references and the like
/// stay whole.
fn bare(name: &str) -> &str {
    let end = name.find('<').filter(|at| *at > 0).unwrap_or(name.len());
    let name = name[..end].trim();
    let is_path = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':'));
    if is_path { name.rsplit("::").next().unwrap_or(name) } else { name }
}

fn visibility(header: &Header<'_>) -> Visibility {
    let inherited = match header.container {
        Some((EntityKind::Trait | EntityKind::Enum, visibility)) => Some(visibility),
        // An impl of a trait is marked public below.
        Some((EntityKind::Impl, Visibility::Public)) => Some(Visibility::Public),
        _ => None,
    };
    match (header.has("pub"), inherited) {
        (true, _) if header.before_name.contains("pub(") => Visibility::Restricted,
        (true, _) => Visibility::Public,
        (false, Some(visibility)) => visibility,
        (false, None) if header.kind == EntityKind::Impl && header.name.contains(" for ") => {
            Visibility::Public
        }
        (false, None) if header.before_name.contains("#[macro_export]") => Visibility::Public,
        (false, None) => Visibility::Private,
    }
}

fn is_test(header: &Header<'_>) -> bool {
    matches!(header.kind, EntityKind::Function | EntityKind::Method)
        && header.before_name.split("#[").skip(1).any(|attribute| {
            let path = attribute.split([']', '(']).next().unwrap_or_default().trim();
            let last = path.rsplit("::").next().unwrap_or(path);
            matches!(last, "test" | "bench" | "rstest" | "test_case" | "quickcheck")
        })
}

fn imports(text: &str) -> Vec<Imported> {
    let Some((_, tree)) = text.trim_end_matches(';').split_once("use ") else {
        let name = text.trim_end_matches(';').split_once("crate ").map(|(_, name)| name);
        return name.map(|name| (name.trim().to_owned(), Vec::new())).into_iter().collect();
    };
    let mut found: Vec<Imported> = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut path = String::new();
    for part in tree.split_inclusive(['{', '}', ',']) {
        let (word, mark) = part.split_at(part.len() - usize::from(part.ends_with(['{', '}', ','])));
        path.push_str(word.trim());
        match mark {
            "{" => {
                let outer = open.last().map(String::as_str).unwrap_or_default();
                open.push(format!("{outer}{path}"));
            }
            "}" => {
                keep(&mut found, &open, &path);
                open.pop();
            }
            _ => keep(&mut found, &open, &path),
        }
        path.clear();
    }
    found
}

/// Adds one leaf of a use tree, next to what is taken from the same module.
fn keep(found: &mut Vec<Imported>, open: &[String], path: &str) {
    let (path, alias) = split_alias(path.trim());
    let alias = alias.filter(|alias| *alias != "_").unwrap_or_default();
    if path.is_empty() {
        return;
    }
    let whole = format!("{}{path}", open.last().map(String::as_str).unwrap_or_default());
    let (module, name) = whole.rsplit_once("::").unwrap_or((&whole, ""));
    let (module, names) = match name {
        "" | "self" => (with_alias(module, alias), Vec::new()),
        name => (module.to_owned(), vec![with_alias(name, alias)]),
    };
    match found.iter_mut().find(|(known, _)| *known == module) {
        Some((_, known)) => known.extend(names),
        None => found.push((module, names)),
    }
}
