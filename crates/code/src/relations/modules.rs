//! Which files the name of a module means.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::handed_on::{Defined, Taken};
use super::symbols::FileSymbols;
use super::table::Family;

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

/// Endings of files that an import without one can mean, better ones first.
const SCRIPT_ENDINGS: &[&str] =
    &["ts", "tsx", "mts", "cts", "d.ts", "js", "jsx", "mjs", "cjs", "vue", "json"];

/// The files of a repository by path.
pub(super) struct Modules<'a> {
    files: &'a [FileSymbols],
    defined: Defined<'a>,
    /// What each file takes from others, once it was asked for.
    taken: Vec<OnceCell<Taken<'a>>>,
    /// Sorted paths.
    paths: Vec<&'a str>,
    by_path: HashMap<&'a str, usize>,
    /// Files by name without ending.
    by_stem: HashMap<&'a str, Vec<usize>>,
    /// Folders that hold files, by their own name.
    folders: HashMap<&'a str, Vec<&'a str>>,
    /// Folder and path of each Go module.
    go_modules: Vec<(&'a str, &'a str)>,
    /// Folders of packages by the names that their manifests give.
    packages: HashMap<String, &'a str>,
}

impl<'a> Modules<'a> {
    pub(super) fn new(files: &'a [FileSymbols]) -> Self {
        let mut modules = Self {
            files,
            defined: Defined::new(files),
            taken: files.iter().map(|_| OnceCell::new()).collect(),
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
                folder = self::folder(folder);
            }
            if path.rsplit('/').next() == Some("go.mod")
                && let Some(name) = file
                    .definitions
                    .iter()
                    .find_map(|definition| definition.name.strip_prefix("module "))
            {
                modules.go_modules.push((self::folder(path), name.trim()));
            }
            if let Some(name) = package_name(file) {
                modules.packages.entry(name).or_insert(self::folder(path));
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

    /// The files that define each name.
    pub(super) fn defined(&self) -> &Defined<'a> {
        &self.defined
    }

    /// What the file at `at` takes from others.
    pub(super) fn taken_by(&self, at: usize) -> &Taken<'a> {
        self.taken[at].get_or_init(|| Taken::of(self, at, &self.files[at]))
    }

    /// The file at `path`, and what it stands for.
    fn at(&self, path: &str) -> Option<Scope> {
        let at = *self.by_path.get(path)?;
        Some(self.of_file(at))
    }

    fn of_file(&self, at: usize) -> Scope {
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

    /// The file or front of a folder at `path` without ending.
    fn script_at(&self, path: &str) -> Option<Scope> {
        if let Some(found) = self.at(path) {
            return Some(found);
        }
        let bare = path
            .strip_suffix(".js")
            .or_else(|| path.strip_suffix(".mjs"))
            .or_else(|| path.strip_suffix(".jsx"))
            .unwrap_or(path);
        let with = |path: &str| {
            SCRIPT_ENDINGS.iter().find_map(|ending| self.at(&format!("{path}.{ending}")))
        };
        with(bare).or_else(|| with(path)).or_else(|| with(&joined(path, "index")))
    }

    fn script(&self, here: &str, module: &str) -> Scope {
        if module.starts_with('.') {
            return resolved(here, module).and_then(|p| self.script_at(&p)).unwrap_or_default();
        }
        let name = module.trim_start_matches(['@', '~', '#']).trim_start_matches('/');
        if let Some(found) = self.script_at(name) {
            return found;
        }
        // A package of the same repository, or a folder that the build has a name for.
        let scoped = module.starts_with('@').then(|| module.match_indices('/').nth(1)).flatten();
        let end = scoped.map(|(at, _)| at).or_else(|| module.find('/')).unwrap_or(module.len());
        let named = self.packages.get(&module[..end]).copied();
        let (package, rest) = name.split_once('/').unwrap_or((name, ""));
        let rest = if named.is_some() { module[end..].trim_start_matches('/') } else { rest };
        let called = self.folders.get(package).into_iter().flatten().copied();
        for folder in named.into_iter().chain(called.filter(|_| named.is_none())) {
            for source in ["", "src", "lib"] {
                let base = joined(&joined(folder, source), rest);
                if let Some(found) = self.script_at(&base) {
                    return found;
                }
            }
        }
        let in_sources = joined("src", name.trim_start_matches("src/"));
        self.script_at(&in_sources).filter(|_| name.contains('/')).unwrap_or_default()
    }

    fn python(&self, here: &str, module: &str) -> Scope {
        let dots = module.len() - module.trim_start_matches('.').len();
        let rest = module[dots..].replace('.', "/");
        let at = |base: &str| {
            let path = joined(base, &rest);
            self.at(&format!("{path}.py"))
                .or_else(|| self.at(&format!("{path}.pyi")))
                .or_else(|| self.at(&joined(&path, "__init__.py")))
        };
        if dots > 0 {
            let mut base = here;
            for _ in 1..dots {
                base = folder(base);
            }
            return at(base).unwrap_or_default();
        }
        if let Some(found) = at("").or_else(|| at("src")) {
            return found;
        }
        // What lies in a package is not imported without the package's name.
        let is_outermost = |path: &str| {
            let module = path.strip_suffix("/__init__.py").unwrap_or(bare(path));
            let outer = module.strip_suffix(rest.as_str()).unwrap_or_default();
            let front = joined(outer.trim_end_matches('/'), "__init__.py");
            outer.is_empty() || !self.by_path.contains_key(front.as_str())
        };
        let is_python = |path: &str| path.ends_with(".py") || path.ends_with(".pyi");
        self.by_suffix(&rest, |path| is_python(path) && is_outermost(path))
            .map(|at| self.of_file(at))
            .unwrap_or_default()
    }

    /// The file whose path without ending ends with `suffix`; of several the shortest path.
    fn by_suffix(&self, suffix: &str, fits: impl Fn(&str) -> bool) -> Option<usize> {
        let last = suffix.rsplit('/').next()?;
        let mut found = Vec::new();
        for at in self.by_stem.get(last).into_iter().flatten() {
            if fits(self.paths[*at]) && ends_with(bare(self.paths[*at]), suffix) {
                found.push(*at);
            }
        }
        for folder in self.folders.get(last).into_iter().flatten() {
            if ends_with(folder, suffix) {
                let init = self.by_path.get(joined(folder, "__init__.py").as_str());
                found.extend(init.filter(|at| fits(self.paths[**at])));
            }
        }
        found.into_iter().min_by_key(|at| (self.paths[*at].len(), *at))
    }

    fn rust(&self, from: &str, module: &str) -> Scope {
        let mut parts: Vec<&str> = module.split("::").filter(|part| !part.is_empty()).collect();
        let Some(first) = parts.first().copied() else { return Scope::default() };
        let root = crate_root(from);
        let own = own_module(from);
        let base = match first {
            "crate" => Some(root.to_owned()),
            "self" => Some(own.clone()),
            "super" => Some(folder(&own).to_owned()),
            _ => None,
        };
        if let Some(mut base) = base {
            parts.remove(0);
            while parts.first() == Some(&"super") {
                base = folder(&base).to_owned();
                parts.remove(0);
            }
            return self.rust_at(&base, &parts);
        }
        // A module beside this one, or another crate of the workspace.
        if let Some(found) = self.rust_file(&joined(&own, first)) {
            let whole = self.rust_at(&own, &parts);
            return if whole.is_empty() { self.of_file(found) } else { whole };
        }
        match self.crate_called(first) {
            Some(sources) => self.rust_at(&sources, &parts[1..]),
            None => Scope::default(),
        }
    }

    /// The folder of sources of the crate that is used as `name`.
    fn crate_called(&self, name: &str) -> Option<String> {
        if let Some(folder) = self.packages.get(name) {
            return Some(joined(folder, "src"));
        }
        let dashed = name.replace('_', "-");
        let last = name.rsplit('_').next().unwrap_or(name);
        let folders = [name, &dashed, last].into_iter().filter_map(|name| self.folders.get(name));
        folders
            .flatten()
            .map(|folder| joined(folder, "src"))
            .find(|sources| self.by_path.contains_key(joined(sources, "lib.rs").as_str()))
    }

    fn rust_file(&self, path: &str) -> Option<usize> {
        let file = self.by_path.get(format!("{path}.rs").as_str());
        file.or_else(|| self.by_path.get(joined(path, "mod.rs").as_str())).copied()
    }

    /// The module `parts` of the one whose files lie in `base`; parts that name no file are
    /// taken for items in the last that does.
    fn rust_at(&self, base: &str, parts: &[&str]) -> Scope {
        for count in (1..=parts.len()).rev() {
            let path = joined(base, &parts[..count].join("/"));
            if let Some(at) = self.rust_file(&path) {
                return self.of_file(at);
            }
        }
        let own = [joined(base, "lib.rs"), joined(base, "main.rs"), joined(base, "mod.rs")];
        let own = own.iter().find_map(|path| self.by_path.get(path.as_str()).copied());
        match own.or_else(|| self.rust_file(base)) {
            Some(at) => self.of_file(at),
            None => Scope::default(),
        }
    }

    fn go(&self, module: &str) -> Scope {
        let folder = self.go_modules.iter().find_map(|(folder, name)| {
            let rest = module.strip_prefix(name)?;
            (rest.is_empty() || rest.starts_with('/'))
                .then(|| joined(folder, rest.trim_start_matches('/')))
        });
        let found = folder.or_else(|| {
            if !self.go_modules.is_empty() || !module.contains('.') {
                return None;
            }
            let last = module.rsplit('/').next()?;
            let known = self.folders.get(last)?;
            known.iter().find(|folder| ends_with(module, folder)).map(|found| (*found).to_owned())
        });
        let Some(folder) = found else { return Scope::default() };
        let is_part = |path: &str| path.ends_with(".go") && !path.ends_with("_test.go");
        let files = self.directly_in(&folder, is_part);
        Scope { all: files.clone(), fronts: files }
    }

    /// The files of a folder that fit, without those of folders in it.
    fn directly_in(&self, of: &str, fits: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for at in self.below(of) {
            if folder(self.paths[at]) != of || !fits(self.paths[at]) {
                continue;
            }
            match found.last_mut().filter(|range| range.end == at) {
                Some(range) => range.end = at + 1,
                None => found.push(at..at + 1),
            }
        }
        found
    }

    /// A file named relative to another or to the root, ending included or not.
    fn included(&self, here: &str, module: &str) -> Scope {
        let beside = resolved(here, module).and_then(|path| self.any_at(&path));
        if let Some(found) = beside.or_else(|| self.any_at(module)) {
            return found;
        }
        let path = bare(module).trim_start_matches("./").trim_start_matches("../");
        let ending = module.len() > bare(module).len();
        let fits = |of: &str| !ending || of.ends_with(&module[bare(module).len()..]);
        self.by_suffix(path, fits).map(|at| self.of_file(at)).unwrap_or_default()
    }

    fn any_at(&self, path: &str) -> Option<Scope> {
        self.at(path).or_else(|| {
            ["rb", "sh", "zig", "h", "php"]
                .iter()
                .find_map(|ending| self.at(&format!("{path}.{ending}")))
        })
    }

    /// A class or a package, by dots or backslashes.
    fn dotted(&self, module: &str) -> Scope {
        let path = module.trim_start_matches("static ").replace(['.', '\\'], "/");
        let mut path = path.trim_end_matches("/*").trim_matches('/');
        while !path.is_empty() {
            if let Some(at) = self.by_suffix(path, |_| true) {
                return self.of_file(at);
            }
            let last = path.rsplit('/').next().unwrap_or(path);
            let known = self.folders.get(last).into_iter().flatten();
            let mut known = known.filter(|folder| path.contains('/') && ends_with(folder, path));
            if let Some(folder) = known.next() {
                let files = self.directly_in(folder, |_| true);
                return Scope { all: files.clone(), fronts: files };
            }
            // Packages begin with names that no folder may have; two parts are enough.
            let (_, rest) = path.split_once('/').unwrap_or(("", ""));
            path = if rest.contains('/') { rest } else { "" };
        }
        Scope::default()
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

/// The folder that a path is in; empty at the root.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The name of a file up to its first dot.
pub(super) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(name)
}

/// A path without the ending of its last part.
fn bare(path: &str) -> &str {
    let from = path.rfind('/').map_or(0, |at| at + 1);
    path[from..].find('.').map_or(path, |dot| &path[..from + dot])
}

fn joined(folder: &str, rest: &str) -> String {
    match (folder.is_empty(), rest.is_empty()) {
        (true, _) => rest.to_owned(),
        (_, true) => folder.to_owned(),
        _ => format!("{folder}/{rest}"),
    }
}

/// Whether the last parts of `path` are those of `suffix`.
fn ends_with(path: &str, suffix: &str) -> bool {
    path.strip_suffix(suffix).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// `module`, relative to the folder `here`; `None` where it leads out of the repository.
fn resolved(here: &str, module: &str) -> Option<String> {
    let mut parts: Vec<&str> = here.split('/').filter(|part| !part.is_empty()).collect();
    for part in module.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The folder of the crate's sources that a Rust file belongs to.
fn crate_root(path: &str) -> &str {
    match path.rfind("/src/") {
        Some(at) => &path[..at + "/src".len()],
        None if path.starts_with("src/") => "src",
        None => folder(path),
    }
}

/// The folder in which the modules of a Rust file lie.
fn own_module(path: &str) -> String {
    match stem(path) {
        "mod" | "lib" | "main" => folder(path).to_owned(),
        stem => joined(folder(path), stem),
    }
}
