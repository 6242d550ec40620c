//! All definitions of a repository by name, and what names may mean.

use std::collections::HashMap;
use std::ops::Range;

use super::NodeId;
use super::family::Family;
use super::graph::id;
use super::scope::{DEFAULT, originals};
use super::symbols::{Definition, FileSymbols, UseRole};
use crate::EntityKind;

/// All definitions that names can mean.
pub(super) struct Table<'a> {
    pub(super) files: &'a [FileSymbols],
    /// The nodes of each file, itself first.
    pub(super) ranges: Vec<Range<u32>>,
    pub(super) families: Vec<Family>,
    /// The file of each node.
    file_of: Vec<u32>,
    ids: HashMap<&'a str, u32>,
    /// The names by their ids.
    texts: Vec<&'a str>,
    /// Nodes by the id of their name.
    by_name: Vec<Vec<NodeId>>,
    /// Members by the ids of their type's name and their own.
    members: HashMap<(u32, u32), Vec<NodeId>>,
    /// The ids of the type's name for each node that is a member.
    owners: Vec<Option<u32>>,
    /// Types that a type's header names, by the id of its name.
    bases: HashMap<u32, Vec<u32>>,
    /// Types that a field's declaration names, by the ids of its type's name and its own.
    field_types: HashMap<(u32, u32), Vec<u32>>,
}

/// Types named in one header that count as what it is made from.
const BASES_MAX: usize = 16;

impl<'a> Table<'a> {
    /// The table of `files`, which are sorted by path.
    pub(super) fn new(files: &'a [FileSymbols]) -> Self {
        let mut table = Self {
            files,
            ranges: Vec::with_capacity(files.len()),
            families: files.iter().map(|file| Family::of(file.language)).collect(),
            file_of: Vec::new(),
            ids: HashMap::new(),
            texts: Vec::new(),
            by_name: Vec::new(),
            members: HashMap::new(),
            owners: Vec::new(),
            bases: HashMap::new(),
            field_types: HashMap::new(),
        };
        for (at, file) in files.iter().enumerate() {
            table.define(at, file);
        }
        for (at, file) in files.iter().enumerate() {
            table.note_types(at, file);
        }
        table
    }

    fn define(&mut self, at: usize, file: &'a FileSymbols) {
        let first = self.owners.len();
        let number = u32::try_from(at).unwrap_or(u32::MAX);
        self.file_of.push(number);
        self.owners.push(None);
        for definition in &file.definitions {
            let node = id(self.owners.len());
            self.file_of.push(number);
            let owner = definition.owner.as_deref().map(|owner| self.intern(last_part(owner)));
            self.owners.push(owner);
            if !definition.kind.can_be_named() || self.families[at] == Family::Data {
                continue;
            }
            let name = self.intern(&definition.name);
            self.by_name[name as usize].push(node);
            if let Some(owner) = owner {
                self.members.entry((owner, name)).or_default().push(node);
            }
        }
        let range = id(first).0..id(self.owners.len()).0;
        self.ranges.push(range);
    }

    /// Notes the types that headers of types and declarations of fields name.
    fn note_types(&mut self, at: usize, file: &'a FileSymbols) {
        let originals = originals(file);
        for of in &file.uses {
            let Some(inside) = of.inside else { continue };
            let Some(definition) = file.definitions.get(inside.get()) else { continue };
            if !of.in_signature || of.role == UseRole::Documented {
                continue;
            }
            let name = file.name(of.name);
            // What has no name of its own is mostly imported by that of what it is.
            let original = originals.get(name).copied().filter(|name| *name != DEFAULT);
            // What the file defines by that name can stand in for what it imports.
            let here = original
                .and_then(|_| self.id_of(name))
                .filter(|id| self.named(*id).iter().any(|node| self.file(*node) == at));
            let meant = self.id_of(original.unwrap_or(name));
            let node = self.node(at, inside.get());
            for named in meant.into_iter().chain(here) {
                self.note_type(definition, node, named);
            }
        }
    }

    /// Notes that the header or declaration of `definition`, which is `node`, names the type
    /// `named`.
    fn note_type(&mut self, definition: &Definition, node: NodeId, named: u32) {
        let own = self.id_of(&definition.name);
        let owner = self.owners[node.index()];
        let of_type = match definition.kind {
            EntityKind::Type | EntityKind::Trait | EntityKind::Enum => own,
            EntityKind::Impl => owner,
            EntityKind::Field => {
                if let (Some(owner), Some(own)) = (owner, own) {
                    add(self.field_types.entry((owner, own)).or_default(), named);
                }
                return;
            }
            _ => return,
        };
        if let Some(of_type) = of_type {
            add(self.bases.entry(of_type).or_default(), named);
        }
    }

    fn intern(&mut self, name: &'a str) -> u32 {
        let next = u32::try_from(self.by_name.len()).unwrap_or(u32::MAX);
        let found = *self.ids.entry(name).or_insert(next);
        if found == next {
            self.by_name.push(Vec::new());
            self.texts.push(name);
        }
        found
    }

    /// The name that has an id.
    pub(super) fn name(&self, id: u32) -> &'a str {
        self.texts.get(id as usize).copied().unwrap_or_default()
    }

    /// The id of a name that something has.
    pub(super) fn id_of(&self, name: &str) -> Option<u32> {
        self.ids.get(name).copied()
    }

    /// The node of the definition at `index` of the file at `file`.
    pub(super) fn node(&self, file: usize, index: usize) -> NodeId {
        id(self.ranges[file].start as usize + 1 + index)
    }

    /// The nodes of that name, in order.
    pub(super) fn named(&self, name: u32) -> &[NodeId] {
        &self.by_name[name as usize]
    }

    /// The members called `name` of types called `owner`, in order.
    pub(super) fn members(&self, owner: u32, name: u32) -> &[NodeId] {
        self.members.get(&(owner, name)).map(Vec::as_slice).unwrap_or_default()
    }

    pub(super) fn bases(&self, of: u32) -> &[u32] {
        self.bases.get(&of).map(Vec::as_slice).unwrap_or_default()
    }

    pub(super) fn field_types(&self, owner: u32, name: u32) -> &[u32] {
        self.field_types.get(&(owner, name)).map(Vec::as_slice).unwrap_or_default()
    }

    /// The id of the name of the type that a node is a member of.
    pub(super) fn owner(&self, of: NodeId) -> Option<u32> {
        self.owners[of.index()]
    }

    /// The place of the file that a node is in.
    pub(super) fn file(&self, of: NodeId) -> usize {
        self.file_of[of.index()] as usize
    }

    /// What an entity's node was made from; `None` for a file.
    pub(super) fn definition(&self, of: NodeId) -> Option<&'a Definition> {
        let file = self.file(of);
        let at = of.index().checked_sub(self.ranges[file].start as usize + 1)?;
        self.files[file].definitions.get(at)
    }
}

fn add(list: &mut Vec<u32>, name: u32) {
    if list.len() < BASES_MAX && !list.contains(&name) {
        list.push(name);
    }
}

/// `Line` of `text::Line` and `app.Line`.
fn last_part(name: &str) -> &str {
    name.rsplit(['.', ':']).next().filter(|last| !last.is_empty()).unwrap_or(name)
}
