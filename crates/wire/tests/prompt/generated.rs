//! Generated conversations.

use foveal_transcript::{Block, Call, Entry, Mark, Role, Source, ToolResult};
use foveal_wire::prompt::{Dialect, Prompt, ToolSpec, encode};
use foveal_wire::{Format, read_all};
use proptest::prelude::*;
use serde_json::{Value, json};

pub(crate) fn entry(role: Role, blocks: Vec<Block>) -> Entry {
    let source = Source { step: 0, result: None };
    Entry { source, role, time: None, mark: Mark::None, model: None, usage: None, blocks }
}

/// What a conversation says, without where it stands in its recording.
fn told(entries: &[Entry]) -> Vec<(Role, Vec<Block>)> {
    entries.iter().map(|entry| (entry.role, entry.blocks.clone())).collect()
}

pub(crate) fn format(dialect: Dialect) -> Format {
    match dialect {
        Dialect::Messages => Format::AnthropicMessages,
        Dialect::Chat => Format::OpenAiChat,
        Dialect::Responses => Format::OpenAiResponses,
    }
}

pub(crate) fn decoded(dialect: Dialect, body: &[u8]) -> Vec<Entry> {
    let (sessions, problems) = read_all(format(dialect), "body", body).expect("it can be read");
    assert!(problems.is_empty(), "{problems:?}");
    sessions[0].conversations[0].entries().to_vec()
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

/// What the model says in a turn, and how its calls are answered.
type Turn = (String, Vec<String>, Vec<(String, Value, String, bool)>);

fn any_turn() -> impl Strategy<Value = Turn> {
    let call = ("[a-z_]{1,8}", any_arguments(), any_text(), any::<bool>());
    (any_text(), prop::collection::vec(any_text(), 1..3), prop::collection::vec(call, 0..4))
}

/// A conversation whose calls and results pair.
pub(crate) fn any_entries() -> impl Strategy<Value = Vec<Entry>> {
    let system = prop::option::of(any_text());
    (system, prop::collection::vec(any_turn(), 1..4)).prop_map(|(system, turns)| {
        let mut entries = Vec::new();
        entries.extend(system.map(|text| entry(Role::System, vec![Block::Text(text)])));
        for (turn, (asked, said, calls)) in turns.into_iter().enumerate() {
            entries.push(entry(Role::User, vec![Block::Text(asked)]));
            let id = |at: usize| format!("call_{turn}_{at}");
            let mut blocks: Vec<Block> = said.into_iter().map(Block::Text).collect();
            blocks.extend(calls.iter().enumerate().map(|(at, (name, arguments, _, _))| {
                let (name, arguments) = (name.clone(), arguments.clone());
                Block::Call(Call { id: id(at), name, arguments })
            }));
            entries.push(entry(Role::Assistant, blocks));
            for (at, (_, _, content, is_error)) in calls.into_iter().enumerate() {
                let result = ToolResult { call: id(at), content, is_error };
                entries.push(entry(Role::Tool, vec![Block::Result(result)]));
            }
        }
        entries
    })
}

pub(crate) fn prompt<'a>(entries: &'a [Entry], tools: &'a [ToolSpec]) -> Prompt<'a> {
    Prompt {
        model: "some-model",
        entries,
        tools,
        output_tokens_max: Some(1_000),
        drops_bound_thinking: false,
    }
}

/// The conversation as a protocol can tell it: only Messages says that a result is an error.
fn tellable(dialect: Dialect, entries: &[Entry]) -> Vec<Entry> {
    let mut entries = entries.to_vec();
    for block in entries.iter_mut().flat_map(|entry| &mut entry.blocks) {
        if let Block::Result(result) = block {
            result.is_error &= dialect == Dialect::Messages;
        }
    }
    entries
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn what_is_encoded_is_read_back(entries in any_entries()) {
        for dialect in Dialect::ALL {
            let body = encode(dialect, &prompt(&entries, &[]));
            let expected = told(&tellable(dialect, &entries));
            prop_assert_eq!(told(&decoded(dialect, &body)), expected, "{:?}", dialect);
        }
    }

    /// The provider's cache holds what was sent before.
    #[test]
    fn a_longer_conversation_begins_as_the_shorter_one(entries in any_entries(), cut in 1usize..20) {
        let cut = cut.min(entries.len());
        for dialect in Dialect::ALL {
            let messages = |entries: &[Entry]| {
                let body = String::from_utf8(encode(dialect, &prompt(entries, &[]))).expect("text");
                let key = if dialect == Dialect::Responses { "\"input\":" } else { "\"messages\":" };
                let value: Value = serde_json::from_str(&body).expect("JSON");
                let list = &value[key.trim_matches(['"', ':'])];
                // In the bytes as they go, not as they are read.
                let spelled = list.to_string();
                assert!(body.contains(&spelled), "{body}");
                spelled.trim_end_matches([']', '}']).to_owned()
            };
            let (short, long) = (messages(&entries[..cut]), messages(&entries));
            prop_assert!(long.starts_with(&short), "{:?}\n{}\n{}", dialect, short, long);
        }
    }
}
