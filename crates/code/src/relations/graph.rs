//! Nodes, relations, and the questions that they answer themselves.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{EntityKind, FileClass, LineNumber, LineRange, Visibility};

/// A use that means something with less weight than this is related to nothing.
pub(super) const WEIGHT_FOUND_MIN: f32 = 0.3;

/// A node of [`Relations`], by its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The place as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum NodeKind {
    /// A whole file.
    File,
    /// Something that a file defines.
    Entity(EntityKind),
}

impl NodeKind {
    /// The kind in lower case, as shown to readers.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Entity(kind) => kind.name(),
        }
    }
}

/// What names a node from one parse to the next.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeKey {
    /// Its file.
    pub path: Arc<str>,
    /// Its name with those of what it is in; empty for a file.
    pub name: Box<str>,
    /// What it is.
    pub kind: NodeKind,
    /// The first line of its signature.
    pub line: LineNumber,
}

/// A file or an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// What names it.
    pub key: NodeKey,
    /// The last part of its name; empty for a file.
    pub name: Box<str>,
    /// All its lines.
    pub lines: LineRange,
    /// The text of its signature, as [`super::Definition::signature_text`] has it; empty for a file.
    pub signature: Box<str>,
    /// The lines of the whole signature.
    pub signature_lines: LineRange,
    /// Who may use it.
    pub visibility: Visibility,
    /// The entity it is part of; for others their file.
    pub parent: Option<NodeId>,
    /// It is a test, part of one, or in a file of tests.
    pub in_tests: bool,
    /// What sort of file it is in.
    pub class: FileClass,
}

/// How two nodes are related.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum RelationKind {
    /// The other is part of the one.
    Contains,
    /// A file takes names from another, or one of its entities.
    Imports,
    /// It calls the other, or makes a value of that type.
    Calls,
    /// It names the other.
    References,
    /// It names the other as a type.
    UsesType,
    /// Its signature says that it returns the other.
    Returns,
    /// It is a test and calls or names the other, or it is a file of tests for that file.
    Tests,
    /// It is documentation that names the other.
    Documents,
}

impl RelationKind {
    /// The relation as a verb, as shown to readers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Contains => "contains",
            Self::Imports => "imports",
            Self::Calls => "calls",
            Self::References => "references",
            Self::UsesType => "uses type",
            Self::Returns => "returns",
            Self::Tests => "tests",
            Self::Documents => "documents",
        }
    }
}

/// One relation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Relation {
    /// Who calls, contains, names.
    pub from: NodeId,
    /// How.
    pub kind: RelationKind,
    /// Who is called, contained, named.
    pub to: NodeId,
    /// How likely it is this one that is meant, above 0 and at most 1: the weight of the
    /// evidence, divided by how many others may be meant as well.
    pub weight: f32,
    /// How often; at least 1.
    pub count: u32,
    /// Where in the file of `from` it is first.
    pub line: LineNumber,
}

/// The relations of a repository.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Relations {
    pub(super) nodes: Vec<Node>,
    /// The nodes of each file, itself first; by path.
    pub(super) files: Vec<Range<u32>>,
    /// By `from`, kind and `to`, each such triple once.
    pub(super) relations: Vec<Relation>,
    /// Where the relations of each node begin in `relations`, and one end.
    pub(super) starts: Vec<u32>,
    /// Places in `relations` by `to`.
    pub(super) incoming: Vec<u32>,
    /// Where the relations to each node begin in `incoming`, and one end.
    pub(super) incoming_starts: Vec<u32>,
}

impl Relations {
    /// All nodes with their ids.
    pub fn indexed(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes.iter().enumerate().map(|(at, node)| (id(at), node))
    }

    /// What a node is in lower case, as shown to readers; a variant of an enumeration is no
    /// field.
    pub fn kind_name(&self, of: NodeId) -> &'static str {
        let node = self.node(of);
        let parent = node.parent.map(|parent| self.node(parent).key.kind);
        match (node.key.kind, parent) {
            (NodeKind::Entity(EntityKind::Field), Some(NodeKind::Entity(EntityKind::Enum))) => {
                "variant"
            }
            (kind, _) => kind.name(),
        }
    }

    /// The node of that id, which must be one of these.
    pub fn node(&self, of: NodeId) -> &Node {
        &self.nodes[of.index()]
    }

    /// All nodes.
    pub(crate) fn nodes(&self) -> impl ExactSizeIterator<Item = &Node> {
        self.nodes.iter()
    }

    /// The nodes of files, by path.
    pub fn files(&self) -> impl ExactSizeIterator<Item = NodeId> {
        self.files.iter().map(|nodes| NodeId(nodes.start))
    }

    /// The file that a node is or is in.
    pub fn file_of(&self, of: NodeId) -> NodeId {
        NodeId(self.files[self.file_place(of)].start)
    }

    /// The file at `path`.
    pub fn file_at(&self, path: &str) -> Option<NodeId> {
        let path_of = |nodes: &Range<u32>| &*self.nodes[nodes.start as usize].key.path;
        let at = self.files.binary_search_by(|nodes| path_of(nodes).cmp(path)).ok()?;
        Some(NodeId(self.files[at].start))
    }

    /// The entities of a file, in order.
    pub fn entities_of(&self, file: NodeId) -> impl Iterator<Item = NodeId> {
        let nodes = &self.files[self.file_place(file)];
        (nodes.start + 1..nodes.end).map(NodeId)
    }

    /// All relations, by `from`, kind and `to`.
    pub fn all(&self) -> &[Relation] {
        &self.relations
    }

    /// The relations from a node, by kind and `to`.
    pub fn outgoing(&self, of: NodeId) -> &[Relation] {
        let (from, to) = (self.starts[of.index()], self.starts[of.index() + 1]);
        &self.relations[from as usize..to as usize]
    }

    /// The relations to a node, by `from` and kind.
    pub fn incoming(&self, of: NodeId) -> impl Iterator<Item = &Relation> {
        let starts = &self.incoming_starts;
        let (from, to) = (starts[of.index()], starts[of.index() + 1]);
        self.incoming[from as usize..to as usize].iter().map(|at| &self.relations[*at as usize])
    }

    /// The place among the files of the one that a node is in.
    pub(super) fn file_place(&self, of: NodeId) -> usize {
        self.files.partition_point(|nodes| nodes.start <= of.0).saturating_sub(1)
    }
}

/// The id of the node at `index`.
pub(super) fn id(index: usize) -> NodeId {
    NodeId(u32::try_from(index).expect("the number of nodes is bounded when they are made"))
}
