//! Generated conversations.

use foveal_transcript::{
    ContentBlock, EntryMark, MessageRole, RecordingPosition, ToolCall, ToolResult, TranscriptEntry,
};
use foveal_wire::prompt::{ApiDialect, Prompt, ToolSpec, encode_prompt};
use foveal_wire::{SessionFormat, read_all_sessions};
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

/// Returns a conversation without the positions in its recording.
fn told(entries: &[TranscriptEntry]) -> Vec<(MessageRole, Vec<ContentBlock>)> {
    entries.iter().map(|entry| (entry.role, entry.blocks.clone())).collect()
}

pub(crate) fn format(dialect: ApiDialect) -> SessionFormat {
    match dialect {
        ApiDialect::Messages => SessionFormat::AnthropicMessages,
        ApiDialect::Chat => SessionFormat::OpenAiChat,
        ApiDialect::Responses => SessionFormat::OpenAiResponses,
    }
}

pub(crate) fn decoded(dialect: ApiDialect, body: &[u8]) -> Vec<TranscriptEntry> {
    let (sessions, problems) =
        read_all_sessions(format(dialect), "body", body).expect("it can be read");
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

pub(crate) fn prompt<'a>(entries: &'a [TranscriptEntry], tools: &'a [ToolSpec]) -> Prompt<'a> {
    Prompt {
        model: "some-model",
        entries,
        tools,
        output_tokens_max: Some(1_000),
        drops_bound_thinking: false,
    }
}

/// Returns the conversation as a protocol can express it: only Messages flags results as errors.
fn tellable(dialect: ApiDialect, entries: &[TranscriptEntry]) -> Vec<TranscriptEntry> {
    let mut entries = entries.to_vec();
    for block in entries.iter_mut().flat_map(|entry| &mut entry.blocks) {
        if let ContentBlock::Result(result) = block {
            result.is_error &= dialect == ApiDialect::Messages;
        }
    }
    entries
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn what_is_encoded_is_read_back(entries in any_entries()) {
        for dialect in ApiDialect::ALL {
            let body = encode_prompt(dialect, &prompt(&entries, &[]));
            let expected = told(&tellable(dialect, &entries));
            prop_assert_eq!(told(&decoded(dialect, &body)), expected, "{:?}", dialect);
        }
    }

    /// Each request extends the previous one, so the provider's cache holds its prefix.
    #[test]
    fn a_longer_conversation_begins_as_the_shorter_one(entries in any_entries(), cut in 1usize..20) {
        let cut = cut.min(entries.len());
        for dialect in ApiDialect::ALL {
            let messages = |entries: &[TranscriptEntry]| {
                let body = String::from_utf8(encode_prompt(dialect, &prompt(entries, &[]))).expect("text");
                let key = if dialect == ApiDialect::Responses { "\"input\":" } else { "\"messages\":" };
                let value: Value = serde_json::from_str(&body).expect("JSON");
                let list = &value[key.trim_matches(['"', ':'])];
                // Compares the bytes as sent, not as parsed.
                let spelled = list.to_string();
                assert!(body.contains(&spelled), "{body}");
                spelled.trim_end_matches([']', '}']).to_owned()
            };
            let (short, long) = (messages(&entries[..cut]), messages(&entries));
            prop_assert!(long.starts_with(&short), "{:?}\n{}\n{}", dialect, short, long);
        }
    }
}
