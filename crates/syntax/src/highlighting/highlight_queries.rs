//! The highlighting queries of the languages, compiled at first use.

use std::sync::OnceLock;

use foveal_parser_runtime::Query;

use super::HighlightClass;
use super::highlight_class::class_of_capture;
use crate::language::Language;

/// A compiled query with the class of each capture.
pub(super) struct CompiledQuery {
    pub(super) query: Query,
    pub(super) classes: Vec<Option<HighlightClass>>,
}

/// The query for Kotlin, whose grammar comes without one.
const KOTLIN_QUERY: &str = include_str!("kotlin.scm");

/// Returns the query sources of a language, including those of the languages it extends.
fn query_sources(language: Language) -> &'static [&'static str] {
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
        Language::Kotlin => &[KOTLIN_QUERY],
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

static COMPILED_QUERIES: [OnceLock<Option<CompiledQuery>>; LANGUAGES_MAX] =
    [const { OnceLock::new() }; LANGUAGES_MAX];

/// An upper bound for the number of languages.
const LANGUAGES_MAX: usize = 32;

/// Returns the query of a language; `None` if the query does not fit the grammar.
pub(super) fn compiled_query(language: Language) -> Option<&'static CompiledQuery> {
    COMPILED_QUERIES.get(language as usize)?.get_or_init(|| compile_query(language)).as_ref()
}

fn compile_query(language: Language) -> Option<CompiledQuery> {
    let grammar = &language.compiled_spec().grammar;
    let mut query = Query::new(grammar, &query_sources(language).join("\n")).ok()?;
    for pattern in 0..query.pattern_count() {
        // Predicates of other programs, which would count as satisfied.
        let unknown = query.general_predicates(pattern);
        if unknown.iter().any(|predicate| predicate.operator.ends_with('?')) {
            query.disable_pattern(pattern);
        }
    }
    let classes =
        query.capture_names().iter().map(|name| class_of_capture(name, language)).collect();
    Some(CompiledQuery { query, classes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_a_query_that_colours_something() {
        for language in Language::all() {
            let compiled = compiled_query(language).expect("its query fits its grammar");
            assert!(compiled.classes.iter().any(Option::is_some), "{}", language.name());
        }
    }
}
