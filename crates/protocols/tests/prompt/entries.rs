//! Generated entries of conversations.

use foveal_transcript::{
    ContentBlock, EntryMark, MessageRole, RecordingPosition, ToolCall, ToolResult, TranscriptEntry,
};
use proptest::prelude::*;
use serde_json::{Value, json};

pub(crate) fn entry(role: MessageRole, blocks: Vec<ContentBlock>) -> TranscriptEntry {
    let source = RecordingPosition { step: 0, result: None };
    TranscriptEntry {
        source,
        role,
        time: None,
        mark: EntryMark::None,
        model: None,
        usage: None,
        blocks,
    }
}

fn any_text() -> impl Strategy<Value = String> {
    "[a-z\"\\\\\n\u{1}{}:, é🦀]{0,20}[a-z]"
}

fn any_arguments() -> impl Strategy<Value = Value> {
    let value = prop_oneof![
        any_text().prop_map(|text| json!(text)),
        any::<i32>().prop_map(|number| json!(number)),
        prop::collection::vec(any::<bool>(), 0..3).prop_map(|list| json!(list)),
    ];
    prop::collection::btree_map("[a-z]{1,6}", value, 0..4).prop_map(|map| json!(map))
}

/// Generates a turn: the model's content and the results of its calls.
type Turn = (String, Vec<String>, Vec<(String, Value, String, bool)>);

fn any_turn() -> impl Strategy<Value = Turn> {
    let call = ("[a-z_]{1,8}", any_arguments(), any_text(), any::<bool>());
    (any_text(), prop::collection::vec(any_text(), 1..3), prop::collection::vec(call, 0..4))
}

/// Generates a conversation whose calls and results pair.
pub(crate) fn any_entries() -> impl Strategy<Value = Vec<TranscriptEntry>> {
    let system = prop::option::of(any_text());
    (system, prop::collection::vec(any_turn(), 1..4)).prop_map(|(system, turns)| {
        let mut entries = Vec::new();
        entries
            .extend(system.map(|text| entry(MessageRole::System, vec![ContentBlock::Text(text)])));
        for (turn, (asked, said, calls)) in turns.into_iter().enumerate() {
            entries.push(entry(MessageRole::User, vec![ContentBlock::Text(asked)]));
            let id = |at: usize| format!("call_{turn}_{at}");
            let mut blocks: Vec<ContentBlock> = said.into_iter().map(ContentBlock::Text).collect();
            blocks.extend(calls.iter().enumerate().map(|(at, (name, arguments, _, _))| {
                let (name, arguments) = (name.clone(), arguments.clone());
                ContentBlock::Call(ToolCall { id: id(at), name, arguments })
            }));
            entries.push(entry(MessageRole::Assistant, blocks));
            for (at, (_, _, content, is_error)) in calls.into_iter().enumerate() {
                let result = ToolResult { call: id(at), content, is_error };
                entries.push(entry(MessageRole::Tool, vec![ContentBlock::Result(result)]));
            }
        }
        entries
    })
}
