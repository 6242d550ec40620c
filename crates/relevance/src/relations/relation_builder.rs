//! Builds the relations of a repository from the symbols of its files.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use foveal_syntax::{EntityIndex, EntityKind, FileClass, LineRange, Visibility};
use foveal_transcript::LineNumber;

use super::definition_table::DefinitionTable;
use super::graph::node_id;
use super::module_index::ModuleIndex;
use super::name_resolver::NameResolver;
use super::reexports::Reexports;
use super::symbols::{Definition, FileSymbols, SymbolUse, UseRole};
use super::test_files::{is_test_file, tested_stem};
use super::{
    NodeId, NodeKey, RELATION_WEIGHT_MIN, Relation, RelationKind, RelationNode, RelationNodeKind,
    Relations,
};

/// The number of files that one import can be related to; an import of a package has several.
const IMPORTED_FILES_MAX: usize = 16;

/// The number of files that one test file can be named after.
const SUBJECTS_MAX: usize = 4;

impl Relations {
    /// Returns the relations of a repository of `files`, in any order. Of files with the same path
    /// one counts.
    pub fn from_files(mut files: Vec<FileSymbols>) -> Self {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|a, b| a.path == b.path);
        let table = DefinitionTable::new(&files);
        let reexports = Reexports::new(&files);
        let nodes = file_and_entity_nodes(&table);
        let mut found = RelationBuilder {
            nodes: &nodes,
            relations: Vec::new(),
            unresolved_calls: BTreeMap::new(),
        };
        for at in 0..files.len() {
            found.add_containment(&table, at);
            found.add_imports_and_uses(&NameResolver::new(&table, &reexports, at));
            found.add_tested_files(&table, &reexports.modules, at);
        }
        let unresolved_calls = found.unresolved_calls;
        let relations = merge_relations(found.relations);
        Self { unresolved_calls, ..Self::with_lookups(nodes, table.ranges, relations) }
    }

    /// Adds the lookup tables to sorted relations.
    fn with_lookups(
        nodes: Vec<RelationNode>,
        files: Vec<Range<u32>>,
        relations: Vec<Relation>,
    ) -> Self {
        let count = |of: &dyn Fn(&Relation) -> NodeId| {
            let mut starts = vec![0u32; nodes.len() + 1];
            for relation in &relations {
                starts[of(relation).index() + 1] += 1;
            }
            for at in 1..starts.len() {
                starts[at] += starts[at - 1];
            }
            starts
        };
        let starts = count(&|relation| relation.from);
        let incoming_starts = count(&|relation| relation.to);
        let mut next = incoming_starts.clone();
        let mut incoming = vec![0u32; relations.len()];
        for (at, relation) in (0u32..).zip(&relations) {
            let place = &mut next[relation.to.index()];
            incoming[*place as usize] = at;
            *place += 1;
        }
        let unresolved_calls = BTreeMap::new();
        Self { nodes, files, relations, starts, incoming, incoming_starts, unresolved_calls }
    }
}

fn file_and_entity_nodes(table: &DefinitionTable<'_>) -> Vec<RelationNode> {
    let mut nodes = Vec::new();
    for (at, file) in table.files.iter().enumerate() {
        let path: Arc<str> = Arc::from(&*file.path);
        let of_tests = is_test_file(&file.path);
        let lines = LineRange::new(LineNumber(1), LineNumber(file.line_count.max(1)));
        let first = LineRange::new(LineNumber(1), LineNumber(1));
        let own = node_id(table.ranges[at].start as usize);
        let name: Box<str> = "".into();
        let (path_of, kind) = (path.clone(), RelationNodeKind::File);
        nodes.push(RelationNode {
            key: NodeKey { path: path_of, name: name.clone(), kind, line: first.first },
            name,
            lines,
            signature: "".into(),
            signature_lines: first,
            visibility: Visibility::Public,
            parent: None,
            in_tests: of_tests,
            class: file.class,
        });
        for definition in &file.definitions {
            let parent = definition.parent.map(|parent| table.node_id(at, parent.as_usize()));
            let in_tests = of_tests
                || definition.kind == EntityKind::Test
                || is_test_module(definition)
                || parent.is_some_and(|parent| nodes[parent.index()].in_tests);
            let node = entity_node(&path, definition, parent.unwrap_or(own));
            nodes.push(RelationNode { in_tests, class: file.class, ..node });
        }
    }
    nodes
}

fn is_test_module(definition: &Definition) -> bool {
    definition.kind == EntityKind::Module && matches!(&*definition.name, "test" | "tests")
}

fn entity_node(path: &Arc<str>, definition: &Definition, parent: NodeId) -> RelationNode {
    RelationNode {
        key: NodeKey {
            path: path.clone(),
            name: definition.qualified_name.clone(),
            kind: RelationNodeKind::Entity(definition.kind),
            line: definition.signature.first,
        },
        lines: definition.lines,
        name: definition.name.clone(),
        signature: definition.signature_text.clone(),
        signature_lines: definition.signature,
        visibility: definition.visibility,
        parent: Some(parent),
        in_tests: false,
        class: FileClass::Source,
    }
}

/// Collects relations, in any order and with duplicates.
struct RelationBuilder<'a> {
    nodes: &'a [RelationNode],
    relations: Vec<Relation>,
    unresolved_calls: BTreeMap<Box<str>, u32>,
}

impl RelationBuilder<'_> {
    fn push(&mut self, relation: Relation) {
        if relation.from != relation.to && relation.weight > 0.0 {
            self.relations.push(relation);
        }
    }

    fn add_containment(&mut self, table: &DefinitionTable<'_>, at: usize) {
        for node in table.ranges[at].start + 1..table.ranges[at].end {
            let to = NodeId(node);
            if let Some(from) = self.nodes[to.index()].parent {
                let line = self.nodes[to.index()].key.line;
                let kind = RelationKind::Contains;
                self.push(Relation { from, kind, to, weight: 1.0, count: 1, line });
            }
        }
    }

    fn add_imports_and_uses(&mut self, resolver: &NameResolver<'_>) {
        self.add_imports(resolver);
        let uses = &resolver.file.uses;
        let mut from = 0;
        while from < uses.len() {
            let inside = uses[from].inside;
            let same = uses[from..].iter().take_while(|of| of.inside == inside).count();
            let group = &uses[from..from + same];
            let near = nearby_names(resolver, group, inside);
            for of in group {
                self.add_use(resolver, of, &near);
            }
            from += same;
        }
    }

    /// Adds relations to the imported files and to the entities that imports name.
    fn add_imports(&mut self, resolver: &NameResolver<'_>) {
        let table = resolver.table;
        let own = NodeId(table.ranges[resolver.at].start);
        let kind = RelationKind::Imports;
        for import in &resolver.file.imports {
            let line = import.line;
            let scope = resolver.reexports.modules.resolve_module(
                resolver.family,
                resolver.at,
                &import.module,
            );
            let fronts: Vec<usize> = scope.entry_files.iter().cloned().flatten().collect();
            if fronts.is_empty() {
                continue;
            }
            let share = 1.0 / fronts.len() as f32;
            for file in fronts.into_iter().take(IMPORTED_FILES_MAX) {
                let to = NodeId(table.ranges[file].start);
                self.push(Relation { from: own, kind, to, weight: share, count: 1, line });
            }
            for name in &import.names {
                let meant = resolver.imported_nodes(&name.name, &scope);
                let share = 1.0 / meant.len().max(1) as f32;
                for to in meant {
                    self.push(Relation { from: own, kind, to, weight: share, count: 1, line });
                }
            }
        }
    }

    fn add_use(&mut self, resolver: &NameResolver<'_>, of: &SymbolUse, near: &HashSet<u32>) {
        let meant = resolver.resolve_use(of, near);
        let own = NodeId(resolver.table.ranges[resolver.at].start);
        let from = of.inside.map_or(own, |at| resolver.table.node_id(resolver.at, at.as_usize()));
        let share = meant.evidence / meant.nodes.len().max(1) as f32;
        // A use with many candidates is mostly related to the wrong one.
        if share < RELATION_WEIGHT_MIN {
            if of.role == UseRole::Call {
                self.count_unresolved_call(resolver, of);
            }
            return;
        }
        for to in meant.nodes {
            let kind = self.relation_kind(of.role, from, to);
            let (count, line) = (of.count, of.line);
            self.push(Relation { from, kind, to, weight: share, count, line });
        }
    }

    /// Counts a call of a name that the repository defines.
    fn count_unresolved_call(&mut self, resolver: &NameResolver<'_>, of: &SymbolUse) {
        let name = resolver.file.name_at(of.name);
        if resolver.table.name_id(name).is_none() {
            return;
        }
        match self.unresolved_calls.get_mut(name) {
            Some(count) => *count = count.saturating_add(of.count),
            None => {
                self.unresolved_calls.insert(name.into(), of.count);
            }
        }
    }

    fn relation_kind(&self, role: UseRole, from: NodeId, to: NodeId) -> RelationKind {
        let (source, target) = (&self.nodes[from.index()], &self.nodes[to.index()]);
        let is_test = source.in_tests && !target.in_tests;
        match role {
            UseRole::Documented => RelationKind::Documents,
            _ if is_test => RelationKind::Tests,
            UseRole::Call => RelationKind::Calls,
            UseRole::Returned => RelationKind::Returns,
            UseRole::Type => RelationKind::UsesType,
            UseRole::Name => match target.key.kind {
                RelationNodeKind::Entity(
                    EntityKind::Type | EntityKind::Trait | EntityKind::Enum,
                ) => RelationKind::UsesType,
                _ => RelationKind::References,
            },
        }
    }

    /// Relates a test file to the files it is named after, those in the nearest folder.
    fn add_tested_files(
        &mut self,
        table: &DefinitionTable<'_>,
        modules: &ModuleIndex<'_>,
        at: usize,
    ) {
        let path = &*table.files[at].path;
        let Some(subject) = tested_stem(path) else { return };
        let found = modules.files_with_stem(subject).iter().copied();
        let found: Vec<usize> = found
            .filter(|file| *file != at && table.families[*file] == table.families[at])
            .filter(|file| !is_test_file(&table.files[*file].path))
            .collect();
        let shared = |file: &usize| shared_folder_count(path, &table.files[*file].path);
        let Some(best) = found.iter().map(shared).max() else { return };
        let nearest: Vec<usize> = found.into_iter().filter(|file| shared(file) == best).collect();
        let share = 0.8 / nearest.len() as f32;
        let own = NodeId(table.ranges[at].start);
        for file in nearest.into_iter().take(SUBJECTS_MAX) {
            let to = NodeId(table.ranges[file].start);
            let (kind, line) = (RelationKind::Tests, LineNumber(1));
            self.push(Relation { from: own, kind, to, weight: share, count: 1, line });
        }
    }
}

/// Returns the ids of all names and qualifiers used in the same entity, its header included.
fn nearby_names(
    resolver: &NameResolver<'_>,
    group: &[SymbolUse],
    inside: Option<EntityIndex>,
) -> HashSet<u32> {
    if inside.is_none() {
        return HashSet::new();
    }
    group
        .iter()
        .flat_map(|of| [Some(of.name), of.qualifier])
        .flatten()
        .flat_map(|name| resolver.file.name_at(name).split(['.', ':']))
        .filter_map(|name| resolver.table.name_id(name))
        .collect()
}

/// Returns the number of leading folders that two paths share.
fn shared_folder_count(one: &str, other: &str) -> usize {
    one.split('/').zip(other.split('/')).take_while(|(one, other)| one == other).count()
}

/// Sorts relations and merges those of the same kind between the same nodes.
fn merge_relations(mut relations: Vec<Relation>) -> Vec<Relation> {
    relations.sort_by_key(|of| (of.from, of.kind, of.to, of.line));
    relations.dedup_by(|next, kept| {
        let same = (next.from, next.kind, next.to) == (kept.from, kept.kind, kept.to);
        if same {
            kept.weight = kept.weight.max(next.weight);
            kept.count = kept.count.saturating_add(next.count);
        }
        same
    });
    relations.shrink_to_fit();
    relations
}
