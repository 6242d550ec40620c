//! From the symbols of all files to their relations.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use super::graph::id;
use super::modules::Modules;
use super::reexports::Reexports;
use super::resolver::Resolver;
use super::symbols::{Definition, FileSymbols, Use, UseRole};
use super::table::Table;
use super::tests_of::{is_test_file, subject};
use super::{Node, NodeId, NodeKey, NodeKind, Relation, RelationKind, Relations, WEIGHT_FOUND_MIN};
use crate::{EntityIndex, EntityKind, FileClass, LineNumber, LineRange, Visibility};

/// Files that one import can be related to, as the files of a package are.
const IMPORTED_FILES_MAX: usize = 16;

/// Files that a file of tests can be named after.
const SUBJECTS_MAX: usize = 4;

impl Relations {
    /// The relations of a repository that consists of `files`, in any order; of files with
    /// the same path only one counts.
    pub fn of(mut files: Vec<FileSymbols>) -> Self {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|a, b| a.path == b.path);
        let table = Table::new(&files);
        let reexports = Reexports::new(&files);
        let nodes = nodes(&table);
        let mut found = RelationBuilder { nodes: &nodes, relations: Vec::new() };
        for at in 0..files.len() {
            found.contains(&table, at);
            found.imports_and_uses(&Resolver::new(&table, &reexports, at));
            found.named_after(&table, &reexports.modules, at);
        }
        let relations = merged(found.relations);
        Self::sorted(nodes, table.ranges, relations)
    }

    /// Adds the lookups to sorted relations.
    fn sorted(nodes: Vec<Node>, files: Vec<Range<u32>>, relations: Vec<Relation>) -> Self {
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
        Self { nodes, files, relations, starts, incoming, incoming_starts }
    }
}

fn nodes(table: &Table<'_>) -> Vec<Node> {
    let mut nodes = Vec::new();
    for (at, file) in table.files.iter().enumerate() {
        let path: Arc<str> = Arc::from(&*file.path);
        let of_tests = is_test_file(&file.path);
        let lines = LineRange::new(LineNumber(1), LineNumber(file.line_count.max(1)));
        let first = LineRange::new(LineNumber(1), LineNumber(1));
        let own = id(table.ranges[at].start as usize);
        let name: Box<str> = "".into();
        let (path_of, kind) = (path.clone(), NodeKind::File);
        nodes.push(Node {
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
            let parent = definition.parent.map(|parent| table.node(at, parent.get()));
            let in_tests = of_tests
                || definition.kind == EntityKind::Test
                || is_module_of_tests(definition)
                || parent.is_some_and(|parent| nodes[parent.index()].in_tests);
            let node = entity(&path, definition, parent.unwrap_or(own));
            nodes.push(Node { in_tests, class: file.class, ..node });
        }
    }
    nodes
}

fn is_module_of_tests(definition: &Definition) -> bool {
    definition.kind == EntityKind::Module && matches!(&*definition.name, "test" | "tests")
}

fn entity(path: &Arc<str>, definition: &Definition, parent: NodeId) -> Node {
    Node {
        key: NodeKey {
            path: path.clone(),
            name: definition.qualified_name.clone(),
            kind: NodeKind::Entity(definition.kind),
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

/// Relations while they are found.
struct RelationBuilder<'a> {
    nodes: &'a [Node],
    relations: Vec<Relation>,
}

impl RelationBuilder<'_> {
    fn push(
        &mut self,
        from: NodeId,
        kind: RelationKind,
        to: NodeId,
        weight: f32,
        of: (u32, LineNumber),
    ) {
        if from != to && weight > 0.0 {
            let (count, line) = of;
            self.relations.push(Relation { from, kind, to, weight, count, line });
        }
    }

    fn contains(&mut self, table: &Table<'_>, at: usize) {
        for node in table.ranges[at].start + 1..table.ranges[at].end {
            let to = NodeId(node);
            if let Some(from) = self.nodes[to.index()].parent {
                let line = self.nodes[to.index()].key.line;
                self.push(from, RelationKind::Contains, to, 1.0, (1, line));
            }
        }
    }

    fn imports_and_uses(&mut self, resolver: &Resolver<'_>) {
        self.imports(resolver);
        let uses = &resolver.file.uses;
        let mut from = 0;
        while from < uses.len() {
            let inside = uses[from].inside;
            let same = uses[from..].iter().take_while(|of| of.inside == inside).count();
            let group = &uses[from..from + same];
            let near = near(resolver, group, inside);
            for of in group {
                self.use_of(resolver, of, &near);
            }
            from += same;
        }
    }

    /// Relations to the files that are imported and to what is taken from them by name.
    fn imports(&mut self, resolver: &Resolver<'_>) {
        let table = resolver.table;
        let own = NodeId(table.ranges[resolver.at].start);
        for import in &resolver.file.imports {
            let scope =
                resolver.reexports.modules.find(resolver.family, resolver.at, &import.module);
            let fronts: Vec<usize> = scope.fronts.iter().cloned().flatten().collect();
            if fronts.is_empty() {
                continue;
            }
            let share = 1.0 / fronts.len() as f32;
            for file in fronts.into_iter().take(IMPORTED_FILES_MAX) {
                let to = NodeId(table.ranges[file].start);
                self.push(own, RelationKind::Imports, to, share, (1, import.line));
            }
            for name in &import.names {
                let meant = resolver.taken(&name.name, &scope);
                let share = 1.0 / meant.len().max(1) as f32;
                for to in meant {
                    self.push(own, RelationKind::Imports, to, share, (1, import.line));
                }
            }
        }
    }

    fn use_of(&mut self, resolver: &Resolver<'_>, of: &Use, near: &HashSet<u32>) {
        let meant = resolver.meant(of, near);
        let own = NodeId(resolver.table.ranges[resolver.at].start);
        let from = of.inside.map_or(own, |at| resolver.table.node(resolver.at, at.get()));
        let share = meant.evidence / meant.nodes.len().max(1) as f32;
        // What is only possible is mostly wrong.
        if share < WEIGHT_FOUND_MIN {
            return;
        }
        for to in meant.nodes {
            let kind = self.kind(of.role, from, to);
            self.push(from, kind, to, share, (of.count, of.line));
        }
    }

    fn kind(&self, role: UseRole, from: NodeId, to: NodeId) -> RelationKind {
        let (source, target) = (&self.nodes[from.index()], &self.nodes[to.index()]);
        let is_test = source.in_tests && !target.in_tests;
        match role {
            UseRole::Documented => RelationKind::Documents,
            _ if is_test => RelationKind::Tests,
            UseRole::Call => RelationKind::Calls,
            UseRole::Returned => RelationKind::Returns,
            UseRole::Type => RelationKind::UsesType,
            UseRole::Name => match target.key.kind {
                NodeKind::Entity(EntityKind::Type | EntityKind::Trait | EntityKind::Enum) => {
                    RelationKind::UsesType
                }
                _ => RelationKind::References,
            },
        }
    }

    /// A file of tests and the files it is named after: those in the nearest folder.
    fn named_after(&mut self, table: &Table<'_>, modules: &Modules<'_>, at: usize) {
        let path = &*table.files[at].path;
        let Some(subject) = subject(path) else { return };
        let found = modules.called(subject).iter().copied();
        let found: Vec<usize> = found
            .filter(|file| *file != at && table.families[*file] == table.families[at])
            .filter(|file| !is_test_file(&table.files[*file].path))
            .collect();
        let shared = |file: &usize| shared_folders(path, &table.files[*file].path);
        let Some(best) = found.iter().map(shared).max() else { return };
        let nearest: Vec<usize> = found.into_iter().filter(|file| shared(file) == best).collect();
        let share = 0.8 / nearest.len() as f32;
        let own = NodeId(table.ranges[at].start);
        for file in nearest.into_iter().take(SUBJECTS_MAX) {
            let to = NodeId(table.ranges[file].start);
            self.push(own, RelationKind::Tests, to, share, (1, LineNumber(1)));
        }
    }
}

/// Ids of the names that are used in the same entity, and in the header of what it is in.
fn near(resolver: &Resolver<'_>, group: &[Use], inside: Option<EntityIndex>) -> HashSet<u32> {
    if inside.is_none() {
        return HashSet::new();
    }
    group
        .iter()
        .flat_map(|of| [Some(of.name), of.qualifier])
        .flatten()
        .flat_map(|name| resolver.file.name(name).split(['.', ':']))
        .filter_map(|name| resolver.table.id_of(name))
        .collect()
}

/// How many folders two paths begin with alike.
fn shared_folders(one: &str, other: &str) -> usize {
    one.split('/').zip(other.split('/')).take_while(|(one, other)| one == other).count()
}

/// Relations in order, each pair once for each kind.
fn merged(mut relations: Vec<Relation>) -> Vec<Relation> {
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
