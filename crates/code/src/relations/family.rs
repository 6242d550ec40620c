//! Languages by what their files can know of each other.

use crate::Language;

/// Languages whose files can use each other's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Family {
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
    /// Data and prose: defines nothing that code could name.
    Data,
}

/// Where a name that stands alone is known without an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Package {
    /// Only in its own file.
    File,
    /// In all files of its folder.
    Folder,
    /// Everywhere.
    Repository,
}

impl Family {
    pub(super) fn of(language: Option<Language>) -> Self {
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

    pub(super) fn package(self) -> Package {
        match self {
            Self::Rust | Self::Python | Self::Script | Self::Zig | Self::Data => Package::File,
            Self::Go | Self::Java => Package::Folder,
            Self::C | Self::CSharp | Self::Ruby | Self::Php | Self::Bash | Self::Swift => {
                Package::Repository
            }
        }
    }

    /// Whether a member of the own type can be named alone.
    pub(super) fn has_implicit_self(self) -> bool {
        matches!(self, Self::C | Self::Java | Self::CSharp | Self::Swift | Self::Ruby)
    }
}
