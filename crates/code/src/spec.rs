//! How the syntax of a language becomes entities: a role for each kind of node.
//!
//! A language is a flat table from node kinds to roles and a few small functions for what a
//! table cannot say. Tables are resolved to the grammar's numbers once, at first use.

use std::borrow::Cow;
use std::collections::HashMap;

use foveal_parser_runtime::{Language as Grammar, Node};

use crate::entity::{EntityKind, Visibility};

/// What the nodes of one kind are to us.
#[derive(Clone, Copy)]
pub(crate) enum Role {
    /// Nothing by itself; what is in it may be something.
    Plain,
    /// Nothing in it is looked at; it may be a statement.
    Skip,
    /// A comment; the ones directly above a definition document it.
    Comment,
    /// An attribute, decorator or annotation of what follows.
    Attribute,
    /// What holds attributes and modifiers inside a definition.
    Modifiers,
    /// The text that documents what it stands in: a docstring.
    Doc,
    /// Stands around a definition, which takes over its beginning: `export …`.
    Wrap,
    /// Imports.
    Import,
    /// The statements or members of what it is in.
    Body,
    /// A list whose elements can be many lines; they count as statements of a long one.
    Items,
    /// Defines an entity wherever it stands.
    Define(EntityKind, Namer),
    /// Defines an entity outside functions; a local binding inside.
    Bind(EntityKind, Namer),
    /// All names in it are types.
    TypeScope,
    /// Text in which names may stand between back quotes.
    Prose,
    /// Says who may use what follows it beside it, as `private:` does.
    Access(fn(&Site<'_>) -> Option<Visibility>),
    /// A name in use.
    Name,
    /// A name used as a type.
    TypeName,
    /// A name that is called.
    CallName,
    /// Depends on the place.
    Ask(fn(&Site<'_>) -> Role),
}

/// Finds the name of a definition. Without one the node is nothing by itself.
pub(crate) type Namer = for<'a> fn(&Site<'a>) -> Option<Named>;

/// A definition's name.
pub(crate) struct Named {
    pub(crate) name: String,
    /// See [`crate::Entity::owner`].
    pub(crate) owner: Option<String>,
    /// First byte of the node that is the name.
    pub(crate) at: usize,
}

impl Named {
    pub(crate) fn new(name: &str, at: usize) -> Self {
        Self { name: name.to_owned(), owner: None, at }
    }

    pub(crate) fn owned_by(self, owner: Option<&str>) -> Self {
        Self { owner: owner.map(str::to_owned), ..self }
    }
}

/// A node where it stands.
pub(crate) struct Site<'a> {
    pub(crate) node: Node<'a>,
    pub(crate) text: &'a str,
    /// The kind of the node it is in; empty for the root.
    pub(crate) parent: &'static str,
    /// The innermost entity it is in.
    pub(crate) container: Option<EntityKind>,
    /// It comes before all other named nodes beside it.
    pub(crate) is_first: bool,
}

impl<'a> Site<'a> {
    pub(crate) fn text_of(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    pub(crate) fn field(&self, name: &str) -> Option<Node<'a>> {
        self.node.child_by_field_name(name)
    }

    pub(crate) fn in_statements(&self) -> bool {
        self.container.is_some_and(EntityKind::has_statements)
    }

    /// The name made of all text of `node`.
    pub(crate) fn named(&self, node: Node<'_>) -> Option<Named> {
        let name = self.text_of(node).trim();
        (!name.is_empty()).then(|| Named::new(name, node.start_byte()))
    }
}

/// What a definition looks like before its name, for rules about visibility and tests.
pub(crate) struct Header<'a> {
    pub(crate) kind: EntityKind,
    pub(crate) name: &'a str,
    /// From the first attribute to the name.
    pub(crate) before_name: &'a str,
    /// Kind and visibility of what it is in.
    pub(crate) container: Option<(EntityKind, Visibility)>,
    /// What was last said beside it about who may use what follows.
    pub(crate) access: Option<Visibility>,
    /// It stands in an `export`.
    pub(crate) exported: bool,
    /// The path of the file says that it holds tests.
    pub(crate) in_test_file: bool,
}

impl Header<'_> {
    /// Whether `word` stands alone before the name, outside attributes.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.before_name.lines().map(after_attributes).any(|line| has_word(line, word))
    }

    /// The visibility that modifiers before the name give.
    pub(crate) fn modifiers(&self) -> Option<Visibility> {
        let words = [
            ("private", Visibility::Private),
            ("fileprivate", Visibility::Private),
            ("protected", Visibility::Restricted),
            ("internal", Visibility::Restricted),
            ("public", Visibility::Public),
            ("open", Visibility::Public),
        ];
        words.into_iter().find(|(word, _)| self.has(word)).map(|(_, visibility)| visibility)
    }

    /// Whether one of `names` stands in an attribute before the name.
    pub(crate) fn has_attribute(&self, names: &[&str]) -> bool {
        names.iter().any(|name| has_word(self.before_name, name))
    }
}

/// A line of a header without the attribute it begins with.
fn after_attributes(line: &str) -> &str {
    let line = line.trim_start();
    let end = match line.as_bytes().first() {
        Some(b'@') => line.rfind(')'),
        Some(b'#' | b'[') => line.rfind(']'),
        _ => None,
    };
    end.map_or(line, |end| &line[end + 1..])
}

/// Whether `word` stands in `text` with no other letter at its sides.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        !text[..at].ends_with(is_letter) && !text[at + word.len()..].starts_with(is_letter)
    })
}

/// A module and the names taken from it, each followed by ` as ` and what it is called from
/// there on, where that is something else.
pub(crate) type Imported = (String, Vec<String>);

/// `a` and `b` of `a as b`.
pub(crate) fn split_alias(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(" as ") {
        Some((name, alias)) if is_identifier(alias) => (name.trim_end(), Some(alias)),
        _ => (text, None),
    }
}

/// `name`, and what it is called if that is something else. An alias that is no identifier
/// says nothing.
pub(crate) fn with_alias(name: &str, alias: &str) -> String {
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

/// `text` with a space for each comment that `//` or `/*` begins outside quotes.
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
            let end = end_of_quoted(from);
            out.push_str(&from[..end]);
            end
        });
        rest = &from[end..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The end of the comment that `text` begins with.
fn end_of_comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    let inside = text.strip_prefix("/*")?;
    Some(inside.find("*/").map_or(text.len(), |at| at + "/*".len() + "*/".len()))
}

/// The end of what is quoted at the beginning of `text`, at the latest that of the line; after
/// one letter if that is no quote.
fn end_of_quoted(text: &str) -> usize {
    let Some(quote) = text.chars().next() else { return 0 };
    let first = quote.len_utf8();
    if !matches!(quote, '"' | '\'' | '`') {
        return first;
    }
    let inside = &text[first..];
    inside.find([quote, '\n']).map_or(text.len(), |at| first + at + 1)
}

/// A table from kinds of nodes to roles.
pub(crate) type Roles = &'static [(&'static str, Role)];

/// A language.
pub(crate) struct Spec {
    pub(crate) grammar: fn() -> Grammar,
    /// Tables, the later ones first where they name the same kind.
    pub(crate) roles: &'static [Roles],
    /// The body or value of a definition, which is not part of its header.
    pub(crate) body: for<'a> fn(Node<'a>) -> Option<Node<'a>>,
    pub(crate) visibility: fn(&Header<'_>) -> Visibility,
    pub(crate) is_test: fn(&Header<'_>) -> bool,
    /// Names at the top of a text that it exports elsewhere than where it defines them.
    pub(crate) exports: for<'a> fn(&'a str) -> Vec<&'a str>,
    /// What the text of an import imports.
    pub(crate) imports: fn(&str) -> Vec<Imported>,
}

/// A spec whose functions suit a language with nothing of the kind.
pub(crate) const PLAIN: Spec = Spec {
    grammar: || tree_sitter_json::LANGUAGE.into(),
    roles: &[],
    body: body_or_value,
    visibility: |_| Visibility::Public,
    is_test: |_| false,
    exports: |_| Vec::new(),
    imports: |_| Vec::new(),
};

/// The field `body`, or that of the field `value`, or that itself.
pub(crate) fn body_or_value(node: Node<'_>) -> Option<Node<'_>> {
    if let Some(body) = node.child_by_field_name("body") {
        return Some(body);
    }
    let value = node.child_by_field_name("value")?;
    Some(value.child_by_field_name("body").unwrap_or(value))
}

/// The name in the field `name`.
pub(crate) fn name_field(site: &Site<'_>) -> Option<Named> {
    site.named(site.field("name")?)
}

/// The first node that is in `node` and of one of `kinds`.
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

/// A spec with its roles by the grammar's numbers.
pub(crate) struct Compiled {
    pub(crate) spec: &'static Spec,
    pub(crate) grammar: Grammar,
    roles: Vec<Role>,
}

impl Compiled {
    pub(crate) fn new(spec: &'static Spec) -> Self {
        let grammar = (spec.grammar)();
        let by_name: HashMap<&str, Role> = spec.roles.iter().copied().flatten().copied().collect();
        let count = u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX);
        let role = |id: u16| {
            let named = grammar.node_kind_is_named(id);
            let kind = grammar.node_kind_for_id(id).filter(|_| named);
            kind.and_then(|kind| by_name.get(kind)).copied().unwrap_or(Role::Plain)
        };
        let roles = (0..count).map(role).collect();
        Self { spec, grammar, roles }
    }

    pub(crate) fn kind(&'static self, kind_id: u16) -> &'static str {
        self.grammar.node_kind_for_id(kind_id).unwrap_or_default()
    }

    pub(crate) fn role(&self, kind_id: u16) -> Role {
        self.roles.get(usize::from(kind_id)).copied().unwrap_or(Role::Plain)
    }
}
