//! The imports of one file, resolved to modules of the repository.

use std::collections::{HashMap, HashSet};

use foveal_syntax::ImportedName;

use super::language_family::LanguageFamily;
use super::module_index::ModuleFiles;
use super::reexports::Reexports;
use super::symbols::FileSymbols;

/// The name of a script's default export.
pub(super) const DEFAULT_EXPORT: &str = "default";

/// The resolved imports of a file. Modules are indices into its list of modules.
pub(super) struct ResolvedImports<'a> {
    /// By local name: the modules that it is imported from.
    pub(super) by_imported_name: HashMap<&'a str, Vec<usize>>,
    /// By local name: the name in the module, where the two differ.
    pub(super) original_names: HashMap<&'a str, &'a str>,
    /// By local name of a module, which is its alias or the last part of its path.
    pub(super) by_module_name: HashMap<&'a str, Vec<usize>>,
    /// Local names that are certainly modules and not values.
    pub(super) namespaces: HashSet<&'a str>,
    /// The modules imported by glob.
    pub(super) glob_imports: Vec<usize>,
    /// The modules that imports name; external modules are empty.
    pub(super) modules: Vec<ModuleFiles>,
}

impl<'a> ResolvedImports<'a> {
    pub(super) fn resolve(
        reexports: &Reexports<'a>,
        family: LanguageFamily,
        at: usize,
        file: &'a FileSymbols,
    ) -> Self {
        let mut known: HashMap<&str, usize> = HashMap::new();
        let mut found = Self {
            by_imported_name: HashMap::new(),
            original_names: original_names(file),
            by_module_name: HashMap::new(),
            namespaces: HashSet::new(),
            glob_imports: Vec::new(),
            modules: Vec::new(),
        };
        for import in &file.imports {
            let module: &str = &import.module;
            let scope = *known.entry(module).or_insert_with(|| {
                found.modules.push(reexports.modules.resolve_module(family, at, module));
                found.modules.len() - 1
            });
            let mut is_whole = import.names.is_empty();
            for of in &import.names {
                let local = of.local_name();
                match (&*of.name, of.alias.as_deref()) {
                    ("*", Some(alias)) => {
                        found.by_module_name.entry(alias).or_default().push(scope);
                        found.namespaces.insert(alias);
                    }
                    ("*", None) => {
                        found.glob_imports.push(scope);
                        is_whole = true;
                    }
                    (DEFAULT_EXPORT, None) => is_whole = true,
                    (DEFAULT_EXPORT, Some(alias)) => {
                        found.by_module_name.entry(alias).or_default().push(scope);
                        found.by_imported_name.entry(alias).or_default().push(scope);
                    }
                    _ => {
                        let from = found.follow_reexport(reexports, family, scope, of);
                        found.by_imported_name.entry(local).or_default().push(from);
                    }
                }
                found.add_submodule(reexports, family, at, module, of);
            }
            if is_whole {
                let local = import.alias.as_deref().unwrap_or_else(|| default_module_name(module));
                found.by_module_name.entry(local).or_default().push(scope);
                if family == LanguageFamily::Go
                    || family == LanguageFamily::Python && import.alias.is_some()
                {
                    found.namespaces.insert(local);
                }
                let is_type = matches!(
                    family,
                    LanguageFamily::Java | LanguageFamily::CSharp | LanguageFamily::Php
                );
                if is_type || import.alias.is_some() && family == LanguageFamily::Script {
                    found.by_imported_name.entry(local).or_default().push(scope);
                }
            }
            let is_plain = import.names.is_empty() && import.alias.is_none();
            if is_plain
                && matches!(family, LanguageFamily::C | LanguageFamily::Ruby | LanguageFamily::Bash)
            {
                found.glob_imports.push(scope);
            }
        }
        found
    }

    /// Returns the module that defines the name `imported` if `scope` re-exports it under another
    /// name, else `scope`, where the name itself is found.
    fn follow_reexport(
        &mut self,
        reexports: &Reexports<'a>,
        family: LanguageFamily,
        scope: usize,
        imported: &'a ImportedName,
    ) -> usize {
        let name = &*imported.name;
        let handed = reexports.find_reexport(family, &self.modules[scope], name);
        match handed.filter(|(_, original)| *original != name) {
            Some((from, original)) => {
                self.original_names.insert(imported.local_name(), original);
                self.modules.push(from.clone());
                self.modules.len() - 1
            }
            None => scope,
        }
    }

    /// Adds the module that an imported name may denote.
    fn add_submodule(
        &mut self,
        reexports: &Reexports<'_>,
        family: LanguageFamily,
        at: usize,
        module: &str,
        imported: &'a ImportedName,
    ) {
        let name = &*imported.name;
        let path = match family {
            LanguageFamily::Python if module.ends_with('.') => format!("{module}{name}"),
            LanguageFamily::Python => format!("{module}.{name}"),
            LanguageFamily::Rust => format!("{module}::{name}"),
            _ => return,
        };
        let is_lower = name.starts_with(|c: char| c.is_lowercase() || c == '_');
        if !is_lower {
            return;
        }
        let scope = reexports.modules.resolve_module(family, at, &path);
        if !scope.is_empty() {
            self.modules.push(scope);
            let of_name = self.by_module_name.entry(imported.local_name()).or_default();
            of_name.push(self.modules.len() - 1);
        }
    }

    /// Returns whether the file imports names from the file at `other`.
    pub(super) fn imports_file(&self, other: usize) -> bool {
        self.modules.iter().any(|scope| scope.contains_file(other))
    }
}

/// Returns the original names of renamed imports by their local names. A script's import of a whole
/// module under another name may be of its default export.
pub(super) fn original_names(file: &FileSymbols) -> HashMap<&str, &str> {
    let is_script = LanguageFamily::from_language(file.language) == LanguageFamily::Script;
    let mut found = HashMap::new();
    for import in &file.imports {
        if let Some(alias) = &import.alias {
            let original =
                if is_script { DEFAULT_EXPORT } else { default_module_name(&import.module) };
            found.insert(&**alias, original);
        }
        let names = import.names.iter().filter(|of| &*of.name != "*");
        found.extend(names.filter_map(|of| Some((of.alias.as_deref()?, &*of.name))));
    }
    found
}

/// Returns the local name of a module: its path's last part without extension.
fn default_module_name(module: &str) -> &str {
    let name = module.trim_end_matches("/*").rsplit(['/', ':', '\\']).next().unwrap_or(module);
    let name = match name.strip_suffix(".js").or_else(|| name.strip_suffix(".mjs")) {
        Some(bare) => bare,
        None => name,
    };
    let is_file = ["h", "hpp", "rb", "sh", "zig"]
        .iter()
        .any(|ending| name.rsplit_once('.').is_some_and(|(_, last)| last == *ending));
    if is_file {
        return name.split('.').next().unwrap_or(name);
    }
    name.rsplit('.').next().filter(|last| !last.is_empty()).unwrap_or(name)
}
