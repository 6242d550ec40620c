//! The highlighting queries of the languages, compiled at first use.

use std::sync::OnceLock;

use foveal_parser_runtime::Query;

use super::HighlightClass;
use super::class::class_of;
use crate::language::Language;

/// A query with the class of each of its captures.
pub(super) struct Compiled {
    pub(super) query: Query,
    pub(super) classes: Vec<Option<HighlightClass>>,
}

/// Kotlin's grammar comes without a query.
const KOTLIN: &str = include_str!("kotlin.scm");

/// The parts of a language's query, those of the languages it rests on included.
fn sources(language: Language) -> &'static [&'static str] {
    match language {
        Language::Rust => &[tree_sitter_rust::HIGHLIGHTS_QUERY],
        Language::Python => &[tree_sitter_python::HIGHLIGHTS_QUERY],
        Language::TypeScript => {
            &[tree_sitter_javascript::HIGHLIGHT_QUERY, tree_sitter_typescript::HIGHLIGHTS_QUERY]
        }
        Language::Tsx => &[
            tree_sitter_javascript::HIGHLIGHT_QUERY,
            tree_sitter_javascript::JSX_HIGHLIGHT_QUERY,
            tree_sitter_typescript::HIGHLIGHTS_QUERY,
        ],
        Language::JavaScript => {
            &[tree_sitter_javascript::HIGHLIGHT_QUERY, tree_sitter_javascript::JSX_HIGHLIGHT_QUERY]
        }
        Language::Go => &[tree_sitter_go::HIGHLIGHTS_QUERY],
        Language::Java => &[tree_sitter_java::HIGHLIGHTS_QUERY],
        Language::C => &[tree_sitter_c::HIGHLIGHT_QUERY],
        Language::Cpp => &[tree_sitter_c::HIGHLIGHT_QUERY, tree_sitter_cpp::HIGHLIGHT_QUERY],
        Language::CSharp => &[tree_sitter_c_sharp::HIGHLIGHTS_QUERY],
        Language::Ruby => &[tree_sitter_ruby::HIGHLIGHTS_QUERY],
        Language::Php => &[tree_sitter_php::HIGHLIGHTS_QUERY],
        Language::Bash => &[tree_sitter_bash::HIGHLIGHT_QUERY],
        Language::Kotlin => &[KOTLIN],
        Language::Swift => &[tree_sitter_swift::HIGHLIGHTS_QUERY],
        Language::Zig => &[tree_sitter_zig::HIGHLIGHTS_QUERY],
        Language::Json => &[tree_sitter_json::HIGHLIGHTS_QUERY],
        Language::Yaml => &[tree_sitter_yaml::HIGHLIGHTS_QUERY],
        Language::Toml => &[tree_sitter_toml_ng::HIGHLIGHTS_QUERY],
        Language::Markdown => &[tree_sitter_md::HIGHLIGHT_QUERY_BLOCK],
        Language::Html => &[tree_sitter_html::HIGHLIGHTS_QUERY],
        Language::Css => &[tree_sitter_css::HIGHLIGHTS_QUERY],
        Language::Sql => &[tree_sitter_sequel::HIGHLIGHTS_QUERY],
    }
}

static COMPILED: [OnceLock<Option<Compiled>>; LANGUAGES_MAX] =
    [const { OnceLock::new() }; LANGUAGES_MAX];

/// Room for all languages.
const LANGUAGES_MAX: usize = 32;

/// The query of a language; `None` for one that does not fit its grammar.
pub(super) fn compiled(language: Language) -> Option<&'static Compiled> {
    COMPILED.get(language as usize)?.get_or_init(|| compile(language)).as_ref()
}

fn compile(language: Language) -> Option<Compiled> {
    let grammar = &language.compiled().grammar;
    let mut query = Query::new(grammar, &sources(language).join("\n")).ok()?;
    for pattern in 0..query.pattern_count() {
        // Conditions of other programs, which would count as met.
        let unknown = query.general_predicates(pattern);
        if unknown.iter().any(|predicate| predicate.operator.ends_with('?')) {
            query.disable_pattern(pattern);
        }
    }
    let classes = query.capture_names().iter().map(|name| class_of(name, language)).collect();
    Some(Compiled { query, classes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_a_query_that_colours_something() {
        for language in Language::all() {
            let compiled = compiled(language).expect("its query fits its grammar");
            assert!(compiled.classes.iter().any(Option::is_some), "{}", language.name());
        }
    }
}
