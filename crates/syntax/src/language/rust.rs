//! Rust.

use crate::entity::{EntityKind, Visibility};
use crate::language_spec::{
    DEFAULT_SPEC, DefinitionHeader, DefinitionName, LanguageSpec, NodeContext, NodeRole,
    ParsedImport, RoleTable, append_alias, name_from_field, split_alias,
};
use foveal_parser_runtime::Node;

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_rust::LANGUAGE.into(),
    roles: &[ROLES],
    body,
    visibility,
    is_test,
    imports,
    ..DEFAULT_SPEC
};

const ROLES: RoleTable = &[
    ("line_comment", NodeRole::Comment),
    ("block_comment", NodeRole::Comment),
    ("attribute_item", NodeRole::Attribute),
    ("use_declaration", NodeRole::Import),
    ("extern_crate_declaration", NodeRole::Import),
    ("function_item", NodeRole::Define(EntityKind::Function, name_from_field)),
    ("function_signature_item", NodeRole::Define(EntityKind::Function, name_from_field)),
    ("macro_definition", NodeRole::Define(EntityKind::Function, name_from_field)),
    ("struct_item", NodeRole::Define(EntityKind::Type, name_from_field)),
    ("union_item", NodeRole::Define(EntityKind::Type, name_from_field)),
    ("type_item", NodeRole::Define(EntityKind::Type, name_from_field)),
    ("associated_type", NodeRole::Define(EntityKind::Field, name_from_field)),
    ("enum_item", NodeRole::Define(EntityKind::Enum, name_from_field)),
    ("enum_variant", NodeRole::Define(EntityKind::Field, name_from_field)),
    ("trait_item", NodeRole::Define(EntityKind::Trait, name_from_field)),
    ("impl_item", NodeRole::Define(EntityKind::Impl, impl_name)),
    ("mod_item", NodeRole::Define(EntityKind::Module, name_from_field)),
    ("const_item", NodeRole::Bind(EntityKind::Constant, name_from_field)),
    ("static_item", NodeRole::Bind(EntityKind::Constant, name_from_field)),
    ("field_declaration", NodeRole::Contextual(field_role)),
    ("declaration_list", NodeRole::Body),
    ("field_declaration_list", NodeRole::Body),
    ("enum_variant_list", NodeRole::Body),
    ("block", NodeRole::Body),
    ("match_block", NodeRole::Body),
    ("array_expression", NodeRole::Items),
    ("field_initializer_list", NodeRole::Items),
    ("identifier", NodeRole::Name),
    ("field_identifier", NodeRole::Name),
    ("shorthand_field_identifier", NodeRole::Name),
    ("type_identifier", NodeRole::TypeName),
    ("string_literal", NodeRole::Skip),
    ("raw_string_literal", NodeRole::Skip),
];

/// The rules of a macro are its body, not part of the header.
fn body(node: Node<'_>) -> Option<Node<'_>> {
    if node.kind() != "macro_definition" {
        return crate::language_spec::body_or_value(node);
    }
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| child.kind() == "macro_rule")
}

/// Fields of an enum variant are part of the variant, not entities.
fn field_role(site: &NodeContext<'_>) -> NodeRole {
    if site.container == Some(EntityKind::Type) {
        NodeRole::Define(EntityKind::Field, name_from_field)
    } else {
        NodeRole::Plain
    }
}

/// Returns `Display for Line`, or `Line` for an inherent impl, without type arguments.
fn impl_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    let of = site.field("type")?;
    let target = base_type_name(site.text_of(of));
    let name = match site.field("trait") {
        Some(of) => format!("{} for {target}", base_type_name(site.text_of(of))),
        None => target.to_owned(),
    };
    // The name is at the start of the node, so that the names in the header count as uses of the
    // trait and the type.
    Some(DefinitionName::new(&name, site.node.start_byte()).with_owner(Some(target)))
}

/// Returns a type without path and type arguments, `Vec` for `std::vec::Vec<T>`; other types, such
/// as references, stay unchanged.
fn base_type_name(name: &str) -> &str {
    let end = name.find('<').filter(|at| *at > 0).unwrap_or(name.len());
    let name = name[..end].trim();
    let is_path = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':'));
    if is_path { name.rsplit("::").next().unwrap_or(name) } else { name }
}

fn visibility(header: &DefinitionHeader<'_>) -> Visibility {
    let inherited = match header.container {
        Some((EntityKind::Trait | EntityKind::Enum, visibility)) => Some(visibility),
        // A trait impl is public by the rule below, and so are its members.
        Some((EntityKind::Impl, Visibility::Public)) => Some(Visibility::Public),
        _ => None,
    };
    match (header.has_modifier("pub"), inherited) {
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

fn is_test(header: &DefinitionHeader<'_>) -> bool {
    matches!(header.kind, EntityKind::Function | EntityKind::Method)
        && header.before_name.split("#[").skip(1).any(|attribute| {
            let path = attribute.split([']', '(']).next().unwrap_or_default().trim();
            let last = path.rsplit("::").next().unwrap_or(path);
            matches!(last, "test" | "bench" | "rstest" | "test_case" | "quickcheck")
        })
}

fn imports(text: &str) -> Vec<ParsedImport> {
    let Some((_, tree)) = text.trim_end_matches(';').split_once("use ") else {
        let name = text.trim_end_matches(';').split_once("crate ").map(|(_, name)| name);
        return name.map(|name| (name.trim().to_owned(), Vec::new())).into_iter().collect();
    };
    let mut found: Vec<ParsedImport> = Vec::new();
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
                add_use_leaf(&mut found, &open, &path);
                open.pop();
            }
            _ => add_use_leaf(&mut found, &open, &path),
        }
        path.clear();
    }
    found
}

/// Adds a leaf of a use tree to the import of its module.
fn add_use_leaf(found: &mut Vec<ParsedImport>, open: &[String], path: &str) {
    let (path, alias) = split_alias(path.trim());
    let alias = alias.filter(|alias| *alias != "_").unwrap_or_default();
    if path.is_empty() {
        return;
    }
    let whole = format!("{}{path}", open.last().map(String::as_str).unwrap_or_default());
    let (module, name) = whole.rsplit_once("::").unwrap_or((&whole, ""));
    let (module, names) = match name {
        "" | "self" => (append_alias(module, alias), Vec::new()),
        name => (module.to_owned(), vec![append_alias(name, alias)]),
    };
    match found.iter_mut().find(|(known, _)| *known == module) {
        Some((_, known)) => known.extend(names),
        None => found.push((module, names)),
    }
}
