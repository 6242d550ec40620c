//! The relations of all roots, as tools report them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use foveal_relevance::relations::{NodeId, RelationNodeKind, Relations};
use foveal_workspace::{Root, WorkspaceRoots};

use crate::answer::AnswerDependency;
use crate::code_index::IndexGaps;
use crate::error::ToolError;
use crate::notes::SearchNote;
use crate::session::CallContext;

/// The relations between the entities of all roots, from files as they are now.
pub(crate) struct WorkspaceRelations {
    pub(crate) roots: WorkspaceRoots,
    pub(crate) by_root: Vec<RootRelations>,
    /// Notes on roots that could not be queried, and on files that are not indexed yet.
    pub(crate) gap_notes: Vec<SearchNote>,
    /// The dependencies of an answer; empty if there are gaps.
    pub(crate) dependencies: Vec<AnswerDependency>,
}

/// The relations of one root.
pub(crate) struct RootRelations {
    pub(crate) relations: Arc<Relations>,
    root: Arc<Root>,
}

impl WorkspaceRelations {
    /// Loads the relations of all roots. `subject` is the subject of the call's permission.
    ///
    /// # Errors
    /// Returns an error if the caller stops the query, or no index can be read.
    pub(crate) fn load(work: &CallContext<'_>, subject: &str) -> Result<Self, ToolError> {
        let since = SystemTime::now();
        let found = work.toolbox.index.relations(work.control)?;
        let roots = work.roots();
        let missing = gap_notes(work, &roots, &found.gaps);
        let index = AnswerDependency::Index(subject.to_owned(), since);
        let depends = if found.gaps.is_empty() {
            vec![index, work.directory_dependency()]
        } else {
            Vec::new()
        };
        let related = |(path, relations): (Option<PathBuf>, Arc<Relations>)| {
            let root = Arc::clone(find_root(&roots, path.as_deref())?);
            Some(RootRelations { relations, root })
        };
        let all = found.relations.into_iter().filter_map(related).collect();
        Ok(Self { roots, by_root: all, gap_notes: missing, dependencies: depends })
    }

    /// Returns the message that no entity is called `symbol`, from the root with the most
    /// suggestions, and with the gaps in which it may be.
    pub(crate) fn unknown_symbol_message(&self, symbol: &str) -> String {
        let told = self.by_root.iter().map(|root| root.relations.unknown_symbol_message(symbol));
        self.append_gaps(told.max_by_key(String::len).unwrap_or_default())
    }

    /// Appends the notes on gaps to a message.
    pub(crate) fn append_gaps(&self, told: String) -> String {
        self.gap_notes.iter().fold(told, |told, note| format!("{told}\n{note}"))
    }
}

impl RootRelations {
    /// Returns the path of a node's file as answers show it.
    pub(crate) fn display_path(&self, roots: &WorkspaceRoots, of: NodeId) -> String {
        roots.display_path_below(&self.root, Path::new(&*self.relations.node(of).key.path))
    }

    /// Returns whether the relations are of the root at `place`; `None` is the first root.
    pub(crate) fn is_of_root(&self, roots: &WorkspaceRoots, place: Option<&Path>) -> bool {
        find_root(roots, place).is_some_and(|root| root.path() == self.root.path())
    }

    /// Returns the path of a file as rules call it.
    pub(crate) fn rule_path(&self, roots: &WorkspaceRoots, path: &str) -> String {
        roots.rule_path(&self.root, Path::new(path))
    }

    /// Describes a node: `src/parse.rs:12 function parse`.
    pub(crate) fn describe_node(&self, roots: &WorkspaceRoots, of: NodeId) -> String {
        let (key, path) = (&self.relations.node(of).key, self.display_path(roots, of));
        match key.kind {
            RelationNodeKind::File => format!("{path} file"),
            RelationNodeKind::Entity(_) => {
                let kind = self.relations.kind_name(of);
                format!("{path}:{} {kind} {}", key.line.0, key.name)
            }
        }
    }

    /// Returns a requested symbol with its path in the form of the index, if the path names a file
    /// of this root as seen from the working directory.
    pub(crate) fn resolve_symbol_path(&self, roots: &WorkspaceRoots, asked: &str) -> String {
        let (path, rest) = match asked.find(':') {
            Some(at) => asked.split_at(at),
            None => (asked, ""),
        };
        let located = Some(path).filter(|path| path.contains(['.', '/']));
        let located = located.and_then(|path| roots.resolve(path).ok());
        let is_here = |root: &Root| root.path() == self.root.path();
        match located.filter(|found| is_here(found.root()) && found.metadata().is_ok()) {
            Some(found) => format!("{}{rest}", found.relative_path().to_string_lossy()),
            None => asked.to_owned(),
        }
    }

    /// Returns a filter for the nodes that permission rules allow, with a cache by file.
    pub(crate) fn node_filter<'a>(
        &'a self,
        work: &'a CallContext<'_>,
        roots: &'a WorkspaceRoots,
    ) -> NodeFilter<'a> {
        NodeFilter { of: self, work, roots, known: HashMap::new() }
    }
}

/// A filter for the nodes of a root that permission rules allow to be shown.
pub(crate) struct NodeFilter<'a> {
    of: &'a RootRelations,
    work: &'a CallContext<'a>,
    roots: &'a WorkspaceRoots,
    known: HashMap<NodeId, bool>,
}

impl NodeFilter<'_> {
    pub(crate) fn allows_node(&mut self, node: NodeId) -> bool {
        let file = self.of.relations.file_of(node);
        *self.known.entry(file).or_insert_with(|| {
            let path = Path::new(&*self.of.relations.node(file).key.path);
            self.work.rules_allow(&self.roots.rule_path(&self.of.root, path))
        })
    }
}

/// Returns the root with this path; `None` is the first root.
pub(crate) fn find_root<'a>(
    roots: &'a WorkspaceRoots,
    path: Option<&Path>,
) -> Option<&'a Arc<Root>> {
    match path {
        None => roots.all().next(),
        Some(path) => roots.all().find(|root| root.path() == path),
    }
}

/// Most files with unindexed changes that a note names.
const STALE_FILES_MAX: usize = 8;

/// Returns notes on roots without an index, on failed indexes, and on files with unindexed changes.
pub(crate) fn gap_notes(
    work: &CallContext<'_>,
    roots: &WorkspaceRoots,
    lacks: &IndexGaps,
) -> Vec<SearchNote> {
    let mut missing = Vec::new();
    for (root, files) in &lacks.stale {
        let Some(root) = find_root(roots, root.as_deref()) else { continue };
        let is_told = |file: &&Path| work.rules_allow(&roots.rule_path(root, file));
        let files: Vec<&Path> = files.iter().map(Path::new).filter(is_told).collect();
        let told = files
            .iter()
            .take(STALE_FILES_MAX)
            .map(|file| roots.display_path_below(root, file).into());
        let (told, more) = (told.collect(), files.len().saturating_sub(STALE_FILES_MAX) as u64);
        if !files.is_empty() {
            missing.push(SearchNote::Behind { files: told, more });
        }
    }
    for root in roots.all().skip(1).filter(|root| !work.toolbox.index.has_root(root.path())) {
        let told = roots.display_path(root.path());
        missing.push(SearchNote::NoIndex(told.into()));
    }
    for (root, error) in &lacks.failed {
        let root = find_root(roots, root.as_deref());
        let told = root.map_or_else(String::new, |root| roots.display_path(root.path()));
        let (folder, why) = (told.into(), error.to_string().into());
        missing.push(SearchNote::Passed { folder, why });
    }
    missing
}
