//! The files of a module, by the rules of each language.

use std::ops::Range;

use super::module_index::{ModuleFiles, ModuleIndex};
use super::paths::{
    crate_source_folder, has_path_suffix, join_path, parent_folder, resolve_relative,
    submodule_folder, without_extension,
};

/// Extensions of files that an import without one can mean, in the order of preference.
const SCRIPT_EXTENSIONS: &[&str] =
    &["ts", "tsx", "mts", "cts", "d.ts", "js", "jsx", "mjs", "cjs", "vue", "json"];

impl ModuleIndex<'_> {
    /// Returns the script at `path`, whose extension may be missing, or the entry file of a folder.
    pub(super) fn find_script(&self, path: &str) -> Option<ModuleFiles> {
        if let Some(found) = self.module_at_path(path) {
            return Some(found);
        }
        let bare = path
            .strip_suffix(".js")
            .or_else(|| path.strip_suffix(".mjs"))
            .or_else(|| path.strip_suffix(".jsx"))
            .unwrap_or(path);
        let with = |path: &str| {
            SCRIPT_EXTENSIONS
                .iter()
                .find_map(|ending| self.module_at_path(&format!("{path}.{ending}")))
        };
        with(bare).or_else(|| with(path)).or_else(|| with(&join_path(path, "index")))
    }

    pub(super) fn resolve_script(&self, here: &str, module: &str) -> ModuleFiles {
        if module.starts_with('.') {
            return resolve_relative(here, module)
                .and_then(|p| self.find_script(&p))
                .unwrap_or_default();
        }
        let name = module.trim_start_matches(['@', '~', '#']).trim_start_matches('/');
        if let Some(found) = self.find_script(name) {
            return found;
        }
        // A package of the same repository, or a folder that the build tool has an alias for.
        let scoped = module.starts_with('@').then(|| module.match_indices('/').nth(1)).flatten();
        let end = scoped.map(|(at, _)| at).or_else(|| module.find('/')).unwrap_or(module.len());
        let named = self.packages.get(&module[..end]).copied();
        let (package, rest) = name.split_once('/').unwrap_or((name, ""));
        let rest = if named.is_some() { module[end..].trim_start_matches('/') } else { rest };
        let called = self.folders.get(package).into_iter().flatten().copied();
        for folder in named.into_iter().chain(called.filter(|_| named.is_none())) {
            for source in ["", "src", "lib"] {
                let base = join_path(&join_path(folder, source), rest);
                if let Some(found) = self.find_script(&base) {
                    return found;
                }
            }
        }
        let in_sources = join_path("src", name.trim_start_matches("src/"));
        self.find_script(&in_sources).filter(|_| name.contains('/')).unwrap_or_default()
    }

    pub(super) fn resolve_python(&self, here: &str, module: &str) -> ModuleFiles {
        let dots = module.len() - module.trim_start_matches('.').len();
        let rest = module[dots..].replace('.', "/");
        let at = |base: &str| {
            let path = join_path(base, &rest);
            self.module_at_path(&format!("{path}.py"))
                .or_else(|| self.module_at_path(&format!("{path}.pyi")))
                .or_else(|| self.module_at_path(&join_path(&path, "__init__.py")))
        };
        if dots > 0 {
            let mut base = here;
            for _ in 1..dots {
                base = parent_folder(base);
            }
            return at(base).unwrap_or_default();
        }
        if let Some(found) = at("").or_else(|| at("src")) {
            return found;
        }
        // A module inside a package needs the package's name in its import.
        let is_outermost = |path: &str| {
            let module = path.strip_suffix("/__init__.py").unwrap_or(without_extension(path));
            let outer = module.strip_suffix(rest.as_str()).unwrap_or_default();
            let front = join_path(outer.trim_end_matches('/'), "__init__.py");
            outer.is_empty() || !self.by_path.contains_key(front.as_str())
        };
        let is_python = |path: &str| path.ends_with(".py") || path.ends_with(".pyi");
        self.find_by_suffix(&rest, |path| is_python(path) && is_outermost(path))
            .map(|at| self.module_of_file(at))
            .unwrap_or_default()
    }

    /// Returns the file whose path without extension ends with `suffix`; of several the shortest.
    pub(super) fn find_by_suffix(
        &self,
        suffix: &str,
        fits: impl Fn(&str) -> bool,
    ) -> Option<usize> {
        let last = suffix.rsplit('/').next()?;
        let mut found = Vec::new();
        for at in self.by_stem.get(last).into_iter().flatten() {
            if fits(self.paths[*at]) && has_path_suffix(without_extension(self.paths[*at]), suffix)
            {
                found.push(*at);
            }
        }
        for folder in self.folders.get(last).into_iter().flatten() {
            if has_path_suffix(folder, suffix) {
                let init = self.by_path.get(join_path(folder, "__init__.py").as_str());
                found.extend(init.filter(|at| fits(self.paths[**at])));
            }
        }
        found.into_iter().min_by_key(|at| (self.paths[*at].len(), *at))
    }

    pub(super) fn resolve_rust(&self, from: &str, module: &str) -> ModuleFiles {
        let mut parts: Vec<&str> = module.split("::").filter(|part| !part.is_empty()).collect();
        let Some(first) = parts.first().copied() else { return ModuleFiles::default() };
        let root = crate_source_folder(from);
        let own = submodule_folder(from);
        let base = match first {
            "crate" => Some(root.to_owned()),
            "self" => Some(own.clone()),
            "super" => Some(parent_folder(&own).to_owned()),
            _ => None,
        };
        if let Some(mut base) = base {
            parts.remove(0);
            while parts.first() == Some(&"super") {
                base = parent_folder(&base).to_owned();
                parts.remove(0);
            }
            return self.find_rust_module(&base, &parts);
        }
        // A submodule of this module, or another crate of the workspace.
        if let Some(found) = self.find_rust_file(&join_path(&own, first)) {
            let whole = self.find_rust_module(&own, &parts);
            return if whole.is_empty() { self.module_of_file(found) } else { whole };
        }
        match self.find_crate_sources(first) {
            Some(sources) => self.find_rust_module(&sources, &parts[1..]),
            None => ModuleFiles::default(),
        }
    }

    /// Returns the source folder of the crate with the name `name`.
    pub(super) fn find_crate_sources(&self, name: &str) -> Option<String> {
        if let Some(folder) = self.packages.get(name) {
            return Some(join_path(folder, "src"));
        }
        let dashed = name.replace('_', "-");
        let last = name.rsplit('_').next().unwrap_or(name);
        let folders = [name, &dashed, last].into_iter().filter_map(|name| self.folders.get(name));
        folders
            .flatten()
            .map(|folder| join_path(folder, "src"))
            .find(|sources| self.by_path.contains_key(join_path(sources, "lib.rs").as_str()))
    }

    pub(super) fn find_rust_file(&self, path: &str) -> Option<usize> {
        let file = self.by_path.get(format!("{path}.rs").as_str());
        file.or_else(|| self.by_path.get(join_path(path, "mod.rs").as_str())).copied()
    }

    /// Returns the module at the path `parts` below the folder `base`. Trailing parts without a
    /// file are items of the last module that has one.
    pub(super) fn find_rust_module(&self, base: &str, parts: &[&str]) -> ModuleFiles {
        for count in (1..=parts.len()).rev() {
            let path = join_path(base, &parts[..count].join("/"));
            if let Some(at) = self.find_rust_file(&path) {
                return self.module_of_file(at);
            }
        }
        let own =
            [join_path(base, "lib.rs"), join_path(base, "main.rs"), join_path(base, "mod.rs")];
        let own = own.iter().find_map(|path| self.by_path.get(path.as_str()).copied());
        match own.or_else(|| self.find_rust_file(base)) {
            Some(at) => self.module_of_file(at),
            None => ModuleFiles::default(),
        }
    }

    pub(super) fn resolve_go(&self, module: &str) -> ModuleFiles {
        let folder = self.go_modules.iter().find_map(|(folder, name)| {
            let rest = module.strip_prefix(name)?;
            (rest.is_empty() || rest.starts_with('/'))
                .then(|| join_path(folder, rest.trim_start_matches('/')))
        });
        let found = folder.or_else(|| {
            if !self.go_modules.is_empty() || !module.contains('.') {
                return None;
            }
            let last = module.rsplit('/').next()?;
            let known = self.folders.get(last)?;
            known
                .iter()
                .find(|folder| has_path_suffix(module, folder))
                .map(|found| (*found).to_owned())
        });
        let Some(folder) = found else { return ModuleFiles::default() };
        let is_part = |path: &str| path.ends_with(".go") && !path.ends_with("_test.go");
        let files = self.files_in_folder(&folder, is_part);
        ModuleFiles { all: files.clone(), entry_files: files }
    }

    /// Returns the files directly in the folder `of` that pass `fits`.
    pub(super) fn files_in_folder(
        &self,
        of: &str,
        fits: impl Fn(&str) -> bool,
    ) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for at in self.files_below(of) {
            if parent_folder(self.paths[at]) != of || !fits(self.paths[at]) {
                continue;
            }
            match found.last_mut().filter(|range| range.end == at) {
                Some(range) => range.end = at + 1,
                None => found.push(at..at + 1),
            }
        }
        found
    }

    /// Resolves a path relative to another file or to the root, with or without extension.
    pub(super) fn resolve_include(&self, here: &str, module: &str) -> ModuleFiles {
        let beside =
            resolve_relative(here, module).and_then(|path| self.find_with_extension(&path));
        if let Some(found) = beside.or_else(|| self.find_with_extension(module)) {
            return found;
        }
        let path = without_extension(module).trim_start_matches("./").trim_start_matches("../");
        let ending = module.len() > without_extension(module).len();
        let fits = |of: &str| !ending || of.ends_with(&module[without_extension(module).len()..]);
        self.find_by_suffix(path, fits).map(|at| self.module_of_file(at)).unwrap_or_default()
    }

    pub(super) fn find_with_extension(&self, path: &str) -> Option<ModuleFiles> {
        self.module_at_path(path).or_else(|| {
            ["rb", "sh", "zig", "h", "php"]
                .iter()
                .find_map(|ending| self.module_at_path(&format!("{path}.{ending}")))
        })
    }

    /// Resolves a class or package with dots or backslashes between its parts.
    pub(super) fn resolve_dotted(&self, module: &str) -> ModuleFiles {
        let path = module.trim_start_matches("static ").replace(['.', '\\'], "/");
        let mut path = path.trim_end_matches("/*").trim_matches('/');
        while !path.is_empty() {
            if let Some(at) = self.find_by_suffix(path, |_| true) {
                return self.module_of_file(at);
            }
            let last = path.rsplit('/').next().unwrap_or(path);
            let known = self.folders.get(last).into_iter().flatten();
            let mut known =
                known.filter(|folder| path.contains('/') && has_path_suffix(folder, path));
            if let Some(folder) = known.next() {
                let files = self.files_in_folder(folder, |_| true);
                return ModuleFiles { all: files.clone(), entry_files: files };
            }
            // Packages begin with parts that need no folder; two matching parts suffice.
            let (_, rest) = path.split_once('/').unwrap_or(("", ""));
            path = if rest.contains('/') { rest } else { "" };
        }
        ModuleFiles::default()
    }
}
