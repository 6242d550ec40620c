//! Modules as values.

use std::collections::{BTreeMap, BTreeSet};

/// One name that a `use` brings in, or all of a module's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Import {
    pub(crate) segments: Vec<String>,
    /// The name it has here; `None` of a glob.
    pub(crate) name: Option<String>,
    /// Whether it is handed on: `pub use`, `pub(crate) use`.
    pub(crate) is_reexport: bool,
}

/// One module, whether a file or a block of one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Module {
    /// Path of its file.
    pub(crate) file: String,
    /// Position in [`Modules::modules`].
    pub(crate) parent: Option<usize>,
    /// Declared modules by name.
    pub(crate) children: BTreeMap<String, usize>,
    /// Names of items defined here.
    pub(crate) definitions: BTreeSet<String>,
    pub(crate) imports: Vec<Import>,
    /// Paths and single names in the code, apart from `use`.
    pub(crate) paths: BTreeSet<Vec<String>>,
}

/// All modules of one crate; the first is its root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Modules {
    pub(crate) modules: Vec<Module>,
}
