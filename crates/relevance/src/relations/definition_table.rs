//! The definitions of a repository by name, member and base type.

use std::collections::HashMap;
use std::ops::Range;

use foveal_syntax::EntityKind;

use super::NodeId;
use super::graph::node_id;
use super::language_family::LanguageFamily;
use super::resolved_imports::{DEFAULT_EXPORT, original_names};
use super::symbols::{Definition, FileSymbols, UseRole};

/// The definitions that names can refer to.
pub(super) struct DefinitionTable<'a> {
    pub(super) files: &'a [FileSymbols],
    /// The nodes of each file, the file's own node first.
    pub(super) ranges: Vec<Range<u32>>,
    pub(super) families: Vec<LanguageFamily>,
    /// The position of each node's file.
    file_of: Vec<u32>,
    ids: HashMap<&'a str, u32>,
    /// The names, by their ids.
    texts: Vec<&'a str>,
    /// The nodes, by the ids of their names.
    by_name: Vec<Vec<NodeId>>,
    /// The members, by the ids of their type's name and their own.
    members: HashMap<(u32, u32), Vec<NodeId>>,
    /// For each node, the id of the name of the type it is a member of.
    owners: Vec<Option<u32>>,
    /// The types that a type's header names, by the id of the type's name.
    bases: HashMap<u32, Vec<u32>>,
    /// The types that a field's declaration names, by the ids of its type's name and its own.
    field_types: HashMap<(u32, u32), Vec<u32>>,
}

/// The number of types in one header that count as base types.
const BASES_MAX: usize = 16;

impl<'a> DefinitionTable<'a> {
    /// Returns the table of `files`, which must be sorted by path.
    pub(super) fn new(files: &'a [FileSymbols]) -> Self {
        let mut table = Self {
            files,
            ranges: Vec::with_capacity(files.len()),
            families: files
                .iter()
                .map(|file| LanguageFamily::from_language(file.language))
                .collect(),
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
            table.add_definitions(at, file);
        }
        for (at, file) in files.iter().enumerate() {
            table.record_named_types(at, file);
        }
        table
    }

    fn add_definitions(&mut self, at: usize, file: &'a FileSymbols) {
        let first = self.owners.len();
        let number = u32::try_from(at).unwrap_or(u32::MAX);
        self.file_of.push(number);
        self.owners.push(None);
        for definition in &file.definitions {
            let node = node_id(self.owners.len());
            self.file_of.push(number);
            let owner = definition.owner.as_deref().map(|owner| self.intern(last_segment(owner)));
            self.owners.push(owner);
            if !definition.kind.is_referenceable() || self.families[at] == LanguageFamily::Data {
                continue;
            }
            let name = self.intern(&definition.name);
            self.by_name[name as usize].push(node);
            if let Some(owner) = owner {
                self.members.entry((owner, name)).or_default().push(node);
            }
        }
        let range = node_id(first).0..node_id(self.owners.len()).0;
        self.ranges.push(range);
    }

    /// Records the types named in headers of types and declarations of fields.
    fn record_named_types(&mut self, at: usize, file: &'a FileSymbols) {
        let originals = original_names(file);
        for of in &file.uses {
            let Some(inside) = of.inside else { continue };
            let Some(definition) = file.definitions.get(inside.as_usize()) else { continue };
            if !of.in_signature || of.role == UseRole::Documented {
                continue;
            }
            let name = file.name_at(of.name);
            // The importing name of a default export is mostly the exported name.
            let original = originals.get(name).copied().filter(|name| *name != DEFAULT_EXPORT);
            // The file's own definition of that name can be a fallback for the import.
            let here = original.and_then(|_| self.name_id(name)).filter(|id| {
                self.nodes_named(*id).iter().any(|node| self.file_position(*node) == at)
            });
            let meant = self.name_id(original.unwrap_or(name));
            let node = self.node_id(at, inside.as_usize());
            for named in meant.into_iter().chain(here) {
                self.record_named_type(definition, node, named);
            }
        }
    }

    /// Records that the header or declaration of `definition`, whose node is `node`, names the type
    /// with the id `named`.
    fn record_named_type(&mut self, definition: &Definition, node: NodeId, named: u32) {
        let own = self.name_id(&definition.name);
        let owner = self.owners[node.index()];
        let of_type = match definition.kind {
            EntityKind::Type | EntityKind::Trait | EntityKind::Enum => own,
            EntityKind::Impl => owner,
            EntityKind::Field => {
                if let (Some(owner), Some(own)) = (owner, own) {
                    push_unique(self.field_types.entry((owner, own)).or_default(), named);
                }
                return;
            }
            _ => return,
        };
        if let Some(of_type) = of_type {
            push_unique(self.bases.entry(of_type).or_default(), named);
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

    /// Returns the name with an id.
    pub(super) fn name_text(&self, id: u32) -> &'a str {
        self.texts.get(id as usize).copied().unwrap_or_default()
    }

    /// Returns the id of a name.
    pub(super) fn name_id(&self, name: &str) -> Option<u32> {
        self.ids.get(name).copied()
    }

    /// Returns the node of the definition at `index` of the file at `file`.
    pub(super) fn node_id(&self, file: usize, index: usize) -> NodeId {
        node_id(self.ranges[file].start as usize + 1 + index)
    }

    /// Returns the nodes with the name `name`, in order.
    pub(super) fn nodes_named(&self, name: u32) -> &[NodeId] {
        &self.by_name[name as usize]
    }

    /// Returns the members `name` of types with the name `owner`, in order.
    pub(super) fn members(&self, owner: u32, name: u32) -> &[NodeId] {
        self.members.get(&(owner, name)).map(Vec::as_slice).unwrap_or_default()
    }

    pub(super) fn bases(&self, of: u32) -> &[u32] {
        self.bases.get(&of).map(Vec::as_slice).unwrap_or_default()
    }

    pub(super) fn field_types(&self, owner: u32, name: u32) -> &[u32] {
        self.field_types.get(&(owner, name)).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the id of the name of the type that a node is a member of.
    pub(super) fn owner_type(&self, of: NodeId) -> Option<u32> {
        self.owners[of.index()]
    }

    /// Returns the position of a node's file.
    pub(super) fn file_position(&self, of: NodeId) -> usize {
        self.file_of[of.index()] as usize
    }

    /// Returns the definition of an entity's node; `None` for a file.
    pub(super) fn definition(&self, of: NodeId) -> Option<&'a Definition> {
        let file = self.file_position(of);
        let at = of.index().checked_sub(self.ranges[file].start as usize + 1)?;
        self.files[file].definitions.get(at)
    }
}

fn push_unique(list: &mut Vec<u32>, name: u32) {
    if list.len() < BASES_MAX && !list.contains(&name) {
        list.push(name);
    }
}

/// Returns `Line` for `text::Line` and `app.Line`.
fn last_segment(name: &str) -> &str {
    name.rsplit(['.', ':']).next().filter(|last| !last.is_empty()).unwrap_or(name)
}
