//! What names one file takes from where.

use std::collections::HashMap;

use super::modules::{Modules, Scope};
use super::symbols::FileSymbols;
use super::table::Family;

/// The imports of a file, resolved.
pub(super) struct Imports<'a> {
    /// Modules by the names taken from them.
    pub(super) named: HashMap<&'a str, Vec<usize>>,
    /// Modules by what they are called here: the last part of their path.
    pub(super) called: HashMap<&'a str, Vec<usize>>,
    /// Modules all of whose names are taken.
    pub(super) whole: Vec<usize>,
    /// What each import means; empty for modules of others.
    pub(super) scopes: Vec<Scope>,
}

impl<'a> Imports<'a> {
    pub(super) fn of(
        modules: &Modules<'_>,
        family: Family,
        at: usize,
        file: &'a FileSymbols,
    ) -> Self {
        let mut known: HashMap<&str, usize> = HashMap::new();
        let mut found = Self {
            named: HashMap::new(),
            called: HashMap::new(),
            whole: Vec::new(),
            scopes: Vec::new(),
        };
        for import in &file.imports {
            let module: &str = &import.module;
            let scope = *known.entry(module).or_insert_with(|| {
                found.scopes.push(modules.find(family, at, module));
                found.scopes.len() - 1
            });
            let mut is_whole = import.names.is_empty();
            for name in &import.names {
                match &**name {
                    "*" => {
                        found.whole.push(scope);
                        is_whole = true;
                    }
                    "default" => is_whole = true,
                    name => found.named.entry(name).or_default().push(scope),
                }
                found.add_submodule(modules, family, at, module, name);
            }
            if is_whole {
                found.called.entry(last_part(module)).or_default().push(scope);
                if matches!(family, Family::Java | Family::CSharp | Family::Php) {
                    found.named.entry(last_part(module)).or_default().push(scope);
                }
            }
            if import.names.is_empty() && matches!(family, Family::C | Family::Ruby | Family::Bash)
            {
                found.whole.push(scope);
            }
        }
        found
    }

    /// A name taken from a module can be a module itself.
    fn add_submodule(
        &mut self,
        modules: &Modules<'_>,
        family: Family,
        at: usize,
        module: &str,
        name: &'a str,
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
        let scope = modules.find(family, at, &path);
        if !scope.is_empty() {
            self.scopes.push(scope);
            self.called.entry(name).or_default().push(self.scopes.len() - 1);
        }
    }

    /// Whether the file takes names from the file at `other`.
    pub(super) fn reach(&self, other: usize) -> bool {
        self.scopes.iter().any(|scope| scope.holds(other))
    }
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
