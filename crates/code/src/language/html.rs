//! HTML: elements that stand for a part of the page.

use foveal_parser_runtime::Node;

use crate::entity::EntityKind;
use crate::spec::{Named, PLAIN, Role, Roles, Site, Spec, child_of_kind};

pub(super) const SPEC: Spec =
    Spec { grammar: || tree_sitter_html::LANGUAGE.into(), roles: &[ROLES], body, ..PLAIN };

const ROLES: Roles = &[
    ("comment", Role::Comment),
    ("element", Role::Define(EntityKind::Section, element_name)),
    ("script_element", Role::Define(EntityKind::Section, element_name)),
    ("style_element", Role::Define(EntityKind::Section, element_name)),
    ("raw_text", Role::Skip),
];

/// Elements that are parts of a page whether or not they have an id.
const PARTS: &[&str] = &[
    "article", "aside", "body", "dialog", "footer", "form", "head", "header", "html", "main",
    "nav", "script", "section", "style", "table", "template", "title",
];

const HEADINGS: &[&str] = &["h1", "h2", "h3", "h4", "h5", "h6", "title"];

/// What follows the opening tag.
fn body(node: Node<'_>) -> Option<Node<'_>> {
    node.named_child(1)
}

/// `nav`, `div#main`, or `h2 Words of it`.
fn element_name(site: &Site<'_>) -> Option<Named> {
    let tag = child_of_kind(site.node, &["start_tag", "self_closing_tag"])?;
    let name = site.text_of(child_of_kind(tag, &["tag_name"])?).to_ascii_lowercase();
    if HEADINGS.contains(&name.as_str()) {
        let text = child_of_kind(site.node, &["text"]).map(|text| site.text_of(text));
        let words = text.and_then(|text| text.lines().next()).unwrap_or_default();
        return Some(Named::new(format!("{name} {words}").trim(), site.node.start_byte()));
    }
    let open = site.text_of(tag);
    let id = open.split_once(" id=").map(|(_, rest)| rest.trim_start_matches(['"', '\'']));
    let id = id.and_then(|id| id.split(['"', '\'', ' ', '>', '\n']).next());
    match id.filter(|id| !id.is_empty()) {
        Some(id) => Some(Named::new(&format!("{name}#{id}"), site.node.start_byte())),
        None if PARTS.contains(&name.as_str()) => Some(Named::new(&name, site.node.start_byte())),
        None => None,
    }
}
