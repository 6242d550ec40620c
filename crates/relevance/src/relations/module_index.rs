//! An index of the modules of a repository.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::language_family::LanguageFamily;
use super::paths::{file_stem, parent_folder};
use super::symbols::FileSymbols;

/// The files of a module, as ranges of positions in the list of files. Empty for a module outside
/// of the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ModuleFiles {
    /// The entry file of the module, or all files of a package.
    pub(super) entry_files: Vec<Range<usize>>,
    /// All files whose names it may re-export.
    pub(super) all: Vec<Range<usize>>,
}

impl ModuleFiles {
    pub(super) fn is_empty(&self) -> bool {
        self.entry_files.is_empty()
    }

    pub(super) fn is_entry_file(&self, file: usize) -> bool {
        self.entry_files.iter().any(|range| range.contains(&file))
    }

    pub(super) fn contains_file(&self, file: usize) -> bool {
        self.all.iter().any(|range| range.contains(&file))
    }
}

/// Stems of the files that stand for their folder.
const ENTRY_STEMS: &[&str] = &["__init__", "index", "lib", "main", "mod", "package-info"];

/// The files of a repository, by path, stem, folder and package.
pub(super) struct ModuleIndex<'a> {
    /// The paths, sorted.
    pub(super) paths: Vec<&'a str>,
    pub(super) by_path: HashMap<&'a str, usize>,
    /// Files by stem.
    pub(super) by_stem: HashMap<&'a str, Vec<usize>>,
    /// Folders with files, by the last part of their path.
    pub(super) folders: HashMap<&'a str, Vec<&'a str>>,
    /// The folder and the module path of each Go module.
    pub(super) go_modules: Vec<(&'a str, &'a str)>,
    /// Folders of packages, by the names in their manifests.
    pub(super) packages: HashMap<String, &'a str>,
}

impl<'a> ModuleIndex<'a> {
    pub(super) fn new(files: &'a [FileSymbols]) -> Self {
        let mut modules = Self {
            paths: files.iter().map(|file| &*file.path).collect(),
            by_path: HashMap::new(),
            by_stem: HashMap::new(),
            folders: HashMap::new(),
            go_modules: Vec::new(),
            packages: HashMap::new(),
        };
        let mut seen = HashSet::new();
        for (at, file) in files.iter().enumerate() {
            let path: &str = &file.path;
            modules.by_path.insert(path, at);
            modules.by_stem.entry(file_stem(path)).or_default().push(at);
            let mut folder = parent_folder(path);
            while !folder.is_empty() && seen.insert(folder) {
                let name = folder.rsplit('/').next().unwrap_or(folder);
                modules.folders.entry(name).or_default().push(folder);
                folder = super::paths::parent_folder(folder);
            }
            if path.rsplit('/').next() == Some("go.mod")
                && let Some(name) = file
                    .definitions
                    .iter()
                    .find_map(|definition| definition.name.strip_prefix("module "))
            {
                modules.go_modules.push((super::paths::parent_folder(path), name.trim()));
            }
            if let Some(name) = package_name(file) {
                modules.packages.entry(name).or_insert(super::paths::parent_folder(path));
            }
        }
        modules
    }

    /// Resolves the module name `module` in the file at `from`.
    pub(super) fn resolve_module(
        &self,
        family: LanguageFamily,
        from: usize,
        module: &str,
    ) -> ModuleFiles {
        let here = parent_folder(self.paths[from]);
        match family {
            LanguageFamily::Script => self.resolve_script(here, module),
            LanguageFamily::Python => self.resolve_python(here, module),
            LanguageFamily::Rust => self.resolve_rust(self.paths[from], module),
            LanguageFamily::Go => self.resolve_go(module),
            LanguageFamily::C
            | LanguageFamily::Ruby
            | LanguageFamily::Bash
            | LanguageFamily::Zig => self.resolve_include(here, module),
            LanguageFamily::Java
            | LanguageFamily::CSharp
            | LanguageFamily::Php
            | LanguageFamily::Swift => self.resolve_dotted(module),
            LanguageFamily::Data => ModuleFiles::default(),
        }
    }

    /// Returns the module of the file at `path`.
    pub(super) fn module_at_path(&self, path: &str) -> Option<ModuleFiles> {
        let at = *self.by_path.get(path)?;
        Some(self.module_of_file(at))
    }

    pub(super) fn module_of_file(&self, at: usize) -> ModuleFiles {
        let path = self.paths[at];
        let one = at..at + 1;
        let mut all = vec![one.clone()];
        if ENTRY_STEMS.contains(&file_stem(path)) {
            all.push(self.files_below(parent_folder(path)));
        } else if let Some(module) = path.strip_suffix(".rs") {
            // `parse.rs` and the files of `parse/`.
            all.push(self.files_below(module));
        }
        ModuleFiles { entry_files: vec![one], all }
    }

    /// Returns the files in and below `folder`.
    pub(super) fn files_below(&self, folder: &str) -> Range<usize> {
        if folder.is_empty() {
            return 0..self.paths.len();
        }
        let inside =
            |path: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        let prefix = format!("{folder}/");
        let from = self.paths.partition_point(|path| *path < prefix.as_str());
        let count = self.paths[from..].iter().take_while(|path| inside(path)).count();
        from..from + count
    }

    /// Returns the files with a stem.
    pub(super) fn files_with_stem(&self, stem: &str) -> &[usize] {
        self.by_stem.get(stem).map(Vec::as_slice).unwrap_or_default()
    }
}

/// Returns the package name in a manifest, as code writes it.
fn package_name(file: &FileSymbols) -> Option<String> {
    let (key, is_cargo) = match file.path.rsplit('/').next()? {
        "Cargo.toml" => ("package.name", true),
        "package.json" => ("name", false),
        _ => return None,
    };
    let definition = file.definitions.iter().find(|of| &*of.qualified_name == key)?;
    let (_, value) = definition.signature_text.split_once(['=', ':'])?;
    let name = value.split('"').nth(1)?;
    Some(if is_cargo { name.replace('-', "_") } else { name.to_owned() })
}
