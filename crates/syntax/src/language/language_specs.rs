//! The spec of each language, compiled at first use.

use std::sync::OnceLock;

use super::language_table::{LANGUAGE_COUNT, Language};
use super::{
    bash, c, c_sharp, css, golang, html, java, javascript, json, kotlin, markdown, php, python,
    ruby, rust, sql, swift, toml, yaml, zig,
};
use crate::language_spec::{CompiledLanguageSpec, LanguageSpec};

static COMPILED_SPECS: [OnceLock<CompiledLanguageSpec>; LANGUAGE_COUNT] =
    [const { OnceLock::new() }; LANGUAGE_COUNT];

fn language_spec(language: Language) -> &'static LanguageSpec {
    match language {
        Language::Rust => &rust::SPEC,
        Language::Python => &python::SPEC,
        Language::TypeScript => &javascript::TYPESCRIPT,
        Language::Tsx => &javascript::TSX,
        Language::JavaScript => &javascript::JAVASCRIPT,
        Language::Go => &golang::SPEC,
        Language::Java => &java::SPEC,
        Language::C => &c::C,
        Language::Cpp => &c::CPP,
        Language::CSharp => &c_sharp::SPEC,
        Language::Ruby => &ruby::SPEC,
        Language::Php => &php::SPEC,
        Language::Bash => &bash::SPEC,
        Language::Kotlin => &kotlin::SPEC,
        Language::Swift => &swift::SPEC,
        Language::Zig => &zig::SPEC,
        Language::Json => &json::SPEC,
        Language::Yaml => &yaml::SPEC,
        Language::Toml => &toml::SPEC,
        Language::Markdown => &markdown::SPEC,
        Language::Html => &html::SPEC,
        Language::Css => &css::SPEC,
        Language::Sql => &sql::SPEC,
    }
}

impl Language {
    pub(crate) fn compiled_spec(self) -> &'static CompiledLanguageSpec {
        COMPILED_SPECS[self as usize].get_or_init(|| CompiledLanguageSpec::new(language_spec(self)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_name_kinds_that_exist() {
        for language in Language::all() {
            let spec = language_spec(language);
            let grammar = (spec.grammar)();
            for (kind, _) in spec.roles.iter().copied().flatten() {
                let known = (0..grammar.node_kind_count())
                    .filter_map(|id| u16::try_from(id).ok())
                    .any(|id| {
                        grammar.node_kind_is_named(id)
                            && grammar.node_kind_for_id(id) == Some(*kind)
                    });
                assert!(known, "{} has no node `{kind}`", language.name());
            }
        }
    }
}
