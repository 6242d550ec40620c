//! Names that a module takes from another and hands on: what `export … from` and a package's
//! `__init__` do.
//!
//! What a file takes is looked up once, when it is first asked to hand something on. From
//! there on a name costs a few lookups, however much the file takes whole.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::family::Family;
use super::modules::{Modules, Scope};
use super::symbols::FileSymbols;

/// How often a name is handed on from one module to the next, at most.
const HANDED_ON_MAX: usize = 4;

/// Files from which a name can be handed on at one step.
const FRONTS_MAX: usize = 64;

/// The files that define each name, in order.
struct Defined<'a>(HashMap<&'a str, Vec<u32>>);

impl<'a> Defined<'a> {
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

    fn is_in(&self, file: usize, name: &str) -> bool {
        self.0.get(name).is_some_and(|files| has(files, file))
    }
}

/// What a file takes from modules of the repository.
#[derive(Debug, Default)]
struct Taken<'a> {
    scopes: Vec<Scope>,
    /// By what a name is called here: the scope it comes from, and what it is called there.
    named: HashMap<&'a str, (usize, &'a str)>,
    /// Scopes all of whose names are taken, in the order of the imports.
    whole: Vec<usize>,
    /// By their fronts, the places of the first of `whole` that have them.
    whole_by_front: HashMap<usize, usize>,
}

impl<'a> Taken<'a> {
    /// What the file at `at` of `modules` takes.
    fn of(modules: &Modules<'a>, at: usize, file: &'a FileSymbols) -> Self {
        let mut taken = Self::default();
        let family = Family::of(file.language);
        let mut known: HashMap<&str, Option<usize>> = HashMap::new();
        for import in file.imports.iter().filter(|import| !import.names.is_empty()) {
            let found = known.entry(&import.module).or_insert_with(|| {
                let from = modules.find(family, at, &import.module);
                let is_other = !from.is_empty() && !from.has_front(at);
                is_other.then(|| {
                    taken.scopes.push(from);
                    taken.scopes.len() - 1
                })
            });
            let Some(scope) = *found else { continue };
            for of in &import.names {
                match (&*of.name, of.alias.as_deref()) {
                    ("*", None) => taken.take_whole(scope),
                    ("*", Some(_)) => {}
                    (name, alias) => {
                        taken.named.entry(alias.unwrap_or(name)).or_insert((scope, name));
                    }
                }
            }
        }
        taken
    }

    fn take_whole(&mut self, scope: usize) {
        let place = self.whole.len();
        self.whole.push(scope);
        for front in self.scopes[scope].fronts.iter().cloned().flatten() {
            self.whole_by_front.entry(front).or_insert(place);
        }
    }

    /// The first of the modules taken whole with a front among `files`, which are sorted.
    fn first_of(&self, files: &[u32]) -> Option<&Scope> {
        let place = if files.len() < self.whole.len() {
            let places = files.iter().filter_map(|at| self.whole_by_front.get(&(*at as usize)));
            places.min().copied()?
        } else {
            self.whole.iter().position(|scope| {
                let mut fronts = self.scopes[*scope].fronts.iter().cloned().flatten();
                fronts.any(|at| has(files, at))
            })?
        };
        Some(&self.scopes[self.whole[place]])
    }
}

/// The modules of a repository, and what each hands on.
pub(super) struct Reexports<'a> {
    pub(super) modules: Modules<'a>,
    files: &'a [FileSymbols],
    defined: Defined<'a>,
    /// What each file takes from others, once it was asked for.
    taken: Vec<OnceCell<Taken<'a>>>,
}

impl<'a> Reexports<'a> {
    pub(super) fn new(files: &'a [FileSymbols]) -> Self {
        let taken = files.iter().map(|_| OnceCell::new()).collect();
        Self { modules: Modules::new(files), files, defined: Defined::new(files), taken }
    }

    /// What the file at `at` takes from others.
    fn taken_by(&self, at: usize) -> &Taken<'a> {
        self.taken[at].get_or_init(|| Taken::of(&self.modules, at, &self.files[at]))
    }

    /// Where the front of `scope` takes `name` from to hand it on, and what it is called
    /// there; `None` if it defines it, or does not hand it on.
    pub(super) fn handed_on(
        &self,
        family: Family,
        scope: &Scope,
        name: &str,
    ) -> Option<(&Scope, &'a str)> {
        if !matches!(family, Family::Python | Family::Rust | Family::Script) {
            return None;
        }
        let defined = &self.defined;
        let mut fronts: Vec<usize> = scope.fronts.iter().cloned().flatten().collect();
        let mut name = name;
        let mut found: Option<(&Scope, &'a str)> = None;
        for _ in 0..HANDED_ON_MAX {
            if fronts.len() > FRONTS_MAX || fronts.iter().any(|at| defined.is_in(*at, name)) {
                break;
            }
            if let Some((from, original)) = self.named_in(&fronts, name) {
                fronts = from.fronts.iter().cloned().flatten().collect();
                name = original;
                found = Some((from, original));
                continue;
            }
            if let Some((name, files)) = defined.0.get_key_value(name) {
                let own = fronts.iter().find_map(|at| self.taken_by(*at).first_of(files));
                if let Some(from) = own {
                    return Some((from, name));
                }
            }
            let whole = fronts.iter().flat_map(|at| {
                let taken = self.taken_by(*at);
                taken.whole.iter().flat_map(|scope| taken.scopes[*scope].fronts.iter().cloned())
            });
            fronts = whole.flatten().take(FRONTS_MAX + 1).collect();
        }
        found
    }

    /// The module from which one of `files` takes what it calls `name`, and what it is called
    /// there.
    fn named_in(&self, files: &[usize], name: &str) -> Option<(&Scope, &'a str)> {
        files.iter().find_map(|at| {
            let taken = self.taken_by(*at);
            let (scope, original) = taken.named.get(name)?;
            Some((&taken.scopes[*scope], *original))
        })
    }
}

fn has(files: &[u32], file: usize) -> bool {
    u32::try_from(file).is_ok_and(|file| files.binary_search(&file).is_ok())
}
