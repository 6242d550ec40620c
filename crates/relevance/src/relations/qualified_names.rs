//! Resolution of qualified names: members of types and values, and items of modules.

use std::collections::HashSet;

use foveal_syntax::EntityKind;

use super::NodeId;
use super::language_family::LanguageFamily;
use super::name_resolver::{CANDIDATES_MAX, DEFINITIONS_EXAMINED_MAX, NameResolver, Resolution};
use super::resolved_imports::DEFAULT_EXPORT;
use super::symbols::{SymbolUse, UseRole};

/// Methods of the standard types of many languages. Such a call on a value of unknown type is
/// unlikely to refer to a method of the repository.
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

/// Whether the name is specific enough for this tier, and the tier's filter.
type MatchTier<'a> = (bool, &'a dyn Fn(&NodeId) -> bool);

impl NameResolver<'_> {
    /// Resolves a name with a qualifier.
    pub(super) fn resolve_qualified(
        &self,
        of: &SymbolUse,
        name: u32,
        qualifier: &str,
        near: &HashSet<u32>,
    ) -> Resolution {
        let found = match qualifier {
            "" => None,
            // A type that includes this one as a mixin may define a missing member, but is unknown
            // here.
            "self" | "this" | "Self" | "cls" | "static" => {
                Some(self.resolve_own_member(of, name, qualifier))
            }
            "super" | "base" | "parent" | "crate" => Some(self.resolve_outer(of, name, qualifier)),
            _ => self.resolve_in_type_or_module(of, name, qualifier),
        };
        match found {
            Some(meant) => meant,
            None => self.resolve_value_member(of, name, qualifier, near),
        }
    }

    /// Resolves a member of the enclosing type; in Rust also `self::name`.
    fn resolve_own_member(&self, of: &SymbolUse, name: u32, qualifier: &str) -> Resolution {
        if let Some(own) = self.enclosing_type(of) {
            let nodes = self.find_members(of, own, name);
            if !nodes.is_empty() {
                return Resolution { nodes, evidence: 1.0 };
            }
        }
        if self.family == LanguageFamily::Rust && qualifier == "self" {
            let here = |node| {
                self.table.file_position(node) == self.at && self.table.owner_type(node).is_none()
            };
            return Resolution { nodes: self.candidates(of, name, here), evidence: 0.9 };
        }
        Resolution::default()
    }

    /// Resolves a member of a base type; in Rust an item of an outer module.
    fn resolve_outer(&self, of: &SymbolUse, name: u32, qualifier: &str) -> Resolution {
        if self.family == LanguageFamily::Rust {
            let free = |node: NodeId| self.table.owner_type(node).is_none();
            let mut nodes = self.keep_nearest(self.candidates(of, name, free));
            if qualifier == "crate" && nodes.len() > 1 {
                nodes.truncate(CANDIDATES_MAX);
            }
            return Resolution { nodes, evidence: 0.9 };
        }
        let Some(own) = self.enclosing_type(of) else { return Resolution::default() };
        let bases = self.table.bases(own).iter();
        let nodes: Vec<NodeId> = bases
            .map(|base| self.find_members(of, *base, name))
            .find(|nodes| !nodes.is_empty())
            .unwrap_or_default();
        Resolution { nodes, evidence: 1.0 }
    }

    /// Resolves a member of the type or module `qualifier`; `None` if that is a value.
    fn resolve_in_type_or_module(
        &self,
        of: &SymbolUse,
        name: u32,
        qualifier: &str,
    ) -> Option<Resolution> {
        let free = |node: NodeId| self.table.owner_type(node).is_none();
        let called = self.imports.by_module_name.get(qualifier);
        let named = self.imports.by_imported_name.get(qualifier);
        if let Some(scopes) = called {
            let meant = self.resolve_imported(of, name, scopes, 1.0);
            let is_ours = scopes.iter().any(|at| !self.imports.modules[*at].is_empty());
            let is_value = is_ours && !self.imports.namespaces.contains(qualifier);
            if !meant.nodes.is_empty() || (!is_value && named.is_none()) {
                return Some(meant);
            }
        }
        let alias = self.original_name(qualifier);
        if let Some((DEFAULT_EXPORT, scopes)) = alias {
            let nodes = self.default_export_members(of, name, scopes);
            if !nodes.is_empty() {
                return Some(Resolution { nodes, evidence: 1.0 });
            }
        }
        let original = alias.map(|(original, _)| original).filter(|name| *name != DEFAULT_EXPORT);
        let original = original.unwrap_or(qualifier);
        let foreign = named
            .is_some_and(|scopes| scopes.iter().all(|at| self.imports.modules[*at].is_empty()));
        let known = if foreign {
            // An optional import may fail; the file's own definition of that name is the fallback.
            self.table.name_id(qualifier).filter(|id| self.is_type_defined_here(*id))
        } else {
            self.table.name_id(original).filter(|id| self.is_type_or_module(*id))
        };
        if foreign && known.is_none() {
            return Some(Resolution::default());
        }
        if let Some(owner) = known {
            let nodes = self.find_members(of, owner, name);
            if !nodes.is_empty() {
                return Some(Resolution { nodes, evidence: 1.0 });
            }
            let modules = self.module_items(of, name, owner);
            if !modules.is_empty() {
                return Some(Resolution { nodes: modules, evidence: 0.9 });
            }
        }
        if self.family == LanguageFamily::Rust && qualifier.starts_with(|c: char| c.is_lowercase())
        {
            let files = self.reexports.modules.files_with_stem(qualifier);
            let in_file = |node| free(node) && files.contains(&self.table.file_position(node));
            let nodes = self.keep_nearest(self.candidates(of, name, in_file));
            if !nodes.is_empty() {
                return Some(Resolution { nodes, evidence: 0.8 });
            }
        }
        // The members of external types are not in the repository.
        let is_type = qualifier.starts_with(char::is_uppercase);
        let types_are_capital =
            !matches!(self.family, LanguageFamily::C | LanguageFamily::Go | LanguageFamily::Php);
        (is_type && (known.is_some() || types_are_capital)).then(Resolution::default)
    }

    /// Returns the members of the default export of one of the modules `scopes`.
    fn default_export_members(&self, of: &SymbolUse, name: u32, scopes: &[usize]) -> Vec<NodeId> {
        let owners =
            [DEFAULT_EXPORT, "exports"].into_iter().filter_map(|name| self.table.name_id(name));
        let members = owners.flat_map(|owner| self.table.members(owner, name)).copied();
        let is_from = |file| scopes.iter().any(|at| self.imports.modules[*at].is_entry_file(file));
        members
            .filter(|node| is_from(self.table.file_position(*node)) && self.is_candidate(of, *node))
            .collect()
    }

    /// Returns whether a type or module has this name.
    fn is_type_or_module(&self, name: u32) -> bool {
        let named = self.table.nodes_named(name).iter().take(DEFINITIONS_EXAMINED_MAX);
        named.copied().any(|node| self.is_type_or_module_node(node))
    }

    fn is_type_or_module_node(&self, node: NodeId) -> bool {
        self.table.families[self.table.file_position(node)] == self.family
            && self.table.definition(node).is_some_and(|definition| {
                definition.kind.has_members() || definition.kind == EntityKind::Module
            })
    }

    fn is_type_defined_here(&self, name: u32) -> bool {
        let named = self.table.nodes_named(name).iter().take(DEFINITIONS_EXAMINED_MAX);
        named.copied().any(|node| {
            self.table.file_position(node) == self.at && self.is_type_or_module_node(node)
        })
    }

    /// Returns the direct items of modules or namespaces with the name `module`.
    fn module_items(&self, of: &SymbolUse, name: u32, module: u32) -> Vec<NodeId> {
        let found = self.candidates(of, name, |node| {
            let Some(definition) = self.table.definition(node) else { return false };
            let file = &self.table.files[self.table.file_position(node)];
            definition.parent.is_some_and(|parent| {
                file.definitions.get(parent.as_usize()).is_some_and(|outer| {
                    outer.kind == EntityKind::Module
                        && self.table.name_id(&outer.name) == Some(module)
                })
            })
        });
        self.keep_nearest(found)
    }

    /// Resolves a member of a value.
    fn resolve_value_member(
        &self,
        of: &SymbolUse,
        name: u32,
        qualifier: &str,
        near: &HashSet<u32>,
    ) -> Resolution {
        let wanted = |node: NodeId| {
            let Some(definition) = self.table.definition(node) else { return false };
            match definition.kind {
                EntityKind::Method | EntityKind::Function => true,
                EntityKind::Field => of.role == UseRole::Name,
                _ => false,
            }
        };
        let members = |node: NodeId| self.table.owner_type(node).is_some() && wanted(node);
        let found = self.candidates(of, name, members);
        if self.family == LanguageFamily::Script {
            let nodes = self.resolve_imported(of, name, &self.imports.glob_imports, 0.9);
            if !nodes.nodes.is_empty() && !qualifier.is_empty() {
                return nodes;
            }
        }
        let own = self.enclosing_type(of);
        let typed = own.and_then(|own| {
            let field = self.table.name_id(qualifier)?;
            let types = self.table.field_types(own, field);
            (!types.is_empty()).then_some(types)
        });
        if let Some(types) = typed {
            let nodes: Vec<NodeId> =
                types.iter().flat_map(|of_type| self.find_members(of, *of_type, name)).collect();
            if !nodes.is_empty() {
                return Resolution { nodes, evidence: 0.9 };
            }
        }
        self.resolve_untyped_member(of, found, qualifier, near)
    }

    /// Resolves a member of a value of unknown type: `found` are all members of that name. The
    /// names of the value and of nearby types decide; the result is empty if they are too weak.
    fn resolve_untyped_member(
        &self,
        of: &SymbolUse,
        found: Vec<NodeId>,
        qualifier: &str,
        near: &HashSet<u32>,
    ) -> Resolution {
        let text = self.file.name_at(of.name);
        let is_common = COMMON_METHODS.contains(&text);
        let is_near =
            |node: &NodeId| self.table.owner_type(*node).is_some_and(|owner| near.contains(&owner));
        let called: Vec<NodeId> = found
            .iter()
            .copied()
            .filter(|node| self.owner_name_matches(*node, qualifier))
            .collect();
        let exact = |node: &NodeId| self.owner_name_equals(*node, qualifier);
        let tiers: [MatchTier<'_>; 3] =
            [(true, &|node| exact(node) && is_near(node)), (!is_common, &is_near), (true, &exact)];
        for (is_told, fits) in tiers {
            let nodes: Vec<NodeId> = called.iter().copied().filter(fits).collect();
            if is_told && !nodes.is_empty() {
                return self.require_one_type(nodes, 0.8);
            }
        }
        if is_common || self.has_type_named_like(qualifier) {
            return Resolution::default();
        }
        if !called.is_empty() {
            return self.require_one_type(called, 0.8);
        }
        if !is_compound_name(text) {
            return Resolution::default();
        }
        let reached = found.iter().any(|node| {
            let file = self.table.file_position(*node);
            file == self.at || is_near(node) || self.imports.imports_file(file)
        });
        if reached { self.require_one_type(found, 0.5) } else { Resolution::default() }
    }

    /// Resolves to `nodes` if all are members of one type in one file, else to nothing.
    fn require_one_type(&self, nodes: Vec<NodeId>, evidence: f32) -> Resolution {
        let of = |node: &NodeId| (self.table.owner_type(*node), self.table.file_position(*node));
        let first = nodes.first().map(of);
        if nodes.iter().all(|node| Some(of(node)) == first) {
            Resolution { nodes, evidence }
        } else {
            Resolution::default()
        }
    }

    /// Returns whether the name of a value fits a type: `http_client` and `HttpClient`.
    fn has_type_named_like(&self, qualifier: &str) -> bool {
        let words = qualifier.split('_').filter(|word| !word.is_empty());
        let cased: String = words
            .flat_map(|word| {
                let (first, rest) = word.split_at(word.ceil_char_boundary(1));
                [first.to_uppercase(), rest.to_owned()]
            })
            .collect();
        self.table.name_id(&cased).is_some_and(|id| self.is_type_or_module(id))
    }

    fn owner_name_equals(&self, node: NodeId, qualifier: &str) -> bool {
        let owner = self.table.definition(node).and_then(|of| of.owner.as_deref());
        owner.is_some_and(|owner| normalise_name(owner) == normalise_name(qualifier))
    }

    /// Returns whether the name of a value fits the type of a member: `searcher` and `Searcher`, or
    /// the end of a type that the file names: `builder` and `LineBuilder`.
    fn owner_name_matches(&self, node: NodeId, qualifier: &str) -> bool {
        let Some(owner) = self.table.definition(node).and_then(|of| of.owner.as_deref()) else {
            return false;
        };
        if qualifier.len() < 3 {
            return false;
        }
        let is_named =
            || self.table.owner_type(node).is_some_and(|owner| self.names.contains(&owner));
        let (owner, qualifier) = (normalise_name(owner), normalise_name(qualifier));
        owner == qualifier || qualifier.len() > 3 && owner.ends_with(&qualifier) && is_named()
    }
}

/// Returns a name without underscores, in lower case.
fn normalise_name(text: &str) -> String {
    text.replace('_', "").to_ascii_lowercase()
}

/// Returns whether a name consists of several words and is therefore rarely ambiguous.
fn is_compound_name(name: &str) -> bool {
    let name = name.trim_matches('_');
    let letters: Vec<char> = name.chars().collect();
    name.contains('_')
        || letters.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase())
}
