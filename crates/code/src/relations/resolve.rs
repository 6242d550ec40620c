//! Who is meant by a name.

use std::collections::HashSet;

use super::NodeId;
use super::modules::{Modules, Scope, folder};
use super::scope::{DEFAULT, Imports};
use super::symbols::{Definition, FileSymbols, Use, UseRole};
use super::table::{Family, Package, Table};
use super::tests_of::is_test_file;
use crate::{EntityKind, FileClass, Visibility};

/// Definitions that one use can be related to. A name that may mean more of them says
/// nothing and is related to none.
pub const CANDIDATES_MAX: usize = 12;

/// Definitions of one name that are looked at for one use.
const LOOKED_AT_MAX: usize = 400;

/// Methods that the standard types of many languages have; one called so on a value of
/// unknown type is more likely theirs.
const COMMON_METHODS: &[&str] = &[
    "Close",
    "Error",
    "Len",
    "Read",
    "String",
    "Write",
    "add",
    "all",
    "any",
    "append",
    "apply",
    "as_ref",
    "as_str",
    "call",
    "clear",
    "clone",
    "close",
    "cmp",
    "collect",
    "contains",
    "copy",
    "count",
    "eq",
    "extend",
    "filter",
    "find",
    "first",
    "flush",
    "fmt",
    "forEach",
    "format",
    "get",
    "hash",
    "has",
    "insert",
    "into",
    "is_empty",
    "items",
    "iter",
    "join",
    "keys",
    "last",
    "len",
    "length",
    "lines",
    "map",
    "max",
    "min",
    "next",
    "pop",
    "push",
    "read",
    "read_text",
    "remove",
    "replace",
    "set",
    "setdefault",
    "size",
    "slice",
    "sort",
    "split",
    "start",
    "take",
    "test",
    "then",
    "toString",
    "to_string",
    "trim",
    "update",
    "unwrap",
    "values",
    "write",
    "write_text",
];

/// Variants that every Rust file has without an import.
const RUST_VARIANTS: &[&str] = &["Err", "None", "Ok", "Some"];

/// What a script's exports are members of, in its own words.
const EXPORTS: &[&str] = &["exports", "module", "module.exports"];

/// How far up the types that a type is made from are looked at.
const BASES_DEPTH_MAX: usize = 4;

/// Who a name may mean, and how much speaks for it, up to 1.
#[derive(Debug, Clone, Default)]
pub(super) struct Meant {
    pub(super) nodes: Vec<NodeId>,
    pub(super) evidence: f32,
}

/// Evidence, and which nodes have it.
type Tier<'a> = (f32, &'a dyn Fn(&NodeId) -> bool);

/// One file whose uses are resolved.
pub(super) struct Resolver<'a> {
    pub(super) table: &'a Table<'a>,
    pub(super) modules: &'a Modules<'a>,
    pub(super) at: usize,
    pub(super) file: &'a FileSymbols,
    pub(super) family: Family,
    pub(super) imports: Imports<'a>,
    /// Ids of all names that the file uses or defines.
    pub(super) names: HashSet<u32>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(table: &'a Table<'a>, modules: &'a Modules<'a>, at: usize) -> Self {
        let file = &table.files[at];
        let family = table.families[at];
        let used = file.names.iter().map(|name| &**name);
        let defined = file.definitions.iter().map(|definition| &*definition.name);
        let imports = Imports::of(modules, family, at, file);
        // Everything without a name is called the same; which is meant, the import says.
        let meant = imports.originals.values().copied().filter(|name| *name != DEFAULT);
        let names = used.chain(defined).chain(meant);
        let names = names.filter_map(|name| table.id_of(name)).collect();
        Self { table, modules, at, file, family, imports, names }
    }

    /// Who `of` means. `near` has the ids of names used in the same entity.
    pub(super) fn meant(&self, of: &Use, near: &HashSet<u32>) -> Meant {
        if of.qualifier.is_none() && of.role != UseRole::Documented {
            let local = self.file.name(of.name);
            if let Some((original, scopes)) = self.alias(local) {
                let meant = self.aliased(of, original, scopes);
                if !meant.nodes.is_empty() {
                    return meant;
                }
                // Where it cannot be had, what the file defines by that name stands in for it.
                let Some(name) = self.table.id_of(local) else { return meant };
                let here = self.own_or_here(of, name).unwrap_or_default();
                return self.settled(of, name, here);
            }
        }
        let Some(name) = self.table.id_of(self.file.name(of.name)) else { return Meant::default() };
        if of.role == UseRole::Documented {
            return self.documented(of, name);
        }
        let meant = match of.qualifier.map(|at| self.file.name(at)) {
            None => self.alone(of, name),
            Some(words) if self.is_foreign(words) => Meant::default(),
            Some(words) => self.qualified(of, name, last_word(words), near),
        };
        self.settled(of, name, meant)
    }

    /// What `local` is called where it comes from, and where that is; `None` if it is called
    /// the same or comes from nowhere.
    fn alias(&self, local: &str) -> Option<(&'a str, &[usize])> {
        let original = self.imports.originals.get(local)?;
        let scopes = self.imports.named.get(local).or_else(|| self.imports.called.get(local))?;
        Some((original, scopes))
    }

    /// Who is meant by a name that `scopes` call `original`.
    fn aliased(&self, of: &Use, original: &str, scopes: &[usize]) -> Meant {
        let named = |name: &str| {
            let id = self.table.id_of(name);
            id.map(|id| self.imported(of, id, scopes, 1.0)).unwrap_or_default()
        };
        let mut meant = named(original);
        if meant.nodes.is_empty() && original == DEFAULT {
            // The name by which it is imported is mostly that by which it was exported.
            meant = named(self.file.name(of.name));
        }
        if meant.nodes.is_empty() && original == DEFAULT {
            meant = named("exports");
        }
        if meant.nodes.len() > CANDIDATES_MAX {
            meant.nodes.clear();
        }
        meant
    }

    /// Whether the first of several words is a module of others, as `os` of `os.path`.
    fn is_foreign(&self, words: &str) -> bool {
        let first = words.split(['.', ':', '-']).next().unwrap_or_default();
        if first.is_empty() || first.len() == words.len() {
            return false;
        }
        let taken = [self.imports.called.get(first), self.imports.named.get(first)];
        let mut scopes = taken.into_iter().flatten().flatten().peekable();
        scopes.peek().is_some() && scopes.all(|at| self.imports.scopes[*at].is_empty())
            || self.family == Family::Rust && matches!(first, "std" | "core" | "alloc")
    }

    /// In C the definition instead of declarations of it; none if there are too many.
    fn settled(&self, of: &Use, name: u32, mut meant: Meant) -> Meant {
        if self.family == Family::C && of.role == UseRole::Call && !meant.nodes.is_empty() {
            let is_function = |node: NodeId, has_body: bool| {
                self.table.definition(node).is_some_and(|definition| {
                    definition.kind == EntityKind::Function && definition.has_body == has_body
                })
            };
            if meant.nodes.iter().all(|node| is_function(*node, false)) {
                let source = |node| self.table.files[self.table.file(node)].class;
                let here = source(meant.nodes[0]);
                let defined = self
                    .candidates(of, name, |node| is_function(node, true) && source(node) == here);
                if !defined.is_empty() {
                    meant.nodes = self.nearest(defined);
                }
            } else if meant.nodes.iter().any(|node| is_function(*node, true)) {
                meant.nodes.retain(|node| !is_function(*node, false));
            }
        }
        if meant.nodes.len() > CANDIDATES_MAX {
            meant.nodes.clear();
        }
        meant
    }

    /// What an import takes from `scope` by `name`.
    pub(super) fn taken(&self, name: &str, scope: &Scope) -> Vec<NodeId> {
        let handed = self.modules.handed_on(self.family, scope, name);
        let (scope, name) = handed.unwrap_or((scope, name));
        let Some(name) = self.table.id_of(name) else { return Vec::new() };
        let free = |node: &NodeId| self.can_be_taken(*node);
        let named = self.table.named(name).iter().copied().take(LOOKED_AT_MAX).filter(free);
        let named: Vec<NodeId> = named.collect();
        for holds in [Scope::has_front, Scope::holds] {
            let found = named.iter().copied().filter(|node| holds(scope, self.table.file(*node)));
            let found: Vec<NodeId> = found.take(CANDIDATES_MAX).collect();
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// The nodes of that name that `fits` and that `role` can mean.
    fn candidates(&self, of: &Use, name: u32, fits: impl Fn(NodeId) -> bool) -> Vec<NodeId> {
        let named = self.table.named(name);
        let found = named.iter().copied().take(LOOKED_AT_MAX);
        found.filter(|node| fits(*node) && self.can_mean(of, *node)).collect()
    }

    /// Whether a use can mean a node at all: language, kind, visibility.
    fn can_mean(&self, of: &Use, node: NodeId) -> bool {
        let Some(definition) = self.table.definition(node) else { return false };
        let file = self.table.file(node);
        if self.table.families[file] != self.family {
            return false;
        }
        if file != self.at && self.is_local_to_tests(node) {
            return false;
        }
        let kind = definition.kind;
        let is_kind = match of.role {
            UseRole::Call => kind != EntityKind::Module,
            UseRole::Type | UseRole::Returned => matches!(
                kind,
                EntityKind::Type
                    | EntityKind::Trait
                    | EntityKind::Enum
                    | EntityKind::Module
                    | EntityKind::Constant
                    | EntityKind::Field
            ),
            // A variable is often called as a module is.
            UseRole::Name => kind != EntityKind::Module,
            UseRole::Documented => true,
        };
        is_kind && (file == self.at || self.is_visible(definition.visibility, kind, file))
    }

    /// Whether a node is defined inside a test, or a function of a file of tests.
    fn is_local_to_tests(&self, node: NodeId) -> bool {
        let file = &self.table.files[self.table.file(node)];
        let above = |of: &Definition| of.parent.and_then(|at| file.definitions.get(at.get()));
        let first = self.table.definition(node).and_then(above);
        let mut outer = std::iter::successors(first, |of| above(of));
        outer.any(|of| {
            of.kind == EntityKind::Test || of.kind.has_statements() && is_test_file(&file.path)
        })
    }

    fn is_visible(&self, visibility: Visibility, kind: EntityKind, file: usize) -> bool {
        if visibility != Visibility::Private {
            return true;
        }
        let other = folder(&self.table.files[file].path);
        match self.family {
            Family::C => kind == EntityKind::Field,
            Family::Script => matches!(kind, EntityKind::Field | EntityKind::Method),
            Family::Go => folder(&self.file.path) == other,
            Family::Rust => self.file.path.starts_with(other),
            _ => true,
        }
    }

    /// What the own type or the file has by a name that nothing stands before.
    fn own_or_here(&self, of: &Use, name: u32) -> Option<Meant> {
        if self.family.has_implicit_self()
            && let Some(own) = self.own_type(of)
        {
            let nodes = self.inherited(of, own, name);
            if !nodes.is_empty() {
                return Some(Meant { nodes, evidence: 1.0 });
            }
        }
        let nodes = self.candidates(of, name, |node| {
            self.table.file(node) == self.at
                && self.table.owner(node).is_none()
                && self.is_in_reach(of, node)
        });
        (!nodes.is_empty()).then_some(Meant { nodes, evidence: 1.0 })
    }

    /// A name that nothing stands before.
    fn alone(&self, of: &Use, name: u32) -> Meant {
        let table = self.table;
        let is_member = |node: NodeId| table.owner(node).is_some();
        if let Some(meant) = self.own_or_here(of, name) {
            return meant;
        }
        let text = self.file.name(of.name);
        if let Some(scopes) = self.imports.named.get(text) {
            return self.imported(of, name, scopes, 1.0);
        }
        if self.family == Family::Rust && RUST_VARIANTS.contains(&text) {
            return Meant::default();
        }
        if self.family != Family::Script {
            let found = self.imported(of, name, &self.imports.whole, 0.9);
            if !found.nodes.is_empty() {
                return found;
            }
        }
        let here = folder(&self.file.path);
        let in_folder = |node| folder(&table.files[table.file(node)].path) == here;
        let evidence = match self.family.package() {
            Package::Folder => 0.9,
            Package::Repository => 0.8,
            Package::File => 0.2,
        };
        let nodes = self.candidates(of, name, |node| !is_member(node) && in_folder(node));
        if !nodes.is_empty() && (evidence > 0.5 || of.role != UseRole::Name) {
            return Meant { nodes, evidence };
        }
        let evidence = match self.family.package() {
            Package::Repository => 0.8,
            Package::Folder | Package::File if of.role != UseRole::Name => 0.1,
            Package::Folder | Package::File => return Meant::default(),
        };
        let source = |node| table.files[table.file(node)].class == FileClass::Source;
        let nodes = self.candidates(of, name, |node| !is_member(node) && source(node));
        if !nodes.is_empty() {
            return Meant { nodes, evidence };
        }
        Meant { nodes: self.candidates(of, name, |node| !is_member(node)), evidence }
    }

    /// Whether a definition of the same file is not local to another function.
    fn is_in_reach(&self, of: &Use, node: NodeId) -> bool {
        let Some(definition) = self.table.definition(node) else { return false };
        let Some(parent) = definition.parent else { return true };
        let Some(outer) = self.file.definitions.get(parent.get()) else { return true };
        if !outer.kind.has_statements() {
            return true;
        }
        outer.lines.contains(of.line)
    }

    /// Names taken from modules.
    fn imported(&self, of: &Use, name: u32, scopes: &[usize], evidence: f32) -> Meant {
        for scope in scopes.iter().map(|at| &self.imports.scopes[*at]) {
            let front = |node| self.can_be_taken(node) && scope.has_front(self.table.file(node));
            let nodes = self.candidates(of, name, front);
            if !nodes.is_empty() {
                return Meant { nodes, evidence };
            }
        }
        let text = self.table.name(name);
        for scope in scopes.iter().map(|at| &self.imports.scopes[*at]) {
            let handed = self.modules.handed_on(self.family, scope, text);
            let Some((scope, original)) = handed else { continue };
            let Some(original) = self.table.id_of(original) else { continue };
            let from = |node| self.can_be_taken(node) && scope.has_front(self.table.file(node));
            let nodes = self.candidates(of, original, from);
            if !nodes.is_empty() {
                return Meant { nodes, evidence };
            }
        }
        for scope in scopes.iter().map(|at| &self.imports.scopes[*at]) {
            let nodes = self.candidates(of, name, |node| {
                self.can_be_taken(node) && scope.holds(self.table.file(node))
            });
            if !nodes.is_empty() {
                return Meant { nodes, evidence: evidence * 0.9 };
            }
        }
        Meant::default()
    }

    /// Whether a node can be imported by its name: it is no member, or one of an enumeration
    /// or of what a script exports.
    fn can_be_taken(&self, node: NodeId) -> bool {
        let Some(definition) = self.table.definition(node) else { return false };
        let is_exported = self.family == Family::Script
            && definition.owner.as_deref().is_some_and(|of| EXPORTS.contains(&of));
        definition.owner.is_none() || is_exported || self.is_variant(node)
    }

    /// Whether a node is a variant of an enumeration, which can be imported.
    fn is_variant(&self, node: NodeId) -> bool {
        let Some(definition) = self.table.definition(node) else { return false };
        definition.kind == EntityKind::Field && definition.name.starts_with(char::is_uppercase)
    }

    /// The id of the name of the type that a use stands in.
    fn own_type(&self, of: &Use) -> Option<u32> {
        let mut at = of.inside;
        while let Some(index) = at {
            let definition = self.file.definitions.get(index.get())?;
            if definition.owner.is_some() {
                return self.table.owner(self.table.node(self.at, index.get()));
            }
            if definition.kind.has_members() {
                return self.table.id_of(&definition.name);
            }
            at = definition.parent;
        }
        None
    }

    /// Members of a type, or of the nearest type that it is made from.
    fn inherited(&self, of: &Use, owner: u32, name: u32) -> Vec<NodeId> {
        let mut level = vec![owner];
        let mut seen: HashSet<u32> = HashSet::new();
        for _ in 0..BASES_DEPTH_MAX {
            let mut found = Vec::new();
            for owner in &level {
                let members = self.table.members(*owner, name).iter().copied();
                found.extend(members.filter(|node| self.can_mean(of, *node)));
            }
            if !found.is_empty() {
                return self.nearest(found);
            }
            seen.extend(level.iter().copied());
            let bases = level.iter().flat_map(|owner| self.table.bases(*owner));
            level = bases.copied().filter(|base| !seen.contains(base)).collect();
        }
        Vec::new()
    }

    /// Those in the same file, else those in files that are imported, else those in the same
    /// folder, else all.
    fn nearest(&self, nodes: Vec<NodeId>) -> Vec<NodeId> {
        if nodes.len() < 2 {
            return nodes;
        }
        let here = folder(&self.file.path);
        let tiers: [&dyn Fn(usize) -> bool; 3] =
            [&|file| file == self.at, &|file| self.imports.reach(file), &|file| {
                folder(&self.table.files[file].path) == here
            }];
        for tier in tiers {
            let near: Vec<NodeId> =
                nodes.iter().copied().filter(|node| tier(self.table.file(*node))).collect();
            if !near.is_empty() {
                return near;
            }
        }
        nodes
    }

    /// A name that belongs to another.
    fn qualified(&self, of: &Use, name: u32, qualifier: &str, near: &HashSet<u32>) -> Meant {
        let found = match qualifier {
            "" => None,
            "self" | "this" | "Self" | "cls" | "static" => self.own_member(of, name, qualifier),
            "super" | "base" | "parent" | "crate" => Some(self.outer(of, name, qualifier)),
            _ => self.of_type_or_module(of, name, qualifier),
        };
        match found {
            Some(meant) => meant,
            None => self.of_value(of, name, qualifier, near),
        }
    }

    /// A member of the own type; in Rust also what `self::` names.
    fn own_member(&self, of: &Use, name: u32, qualifier: &str) -> Option<Meant> {
        if let Some(own) = self.own_type(of) {
            let nodes = self.inherited(of, own, name);
            if !nodes.is_empty() {
                return Some(Meant { nodes, evidence: 1.0 });
            }
        }
        if self.family == Family::Rust && qualifier == "self" {
            let here = |node| self.table.file(node) == self.at && self.table.owner(node).is_none();
            let nodes = self.candidates(of, name, here);
            return (!nodes.is_empty()).then_some(Meant { nodes, evidence: 0.9 });
        }
        None
    }

    /// A member of a type that the own type is made from; in Rust what is in an outer module.
    fn outer(&self, of: &Use, name: u32, qualifier: &str) -> Meant {
        if self.family == Family::Rust {
            let free = |node: NodeId| self.table.owner(node).is_none();
            let mut nodes = self.nearest(self.candidates(of, name, free));
            if qualifier == "crate" && nodes.len() > 1 {
                nodes.truncate(CANDIDATES_MAX);
            }
            return Meant { nodes, evidence: 0.9 };
        }
        let Some(own) = self.own_type(of) else { return Meant::default() };
        let bases = self.table.bases(own).iter();
        let nodes: Vec<NodeId> = bases
            .map(|base| self.inherited(of, *base, name))
            .find(|nodes| !nodes.is_empty())
            .unwrap_or_default();
        Meant { nodes, evidence: 1.0 }
    }

    /// What belongs to a type or module called `qualifier`; `None` if it is a value.
    fn of_type_or_module(&self, of: &Use, name: u32, qualifier: &str) -> Option<Meant> {
        let free = |node: NodeId| self.table.owner(node).is_none();
        let called = self.imports.called.get(qualifier);
        let named = self.imports.named.get(qualifier);
        if let Some(scopes) = called {
            let meant = self.imported(of, name, scopes, 1.0);
            let is_ours = scopes.iter().any(|at| !self.imports.scopes[*at].is_empty());
            let is_value = is_ours && !self.imports.namespaces.contains(qualifier);
            if !meant.nodes.is_empty() || (!is_value && named.is_none()) {
                return Some(meant);
            }
        }
        let alias = self.alias(qualifier);
        if let Some((DEFAULT, scopes)) = alias {
            let nodes = self.of_default(of, name, scopes);
            if !nodes.is_empty() {
                return Some(Meant { nodes, evidence: 1.0 });
            }
        }
        let original = alias.map(|(original, _)| original).filter(|name| *name != DEFAULT);
        let original = original.unwrap_or(qualifier);
        let foreign =
            named.is_some_and(|scopes| scopes.iter().all(|at| self.imports.scopes[*at].is_empty()));
        let known = if foreign {
            // Where it cannot be had, what the file defines by that name stands in for it.
            self.table.id_of(qualifier).filter(|id| self.is_defined_here(*id))
        } else {
            self.table.id_of(original).filter(|id| self.is_type(*id))
        };
        if foreign && known.is_none() {
            return Some(Meant::default());
        }
        if let Some(owner) = known {
            let nodes = self.inherited(of, owner, name);
            if !nodes.is_empty() {
                return Some(Meant { nodes, evidence: 1.0 });
            }
            let modules = self.in_module(of, name, owner);
            if !modules.is_empty() {
                return Some(Meant { nodes: modules, evidence: 0.9 });
            }
        }
        if self.family == Family::Rust && qualifier.starts_with(|c: char| c.is_lowercase()) {
            let files = self.modules.called(qualifier);
            let in_file = |node| free(node) && files.contains(&self.table.file(node));
            let nodes = self.nearest(self.candidates(of, name, in_file));
            if !nodes.is_empty() {
                return Some(Meant { nodes, evidence: 0.8 });
            }
        }
        // A type of others: what belongs to it is not ours.
        let is_type = qualifier.starts_with(char::is_uppercase);
        let types_are_capital = !matches!(self.family, Family::C | Family::Go | Family::Php);
        (is_type && (known.is_some() || types_are_capital)).then(Meant::default)
    }

    /// Members of what one of `scopes` exports without a name.
    fn of_default(&self, of: &Use, name: u32, scopes: &[usize]) -> Vec<NodeId> {
        let owners = [DEFAULT, "exports"].into_iter().filter_map(|name| self.table.id_of(name));
        let members = owners.flat_map(|owner| self.table.members(owner, name)).copied();
        let is_from = |file| scopes.iter().any(|at| self.imports.scopes[*at].has_front(file));
        members.filter(|node| is_from(self.table.file(*node)) && self.can_mean(of, *node)).collect()
    }

    /// Whether something called so is a type or module.
    fn is_type(&self, name: u32) -> bool {
        let named = self.table.named(name).iter().take(LOOKED_AT_MAX);
        named.copied().any(|node| self.is_type_node(node))
    }

    fn is_type_node(&self, node: NodeId) -> bool {
        self.table.families[self.table.file(node)] == self.family
            && self.table.definition(node).is_some_and(|definition| {
                definition.kind.has_members() || definition.kind == EntityKind::Module
            })
    }

    fn is_defined_here(&self, name: u32) -> bool {
        let named = self.table.named(name).iter().take(LOOKED_AT_MAX);
        named.copied().any(|node| self.table.file(node) == self.at && self.is_type_node(node))
    }

    /// What stands directly in a module or namespace called `module`.
    fn in_module(&self, of: &Use, name: u32, module: u32) -> Vec<NodeId> {
        let found = self.candidates(of, name, |node| {
            let Some(definition) = self.table.definition(node) else { return false };
            let file = &self.table.files[self.table.file(node)];
            definition.parent.is_some_and(|parent| {
                file.definitions.get(parent.get()).is_some_and(|outer| {
                    outer.kind == EntityKind::Module
                        && self.table.id_of(&outer.name) == Some(module)
                })
            })
        });
        self.nearest(found)
    }

    /// A member of a value whose type is not known.
    fn of_value(&self, of: &Use, name: u32, qualifier: &str, near: &HashSet<u32>) -> Meant {
        let wanted = |node: NodeId| {
            let Some(definition) = self.table.definition(node) else { return false };
            match definition.kind {
                EntityKind::Method | EntityKind::Function => true,
                EntityKind::Field => of.role == UseRole::Name,
                _ => false,
            }
        };
        let members = |node: NodeId| self.table.owner(node).is_some() && wanted(node);
        let found = self.candidates(of, name, members);
        if self.family == Family::Script {
            let nodes = self.imported(of, name, &self.imports.whole, 0.9);
            if !nodes.nodes.is_empty() && !qualifier.is_empty() {
                return nodes;
            }
        }
        let owner = |node: &NodeId| self.table.owner(*node);
        let own = self.own_type(of);
        let typed = own.and_then(|own| {
            let field = self.table.id_of(qualifier)?;
            let types = self.table.field_types(own, field);
            (!types.is_empty()).then_some(types)
        });
        if let Some(types) = typed {
            let nodes: Vec<NodeId> =
                types.iter().flat_map(|of_type| self.inherited(of, *of_type, name)).collect();
            if !nodes.is_empty() {
                return Meant { nodes, evidence: 0.9 };
            }
        }
        let pick = |fits: &dyn Fn(&NodeId) -> bool| -> Vec<NodeId> {
            found.iter().copied().filter(|node| fits(node)).collect()
        };
        let tiers: [Tier<'_>; 5] = [
            (0.8, &|node| self.is_called_after(*node, qualifier)),
            (0.7, &|node| owner(node).is_some_and(|owner| near.contains(&owner))),
            (0.4, &|node| {
                self.table.file(*node) == self.at
                    || owner(node).is_some_and(|owner| self.names.contains(&owner))
            }),
            (0.3, &|node| self.imports.reach(self.table.file(*node))),
            (0.1, &|_| true),
        ];
        let is_common =
            of.role == UseRole::Call && COMMON_METHODS.contains(&self.file.name(of.name));
        for (evidence, fits) in tiers {
            let nodes = pick(fits);
            if !nodes.is_empty() {
                let is_guess = is_common && evidence < 0.8;
                return Meant { nodes, evidence: if is_guess { evidence * 0.3 } else { evidence } };
            }
        }
        Meant::default()
    }

    /// Whether a value's name is that of a member's type: `searcher` and `Searcher`; or, for a
    /// type that the file names, the end of it: `builder` and `LineBuilder`.
    fn is_called_after(&self, node: NodeId, qualifier: &str) -> bool {
        let Some(owner) = self.table.definition(node).and_then(|of| of.owner.as_deref()) else {
            return false;
        };
        if qualifier.len() < 3 {
            return false;
        }
        let plain = |text: &str| text.replace('_', "").to_ascii_lowercase();
        let is_named = || self.table.owner(node).is_some_and(|owner| self.names.contains(&owner));
        let (owner, qualifier) = (plain(owner), plain(qualifier));
        owner == qualifier || qualifier.len() > 3 && owner.ends_with(&qualifier) && is_named()
    }

    /// Who documentation means: the same file first, then whatever has the name.
    fn documented(&self, of: &Use, name: u32) -> Meant {
        let table = self.table;
        let fits_family = |node: NodeId| {
            self.family == Family::Data || table.families[table.file(node)] == self.family
        };
        let qualifier = of.qualifier.map(|at| last_word(self.file.name(at)));
        let qualifier = qualifier.filter(|word| !word.is_empty());
        let qualifier = qualifier.filter(|word| !matches!(*word, "self" | "Self" | "this"));
        let owner = qualifier.and_then(|word| table.id_of(word));
        let nodes: Vec<NodeId> = match (qualifier, owner) {
            (Some(_), Some(owner)) if !table.members(owner, name).is_empty() => {
                let members = table.members(owner, name).iter().copied();
                members.filter(|node| fits_family(*node)).collect()
            }
            _ => {
                let named = table.named(name).iter().copied().take(LOOKED_AT_MAX);
                named.filter(|node| fits_family(*node) && self.is_worth_naming(*node)).collect()
            }
        };
        let nodes = self.nearest(nodes);
        if nodes.len() > CANDIDATES_MAX {
            return Meant::default();
        }
        let evidence =
            if nodes.iter().any(|node| table.file(*node) == self.at) { 1.0 } else { 0.8 };
        Meant { nodes, evidence }
    }

    /// Members are named with their type, unless it is the same file.
    fn is_worth_naming(&self, node: NodeId) -> bool {
        let is_field = self.table.definition(node).is_some_and(|d| d.kind == EntityKind::Field);
        !is_field || self.table.file(node) == self.at
    }
}

/// The last of the words that a name belongs to.
fn last_word(words: &str) -> &str {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    &words[words.trim_end_matches(is_letter).len()..]
}
