//! Families of languages whose files can use each other's names.

use foveal_syntax::Language;

/// A group of languages whose files can use each other's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LanguageFamily {
    Rust,
    Python,
    Script,
    Go,
    Java,
    C,
    CSharp,
    Ruby,
    Php,
    Bash,
    Swift,
    Zig,
    /// Data and prose, which define no names for code.
    Data,
}

/// The files in which an unqualified name is visible without an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ImplicitScope {
    /// The defining file only.
    File,
    /// All files of the same folder.
    Folder,
    /// All files of the repository.
    Repository,
}

impl LanguageFamily {
    pub(super) fn from_language(language: Option<Language>) -> Self {
        use Language::*;
        match language {
            Some(Rust) => Self::Rust,
            Some(Python) => Self::Python,
            Some(TypeScript | Tsx | JavaScript) => Self::Script,
            Some(Go) => Self::Go,
            Some(Java | Kotlin) => Self::Java,
            Some(C | Cpp) => Self::C,
            Some(CSharp) => Self::CSharp,
            Some(Ruby) => Self::Ruby,
            Some(Php) => Self::Php,
            Some(Bash) => Self::Bash,
            Some(Swift) => Self::Swift,
            Some(Zig) => Self::Zig,
            Some(Json | Yaml | Toml | Markdown | Html | Css | Sql) | None => Self::Data,
        }
    }

    pub(super) fn implicit_scope(self) -> ImplicitScope {
        match self {
            Self::Rust | Self::Python | Self::Script | Self::Zig | Self::Data => {
                ImplicitScope::File
            }
            Self::Go | Self::Java => ImplicitScope::Folder,
            Self::C | Self::CSharp | Self::Ruby | Self::Php | Self::Bash | Self::Swift => {
                ImplicitScope::Repository
            }
        }
    }

    /// Returns whether a member of the enclosing type can be named without a qualifier.
    pub(super) fn has_implicit_self(self) -> bool {
        matches!(self, Self::C | Self::Java | Self::CSharp | Self::Swift | Self::Ruby)
    }
}
