//! The highlight classes, and the query captures that they stand for.

use crate::language::Language;

/// The class of a highlighted range; each can have its own colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HighlightClass {
    /// Comments and documentation.
    Comment,
    /// Keywords, modifiers, headings.
    Keyword,
    /// Strings and characters.
    Text,
    /// Escape sequences in strings.
    Escape,
    /// Numbers, booleans, constants.
    Constant,
    /// Types and constructors.
    Type,
    /// Functions and macros, defined or called.
    Function,
    /// Attributes, annotations, labels.
    Attribute,
    /// Keys of data, style properties, tag names.
    Key,
}

/// Capture names and their classes; the first match applies. An entry matches its name and all
/// names that extend it after a dot.
const CAPTURE_CLASSES: &[(&str, HighlightClass)] = &[
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

/// Returns the class of the capture `name` in a language; `None` for names, punctuation and
/// operators, which are not highlighted.
pub(super) fn class_of_capture(name: &str, language: Language) -> Option<HighlightClass> {
    let is_data =
        matches!(language, Language::Json | Language::Yaml | Language::Toml | Language::Css);
    if is_data && name == "property" {
        return Some(HighlightClass::Key);
    }
    let fits = |known: &str| {
        name.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    CAPTURE_CLASSES.iter().find(|(known, _)| fits(known)).map(|(_, class)| *class)
}
