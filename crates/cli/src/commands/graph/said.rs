//! What a model says of a symbol and of how it is related to others.

use foveal_code::relations::{NodeId, Relations};
use foveal_index::{Said, SaidRelation, said_of};

/// Relations that are shown of what a model says.
const RELATIONS_MAX: usize = 20;

/// What models say, by file.
#[derive(Clone, Copy)]
pub(super) struct ModelWords<'a> {
    files: &'a [(String, Said)],
    relations: &'a Relations,
}

/// Two things that a model relates.
pub(super) struct ModelRelation<'a> {
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    /// How they are related.
    pub(super) why: &'a str,
}

impl<'a> ModelWords<'a> {
    pub(super) fn of(files: &'a [(String, Said)], relations: &'a Relations) -> Self {
        Self { files, relations }
    }

    /// What a thing does or is for.
    pub(super) fn summary(self, of: NodeId) -> Option<&'a str> {
        let key = &self.relations.node(of).key;
        said_of(self.files, (&key.path, &key.name)).summaries.first().copied()
    }

    /// How a thing is related to others that are there and may be told.
    pub(super) fn related(
        self,
        of: NodeId,
        is_told: &dyn Fn(NodeId) -> bool,
    ) -> Vec<ModelRelation<'a>> {
        let key = &self.relations.node(of).key;
        let said = said_of(self.files, (&key.path, &key.name)).relations.into_iter();
        let ends = |(file, relation): (&str, &'a SaidRelation)| {
            let SaidRelation { from, to_path, to, why } = relation;
            let (from, to) = (self.named(of, file, from)?, self.named(of, to_path, to)?);
            (is_told(from) && is_told(to)).then_some(ModelRelation { from, to, why })
        };
        said.filter_map(ends).take(RELATIONS_MAX).collect()
    }

    /// The thing of this name; `of` where it is called so itself.
    fn named(self, of: NodeId, path: &str, name: &str) -> Option<NodeId> {
        let is_it = |node: &NodeId| {
            let key = &self.relations.node(*node).key;
            &*key.path == path && &*key.name == name
        };
        if is_it(&of) {
            return Some(of);
        }
        self.relations.meant(&format!("{path}:{name}")).into_iter().find(is_it)
    }
}
