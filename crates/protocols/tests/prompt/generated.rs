//! Generated conversations.

use foveal_protocols::prompt::{ApiDialect, Prompt, ToolSpec, encode_prompt};
use foveal_session_readers::{SessionFormat, read_all_sessions};
use foveal_transcript::{ContentBlock, MessageRole, TranscriptEntry};
use proptest::prelude::*;
use serde_json::Value;

use super::entries::any_entries;

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
