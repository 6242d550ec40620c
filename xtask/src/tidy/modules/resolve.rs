//! The item that a path in a module names, followed through imports to the file that defines it.

use std::collections::BTreeSet;

use super::module::{Import, Modules};

/// The item that a path leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// A module, by its position.
    Module(usize),
    /// Something that a file defines.
    Item { file: String, name: String },
}

/// Names that are being looked up, so that imports that lead to themselves end.
type OpenLookups = BTreeSet<(usize, String)>;

impl Modules {
    /// Returns the target of `path` in the module at `module`; `None` for an item of another crate.
    pub(crate) fn resolve(&self, module: usize, path: &[String]) -> Option<Target> {
        self.follow(module, path, &mut OpenLookups::new())
    }

    fn follow(&self, module: usize, path: &[String], seen: &mut OpenLookups) -> Option<Target> {
        let (first, mut rest) = path.split_first()?;
        let mut here = match first.as_str() {
            "crate" => 0,
            "self" => module,
            "super" => self.modules[module].parent?,
            name => match self.member(module, name, rest.is_empty(), seen)? {
                Target::Module(found) => found,
                item @ Target::Item { .. } => return Some(item),
            },
        };
        while let Some((name, after)) = rest.split_first() {
            rest = after;
            if name == "super" {
                here = self.modules[here].parent?;
                continue;
            }
            match self.member(here, name, rest.is_empty(), seen) {
                Some(Target::Module(found)) => here = found,
                Some(item) => return Some(item),
                None => return Some(self.item(here, name)),
            }
        }
        Some(Target::Module(here))
    }

    /// Returns the target of `name` in the module at `module`. A module and a function may have the same
    /// name: the last of a path means the function.
    fn member(
        &self,
        module: usize,
        name: &str,
        is_last: bool,
        seen: &mut OpenLookups,
    ) -> Option<Target> {
        let of = &self.modules[module];
        let child = of.children.get(name).map(|child| Target::Module(*child));
        if child.is_some() && !is_last {
            return child;
        }
        if of.definitions.contains(name) {
            return Some(self.item(module, name));
        }
        if !seen.insert((module, name.to_owned())) {
            return child;
        }
        let named = of.imports.iter().filter(|import| import.name.as_deref() == Some(name));
        let mut found: Vec<Target> =
            named.filter_map(|import| self.imported(module, import, seen)).collect();
        for glob in of.imports.iter().filter(|import| import.name.is_none()) {
            if let Some(Target::Module(from)) = self.imported(module, glob, seen) {
                found.extend(self.member(from, name, is_last, seen));
            }
        }
        found.extend(child);
        found.sort_by_key(|target| matches!(target, Target::Module(_)) == is_last);
        found.into_iter().next()
    }

    fn imported(&self, module: usize, import: &Import, seen: &mut OpenLookups) -> Option<Target> {
        self.follow(module, &import.segments, seen)
    }

    fn item(&self, module: usize, name: &str) -> Target {
        Target::Item { file: self.modules[module].file.clone(), name: name.to_owned() }
    }
}
