//! What names one file takes from where.

use std::collections::{HashMap, HashSet};

use super::family::Family;
use super::modules::Scope;
use super::reexports::Reexports;
use super::symbols::FileSymbols;

/// What a script exports without a name is called.
pub(super) const DEFAULT: &str = "default";

/// The imports of a file, resolved.
pub(super) struct Imports<'a> {
    /// Modules by the names taken from them, as they are called here.
    pub(super) named: HashMap<&'a str, Vec<usize>>,
    /// What names that are called something else here are called in their module.
    pub(super) originals: HashMap<&'a str, &'a str>,
    /// Modules by what they are called here: an alias, or the last part of their path.
    pub(super) called: HashMap<&'a str, Vec<usize>>,
    /// What is called so is a module and no value.
    pub(super) namespaces: HashSet<&'a str>,
    /// Modules all of whose names are taken.
    pub(super) whole: Vec<usize>,
    /// What each import means; empty for modules of others.
    pub(super) scopes: Vec<Scope>,
}

impl<'a> Imports<'a> {
    pub(super) fn of(
        reexports: &Reexports<'a>,
        family: Family,
        at: usize,
        file: &'a FileSymbols,
    ) -> Self {
        let mut known: HashMap<&str, usize> = HashMap::new();
        let mut found = Self {
            named: HashMap::new(),
            originals: originals(file),
            called: HashMap::new(),
            namespaces: HashSet::new(),
            whole: Vec::new(),
            scopes: Vec::new(),
        };
        for import in &file.imports {
            let module: &str = &import.module;
            let scope = *known.entry(module).or_insert_with(|| {
                found.scopes.push(reexports.modules.find(family, at, module));
                found.scopes.len() - 1
            });
            let mut is_whole = import.names.is_empty();
            for of in &import.names {
                let local: &str = of.alias.as_deref().unwrap_or(&of.name);
                match (&*of.name, of.alias.as_deref()) {
                    ("*", Some(alias)) => {
                        found.called.entry(alias).or_default().push(scope);
                        found.namespaces.insert(alias);
                    }
                    ("*", None) => {
                        found.whole.push(scope);
                        is_whole = true;
                    }
                    (DEFAULT, None) => is_whole = true,
                    (DEFAULT, Some(alias)) => {
                        found.called.entry(alias).or_default().push(scope);
                        found.named.entry(alias).or_default().push(scope);
                    }
                    (name, _) => {
                        let from = found.handed_on(reexports, family, scope, (name, local));
                        found.named.entry(local).or_default().push(from);
                    }
                }
                found.add_submodule(reexports, family, at, module, (&of.name, local));
            }
            if is_whole {
                let local = import.alias.as_deref().unwrap_or_else(|| last_part(module));
                found.called.entry(local).or_default().push(scope);
                if family == Family::Go || family == Family::Python && import.alias.is_some() {
                    found.namespaces.insert(local);
                }
                let is_type = matches!(family, Family::Java | Family::CSharp | Family::Php);
                if is_type || import.alias.is_some() && family == Family::Script {
                    found.named.entry(local).or_default().push(scope);
                }
            }
            let is_plain = import.names.is_empty() && import.alias.is_none();
            if is_plain && matches!(family, Family::C | Family::Ruby | Family::Bash) {
                found.whole.push(scope);
            }
        }
        found
    }

    /// The scope that `name` of `scope` comes from, if it is called something else there, and
    /// else `scope`, from where it is found.
    fn handed_on(
        &mut self,
        reexports: &Reexports<'a>,
        family: Family,
        scope: usize,
        (name, local): (&str, &'a str),
    ) -> usize {
        let handed = reexports.handed_on(family, &self.scopes[scope], name);
        match handed.filter(|(_, original)| *original != name) {
            Some((from, original)) => {
                self.originals.insert(local, original);
                self.scopes.push(from.clone());
                self.scopes.len() - 1
            }
            None => scope,
        }
    }

    /// A name taken from a module can be a module itself.
    fn add_submodule(
        &mut self,
        reexports: &Reexports<'_>,
        family: Family,
        at: usize,
        module: &str,
        (name, local): (&str, &'a str),
    ) {
        let path = match family {
            Family::Python if module.ends_with('.') => format!("{module}{name}"),
            Family::Python => format!("{module}.{name}"),
            Family::Rust => format!("{module}::{name}"),
            _ => return,
        };
        let is_lower = name.starts_with(|c: char| c.is_lowercase() || c == '_');
        if !is_lower {
            return;
        }
        let scope = reexports.modules.find(family, at, &path);
        if !scope.is_empty() {
            self.scopes.push(scope);
            self.called.entry(local).or_default().push(self.scopes.len() - 1);
        }
    }

    /// Whether the file takes names from the file at `other`.
    pub(super) fn reach(&self, other: usize) -> bool {
        self.scopes.iter().any(|scope| scope.holds(other))
    }
}

/// What names that a file calls something else are called where they come from. What a
/// script imports whole by another name may be what it exports as `default`.
pub(super) fn originals(file: &FileSymbols) -> HashMap<&str, &str> {
    let is_script = Family::of(file.language) == Family::Script;
    let mut found = HashMap::new();
    for import in &file.imports {
        if let Some(alias) = &import.alias {
            let original = if is_script { DEFAULT } else { last_part(&import.module) };
            found.insert(&**alias, original);
        }
        let names = import.names.iter().filter(|of| &*of.name != "*");
        found.extend(names.filter_map(|of| Some((of.alias.as_deref()?, &*of.name))));
    }
    found
}

/// What a module is called without its path and ending.
fn last_part(module: &str) -> &str {
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
