//! Re-exports: names that a module imports and passes on, as `export … from` and a package's
//! `__init__` do.
//!
//! The imports of a file are resolved when a re-export through it is first looked up. Further
//! look-ups take a few steps each, however many names the file imports by glob.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::language_family::LanguageFamily;
use super::module_index::{ModuleFiles, ModuleIndex};
use super::symbols::FileSymbols;

/// The largest number of modules that one name is followed through.
const REEXPORT_STEPS_MAX: usize = 4;

/// The largest number of entry files that one step examines.
const ENTRY_FILES_MAX: usize = 64;

/// The files that define each name, in order.
struct DefiningFiles<'a>(HashMap<&'a str, Vec<u32>>);

impl<'a> DefiningFiles<'a> {
    fn new(files: &'a [FileSymbols]) -> Self {
        let mut found: HashMap<&str, Vec<u32>> = HashMap::new();
        for (at, file) in (0u32..).zip(files) {
            for definition in &file.definitions {
                let places = found.entry(&definition.name).or_default();
                if places.last() != Some(&at) {
                    places.push(at);
                }
            }
        }
        Self(found)
    }

    fn defines(&self, file: usize, name: &str) -> bool {
        self.0.get(name).is_some_and(|files| contains_file(files, file))
    }
}

/// The imports of a file that lead to modules of the repository.
#[derive(Debug, Default)]
struct RepositoryImports<'a> {
    modules: Vec<ModuleFiles>,
    /// By local name: the module's index in `modules`, and the name there.
    by_local_name: HashMap<&'a str, (usize, &'a str)>,
    /// The modules imported by glob, in the order of the imports.
    glob_imports: Vec<usize>,
    /// By entry file: the first of `glob_imports` that has it.
    glob_by_entry_file: HashMap<usize, usize>,
}

impl<'a> RepositoryImports<'a> {
    /// Resolves the imports of the file at `at` of `modules`.
    fn resolve(modules: &ModuleIndex<'a>, at: usize, file: &'a FileSymbols) -> Self {
        let mut taken = Self::default();
        let family = LanguageFamily::from_language(file.language);
        let mut known: HashMap<&str, Option<usize>> = HashMap::new();
        for import in file.imports.iter().filter(|import| !import.names.is_empty()) {
            let found = known.entry(&import.module).or_insert_with(|| {
                let from = modules.resolve_module(family, at, &import.module);
                let is_other = !from.is_empty() && !from.is_entry_file(at);
                is_other.then(|| {
                    taken.modules.push(from);
                    taken.modules.len() - 1
                })
            });
            let Some(scope) = *found else { continue };
            for of in &import.names {
                match (&*of.name, of.alias.as_deref()) {
                    ("*", None) => taken.add_glob_import(scope),
                    ("*", Some(_)) => {}
                    (name, alias) => {
                        taken.by_local_name.entry(alias.unwrap_or(name)).or_insert((scope, name));
                    }
                }
            }
        }
        taken
    }

    fn add_glob_import(&mut self, scope: usize) {
        let place = self.glob_imports.len();
        self.glob_imports.push(scope);
        for front in self.modules[scope].entry_files.iter().cloned().flatten() {
            self.glob_by_entry_file.entry(front).or_insert(place);
        }
    }

    /// Returns the first glob import with an entry file among `files`, which are sorted.
    fn first_glob_import_in(&self, files: &[u32]) -> Option<&ModuleFiles> {
        let place = if files.len() < self.glob_imports.len() {
            let places = files.iter().filter_map(|at| self.glob_by_entry_file.get(&(*at as usize)));
            places.min().copied()?
        } else {
            self.glob_imports.iter().position(|scope| {
                let mut fronts = self.modules[*scope].entry_files.iter().cloned().flatten();
                fronts.any(|at| contains_file(files, at))
            })?
        };
        Some(&self.modules[self.glob_imports[place]])
    }
}

/// The modules of a repository and their re-exports.
pub(super) struct Reexports<'a> {
    pub(super) modules: ModuleIndex<'a>,
    files: &'a [FileSymbols],
    defined: DefiningFiles<'a>,
    /// The imports of each file, filled on first use.
    imports: Vec<OnceCell<RepositoryImports<'a>>>,
}

impl<'a> Reexports<'a> {
    pub(super) fn new(files: &'a [FileSymbols]) -> Self {
        let imports = files.iter().map(|_| OnceCell::new()).collect();
        Self {
            modules: ModuleIndex::new(files),
            files,
            defined: DefiningFiles::new(files),
            imports,
        }
    }

    /// Returns the imports of the file at `at`.
    fn imports_of(&self, at: usize) -> &RepositoryImports<'a> {
        self.imports[at]
            .get_or_init(|| RepositoryImports::resolve(&self.modules, at, &self.files[at]))
    }

    /// Returns the module from which the entry files of `scope` re-export `name`, and the name
    /// there; `None` if they define it or do not re-export it.
    pub(super) fn find_reexport(
        &self,
        family: LanguageFamily,
        scope: &ModuleFiles,
        name: &str,
    ) -> Option<(&ModuleFiles, &'a str)> {
        if !matches!(family, LanguageFamily::Python | LanguageFamily::Rust | LanguageFamily::Script)
        {
            return None;
        }
        let defined = &self.defined;
        let mut fronts: Vec<usize> = scope.entry_files.iter().cloned().flatten().collect();
        let mut name = name;
        let mut found: Option<(&ModuleFiles, &'a str)> = None;
        for _ in 0..REEXPORT_STEPS_MAX {
            if fronts.len() > ENTRY_FILES_MAX || fronts.iter().any(|at| defined.defines(*at, name))
            {
                break;
            }
            if let Some((from, original)) = self.find_named_import(&fronts, name) {
                fronts = from.entry_files.iter().cloned().flatten().collect();
                name = original;
                found = Some((from, original));
                continue;
            }
            if let Some((name, files)) = defined.0.get_key_value(name) {
                let own =
                    fronts.iter().find_map(|at| self.imports_of(*at).first_glob_import_in(files));
                if let Some(from) = own {
                    return Some((from, name));
                }
            }
            let whole = fronts.iter().flat_map(|at| {
                let taken = self.imports_of(*at);
                taken
                    .glob_imports
                    .iter()
                    .flat_map(|scope| taken.modules[*scope].entry_files.iter().cloned())
            });
            fronts = whole.flatten().take(ENTRY_FILES_MAX + 1).collect();
        }
        found
    }

    /// Returns the module from which one of `files` imports `name` by name, and the name there.
    fn find_named_import(&self, files: &[usize], name: &str) -> Option<(&ModuleFiles, &'a str)> {
        files.iter().find_map(|at| {
            let taken = self.imports_of(*at);
            let (scope, original) = taken.by_local_name.get(name)?;
            Some((&taken.modules[*scope], *original))
        })
    }
}

fn contains_file(files: &[u32], file: usize) -> bool {
    u32::try_from(file).is_ok_and(|file| files.binary_search(&file).is_ok())
}
