//! The table of languages, and the detection of a file's language.

use serde::{Deserialize, Serialize};

/// A language that can be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each is the language of that name")]
pub enum Language {
    Rust,
    Python,
    TypeScript,
    Tsx,
    JavaScript,
    Go,
    Java,
    C,
    Cpp,
    CSharp,
    Ruby,
    Php,
    Bash,
    Kotlin,
    Swift,
    Zig,
    Json,
    Yaml,
    Toml,
    Markdown,
    Html,
    Css,
    Sql,
}

/// A language with its name and the criteria of its detection.
struct LanguageRow {
    language: Language,
    name: &'static str,
    /// File name endings without the dot.
    endings: &'static [&'static str],
    /// Complete file names.
    file_names: &'static [&'static str],
    /// Interpreters in a `#!` line.
    interpreters: &'static [&'static str],
}

/// All languages, in the order of [`Language`].
const LANGUAGE_ROWS: &[LanguageRow] = &[
    LanguageRow {
        language: Language::Rust,
        name: "Rust",
        endings: &["rs"],
        file_names: &[],
        interpreters: &["rust-script"],
    },
    LanguageRow {
        language: Language::Python,
        name: "Python",
        endings: &["py", "pyi", "pyw"],
        file_names: &["SConstruct", "wscript"],
        interpreters: &["python", "python2", "python3", "pypy3"],
    },
    LanguageRow {
        language: Language::TypeScript,
        name: "TypeScript",
        endings: &["ts", "mts", "cts"],
        file_names: &[],
        interpreters: &["ts-node", "tsx", "deno"],
    },
    LanguageRow {
        language: Language::Tsx,
        name: "TSX",
        endings: &["tsx"],
        file_names: &[],
        interpreters: &[],
    },
    LanguageRow {
        language: Language::JavaScript,
        name: "JavaScript",
        endings: &["js", "jsx", "mjs", "cjs"],
        file_names: &["Jakefile"],
        interpreters: &["node", "nodejs", "bun"],
    },
    LanguageRow {
        language: Language::Go,
        name: "Go",
        endings: &["go"],
        file_names: &[],
        interpreters: &[],
    },
    LanguageRow {
        language: Language::Java,
        name: "Java",
        endings: &["java"],
        file_names: &[],
        interpreters: &[],
    },
    LanguageRow {
        language: Language::C,
        name: "C",
        endings: &["c"],
        file_names: &[],
        interpreters: &["tcc"],
    },
    LanguageRow {
        language: Language::Cpp,
        name: "C++",
        endings: &["cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp", "inl", "cu", "cuh"],
        file_names: &[],
        interpreters: &[],
    },
    LanguageRow {
        language: Language::CSharp,
        name: "C#",
        endings: &["cs", "csx"],
        file_names: &[],
        interpreters: &[],
    },
    LanguageRow {
        language: Language::Ruby,
        name: "Ruby",
        endings: &["rb", "rake", "gemspec", "ru"],
        file_names: &["Rakefile", "Gemfile", "Podfile", "Vagrantfile", "Fastfile", "Brewfile"],
        interpreters: &["ruby"],
    },
    LanguageRow {
        language: Language::Php,
        name: "PHP",
        endings: &["php", "phtml", "php8"],
        file_names: &[],
        interpreters: &["php"],
    },
    LanguageRow {
        language: Language::Bash,
        name: "Bash",
        endings: &["sh", "bash", "zsh", "ksh", "bats"],
        file_names: &[".bashrc", ".bash_profile", ".profile", ".zshrc", "PKGBUILD"],
        interpreters: &["sh", "bash", "dash", "zsh", "ksh"],
    },
    LanguageRow {
        language: Language::Kotlin,
        name: "Kotlin",
        endings: &["kt", "kts"],
        file_names: &[],
        interpreters: &["kotlin"],
    },
    LanguageRow {
        language: Language::Swift,
        name: "Swift",
        endings: &["swift"],
        file_names: &[],
        interpreters: &["swift"],
    },
    LanguageRow {
        language: Language::Zig,
        name: "Zig",
        endings: &["zig", "zon"],
        file_names: &[],
        interpreters: &[],
    },
    LanguageRow {
        language: Language::Json,
        name: "JSON",
        endings: &["json", "jsonc", "json5", "geojson", "webmanifest"],
        file_names: &[".babelrc", ".eslintrc", ".prettierrc"],
        interpreters: &[],
    },
    LanguageRow {
        language: Language::Yaml,
        name: "YAML",
        endings: &["yaml", "yml"],
        file_names: &[".clang-format", ".clang-tidy"],
        interpreters: &[],
    },
    LanguageRow {
        language: Language::Toml,
        name: "TOML",
        endings: &["toml"],
        file_names: &["Pipfile"],
        interpreters: &[],
    },
    LanguageRow {
        language: Language::Markdown,
        name: "Markdown",
        endings: &["md", "markdown", "mdx", "mdc"],
        file_names: &[],
        interpreters: &[],
    },
    LanguageRow {
        language: Language::Html,
        name: "HTML",
        endings: &["html", "htm", "xhtml"],
        file_names: &[],
        interpreters: &[],
    },
    LanguageRow {
        language: Language::Css,
        name: "CSS",
        endings: &["css"],
        file_names: &[],
        interpreters: &[],
    },
    LanguageRow {
        language: Language::Sql,
        name: "SQL",
        endings: &["sql", "ddl"],
        file_names: &[],
        interpreters: &[],
    },
];

/// The number of languages.
pub(super) const LANGUAGE_COUNT: usize = LANGUAGE_ROWS.len();

impl Language {
    /// Detects the language of the file at `path` that begins with `text`: by file name, ending, or
    /// the interpreter in the `#!` line.
    pub fn detect(path: &str, text: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        let by_name = LANGUAGE_ROWS.iter().find(|row| row.file_names.contains(&name));
        let by_ending = || {
            let ending = ending.as_deref()?;
            LANGUAGE_ROWS.iter().find(|row| row.endings.contains(&ending))
        };
        let by_program = || {
            let program = shebang_program(text)?;
            LANGUAGE_ROWS.iter().find(|row| row.interpreters.contains(&program))
        };
        if ending.as_deref() == Some("h") {
            return Some(if is_cpp_header(text) { Self::Cpp } else { Self::C });
        }
        let row = by_name.or_else(by_ending).or_else(by_program)?;
        Some(row.language)
    }

    /// Returns all languages.
    pub fn all() -> impl Iterator<Item = Self> {
        LANGUAGE_ROWS.iter().map(|row| row.language)
    }

    /// Returns the display name, such as `C++`.
    pub fn name(self) -> &'static str {
        LANGUAGE_ROWS[self as usize].name
    }

    /// Returns whether the prefix of a line opens levels, one per byte or two.
    pub(crate) fn nests_by_prefix(self) -> bool {
        matches!(self, Self::Yaml | Self::Markdown)
    }
}

/// Returns whether a header file has lines that only C++ has.
fn is_cpp_header(text: &str) -> bool {
    const MARKS: &[&str] =
        &["class ", "namespace ", "template<", "template <", "public:", "private:", "using "];
    text.lines().any(|line| MARKS.iter().any(|mark| line.trim_start().starts_with(mark)))
}

/// Returns the interpreter in a `#!` line, without its folder and `env`.
fn shebang_program(text: &str) -> Option<&str> {
    let line = text.lines().next()?.strip_prefix("#!")?;
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let first = words.next()?;
    if first != "env" {
        return Some(first);
    }
    words.find(|word| !word.starts_with('-') && !word.contains('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_languages() {
        for (at, row) in LANGUAGE_ROWS.iter().enumerate() {
            assert_eq!(row.language as usize, at, "{}", row.name);
        }
    }
}
