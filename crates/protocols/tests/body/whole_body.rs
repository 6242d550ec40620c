//! Comparison of a body read message by message with the body read as a whole.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use foveal_protocols::Protocol;
use foveal_session_readers::{SessionFormat, read_all_sessions};
use foveal_testkit::fuzz_corpora;
use foveal_transcript::{ContentBlock, MessageRole, RecordingPosition, TranscriptEntry};

use super::check::{bodies, check};
use crate::session_files::files;

/// Reads a body both ways and compares the entries.
pub(crate) fn check_alike(protocol: Protocol, bytes: &[u8]) {
    let Some((body, messages)) = check(protocol, bytes) else { return };
    let format = match protocol {
        Protocol::Messages => SessionFormat::AnthropicMessages,
        Protocol::Chat => SessionFormat::OpenAiChat,
        Protocol::Responses => SessionFormat::OpenAiResponses,
        Protocol::Gemini => return,
    };
    let Ok((sessions, _)) = read_all_sessions(format, "body", bytes) else { return };
    let whole = sessions[0].conversations[0].entries();
    let mut entries = Vec::new();
    entries.extend(body.decode_system_prompt(bytes).expect("whole bodies are read with it"));
    for message in messages {
        for entry in message.entries {
            match entries.last_mut() {
                Some(last)
                    if message.continues_response && is_response(last) && is_response(&entry) =>
                {
                    last.blocks.extend(entry.blocks);
                }
                _ => entries.push(entry),
            }
        }
    }
    let told = without_sources(behind_their_calls(entries));
    assert_eq!(told, without_sources(whole.to_vec()));
}

fn is_response(entry: &TranscriptEntry) -> bool {
    entry.role == MessageRole::Assistant
}

/// Sorts entries as the readers of whole bodies do: results behind the message that called them,
/// in the order of its calls.
fn behind_their_calls(entries: Vec<TranscriptEntry>) -> Vec<TranscriptEntry> {
    let mut groups: Vec<(TranscriptEntry, Vec<(usize, TranscriptEntry)>)> = Vec::new();
    // For each id: the latest message that made calls with it, their positions, and how many have
    // results.
    let mut calls: HashMap<String, (usize, Vec<usize>, usize)> = HashMap::new();
    for entry in entries {
        let call = entry.tool_result().map(|result| result.call.clone());
        if let Some((group, places, answered)) = call.and_then(|call| calls.get_mut(&call)) {
            let place = places[(*answered).min(places.len() - 1)];
            *answered += 1;
            let results = &mut groups[*group].1;
            let at = results.partition_point(|(known, _)| *known <= place);
            results.insert(at, (place, entry));
            continue;
        }
        for (place, block) in entry.blocks.iter().enumerate() {
            if let ContentBlock::Call(call) = block {
                let made = calls.entry(call.id.clone()).or_default();
                if made.0 != groups.len() || made.1.is_empty() {
                    *made = (groups.len(), Vec::new(), 0);
                }
                made.1.push(place);
            }
        }
        groups.push((entry, Vec::new()));
    }
    let flat = |(entry, results): (TranscriptEntry, Vec<(usize, TranscriptEntry)>)| {
        std::iter::once(entry).chain(results.into_iter().map(|(_, result)| result))
    };
    groups.into_iter().flat_map(flat).collect()
}

/// Removes the positions in the recording, and the generated call ids that depend on them.
fn without_sources(mut entries: Vec<TranscriptEntry>) -> Vec<TranscriptEntry> {
    for entry in &mut entries {
        entry.source = RecordingPosition { step: 0, result: None };
        for block in &mut entry.blocks {
            if let ContentBlock::Call(call) = block
                && call.id.contains("_call-")
            {
                call.id.clear();
            }
        }
    }
    entries
}

#[test]
fn the_corpus_of_bodies_holds() {
    fuzz_corpora::run_corpora(&[("bodies", bodies)]);
}

#[test]
fn changed_corpora_of_bodies_hold() {
    fuzz_corpora::run_mutated_corpora(&[("bodies", bodies)]);
}

#[test]
fn samples_of_bodies() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let mut count = 0;
    for (folder, protocol) in [
        ("anthropic", Protocol::Messages),
        ("openai_chat", Protocol::Chat),
        ("openai_responses", Protocol::Responses),
    ] {
        for path in files(&corpora.join(folder)) {
            let bytes = fs::read(&path).expect("the file reads");
            assert!(check(protocol, &bytes).is_some(), "{}", path.display());
            check_alike(protocol, &bytes);
            count += 1;
        }
    }
    assert!(count >= 4, "there are samples");
}
