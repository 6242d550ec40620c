//! The largest grammars, with their parse tables packed, and a runtime that counts its work.
//!
//! A generated parser is mostly tables of numbers: 33 MB for the nineteen languages here, 2 MB
//! packed. The build script writes a copy of each generated `parser.c` whose tables are packed,
//! and unpacked when the language is first asked for. The copy defines the same function as the
//! original; it is the one that is linked, because this crate depends on the grammar's own and
//! so comes before it. Where a copy cannot be made, the build says so, and the original is
//! linked: larger, and otherwise the same.
//!
//! In the same way the runtime of tree-sitter is copied. The copy tells its progress by all that
//! it does, so that a bound on the number of reports bounds the time of a parse.

use std::sync::{Mutex, PoisonError};

use tree_sitter::Language;

/// Held while a language is asked for, which unpacks its tables the first time.
static ASKING: Mutex<()> = Mutex::new(());

macro_rules! languages {
    ($($(#[$doc:meta])* $name:ident = $language:path;)*) => {$(
        $(#[$doc])*
        pub fn $name() -> Language {
            let _one_at_a_time = ASKING.lock().unwrap_or_else(PoisonError::into_inner);
            $language.into()
        }
    )*};
}

languages! {
    /// Commands of POSIX shells and Bash.
    bash = tree_sitter_bash::LANGUAGE;
    /// C.
    c = tree_sitter_c::LANGUAGE;
    /// C#.
    c_sharp = tree_sitter_c_sharp::LANGUAGE;
    /// C++.
    cpp = tree_sitter_cpp::LANGUAGE;
    /// Go.
    go = tree_sitter_go::LANGUAGE;
    /// Java.
    java = tree_sitter_java::LANGUAGE;
    /// JavaScript, with JSX.
    javascript = tree_sitter_javascript::LANGUAGE;
    /// Kotlin.
    kotlin = tree_sitter_kotlin_ng::LANGUAGE;
    /// The blocks of Markdown.
    markdown = tree_sitter_md::LANGUAGE;
    /// PHP, in pages of HTML and by itself.
    php = tree_sitter_php::LANGUAGE_PHP;
    /// Python.
    python = tree_sitter_python::LANGUAGE;
    /// Ruby.
    ruby = tree_sitter_ruby::LANGUAGE;
    /// Rust.
    rust = tree_sitter_rust::LANGUAGE;
    /// SQL.
    sql = tree_sitter_sequel::LANGUAGE;
    /// Swift.
    swift = tree_sitter_swift::LANGUAGE;
    /// TypeScript.
    typescript = tree_sitter_typescript::LANGUAGE_TYPESCRIPT;
    /// TypeScript with JSX.
    tsx = tree_sitter_typescript::LANGUAGE_TSX;
    /// YAML.
    yaml = tree_sitter_yaml::LANGUAGE;
    /// Zig.
    zig = tree_sitter_zig::LANGUAGE;
}

/// What the grammars say of colours, as queries. Those of C++ and TypeScript rest on those of C
/// and JavaScript; Kotlin's grammar has none.
pub mod highlights {
    pub use tree_sitter_bash::HIGHLIGHT_QUERY as BASH;
    pub use tree_sitter_c::HIGHLIGHT_QUERY as C;
    pub use tree_sitter_c_sharp::HIGHLIGHTS_QUERY as C_SHARP;
    pub use tree_sitter_cpp::HIGHLIGHT_QUERY as CPP;
    pub use tree_sitter_go::HIGHLIGHTS_QUERY as GO;
    pub use tree_sitter_java::HIGHLIGHTS_QUERY as JAVA;
    pub use tree_sitter_javascript::HIGHLIGHT_QUERY as JAVASCRIPT;
    pub use tree_sitter_javascript::JSX_HIGHLIGHT_QUERY as JSX;
    pub use tree_sitter_md::HIGHLIGHT_QUERY_BLOCK as MARKDOWN;
    pub use tree_sitter_php::HIGHLIGHTS_QUERY as PHP;
    pub use tree_sitter_python::HIGHLIGHTS_QUERY as PYTHON;
    pub use tree_sitter_ruby::HIGHLIGHTS_QUERY as RUBY;
    pub use tree_sitter_rust::HIGHLIGHTS_QUERY as RUST;
    pub use tree_sitter_sequel::HIGHLIGHTS_QUERY as SQL;
    pub use tree_sitter_swift::HIGHLIGHTS_QUERY as SWIFT;
    pub use tree_sitter_typescript::HIGHLIGHTS_QUERY as TYPESCRIPT;
    pub use tree_sitter_yaml::HIGHLIGHTS_QUERY as YAML;
    pub use tree_sitter_zig::HIGHLIGHTS_QUERY as ZIG;
}

/// The generated parsers whose tables are packed in this build.
pub const PACKED: &[&str] = include!(concat!(env!("OUT_DIR"), "/packed.rs"));

/// Whether the runtime of this build counts all of its work.
pub const COUNTED: bool = include!(concat!(env!("OUT_DIR"), "/counted.rs"));
