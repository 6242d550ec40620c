//! Compression for callers without an identity.

use std::sync::Arc;

use foveal_proxy::Compressor;
use foveal_proxy::compress::{CompressError, CompressedMessages, passthrough};
use foveal_proxy::recorder::{InMemoryRecorder, Recorder};
use foveal_proxy::rules::ShapingRules;
use foveal_testkit::conversation_scripts;
use foveal_testkit::request_bodies::ModelApi;
use foveal_transcript::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{messages, requests};

fn compressor(profile: &str) -> Compressor {
    over(profile, Arc::new(InMemoryRecorder::default()))
}

fn over(profile: &str, recorder: Arc<dyn Recorder>) -> Compressor {
    Compressor::new(ShapingRules::from_profile(profile).expect("a profile"), recorder)
}

fn asked(compressor: &Compressor, messages: &[Value]) -> CompressedMessages {
    let body = json!({ "messages": messages, "model": "m" }).to_string();
    compressor.compress(body.as_bytes(), Timestamp(0)).expect("messages")
}

fn list(compressed: &CompressedMessages) -> Vec<Value> {
    serde_json::from_slice(&compressed.messages).expect("a list")
}

/// Returns the response for a list, element by element, byte for byte.
fn raw(compressor: &Compressor, list: &[String]) -> Vec<String> {
    let body = format!(r#"{{"messages":[{}]}}"#, list.join(", "));
    let compressed = compressor.compress(body.as_bytes(), Timestamp(0)).expect("messages");
    assert_eq!(compressed.failure, None);
    assert!(compressed.tokens_after <= compressed.tokens_before);
    let answered: Vec<Box<serde_json::value::RawValue>> =
        serde_json::from_slice(&compressed.messages).expect("a list");
    answered.iter().map(|message| message.get().to_owned()).collect()
}

/// Returns the long output of a command with an error message.
fn output(name: &str) -> String {
    let lines = |from: usize, to: usize| -> String {
        (from..to).map(|at| format!("{name} step {at} took {} ms\n", at * 37 % 101)).collect()
    };
    lines(0, 300) + "ERROR: the widget failed\n" + &lines(300, 600)
}

fn tool(id: &str, content: &str) -> Value {
    json!({ "role": "tool", "tool_call_id": id, "content": content })
}

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

fn hashes_in(messages: &[Value]) -> Vec<String> {
    let texts = messages.iter().filter_map(|message| message["content"].as_str());
    texts.flat_map(|text| text.split("hash=").skip(1).map(|rest| rest[..24].to_owned())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn a_prefix_is_answered_alike_for_ever_by_whomever(
        script in conversation_scripts(24), api in 0..ModelApi::ALL.len(), profile in 0..3_usize,
    ) {
        let api = ModelApi::ALL[api];
        let profile = ["lossless", "balanced", "max"][profile];
        let Some(last) = requests(&script, api).pop() else { return Ok(()) };
        let all = messages(api, &last.body);
        let replica = compressor(profile);
        let whole = raw(&replica, &all);
        prop_assert_eq!(whole.len(), all.len());
        // One that receives all requests, and one that starts with the longer list.
        let other = compressor(profile);
        for asked in [&other, &replica] {
            for count in 1..=all.len() {
                prop_assert_eq!(&raw(asked, &all[..count])[..], &whole[..count]);
            }
        }
    }

    #[test]
    fn what_is_recorded_is_answered_again_after_a_restart(script in conversation_scripts(24)) {
        let Some(last) = requests(&script, ModelApi::Chat).pop() else { return Ok(()) };
        let all = messages(ModelApi::Chat, &last.body);
        let recorder = Arc::new(InMemoryRecorder::default());
        let before = raw(&over("balanced", recorder.clone()), &all);
        prop_assert_eq!(raw(&over("balanced", recorder), &all), before);
    }
}

#[test]
fn a_caller_that_keeps_calls_and_questions_back_is_answered_alike() {
    let compressor = compressor("balanced");
    let (one, two, three) = (output("one"), output("two"), output("three"));
    let first = list(&asked(&compressor, &[tool("a", &one)]));
    let second = list(&asked(&compressor, &[tool("a", &one), tool("b", &two)]));
    assert_eq!(first[..], second[..1]);
    // The question is sent along once there is a later one.
    let asked = asked(
        &compressor,
        &[user("run the tools"), tool("a", &one), tool("b", &two), tool("c", &three)],
    );
    let third = list(&asked);
    assert_eq!(third[0], user("run the tools"));
    assert_eq!(second[..], third[1..3]);
    let text = first[0]["content"].as_str().unwrap();
    assert!(text.len() < 6_000 && text.contains("ERROR: the widget failed"), "{text}");
    assert_eq!(asked.hashes.len(), 3);
}

#[test]
fn what_is_left_out_can_be_had() {
    let compressor = compressor("balanced");
    let (one, two) = (output("one"), output("two"));
    let compressed = asked(&compressor, &[tool("a", &one), user("tool b"), tool("b", &two)]);
    let marked = hashes_in(&list(&compressed));
    for hash in &marked {
        assert!(compressed.hashes.contains(hash), "{hash} is not listed");
    }
    assert_eq!(compressed.hashes.len(), 2);
    let originals = compressed.hashes.iter().map(|hash| compressor.retrieve_original(hash, None));
    let originals: Vec<_> =
        originals.map(|original| original.expect("kept").expect("a content")).collect();
    assert_eq!(originals, [one, two]);
    let hash = &compressed.hashes[0];
    let narrowed =
        compressor.retrieve_original(hash, Some("widget")).expect("kept").expect("a content");
    assert!(narrowed.len() < 1_000 && narrowed.contains("ERROR: the widget failed"), "{narrowed}");
    // The whole hash is checked, not only its handle.
    let other = format!("{}{}", &hash[..12], hash[12..].chars().rev().collect::<String>());
    for unknown in [&other[..], &hash[..12], "", "x", &hash.to_uppercase(), "0".repeat(24).as_str()]
    {
        assert_eq!(compressor.retrieve_original(unknown, None).unwrap(), None, "{unknown}");
    }
}

#[test]
fn the_numbers_are_those_of_what_is_answered() {
    let compressor = compressor("balanced");
    let sent = [user("go"), tool("a", &output("one")), tool("b", "short")];
    let compressed = asked(&compressor, &sent);
    let tokens = |messages: &[Value]| -> u64 {
        let tokenizer = foveal_pricing::tokens::Tokenizer::O200k;
        let texts = messages.iter().filter_map(|message| message["content"].as_str());
        texts.map(|text| tokenizer.count(text).0).sum()
    };
    assert_eq!(compressed.tokens_before, tokens(&sent));
    assert_eq!(compressed.tokens_after, tokens(&list(&compressed)));
    assert!(compressed.tokens_after * 3 < compressed.tokens_before);
    let body = json!({ "messages": sent }).to_string();
    let unchanged = passthrough(body.as_bytes()).unwrap();
    assert_eq!((unchanged.tokens_before, list(&unchanged)), (tokens(&sent), sent.to_vec()));
}

#[test]
fn what_is_no_list_of_messages_is_refused() {
    let compressor = compressor("balanced");
    let refused = |body: &str| compressor.compress(body.as_bytes(), Timestamp(0)).unwrap_err();
    for none in ["{}", r#"{"messages":{}}"#, r#"{"messages":"x"}"#, r#"{"messages":null}"#] {
        assert!(matches!(refused(none), CompressError::NoMessages), "{none}");
    }
    let of_number = r#"{"messages":[1]}"#;
    for broken in ["", "[]", "nothing", r#"{"messages":["#, r#"{"messages":[]"#, of_number] {
        assert!(matches!(refused(broken), CompressError::Body(_)), "{broken}");
    }
    let twice = r#"{"messages":[],"messages":[]}"#;
    assert!(matches!(refused(twice), CompressError::FieldTwice));
    let empty = asked(&compressor, &[]);
    assert_eq!((empty.messages.as_slice(), empty.tokens_before), (&b"[]"[..], 0));
    // A message of no known API stays unchanged.
    let odd = [json!({"role": "tool"}), json!({"role": "robot", "content": "tool"})];
    assert_eq!(list(&asked(&compressor, &odd)), odd);
}
