//! HTML: the elements that are sections of a page.

use foveal_parser_runtime::Node;

use crate::entity::EntityKind;
use crate::language_spec::{
    DEFAULT_SPEC, DefinitionName, LanguageSpec, NodeContext, NodeRole, RoleTable, child_of_kind,
};

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_html::LANGUAGE.into(),
    roles: &[ROLES],
    body,
    ..DEFAULT_SPEC
};

const ROLES: RoleTable = &[
    ("comment", NodeRole::Comment),
    ("element", NodeRole::Define(EntityKind::Section, element_name)),
    ("script_element", NodeRole::Define(EntityKind::Section, element_name)),
    ("style_element", NodeRole::Define(EntityKind::Section, element_name)),
    ("raw_text", NodeRole::Skip),
];

/// Elements that are sections even without an id.
const SECTION_ELEMENTS: &[&str] = &[
    "article", "aside", "body", "dialog", "footer", "form", "head", "header", "html", "main",
    "nav", "script", "section", "style", "table", "template", "title",
];

const HEADING_ELEMENTS: &[&str] = &["h1", "h2", "h3", "h4", "h5", "h6", "title"];

/// Returns the first node after the opening tag.
fn body(node: Node<'_>) -> Option<Node<'_>> {
    node.named_child(1)
}

/// Returns `nav`, `div#main`, or `h2 Text of the heading`.
fn element_name(site: &NodeContext<'_>) -> Option<DefinitionName> {
    let tag = child_of_kind(site.node, &["start_tag", "self_closing_tag"])?;
    let name = site.text_of(child_of_kind(tag, &["tag_name"])?).to_ascii_lowercase();
    if HEADING_ELEMENTS.contains(&name.as_str()) {
        let text = child_of_kind(site.node, &["text"]).map(|text| site.text_of(text));
        let words = text.and_then(|text| text.lines().next()).unwrap_or_default();
        return Some(DefinitionName::new(format!("{name} {words}").trim(), site.node.start_byte()));
    }
    let open = site.text_of(tag);
    let id = open.split_once(" id=").map(|(_, rest)| rest.trim_start_matches(['"', '\'']));
    let id = id.and_then(|id| id.split(['"', '\'', ' ', '>', '\n']).next());
    match id.filter(|id| !id.is_empty()) {
        Some(id) => Some(DefinitionName::new(&format!("{name}#{id}"), site.node.start_byte())),
        None if SECTION_ELEMENTS.contains(&name.as_str()) => {
            Some(DefinitionName::new(&name, site.node.start_byte()))
        }
        None => None,
    }
}
