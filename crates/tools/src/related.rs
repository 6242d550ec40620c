//! The relations of all roots, as tools tell of them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use foveal_code::relations::{NodeId, NodeKind, Relations};
use foveal_context::note::{Note, NoteKind, SearchNote};
use foveal_files::{Root, Roots};

use crate::answer::Dependency;
use crate::code_index::Missing;
use crate::error::ToolError;
use crate::session::Work;

/// How everything in the roots is related, of files as they are now.
pub(crate) struct Related {
    pub(crate) roots: Roots,
    pub(crate) all: Vec<RelatedRoot>,
    /// What is said of roots that could not be asked, and of files that are not known yet.
    pub(crate) missing: Vec<Note>,
    /// What an answer made of it rests on; nothing where something is missing.
    pub(crate) depends: Vec<Dependency>,
}

/// One root with its relations.
pub(crate) struct RelatedRoot {
    pub(crate) relations: Arc<Relations>,
    root: Arc<Root>,
}

impl Related {
    /// The relations of all roots; `subject` is what the call asked permission for.
    ///
    /// # Errors
    /// If the caller stops it, or no index can be read.
    pub(crate) fn of(work: &Work<'_>, subject: &str) -> Result<Self, ToolError> {
        let since = SystemTime::now();
        let found = work.toolbox.index.relations(work.control)?;
        let roots = work.roots();
        let missing = missing(work, &roots, &found.missing);
        let index = Dependency::Index(subject.to_owned(), since);
        let depends =
            if found.missing.is_nothing() { vec![index, work.seen_from()] } else { Vec::new() };
        let related = |(path, relations): (Option<PathBuf>, Arc<Relations>)| {
            let root = Arc::clone(root_of(&roots, path.as_deref())?);
            Some(RelatedRoot { relations, root })
        };
        let all = found.relations.into_iter().filter_map(related).collect();
        Ok(Self { roots, all, missing, depends })
    }

    /// Says that nothing is called `symbol`, by the root that has the most to suggest, and where it
    /// may be nevertheless.
    pub(crate) fn unknown(&self, symbol: &str) -> String {
        let told = self.all.iter().map(|root| root.relations.unknown(symbol));
        self.with_missing(told.max_by_key(String::len).unwrap_or_default())
    }

    /// What is told without an answer, with what is missing.
    pub(crate) fn with_missing(&self, told: String) -> String {
        self.missing.iter().fold(told, |told, note| format!("{told}\n{note}"))
    }
}

impl RelatedRoot {
    /// The file of a node as answers call it.
    pub(crate) fn path(&self, roots: &Roots, of: NodeId) -> String {
        roots.shown(&self.root, Path::new(&*self.relations.node(of).key.path))
    }

    /// Whether it is the root of this index; `None` is the first.
    pub(crate) fn is_at(&self, roots: &Roots, place: Option<&Path>) -> bool {
        root_of(roots, place).is_some_and(|root| root.path() == self.root.path())
    }

    /// A file of it as rules call it.
    pub(crate) fn rule_path(&self, roots: &Roots, path: &str) -> String {
        roots.rule_path(&self.root, Path::new(path))
    }

    /// `src/parse.rs:12 function parse`.
    pub(crate) fn place_and_name(&self, roots: &Roots, of: NodeId) -> String {
        let (key, path) = (&self.relations.node(of).key, self.path(roots, of));
        match key.kind {
            NodeKind::File => format!("{path} file"),
            NodeKind::Entity(_) => {
                let kind = self.relations.kind_name(of);
                format!("{path}:{} {kind} {}", key.line.0, key.name)
            }
        }
    }

    /// The symbol that was asked for with its path as the index has it, where it names a file
    /// of this root as it is called from where the session is.
    pub(crate) fn symbol(&self, roots: &Roots, asked: &str) -> String {
        let (path, rest) = match asked.find(':') {
            Some(at) => asked.split_at(at),
            None => (asked, ""),
        };
        let located = Some(path).filter(|path| path.contains(['.', '/']));
        let located = located.and_then(|path| roots.resolve(path).ok());
        let is_here = |root: &Root| root.path() == self.root.path();
        match located.filter(|found| is_here(found.root()) && found.metadata().is_ok()) {
            Some(found) => format!("{}{rest}", found.relative().to_string_lossy()),
            None => asked.to_owned(),
        }
    }

    /// Which nodes the rules allow to be told of, remembered for each file.
    pub(crate) fn allowed<'a>(&'a self, work: &'a Work<'_>, roots: &'a Roots) -> Allowed<'a> {
        Allowed { of: self, work, roots, known: HashMap::new() }
    }
}

/// Which nodes of a root the rules allow to be told of.
pub(crate) struct Allowed<'a> {
    of: &'a RelatedRoot,
    work: &'a Work<'a>,
    roots: &'a Roots,
    known: HashMap<NodeId, bool>,
}

impl Allowed<'_> {
    pub(crate) fn has(&mut self, node: NodeId) -> bool {
        let file = self.of.relations.file_of(node);
        *self.known.entry(file).or_insert_with(|| {
            let path = Path::new(&*self.of.relations.node(file).key.path);
            self.work.is_allowed(&self.roots.rule_path(&self.of.root, path))
        })
    }
}

/// The root whose index gave something.
pub(crate) fn root_of<'a>(roots: &'a Roots, path: Option<&Path>) -> Option<&'a Arc<Root>> {
    match path {
        None => roots.all().next(),
        Some(path) => roots.all().find(|root| root.path() == path),
    }
}

/// Files that are named at most whose changes are missing.
const BEHIND_MAX: usize = 8;

/// What is said of roots without an index, of those whose index failed, and of files that an index
/// does not know as they are.
pub(crate) fn missing(work: &Work<'_>, roots: &Roots, lacks: &Missing) -> Vec<Note> {
    let mut missing = Vec::new();
    for (root, files) in &lacks.behind {
        let Some(root) = root_of(roots, root.as_deref()) else { continue };
        let is_told = |file: &&Path| work.is_allowed(&roots.rule_path(root, file));
        let files: Vec<&Path> = files.iter().map(Path::new).filter(is_told).collect();
        let told = files.iter().take(BEHIND_MAX).map(|file| roots.shown(root, file).into());
        let (told, more) = (told.collect(), files.len().saturating_sub(BEHIND_MAX) as u64);
        if !files.is_empty() {
            missing.push(Note::from(SearchNote::Behind { files: told, more }));
        }
    }
    for root in roots.all().skip(1).filter(|root| !work.toolbox.index.has(root.path())) {
        let told = roots.display_path(root.path());
        missing.push(Note::from(SearchNote::NoIndex).of_file(&told));
    }
    for (root, error) in &lacks.failed {
        let root = root_of(roots, root.as_deref());
        let told = root.map_or_else(String::new, |root| roots.display_path(root.path()));
        let why = NoteKind::Passed { why: error.to_string().into() };
        missing.push(Note::new(why).of_file(&told));
    }
    missing
}
