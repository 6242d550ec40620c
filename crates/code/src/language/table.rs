//! The languages, and how a file's language is told.

use serde::{Deserialize, Serialize};

/// A language whose syntax is read.
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

/// One language: how it is called and told.
struct Row {
    language: Language,
    name: &'static str,
    /// Endings of file names, without the dot.
    endings: &'static [&'static str],
    /// Whole file names.
    files: &'static [&'static str],
    /// Programs named in a `#!` line.
    programs: &'static [&'static str],
}

/// All languages, in the order of [`Language`].
const ROWS: &[Row] = &[
    Row {
        language: Language::Rust,
        name: "Rust",
        endings: &["rs"],
        files: &[],
        programs: &["rust-script"],
    },
    Row {
        language: Language::Python,
        name: "Python",
        endings: &["py", "pyi", "pyw"],
        files: &["SConstruct", "wscript"],
        programs: &["python", "python2", "python3", "pypy3"],
    },
    Row {
        language: Language::TypeScript,
        name: "TypeScript",
        endings: &["ts", "mts", "cts"],
        files: &[],
        programs: &["ts-node", "tsx", "deno"],
    },
    Row { language: Language::Tsx, name: "TSX", endings: &["tsx"], files: &[], programs: &[] },
    Row {
        language: Language::JavaScript,
        name: "JavaScript",
        endings: &["js", "jsx", "mjs", "cjs"],
        files: &["Jakefile"],
        programs: &["node", "nodejs", "bun"],
    },
    Row { language: Language::Go, name: "Go", endings: &["go"], files: &[], programs: &[] },
    Row { language: Language::Java, name: "Java", endings: &["java"], files: &[], programs: &[] },
    Row { language: Language::C, name: "C", endings: &["c"], files: &[], programs: &["tcc"] },
    Row {
        language: Language::Cpp,
        name: "C++",
        endings: &["cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp", "inl", "cu", "cuh"],
        files: &[],
        programs: &[],
    },
    Row {
        language: Language::CSharp,
        name: "C#",
        endings: &["cs", "csx"],
        files: &[],
        programs: &[],
    },
    Row {
        language: Language::Ruby,
        name: "Ruby",
        endings: &["rb", "rake", "gemspec", "ru"],
        files: &["Rakefile", "Gemfile", "Podfile", "Vagrantfile", "Fastfile", "Brewfile"],
        programs: &["ruby"],
    },
    Row {
        language: Language::Php,
        name: "PHP",
        endings: &["php", "phtml", "php8"],
        files: &[],
        programs: &["php"],
    },
    Row {
        language: Language::Bash,
        name: "Bash",
        endings: &["sh", "bash", "zsh", "ksh", "bats"],
        files: &[".bashrc", ".bash_profile", ".profile", ".zshrc", "PKGBUILD"],
        programs: &["sh", "bash", "dash", "zsh", "ksh"],
    },
    Row {
        language: Language::Kotlin,
        name: "Kotlin",
        endings: &["kt", "kts"],
        files: &[],
        programs: &["kotlin"],
    },
    Row {
        language: Language::Swift,
        name: "Swift",
        endings: &["swift"],
        files: &[],
        programs: &["swift"],
    },
    Row {
        language: Language::Zig,
        name: "Zig",
        endings: &["zig", "zon"],
        files: &[],
        programs: &[],
    },
    Row {
        language: Language::Json,
        name: "JSON",
        endings: &["json", "jsonc", "json5", "geojson", "webmanifest"],
        files: &[".babelrc", ".eslintrc", ".prettierrc"],
        programs: &[],
    },
    Row {
        language: Language::Yaml,
        name: "YAML",
        endings: &["yaml", "yml"],
        files: &[".clang-format", ".clang-tidy"],
        programs: &[],
    },
    Row {
        language: Language::Toml,
        name: "TOML",
        endings: &["toml"],
        files: &["Pipfile"],
        programs: &[],
    },
    Row {
        language: Language::Markdown,
        name: "Markdown",
        endings: &["md", "markdown", "mdx", "mdc"],
        files: &[],
        programs: &[],
    },
    Row {
        language: Language::Html,
        name: "HTML",
        endings: &["html", "htm", "xhtml"],
        files: &[],
        programs: &[],
    },
    Row { language: Language::Css, name: "CSS", endings: &["css"], files: &[], programs: &[] },
    Row {
        language: Language::Sql,
        name: "SQL",
        endings: &["sql", "ddl"],
        files: &[],
        programs: &[],
    },
];

/// How many there are.
pub(super) const LANGUAGES: usize = ROWS.len();

impl Language {
    /// The language of the file at `path` that begins with `text`: by its name, its ending,
    /// or the program in its `#!` line.
    pub fn of(path: &str, text: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        let by_name = ROWS.iter().find(|row| row.files.contains(&name));
        let by_ending = || {
            let ending = ending.as_deref()?;
            ROWS.iter().find(|row| row.endings.contains(&ending))
        };
        let by_program = || {
            let program = program_of(text)?;
            ROWS.iter().find(|row| row.programs.contains(&program))
        };
        if ending.as_deref() == Some("h") {
            return Some(if is_cpp_header(text) { Self::Cpp } else { Self::C });
        }
        let row = by_name.or_else(by_ending).or_else(by_program)?;
        Some(row.language)
    }

    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.language)
    }

    /// As it is called: `C++`.
    pub fn name(self) -> &'static str {
        ROWS[self as usize].name
    }

    /// Whether what a line begins with opens levels, one for a byte or two.
    pub(crate) fn nests_by_prefix(self) -> bool {
        matches!(self, Self::Yaml | Self::Markdown)
    }
}

/// Whether a header has lines that only C++ has.
fn is_cpp_header(text: &str) -> bool {
    const MARKS: &[&str] =
        &["class ", "namespace ", "template<", "template <", "public:", "private:", "using "];
    text.lines().any(|line| MARKS.iter().any(|mark| line.trim_start().starts_with(mark)))
}

/// The program that a `#!` line names, its folder and `env` aside.
fn program_of(text: &str) -> Option<&str> {
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
        for (at, row) in ROWS.iter().enumerate() {
            assert_eq!(row.language as usize, at, "{}", row.name);
        }
    }
}
