//! The few things that a colour can tell apart, and which names of captures mean which.

use crate::language::Language;

/// What a range of a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HighlightClass {
    /// Comments and documentation.
    Comment,
    /// Words of the language, modifiers, headings.
    Keyword,
    /// Strings and characters.
    Text,
    /// Escapes in strings.
    Escape,
    /// Numbers, truth values, constants.
    Constant,
    /// Types and constructors.
    Type,
    /// Functions and macros, defined or called.
    Function,
    /// Attributes, annotations, labels.
    Attribute,
    /// Keys of data, properties of styles, names of tags.
    Key,
}

/// Names of captures, and what they are; the first that fits counts. A name fits itself and
/// all that begin with it and a dot.
const NAMES: &[(&str, HighlightClass)] = &[
    ("comment", HighlightClass::Comment),
    ("string.escape", HighlightClass::Escape),
    ("string.special.key", HighlightClass::Key),
    ("escape", HighlightClass::Escape),
    ("string", HighlightClass::Text),
    ("character", HighlightClass::Text),
    ("text.literal", HighlightClass::Text),
    ("text.uri", HighlightClass::Text),
    ("text.title", HighlightClass::Keyword),
    ("number", HighlightClass::Constant),
    ("float", HighlightClass::Constant),
    ("boolean", HighlightClass::Constant),
    ("constant", HighlightClass::Constant),
    ("type.qualifier", HighlightClass::Keyword),
    ("type", HighlightClass::Type),
    ("constructor", HighlightClass::Type),
    ("function", HighlightClass::Function),
    ("attribute", HighlightClass::Attribute),
    ("label", HighlightClass::Attribute),
    ("tag", HighlightClass::Key),
    ("variable.builtin", HighlightClass::Keyword),
    ("keyword", HighlightClass::Keyword),
    ("storageclass", HighlightClass::Keyword),
    ("conditional", HighlightClass::Keyword),
    ("import", HighlightClass::Keyword),
    ("media", HighlightClass::Keyword),
    ("keyframes", HighlightClass::Keyword),
    ("supports", HighlightClass::Keyword),
    ("charset", HighlightClass::Keyword),
    ("namespace", HighlightClass::Keyword),
];

/// What a capture of this name is in a language; `None` for names, marks and operators, which
/// stay as they are.
pub(super) fn class_of(name: &str, language: Language) -> Option<HighlightClass> {
    let is_data =
        matches!(language, Language::Json | Language::Yaml | Language::Toml | Language::Css);
    if is_data && name == "property" {
        return Some(HighlightClass::Key);
    }
    let fits = |known: &str| {
        name.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    NAMES.iter().find(|(known, _)| fits(known)).map(|(_, class)| *class)
}
