//! Who is meant by a name that belongs to another: a member, or what a module has.

use std::collections::HashSet;

use super::NodeId;
use super::family::Family;
use super::resolver::{CANDIDATES_MAX, LOOKED_AT_MAX, Meant, Resolver};
use super::scope::DEFAULT;
use super::symbols::{Use, UseRole};
use crate::EntityKind;

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

/// Whether the name says enough, and which nodes are meant.
type Tier<'a> = (bool, &'a dyn Fn(&NodeId) -> bool);

impl Resolver<'_> {
    /// A name that belongs to another.
    pub(super) fn qualified(
        &self,
        of: &Use,
        name: u32,
        qualifier: &str,
        near: &HashSet<u32>,
    ) -> Meant {
        let found = match qualifier {
            "" => None,
            // What the own type does not have, a type it is mixed into may; which, nobody says.
            "self" | "this" | "Self" | "cls" | "static" => {
                Some(self.own_member(of, name, qualifier))
            }
            "super" | "base" | "parent" | "crate" => Some(self.outer(of, name, qualifier)),
            _ => self.of_type_or_module(of, name, qualifier),
        };
        match found {
            Some(meant) => meant,
            None => self.of_value(of, name, qualifier, near),
        }
    }

    /// A member of the own type; in Rust also what `self::` names.
    fn own_member(&self, of: &Use, name: u32, qualifier: &str) -> Meant {
        if let Some(own) = self.own_type(of) {
            let nodes = self.inherited(of, own, name);
            if !nodes.is_empty() {
                return Meant { nodes, evidence: 1.0 };
            }
        }
        if self.family == Family::Rust && qualifier == "self" {
            let here = |node| self.table.file(node) == self.at && self.table.owner(node).is_none();
            return Meant { nodes: self.candidates(of, name, here), evidence: 0.9 };
        }
        Meant::default()
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
            let files = self.reexports.modules.called(qualifier);
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
        self.of_unknown(of, found, qualifier, near)
    }

    /// Who of `found` is meant, all members of that name, where only the names of the value and
    /// of what stands near it tell its type. None where they tell too little.
    fn of_unknown(
        &self,
        of: &Use,
        found: Vec<NodeId>,
        qualifier: &str,
        near: &HashSet<u32>,
    ) -> Meant {
        let text = self.file.name(of.name);
        let is_common = COMMON_METHODS.contains(&text);
        let is_near =
            |node: &NodeId| self.table.owner(*node).is_some_and(|owner| near.contains(&owner));
        let called: Vec<NodeId> =
            found.iter().copied().filter(|node| self.is_called_after(*node, qualifier)).collect();
        let exact = |node: &NodeId| self.is_called_exactly(*node, qualifier);
        let tiers: [Tier<'_>; 3] =
            [(true, &|node| exact(node) && is_near(node)), (!is_common, &is_near), (true, &exact)];
        for (is_told, fits) in tiers {
            let nodes: Vec<NodeId> = called.iter().copied().filter(fits).collect();
            if is_told && !nodes.is_empty() {
                return self.of_one_type(nodes, 0.8);
            }
        }
        if is_common || self.has_type_called(qualifier) {
            return Meant::default();
        }
        if !called.is_empty() {
            return self.of_one_type(called, 0.8);
        }
        if !is_speaking(text) {
            return Meant::default();
        }
        let reached = found.iter().any(|node| {
            let file = self.table.file(*node);
            file == self.at || is_near(node) || self.imports.reach(file)
        });
        if reached { self.of_one_type(found, 0.5) } else { Meant::default() }
    }

    /// `nodes`, if all are members of one type.
    fn of_one_type(&self, nodes: Vec<NodeId>, evidence: f32) -> Meant {
        let of = |node: &NodeId| (self.table.owner(*node), self.table.file(*node));
        let first = nodes.first().map(of);
        if nodes.iter().all(|node| Some(of(node)) == first) {
            Meant { nodes, evidence }
        } else {
            Meant::default()
        }
    }

    /// Whether a type has the name of a value: `HttpClient` for `http_client`.
    fn has_type_called(&self, qualifier: &str) -> bool {
        let words = qualifier.split('_').filter(|word| !word.is_empty());
        let cased: String = words
            .flat_map(|word| {
                let (first, rest) = word.split_at(word.ceil_char_boundary(1));
                [first.to_uppercase(), rest.to_owned()]
            })
            .collect();
        self.table.id_of(&cased).is_some_and(|id| self.is_type(id))
    }

    fn is_called_exactly(&self, node: NodeId, qualifier: &str) -> bool {
        let owner = self.table.definition(node).and_then(|of| of.owner.as_deref());
        owner.is_some_and(|owner| plain(owner) == plain(qualifier))
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
        let is_named = || self.table.owner(node).is_some_and(|owner| self.names.contains(&owner));
        let (owner, qualifier) = (plain(owner), plain(qualifier));
        owner == qualifier || qualifier.len() > 3 && owner.ends_with(&qualifier) && is_named()
    }
}

/// Letters alone, in lower case.
fn plain(text: &str) -> String {
    text.replace('_', "").to_ascii_lowercase()
}

/// Whether a name has several words, so that few things are called the same.
fn is_speaking(name: &str) -> bool {
    let name = name.trim_matches('_');
    let letters: Vec<char> = name.chars().collect();
    name.contains('_')
        || letters.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase())
}
