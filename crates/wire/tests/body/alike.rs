//! Message by message, a body says the same as read as a whole.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use foveal_testkit::corpora;
use foveal_transcript::{Block, Entry, Role, Source};
use foveal_wire::{Format, Protocol, read_all};

use super::check::{bodies, check};
use crate::recorded::files;

/// Reads a body both ways and compares the entries.
pub(crate) fn check_alike(protocol: Protocol, bytes: &[u8]) {
    let Some((body, messages)) = check(protocol, bytes) else { return };
    let format = match protocol {
        Protocol::Messages => Format::AnthropicMessages,
        Protocol::Chat => Format::OpenAiChat,
        Protocol::Responses => Format::OpenAiResponses,
        Protocol::Gemini => return,
    };
    let Ok((sessions, _)) = read_all(format, "body", bytes) else { return };
    let whole = sessions[0].conversations[0].entries();
    let mut entries = Vec::new();
    entries.extend(body.system_entry(bytes).expect("whole bodies are read with it"));
    for message in messages {
        for entry in message.entries {
            match entries.last_mut() {
                Some(last) if message.continues && is_response(last) && is_response(&entry) => {
                    last.blocks.extend(entry.blocks);
                }
                _ => entries.push(entry),
            }
        }
    }
    let told = without_sources(behind_their_calls(entries));
    assert_eq!(told, without_sources(whole.to_vec()));
}

fn is_response(entry: &Entry) -> bool {
    entry.role == Role::Assistant
}

/// As the readers of whole bodies have it: results behind the message that called them, in the
/// order of its calls.
fn behind_their_calls(entries: Vec<Entry>) -> Vec<Entry> {
    let mut groups: Vec<(Entry, Vec<(usize, Entry)>)> = Vec::new();
    // Of each id the message that made calls with it last, the places of these, and how many have
    // results.
    let mut calls: HashMap<String, (usize, Vec<usize>, usize)> = HashMap::new();
    for entry in entries {
        let call = entry.result().map(|result| result.call.clone());
        if let Some((group, places, answered)) = call.and_then(|call| calls.get_mut(&call)) {
            let place = places[(*answered).min(places.len() - 1)];
            *answered += 1;
            let results = &mut groups[*group].1;
            let at = results.partition_point(|(known, _)| *known <= place);
            results.insert(at, (place, entry));
            continue;
        }
        for (place, block) in entry.blocks.iter().enumerate() {
            if let Block::Call(call) = block {
                let made = calls.entry(call.id.clone()).or_default();
                if made.0 != groups.len() || made.1.is_empty() {
                    *made = (groups.len(), Vec::new(), 0);
                }
                made.1.push(place);
            }
        }
        groups.push((entry, Vec::new()));
    }
    let flat = |(entry, results): (Entry, Vec<(usize, Entry)>)| {
        std::iter::once(entry).chain(results.into_iter().map(|(_, result)| result))
    };
    groups.into_iter().flat_map(flat).collect()
}

/// Without places in the recording and the ids that calls without one are given after these.
fn without_sources(mut entries: Vec<Entry>) -> Vec<Entry> {
    for entry in &mut entries {
        entry.source = Source { step: 0, result: None };
        for block in &mut entry.blocks {
            if let Block::Call(call) = block
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
    corpora::hold(&[("bodies", bodies)]);
}

#[test]
fn changed_corpora_of_bodies_hold() {
    corpora::hold_changed(&[("bodies", bodies)]);
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
