//! The relations of the entities of a file, in words.

use std::fmt::Write;

use foveal_syntax::EntityIndex;

use super::touched_entities::TouchedEntities;
use crate::curation::SourceFile;
use crate::relations::{
    FileSymbols, NodeId, RelationKind, RelationNode, RelationNodeKind, Relations,
};

/// The number of names of one kind of relation that are stated.
const NAMES_MAX: usize = 3;

/// The relations of each entity of a file, in words.
pub(super) struct EntityRelationTexts {
    words: Vec<Box<str>>,
}

impl EntityRelationTexts {
    /// Describes the relations of the file at `path`; touched entities come first.
    pub(super) fn describe(
        path: &str,
        relations: &Relations,
        touched: &TouchedEntities<'_>,
    ) -> Self {
        let Some(node) = relations.file_at(path) else { return Self { words: Vec::new() } };
        let words = relations
            .entities_of(node)
            .map(|of| describe_entity_relations(relations, of, touched).into_boxed_str())
            .collect();
        Self { words }
    }

    /// Returns the relations of an entity in words; empty where there are none.
    pub(super) fn entity_text(&self, at: EntityIndex) -> &str {
        self.words.get(at.as_usize()).map(|words| &**words).unwrap_or_default()
    }
}

/// Returns the relations of `file` to itself and to `known`.
pub(crate) fn file_relations(file: &SourceFile<'_>, known: &[FileSymbols]) -> Relations {
    let others = known.iter().filter(|of| &*of.path != file.path).cloned();
    let own = FileSymbols::from_parsed(file.path, file.parsed, file.text);
    Relations::from_files(others.chain([own]).collect())
}

/// Returns the verbs of a relation, as seen from its source and from its target; `None` if
/// summaries omit it.
fn relation_verbs(kind: RelationKind) -> Option<(&'static str, &'static str)> {
    match kind {
        RelationKind::Calls => Some(("calls", "called by")),
        RelationKind::References | RelationKind::UsesType | RelationKind::Returns => {
            Some(("uses", "used by"))
        }
        RelationKind::Tests => Some(("tests", "tested by")),
        RelationKind::Contains | RelationKind::Imports | RelationKind::Documents => None,
    }
}

fn describe_entity_relations(
    relations: &Relations,
    of: NodeId,
    touched: &TouchedEntities<'_>,
) -> String {
    let outgoing = relations.outgoing(of).iter().map(|relation| (relation, true));
    let incoming = relations.incoming(of).map(|relation| (relation, false));
    let found = outgoing.chain(incoming);
    let mut groups: Vec<(&str, Vec<(NodeId, u32)>)> = Vec::new();
    for (relation, is_from) in found {
        let Some((from, to)) = relation_verbs(relation.kind) else { continue };
        let (verb, other) = if is_from { (from, relation.to) } else { (to, relation.from) };
        let (node, own) = (relations.node(other), relations.node(of));
        // Methods naturally use their own type.
        if node.key.kind == RelationNodeKind::File || node.name == own.name {
            continue;
        }
        match groups.iter_mut().find(|(known, _)| *known == verb) {
            Some((_, others)) => others.push((other, relation.count)),
            None => groups.push((verb, vec![(other, relation.count)])),
        }
    }
    let mut words = String::new();
    for (verb, mut others) in groups {
        // One verb stands for several kinds of relations.
        others.sort_by_key(|(other, _)| *other);
        others.dedup_by(|(next, count), (other, sum)| {
            let is_same = next == other;
            *sum = if is_same { sum.saturating_add(*count) } else { *sum };
            is_same
        });
        others.sort_by_key(|(other, count)| {
            (
                !touched.is_name_touched(&relations.node(*other).name),
                std::cmp::Reverse(*count),
                *other,
            )
        });
        if !words.is_empty() {
            words.push_str("; ");
        }
        write_verb_group(&mut words, relations, of, verb, &others);
    }
    words
}

fn write_verb_group(
    out: &mut String,
    relations: &Relations,
    of: NodeId,
    verb: &str,
    others: &[(NodeId, u32)],
) {
    let own = relations.file_of(of);
    out.push_str(verb);
    for (at, (other, _)) in others.iter().take(NAMES_MAX).enumerate() {
        let node: &RelationNode = relations.node(*other);
        out.push_str(if at == 0 { " " } else { ", " });
        out.push_str(&node.name);
        if relations.file_of(*other) != own {
            write!(out, " ({}:{})", node.key.path, node.key.line.0)
                .expect("a string takes all text");
        }
    }
    if others.len() > NAMES_MAX {
        write!(out, " and {} more", others.len() - NAMES_MAX).expect("a string takes all text");
    }
}
