//! The relations around a symbol as JSON.

use foveal_relevance::relations::{NodeId, Relation, RelationNodeKind, Relations};
use serde_json::{Value, json};

use super::model_statements::{ModelRelation, ModelStatements};
use super::neighbours::Neighbourhood;

/// Returns the nodes by number and the relations between them. Statements of a model are separate.
pub(super) fn relations_to_json(
    relations: &Relations,
    root: NodeId,
    around: &Neighbourhood,
    words: ModelStatements<'_>,
    related: &[ModelRelation<'_>],
) -> Value {
    let node = |of: &NodeId| {
        let node = relations.node(*of);
        json!({
            "id": of.0,
            "kind": relations.kind_name(*of),
            "name": (node.key.kind != RelationNodeKind::File).then_some(&*node.key.name),
            "path": node.key.path.as_ref(),
            "line": node.key.line.0,
            "lines": [node.lines.first.0, node.lines.last.0],
            "signature": node.signature,
            "in_tests": node.in_tests,
            "model_says": words.summary(*of),
        })
    };
    let said = |of: &ModelRelation<'_>| json!({"from": of.from.0, "to": of.to.0, "why": of.why});
    let relation = |of: &Relation| {
        json!({
            "from": of.from.0,
            "to": of.to.0,
            "kind": of.kind.name(),
            "weight": f64::from((of.weight * 1000.0).round()) / 1000.0,
            "count": of.count,
            "line": of.line.0,
        })
    };
    json!({
        "root": root.0,
        "nodes": around.nodes.iter().map(node).collect::<Vec<Value>>(),
        "relations": around.relations.iter().map(relation).collect::<Vec<Value>>(),
        "model_relations": related.iter().map(said).collect::<Vec<Value>>(),
        "left_out": around.left_out,
        "unresolved_calls": relations.unresolved_calls(root),
    })
}
