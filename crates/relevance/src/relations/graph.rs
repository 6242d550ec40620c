//! The nodes and relations of a repository, with lookups by node and by file.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use foveal_syntax::{EntityKind, FileClass, LineRange, Visibility};
use foveal_transcript::LineNumber;

/// The least weight of a relation; a use with less weight gets none.
pub(super) const RELATION_WEIGHT_MIN: f32 = 0.3;

/// The index of a node of [`Relations`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeId(pub u32);

impl NodeId {
    /// Returns the id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum RelationNodeKind {
    /// A whole file.
    File,
    /// An entity that a file defines.
    Entity(EntityKind),
}

impl RelationNodeKind {
    /// Returns the kind in lower case, for display.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Entity(kind) => kind.name(),
        }
    }
}

/// The identity of a node from one parse to the next.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeKey {
    /// The path of the file.
    pub path: Arc<str>,
    /// The qualified name; empty for a file.
    pub name: Box<str>,
    /// The kind of node.
    pub kind: RelationNodeKind,
    /// The first line of the signature.
    pub line: LineNumber,
}

/// A file or an entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelationNode {
    /// The identity of the node.
    pub key: NodeKey,
    /// The unqualified name; empty for a file.
    pub name: Box<str>,
    /// All lines of the node.
    pub lines: LineRange,
    /// The text of the signature, as in [`super::Definition::signature_text`]; empty for a file.
    pub signature: Box<str>,
    /// The lines of the whole signature.
    pub signature_lines: LineRange,
    /// The visibility of the definition.
    pub visibility: Visibility,
    /// The enclosing entity, or the file where there is none.
    pub parent: Option<NodeId>,
    /// Whether the node is a test, is inside a test, or is in a test file.
    pub in_tests: bool,
    /// The class of its file.
    pub class: FileClass,
}

/// The kind of a relation between two nodes, `from` and `to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum RelationKind {
    /// `to` is part of `from`.
    Contains,
    /// The file `from` imports the file `to` or one of its entities.
    Imports,
    /// `from` calls `to`, or makes a value of that type.
    Calls,
    /// `from` names `to`.
    References,
    /// `from` names `to` as a type.
    UsesType,
    /// The signature of `from` returns `to`.
    Returns,
    /// `from` is a test and calls or names `to`, or is the test file of the file `to`.
    Tests,
    /// `from` is documentation that names `to`.
    Documents,
}

impl RelationKind {
    /// Returns the relation as a verb, for display.
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

/// A directed relation between two nodes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Relation {
    /// The node that calls, contains or names.
    pub from: NodeId,
    /// The kind of relation.
    pub kind: RelationKind,
    /// The node that is called, contained or named.
    pub to: NodeId,
    /// The likelihood that the use refers to this node, above 0 and at most 1: the weight of the
    /// evidence, divided by the number of candidates.
    pub weight: f32,
    /// The number of uses; at least 1.
    pub count: u32,
    /// The line of the first use, in the file of `from`.
    pub line: LineNumber,
}

/// The relations of a repository.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Relations {
    pub(super) nodes: Vec<RelationNode>,
    /// The nodes of each file, the file's own node first; by path.
    pub(super) files: Vec<Range<u32>>,
    /// The relations by `from`, kind and `to`, each such triple once.
    pub(super) relations: Vec<Relation>,
    /// For each node the start of its relations in `relations`, and one end.
    pub(super) starts: Vec<u32>,
    /// Indices into `relations`, by `to`.
    pub(super) incoming: Vec<u32>,
    /// For each node the start of its relations in `incoming`, and one end.
    pub(super) incoming_starts: Vec<u32>,
    /// By name, the number of calls that no definition of that name can be told for.
    pub(super) unresolved_calls: BTreeMap<Box<str>, u32>,
}

impl Relations {
    /// Returns all nodes with their ids.
    pub fn indexed_nodes(&self) -> impl Iterator<Item = (NodeId, &RelationNode)> {
        self.nodes.iter().enumerate().map(|(at, node)| (node_id(at), node))
    }

    /// Returns the kind of a node in lower case, for display; an enumeration's field is a
    /// `variant`.
    pub fn kind_name(&self, of: NodeId) -> &'static str {
        let node = self.node(of);
        let parent = node.parent.map(|parent| self.node(parent).key.kind);
        match (node.key.kind, parent) {
            (
                RelationNodeKind::Entity(EntityKind::Field),
                Some(RelationNodeKind::Entity(EntityKind::Enum)),
            ) => "variant",
            (kind, _) => kind.name(),
        }
    }

    /// Returns the node with the id `of`.
    ///
    /// # Panics
    ///
    /// If `of` is not an id of these relations.
    pub fn node(&self, of: NodeId) -> &RelationNode {
        &self.nodes[of.index()]
    }

    /// Returns all nodes in the order of their ids.
    pub(crate) fn nodes(&self) -> impl ExactSizeIterator<Item = &RelationNode> {
        self.nodes.iter()
    }

    /// Returns the nodes of files, by path.
    pub fn files(&self) -> impl ExactSizeIterator<Item = NodeId> {
        self.files.iter().map(|nodes| NodeId(nodes.start))
    }

    /// Returns the file of a node; a file is its own.
    pub fn file_of(&self, of: NodeId) -> NodeId {
        NodeId(self.files[self.file_position(of)].start)
    }

    /// Returns the file at `path`.
    pub fn file_at(&self, path: &str) -> Option<NodeId> {
        let path_of = |nodes: &Range<u32>| &*self.nodes[nodes.start as usize].key.path;
        let at = self.files.binary_search_by(|nodes| path_of(nodes).cmp(path)).ok()?;
        Some(NodeId(self.files[at].start))
    }

    /// Returns the entities of a file, in order.
    pub fn entities_of(&self, file: NodeId) -> impl Iterator<Item = NodeId> {
        let nodes = &self.files[self.file_position(file)];
        (nodes.start + 1..nodes.end).map(NodeId)
    }

    /// Returns all relations, by `from`, kind and `to`.
    pub fn all_relations(&self) -> &[Relation] {
        &self.relations
    }

    /// Returns the relations from a node, by kind and `to`.
    pub fn outgoing(&self, of: NodeId) -> &[Relation] {
        let (from, to) = (self.starts[of.index()], self.starts[of.index() + 1]);
        &self.relations[from as usize..to as usize]
    }

    /// Returns the relations to a node, by `from` and kind.
    pub fn incoming(&self, of: NodeId) -> impl Iterator<Item = &Relation> {
        let starts = &self.incoming_starts;
        let (from, to) = (starts[of.index()], starts[of.index() + 1]);
        self.incoming[from as usize..to as usize].iter().map(|at| &self.relations[*at as usize])
    }

    /// Returns the number of calls of a node's name that are related to no definition, because it is
    /// not clear which one they mean.
    pub fn unresolved_calls(&self, of: NodeId) -> u32 {
        self.unresolved_calls.get(&self.node(of).name).copied().unwrap_or(0)
    }

    /// Returns the position of a node's file among the files.
    pub(super) fn file_position(&self, of: NodeId) -> usize {
        self.files.partition_point(|nodes| nodes.start <= of.0).saturating_sub(1)
    }
}

/// Returns the id of the node at `index`.
pub(super) fn node_id(index: usize) -> NodeId {
    NodeId(u32::try_from(index).expect("the number of nodes is bounded when they are made"))
}
