//! The definitions of a Rust file: types, functions and modules by name.

use super::source::{Source, is_word};

/// The kind of a definition, as far as rules about names tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DefinitionKind {
    Type,
    Function,
    Module,
}

/// A name that a file defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Definition<'a> {
    pub(crate) kind: DefinitionKind,
    pub(crate) name: &'a str,
    /// Byte offset of the name.
    pub(crate) offset: usize,
}

/// The keywords of definitions.
const KEYWORDS: &[(&str, DefinitionKind)] = &[
    ("struct", DefinitionKind::Type),
    ("enum", DefinitionKind::Type),
    ("trait", DefinitionKind::Type),
    ("type", DefinitionKind::Type),
    ("fn", DefinitionKind::Function),
    ("mod", DefinitionKind::Module),
];

/// The definitions of `source` outside of tests. The associated types of traits and of their
/// implementations are left out: the trait chooses their names.
pub(crate) fn definitions(source: &Source) -> Vec<Definition<'_>> {
    let mut found = Vec::new();
    for (keyword, kind) in KEYWORDS {
        for at in source.words_outside_tests(keyword) {
            let rest = &source.code[at + keyword.len()..];
            let name = rest.trim_start();
            let offset = source.code.len() - name.len();
            let end = name.find(|c| !is_word(c)).unwrap_or(name.len());
            let line = source.code[..at].rsplit('\n').next().unwrap_or_default();
            let is_associated = *keyword == "type" && line.starts_with(' ');
            // `fn(u8)` is a type, and `r#type` a name.
            if end > 0 && rest.starts_with(char::is_whitespace) && !is_associated {
                found.push(Definition { kind: *kind, name: &name[..end], offset });
            }
        }
    }
    found.sort_by_key(|definition| definition.offset);
    found
}

/// The words of a name, in lower case: `CacheKey` and `cache_key` have two.
pub(crate) fn name_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = '_';
    for c in name.chars() {
        if c == '_' || (c.is_uppercase() && (before.is_lowercase() || before.is_ascii_digit())) {
            words.push(String::new());
        }
        if c != '_' {
            words.last_mut().expect("it begins with one").extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_found() {
        let text = "pub struct A; impl A { fn b(f: fn(u8)) {} }\nmod c;\n    type Out = u8;\n\
                    #[cfg(test)] mod tests { struct D; }\n// enum E\ntype F = A;";
        let source = Source::new("a.rs", text);
        let names: Vec<&str> = definitions(&source).iter().map(|found| found.name).collect();
        assert_eq!(names, ["A", "b", "c", "F"]);
    }

    #[test]
    fn names_are_split_into_words() {
        for (name, words) in [("CacheKey", "cache key"), ("a_bC2D", "a b c2 d"), ("URL", "url")] {
            assert_eq!(name_words(name).join(" "), words, "{name}");
        }
    }
}
