//! The mapping from the syntax of a language to entities: a role for each kind of node.
//!
//! A language is a flat table from node kinds to roles, with a few small functions for the cases
//! that depend on context. Tables are resolved to the grammar's numbers once, at first use.

use std::borrow::Cow;
use std::collections::HashMap;

use foveal_parser_runtime::{Language as Grammar, Node};

use crate::entity::{EntityKind, Visibility};

/// The role of a kind of node.
#[derive(Clone, Copy)]
pub(crate) enum NodeRole {
    /// No role of its own; its children may have one.
    Plain,
    /// Its children are ignored; it may be a statement.
    Skip,
    /// A comment; comments directly above a definition document it.
    Comment,
    /// An attribute, decorator or annotation of the next definition.
    Attribute,
    /// A container for attributes and modifiers inside a definition.
    Modifiers,
    /// A docstring: text that documents its parent.
    Doc,
    /// A wrapper around a definition, which then begins at the wrapper: `export …`.
    Wrapper,
    /// One or more imports.
    Import,
    /// The statements or members of its parent.
    Body,
    /// A list whose elements may have many lines; they count as statements of a long list.
    Items,
    /// A definition of an entity, anywhere.
    Define(EntityKind, NameFinder),
    /// A definition of an entity outside functions; a local binding inside them.
    Bind(EntityKind, NameFinder),
    /// A scope in which all names are types.
    TypeScope,
    /// Text that may contain names in back quotes.
    Prose,
    /// A label that sets the visibility of the siblings after it, such as `private:`.
    AccessLabel(fn(&NodeContext<'_>) -> Option<Visibility>),
    /// A use of a name.
    Name,
    /// A use of a name as a type.
    TypeName,
    /// A use of a name in a call.
    CallName,
    /// A role that depends on context.
    Contextual(fn(&NodeContext<'_>) -> NodeRole),
}

/// Finds the name of a definition. A node without a name has no role.
pub(crate) type NameFinder = for<'a> fn(&NodeContext<'a>) -> Option<DefinitionName>;

/// The name of a definition.
pub(crate) struct DefinitionName {
    pub(crate) name: String,
    /// See [`crate::Entity::owner`].
    pub(crate) owner: Option<String>,
    /// The first byte of the name's node.
    pub(crate) start_byte: usize,
}

impl DefinitionName {
    pub(crate) fn new(name: &str, start_byte: usize) -> Self {
        Self { name: name.to_owned(), owner: None, start_byte }
    }

    pub(crate) fn with_owner(self, owner: Option<&str>) -> Self {
        Self { owner: owner.map(str::to_owned), ..self }
    }
}

/// A node with its context.
pub(crate) struct NodeContext<'a> {
    pub(crate) node: Node<'a>,
    pub(crate) text: &'a str,
    /// The kind of the parent node; empty for the root.
    pub(crate) parent_kind: &'static str,
    /// The kind of the innermost entity around the node.
    pub(crate) container: Option<EntityKind>,
    /// Whether it is the first named child of its parent.
    pub(crate) is_first: bool,
}

impl<'a> NodeContext<'a> {
    pub(crate) fn text_of(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    pub(crate) fn field(&self, name: &str) -> Option<Node<'a>> {
        self.node.child_by_field_name(name)
    }

    pub(crate) fn is_in_statements(&self) -> bool {
        self.container.is_some_and(EntityKind::has_statements)
    }

    /// Returns the whole text of `node` as a name, unless it is blank.
    pub(crate) fn definition_name(&self, node: Node<'_>) -> Option<DefinitionName> {
        let name = self.text_of(node).trim();
        (!name.is_empty()).then(|| DefinitionName::new(name, node.start_byte()))
    }
}

/// The part of a definition before its name, for rules about visibility and tests.
pub(crate) struct DefinitionHeader<'a> {
    pub(crate) kind: EntityKind,
    pub(crate) name: &'a str,
    /// The text from the first attribute to the name.
    pub(crate) before_name: &'a str,
    /// The kind and visibility of the entity around the definition.
    pub(crate) container: Option<(EntityKind, Visibility)>,
    /// The visibility set by the last access label before the definition.
    pub(crate) access: Option<Visibility>,
    /// Whether the definition is in an `export`.
    pub(crate) is_exported: bool,
    /// Whether the path is that of a test file.
    pub(crate) in_test_file: bool,
}

impl DefinitionHeader<'_> {
    /// Returns whether the word `word` is before the name, outside attributes.
    pub(crate) fn has_modifier(&self, word: &str) -> bool {
        self.before_name.lines().map(strip_attribute).any(|line| contains_word(line, word))
    }

    /// Returns the visibility that the modifiers before the name set.
    pub(crate) fn modifier_visibility(&self) -> Option<Visibility> {
        let words = [
            ("private", Visibility::Private),
            ("fileprivate", Visibility::Private),
            ("protected", Visibility::Restricted),
            ("internal", Visibility::Restricted),
            ("public", Visibility::Public),
            ("open", Visibility::Public),
        ];
        words
            .into_iter()
            .find(|(word, _)| self.has_modifier(word))
            .map(|(_, visibility)| visibility)
    }

    /// Returns whether an attribute before the name contains one of the words `names`.
    pub(crate) fn has_attribute(&self, names: &[&str]) -> bool {
        names.iter().any(|name| contains_word(self.before_name, name))
    }
}

/// Returns a line of a header without its leading attribute.
fn strip_attribute(line: &str) -> &str {
    let line = line.trim_start();
    let end = match line.as_bytes().first() {
        Some(b'@') => line.rfind(')'),
        Some(b'#' | b'[') => line.rfind(']'),
        _ => None,
    };
    end.map_or(line, |end| &line[end + 1..])
}

/// Returns whether `text` contains `word` as a whole word.
pub fn contains_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        !text[..at].ends_with(is_letter) && !text[at + word.len()..].starts_with(is_letter)
    })
}

/// A module and the names imported from it, each with ` as ` and its alias if it has one.
pub(crate) type ParsedImport = (String, Vec<String>);

/// Splits `a as b` into `a` and `b`.
pub(crate) fn split_alias(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(" as ") {
        Some((name, alias)) if is_identifier(alias) => (name.trim_end(), Some(alias)),
        _ => (text, None),
    }
}

/// Returns `name as alias`, or `name` if the alias equals the name or is not an identifier.
pub(crate) fn append_alias(name: &str, alias: &str) -> String {
    if alias == name || !is_identifier(alias) {
        name.to_owned()
    } else {
        format!("{name} as {alias}")
    }
}

fn is_identifier(text: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    !text.is_empty() && text.chars().all(is_letter)
}

/// Replaces each comment outside quotes, `//` or `/*`, with a space.
pub(crate) fn without_comments(text: &str) -> Cow<'_, str> {
    if !text.contains("//") && !text.contains("/*") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['/', '"', '\'', '`']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let end = end_of_comment(from);
        if end.is_some() {
            out.push(' ');
        }
        let end = end.unwrap_or_else(|| {
            let end = end_of_quote(from);
            out.push_str(&from[..end]);
            end
        });
        rest = &from[end..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Returns the end of the comment at the start of `text`.
fn end_of_comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    let inside = text.strip_prefix("/*")?;
    Some(inside.find("*/").map_or(text.len(), |at| at + "/*".len() + "*/".len()))
}

/// Returns the end of the quoted text at the start of `text`, at most the end of the line. Without
/// a quote, returns the end of the first character.
fn end_of_quote(text: &str) -> usize {
    let Some(quote) = text.chars().next() else { return 0 };
    let first = quote.len_utf8();
    if !matches!(quote, '"' | '\'' | '`') {
        return first;
    }
    let inside = &text[first..];
    inside.find([quote, '\n']).map_or(text.len(), |at| first + at + 1)
}

/// A table from kinds of nodes to roles.
pub(crate) type RoleTable = &'static [(&'static str, NodeRole)];

/// The definition of a language.
pub(crate) struct LanguageSpec {
    pub(crate) grammar: fn() -> Grammar,
    /// Role tables; later ones take precedence.
    pub(crate) roles: &'static [RoleTable],
    /// Finds the body or value of a definition, which is not part of its header.
    pub(crate) body: for<'a> fn(Node<'a>) -> Option<Node<'a>>,
    pub(crate) visibility: fn(&DefinitionHeader<'_>) -> Visibility,
    pub(crate) is_test: fn(&DefinitionHeader<'_>) -> bool,
    /// Finds the top-level names of a text that it exports separately from their definitions.
    pub(crate) exports: for<'a> fn(&'a str) -> Vec<&'a str>,
    /// Parses the text of an import.
    pub(crate) imports: fn(&str) -> Vec<ParsedImport>,
}

/// The default spec: no roles, everything public, no tests, exports or imports.
pub(crate) const DEFAULT_SPEC: LanguageSpec = LanguageSpec {
    grammar: || tree_sitter_json::LANGUAGE.into(),
    roles: &[],
    body: body_or_value,
    visibility: |_| Visibility::Public,
    is_test: |_| false,
    exports: |_| Vec::new(),
    imports: |_| Vec::new(),
};

/// Returns the field `body`, else the `body` of the field `value`, else the field `value`.
pub(crate) fn body_or_value(node: Node<'_>) -> Option<Node<'_>> {
    if let Some(body) = node.child_by_field_name("body") {
        return Some(body);
    }
    let value = node.child_by_field_name("value")?;
    Some(value.child_by_field_name("body").unwrap_or(value))
}

/// Returns the text of the field `name`.
pub(crate) fn name_from_field(site: &NodeContext<'_>) -> Option<DefinitionName> {
    site.definition_name(site.field("name")?)
}

/// Returns the first child of `node` of one of `kinds`.
pub(crate) fn child_of_kind<'a>(node: Node<'a>, kinds: &[&str]) -> Option<Node<'a>> {
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    while more {
        let child = cursor.node();
        if kinds.contains(&child.kind()) {
            return Some(child);
        }
        more = cursor.goto_next_sibling();
    }
    None
}

/// A spec whose roles are indexed by the node kinds of its grammar.
pub(crate) struct CompiledLanguageSpec {
    pub(crate) spec: &'static LanguageSpec,
    pub(crate) grammar: Grammar,
    roles: Vec<NodeRole>,
}

impl CompiledLanguageSpec {
    pub(crate) fn new(spec: &'static LanguageSpec) -> Self {
        let grammar = (spec.grammar)();
        let by_name: HashMap<&str, NodeRole> =
            spec.roles.iter().copied().flatten().copied().collect();
        let count = u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX);
        let role = |id: u16| {
            let named = grammar.node_kind_is_named(id);
            let kind = grammar.node_kind_for_id(id).filter(|_| named);
            kind.and_then(|kind| by_name.get(kind)).copied().unwrap_or(NodeRole::Plain)
        };
        let roles = (0..count).map(role).collect();
        Self { spec, grammar, roles }
    }

    pub(crate) fn kind_name(&'static self, kind_id: u16) -> &'static str {
        self.grammar.node_kind_for_id(kind_id).unwrap_or_default()
    }

    pub(crate) fn kind_role(&self, kind_id: u16) -> NodeRole {
        self.roles.get(usize::from(kind_id)).copied().unwrap_or(NodeRole::Plain)
    }
}
