//! Statements of a model about a symbol and its relations.

use foveal_index::{InferredRelation, ModelSummary, describe_entity};
use foveal_relevance::relations::{NodeId, Relations};

/// Limit of relations by a model that are shown.
const RELATIONS_MAX: usize = 20;

/// The statements of models, by file.
#[derive(Clone, Copy)]
pub(super) struct ModelStatements<'a> {
    files: &'a [(String, ModelSummary)],
    relations: &'a Relations,
}

/// A relation of two nodes that a model stated.
pub(super) struct ModelRelation<'a> {
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    /// The model's explanation.
    pub(super) why: &'a str,
}

impl<'a> ModelStatements<'a> {
    pub(super) fn new(files: &'a [(String, ModelSummary)], relations: &'a Relations) -> Self {
        Self { files, relations }
    }

    /// Returns the model's summary of a node.
    pub(super) fn summary(self, of: NodeId) -> Option<&'a str> {
        let key = &self.relations.node(of).key;
        describe_entity(self.files, &key.path, &key.name).summaries.first().copied()
    }

    /// Returns the model's relations of a node to existing nodes that may be shown.
    pub(super) fn visible_relations(
        self,
        of: NodeId,
        is_told: &dyn Fn(NodeId) -> bool,
    ) -> Vec<ModelRelation<'a>> {
        let key = &self.relations.node(of).key;
        let said = describe_entity(self.files, &key.path, &key.name).relations.into_iter();
        let ends = |(file, relation): (&str, &'a InferredRelation)| {
            let InferredRelation { from, to_path, to, why } = relation;
            let (from, to) = (self.find_node(of, file, from)?, self.find_node(of, to_path, to)?);
            (is_told(from) && is_told(to)).then_some(ModelRelation { from, to, why })
        };
        said.filter_map(ends).take(RELATIONS_MAX).collect()
    }

    /// Returns the node with this name; `of` itself takes precedence.
    fn find_node(self, of: NodeId, path: &str, name: &str) -> Option<NodeId> {
        let is_it = |node: &NodeId| {
            let key = &self.relations.node(*node).key;
            &*key.path == path && &*key.name == name
        };
        if is_it(&of) {
            return Some(of);
        }
        self.relations.best_matches(&format!("{path}:{name}")).into_iter().find(is_it)
    }
}
