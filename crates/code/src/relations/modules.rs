//! Which files the name of a module means.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::family::Family;
use super::paths::{folder, stem};
use super::symbols::FileSymbols;

/// Files that a module consists of: ranges of places in the list of files. Empty where the
/// module is not part of the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Scope {
    /// The file that stands for the module, or all of a package.
    pub(super) fronts: Vec<Range<usize>>,
    /// All files whose names it may hand on.
    pub(super) all: Vec<Range<usize>>,
}

impl Scope {
    pub(super) fn is_empty(&self) -> bool {
        self.fronts.is_empty()
    }

    pub(super) fn has_front(&self, file: usize) -> bool {
        self.fronts.iter().any(|range| range.contains(&file))
    }

    pub(super) fn holds(&self, file: usize) -> bool {
        self.all.iter().any(|range| range.contains(&file))
    }
}

/// Names of files that stand for the folder they are in.
const FRONTS: &[&str] = &["__init__", "index", "lib", "main", "mod", "package-info"];

/// The files of a repository by path.
pub(super) struct Modules<'a> {
    /// Sorted paths.
    pub(super) paths: Vec<&'a str>,
    pub(super) by_path: HashMap<&'a str, usize>,
    /// Files by name without ending.
    pub(super) by_stem: HashMap<&'a str, Vec<usize>>,
    /// Folders that hold files, by their own name.
    pub(super) folders: HashMap<&'a str, Vec<&'a str>>,
    /// Folder and path of each Go module.
    pub(super) go_modules: Vec<(&'a str, &'a str)>,
    /// Folders of packages by the names that their manifests give.
    pub(super) packages: HashMap<String, &'a str>,
}

impl<'a> Modules<'a> {
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
            modules.by_stem.entry(stem(path)).or_default().push(at);
            let mut folder = folder(path);
            while !folder.is_empty() && seen.insert(folder) {
                let name = folder.rsplit('/').next().unwrap_or(folder);
                modules.folders.entry(name).or_default().push(folder);
                folder = super::paths::folder(folder);
            }
            if path.rsplit('/').next() == Some("go.mod")
                && let Some(name) = file
                    .definitions
                    .iter()
                    .find_map(|definition| definition.name.strip_prefix("module "))
            {
                modules.go_modules.push((super::paths::folder(path), name.trim()));
            }
            if let Some(name) = package_name(file) {
                modules.packages.entry(name).or_insert(super::paths::folder(path));
            }
        }
        modules
    }

    /// What `module` means in the file at `from`.
    pub(super) fn find(&self, family: Family, from: usize, module: &str) -> Scope {
        let here = folder(self.paths[from]);
        match family {
            Family::Script => self.script(here, module),
            Family::Python => self.python(here, module),
            Family::Rust => self.rust(self.paths[from], module),
            Family::Go => self.go(module),
            Family::C | Family::Ruby | Family::Bash | Family::Zig => self.included(here, module),
            Family::Java | Family::CSharp | Family::Php | Family::Swift => self.dotted(module),
            Family::Data => Scope::default(),
        }
    }

    /// The file at `path`, and what it stands for.
    pub(super) fn at(&self, path: &str) -> Option<Scope> {
        let at = *self.by_path.get(path)?;
        Some(self.of_file(at))
    }

    pub(super) fn of_file(&self, at: usize) -> Scope {
        let path = self.paths[at];
        let one = at..at + 1;
        let mut all = vec![one.clone()];
        if FRONTS.contains(&stem(path)) {
            all.push(self.below(folder(path)));
        } else if let Some(module) = path.strip_suffix(".rs") {
            // `parse.rs` and the files of `parse/`.
            all.push(self.below(module));
        }
        Scope { fronts: vec![one], all }
    }

    /// The files in and below `folder`.
    pub(super) fn below(&self, folder: &str) -> Range<usize> {
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

    /// Files of that name without ending.
    pub(super) fn called(&self, stem: &str) -> &[usize] {
        self.by_stem.get(stem).map(Vec::as_slice).unwrap_or_default()
    }
}

/// The name that a manifest gives its package, as code writes it.
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
