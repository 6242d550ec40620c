//! Which files a module is, by the rules of each language.

use std::ops::Range;

use super::modules::{Modules, Scope};
use super::paths::{bare, crate_root, ends_with, folder, joined, own_module, resolved};

/// Endings of files that an import without one can mean, better ones first.
const SCRIPT_ENDINGS: &[&str] =
    &["ts", "tsx", "mts", "cts", "d.ts", "js", "jsx", "mjs", "cjs", "vue", "json"];

impl Modules<'_> {
    /// The file or front of a folder at `path` without ending.
    pub(super) fn script_at(&self, path: &str) -> Option<Scope> {
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

    pub(super) fn script(&self, here: &str, module: &str) -> Scope {
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

    pub(super) fn python(&self, here: &str, module: &str) -> Scope {
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
    pub(super) fn by_suffix(&self, suffix: &str, fits: impl Fn(&str) -> bool) -> Option<usize> {
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

    pub(super) fn rust(&self, from: &str, module: &str) -> Scope {
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
    pub(super) fn crate_called(&self, name: &str) -> Option<String> {
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

    pub(super) fn rust_file(&self, path: &str) -> Option<usize> {
        let file = self.by_path.get(format!("{path}.rs").as_str());
        file.or_else(|| self.by_path.get(joined(path, "mod.rs").as_str())).copied()
    }

    /// The module `parts` of the one whose files lie in `base`; parts that name no file are
    /// taken for items in the last that does.
    pub(super) fn rust_at(&self, base: &str, parts: &[&str]) -> Scope {
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

    pub(super) fn go(&self, module: &str) -> Scope {
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
    pub(super) fn directly_in(&self, of: &str, fits: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
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
    pub(super) fn included(&self, here: &str, module: &str) -> Scope {
        let beside = resolved(here, module).and_then(|path| self.any_at(&path));
        if let Some(found) = beside.or_else(|| self.any_at(module)) {
            return found;
        }
        let path = bare(module).trim_start_matches("./").trim_start_matches("../");
        let ending = module.len() > bare(module).len();
        let fits = |of: &str| !ending || of.ends_with(&module[bare(module).len()..]);
        self.by_suffix(path, fits).map(|at| self.of_file(at)).unwrap_or_default()
    }

    pub(super) fn any_at(&self, path: &str) -> Option<Scope> {
        self.at(path).or_else(|| {
            ["rb", "sh", "zig", "h", "php"]
                .iter()
                .find_map(|ending| self.at(&format!("{path}.{ending}")))
        })
    }

    /// A class or a package, by dots or backslashes.
    pub(super) fn dotted(&self, module: &str) -> Scope {
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
}
