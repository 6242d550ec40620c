//! The laws, as a client and its upstream can observe them.

use std::sync::Arc;

use foveal_engine::engine::Engine;
use foveal_engine::planner::Planner;
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_protocols::request_body::RequestBody;
use foveal_proxy::models::ModelTraits;
use foveal_proxy::recorder::InMemoryRecorder;
use foveal_proxy::request::{DecisionSlot, ShapeOutcome};
use foveal_testkit::generate::{
    ConversationScript, PathSpelling, ScriptOperation, SimulatedCall, conversation_scripts,
};
use foveal_testkit::request_bodies::ModelApi;
use foveal_transcript::{Conversation, MessageRole, TranscriptEntry};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use crate::support::{
    MODEL, Sent, bytes, conversations, messages, over, protocol, requests, rules, shaped,
    shaped_for, without_own_mark, without_results,
};

#[test]
fn the_generated_conversations_reach_what_is_tested() {
    let mut runner = TestRunner::deterministic();
    let (mut replaced, mut rewrites) = (0, 0);
    for at in 0..40 {
        let script = conversation_scripts(60).new_tree(&mut runner).expect("a script").current();
        let conversations = conversations("max");
        for sent in requests(&script, ModelApi::ALL[at % 4]) {
            let shaped = shaped(&conversations, &sent);
            replaced += usize::from(shaped.body.is_some());
            rewrites += usize::from(shaped.report.rewrite.is_some());
            assert_eq!(shaped.report.inactive_reason, None);
        }
    }
    assert!(replaced > 200 && rewrites > 10, "{replaced} replaced, {rewrites} rewritten");
}

/// Operations of a generated conversation.
const OPERATIONS_MAX: usize = 24;

const PROFILES: [&str; 6] = [
    "lossless",
    "balanced",
    "max",
    "first-last-sampled",
    "first-last-sampled-max5",
    "content-reset",
];

fn config() -> ProptestConfig {
    ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() }
}

fn apis() -> impl Strategy<Value = ModelApi> {
    (0..ModelApi::ALL.len()).prop_map(|at| ModelApi::ALL[at])
}

fn profiles() -> impl Strategy<Value = &'static str> {
    (0..PROFILES.len()).prop_map(|at| PROFILES[at])
}

/// Checks that the previous body is a prefix of the next one, unless a rewrite is declared.
/// `earlier` holds the messages of earlier requests, as received and as sent.
fn goes_on(
    earlier: &mut Vec<(Vec<String>, Vec<String>)>,
    sent: &Sent,
    shaped: ShapeOutcome,
) -> Result<(), TestCaseError> {
    let rewrite = shaped.report.rewrite;
    let asked = messages(sent.api, &sent.body);
    let went = messages(sent.api, &bytes(shaped, sent));
    // A client that went back continues what was sent at that time.
    let continued = earlier.iter().rev().filter(|(before, _)| asked.starts_with(before));
    let continued = continued.max_by_key(|(before, _)| before.len());
    if let Some((_, went_before)) = continued.filter(|_| rewrite.is_none()) {
        prop_assert_eq!(&went_before[..], &went[..went_before.len()]);
    }
    earlier.push((asked, went));
    Ok(())
}

/// Checks that results are sent as an engine shapes them that gets the same conversation.
fn goes_as_the_engine_says(
    script: &ConversationScript,
    api: ModelApi,
    profile: &str,
) -> Result<(), TestCaseError> {
    let conversations = conversations(profile);
    let rules = rules(profile);
    let model = ModelTraits::from_name(MODEL, protocol(api));
    let mut planner =
        Planner::new(rules.settings, model.prices).with_constraints(model.constraints);
    if let Some(policy) = rules.policy {
        planner = planner.with_policy(policy);
    }
    let mut engine = Engine::new(Conversation::default(), Tokenizer::O200k, planner);
    let mut known = 0;
    let mut before: Vec<String> = Vec::new();
    for sent in requests(script, api) {
        let body = RequestBody::scan(protocol(api), &sent.body).expect("a body");
        let asked = messages(api, &sent.body);
        if asked.get(..before.len()) != Some(&before[..]) {
            // The client went back or compacted: another test covers that.
            break;
        }
        before = asked;
        let mut new: Vec<TranscriptEntry> = Vec::new();
        for message in known..body.messages.len() {
            let message = body.decode_message(&sent.body, message).expect("a message");
            for entry in message.entries {
                let before = new.last_mut().filter(|it| it.role == MessageRole::Assistant);
                match before
                    .filter(|_| message.continues_response && entry.role == MessageRole::Assistant)
                {
                    // Items of one response.
                    Some(before) => before.blocks.extend(entry.blocks),
                    None => new.push(entry),
                }
            }
        }
        for entry in new {
            engine.push(entry);
        }
        known = body.messages.len();
        let shaped = shaped(&conversations, &sent);
        engine.set_prelude(prelude(&body, &sent.body));
        engine.set_can_keep_answer(shaped.report.breakpoints > 0);
        let went = bytes(shaped, &sent);
        let has_results = engine.record().entries().iter().any(|it| it.tool_result().is_some());
        if !has_results {
            continue;
        }
        engine.plan(Some(sent.now));
        let scanned = RequestBody::scan(protocol(api), &went).expect("a body");
        let decoded = (0..scanned.messages.len())
            .flat_map(|message| scanned.decode_message(&went, message).expect("a message").entries);
        let results = decoded.filter(|entry| entry.tool_result().is_some());
        let expected = engine.window().iter().map(|index| engine.render(*index));
        let expected = expected.filter(|entry| entry.tool_result().is_some());
        for (entry, expected) in results.zip(expected) {
            // A note is not used if it takes more bytes than the original, even if it has fewer
            // tokens.
            let mut lengths = lengths(&expected).into_iter().zip(lengths(&entry));
            if lengths.all(|(expected, sent)| expected <= sent) {
                prop_assert_eq!(entry.tool_result(), expected.tool_result());
            }
        }
    }
    Ok(())
}

/// Returns the bytes of a result: raw, in a request, and in a document inside a string there.
fn lengths(entry: &TranscriptEntry) -> [usize; 3] {
    let content = entry.tool_result().map_or("", |it| &it.content);
    let once = serde_json::json!(content).to_string();
    [content.len(), once.len(), serde_json::json!(once).to_string().len()]
}

/// Returns the tokens of the prelude, as it is spelled.
fn prelude(body: &RequestBody, bytes: &[u8]) -> Tokens {
    let parts = [&body.system, &body.tools].into_iter().flatten();
    let texts = parts.map(|part| String::from_utf8_lossy(&bytes[part.clone()]));
    texts.map(|text| Tokenizer::O200k.count(&text)).sum()
}

#[test]
fn a_limit_counts_what_stands_in_front_of_the_messages() {
    // The third request has 594 tokens of messages; the limit is at 600.
    let script = ConversationScript {
        seed: 19,
        operations: vec![
            ScriptOperation::Respond(vec![SimulatedCall::Unknown]),
            ScriptOperation::Respond(vec![SimulatedCall::Search(0), SimulatedCall::ReadFull(1)]),
            ScriptOperation::Respond(vec![
                SimulatedCall::EditLines(3, 0, 2, 1),
                SimulatedCall::ReadFull(0),
            ]),
            ScriptOperation::Say,
            ScriptOperation::Interrupt,
            ScriptOperation::Respond(vec![SimulatedCall::Run(6, 1)]),
        ],
    };
    goes_as_the_engine_says(&script, ModelApi::Gemini, "content-reset").expect("the same");
}

#[test]
fn a_note_with_more_to_escape_than_it_saves_does_not_go() {
    // The five read lines have 97 bytes, and the note that replaces them has 94 with twelve quotes.
    let script = ConversationScript {
        seed: 20,
        operations: vec![
            ScriptOperation::Respond(vec![SimulatedCall::Edit(0, 0, 0)]),
            ScriptOperation::Respond(vec![
                SimulatedCall::ReadRange(2, 42, 5),
                SimulatedCall::Run(17, 2),
            ]),
            ScriptOperation::Respond(vec![SimulatedCall::EditLines(
                0,
                0,
                10,
                71_040_864_768_282_526,
            )]),
            ScriptOperation::Respond(vec![
                SimulatedCall::Write(0, 22, 17_338_467_357_606_480_349),
                SimulatedCall::Read(0, PathSpelling::Absolute),
            ]),
            ScriptOperation::Respond(vec![SimulatedCall::Read(0, PathSpelling::Absolute)]),
        ],
    };
    let conversations = conversations("content-reset");
    for sent in requests(&script, ModelApi::Messages) {
        let went = without_own_mark(&sent, &bytes(shaped(&conversations, &sent), &sent));
        assert!(went.len() <= sent.body.len(), "{} of {}", went.len(), sent.body.len());
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn nothing_but_texts_of_results_changes(
        script in conversation_scripts(OPERATIONS_MAX), api in apis(), profile in profiles(),
    ) {
        let conversations = conversations(profile);
        for sent in requests(&script, api) {
            let went = without_own_mark(&sent, &bytes(shaped(&conversations, &sent), &sent));
            prop_assert!(went.len() <= sent.body.len());
            prop_assert_eq!(without_results(api, &went), without_results(api, &sent.body));
        }
    }

    #[test]
    fn a_request_is_a_prefix_of_the_next_unless_a_rewrite_is_declared(
        script in conversation_scripts(OPERATIONS_MAX), api in apis(), profile in profiles(),
    ) {
        let conversations = conversations(profile);
        let mut earlier: Vec<(Vec<String>, Vec<String>)> = Vec::new();
        for sent in requests(&script, api) {
            let shaped = shaped(&conversations, &sent);
            goes_on(&mut earlier, &sent, shaped)?;
        }
    }

    #[test]
    fn a_clock_that_jumps_breaks_no_prefix(
        script in conversation_scripts(OPERATIONS_MAX), api in apis(), profile in profiles(),
        jumps in proptest::collection::vec(-3_000_000_000_i64..3_000_000_000, 1..20),
    ) {
        let mut one = conversations(profile);
        let kept = Arc::new(InMemoryRecorder::default());
        let mut earlier: Vec<(Vec<String>, Vec<String>)> = Vec::new();
        for (at, mut sent) in requests(&script, api).into_iter().enumerate() {
            sent.now.0 += jumps[at % jumps.len()];
            if at % 4 == 0 {
                one = over(profile, Arc::clone(&kept) as _);
            }
            let shaped = shaped(&one, &sent);
            goes_on(&mut earlier, &sent, shaped)?;
        }
    }

    #[test]
    fn a_restart_between_any_two_requests_changes_nothing(
        script in conversation_scripts(OPERATIONS_MAX), api in apis(), profile in profiles(),
    ) {
        let one = conversations(profile);
        let kept = Arc::new(InMemoryRecorder::default());
        for sent in requests(&script, api) {
            let went = bytes(shaped(&one, &sent), &sent);
            // Each request reaches another process, with the records of the one before.
            let other = over(profile, Arc::clone(&kept) as _);
            prop_assert_eq!(&went, &bytes(shaped(&other, &sent), &sent));
            // A repeated request gets the same body, there and in a third process.
            prop_assert_eq!(&went, &bytes(shaped(&other, &sent), &sent));
            let third = over(profile, Arc::clone(&kept) as _);
            prop_assert_eq!(&went, &bytes(shaped(&third, &sent), &sent));
        }
    }

    #[test]
    fn getting_ready_between_requests_changes_nothing(
        script in conversation_scripts(OPERATIONS_MAX), api in apis(), profile in profiles(),
    ) {
        let one = conversations(profile);
        let kept = Arc::new(InMemoryRecorder::default());
        let other = over(profile, Arc::clone(&kept) as _);
        for sent in requests(&script, api) {
            let went = bytes(shaped(&one, &sent), &sent);
            let shaped = shaped(&other, &sent);
            if let Some(ready) = shaped.prefetch {
                other.prefetch(&ready);
                prop_assert_eq!(other.conversation_count(), one.conversation_count());
            }
            prop_assert_eq!(went, bytes(shaped, &sent));
        }
    }

    #[test]
    fn no_message_grows(
        script in conversation_scripts(OPERATIONS_MAX), api in apis(), profile in profiles(),
    ) {
        let conversations = conversations(profile);
        let mut earlier: Vec<(Vec<String>, Vec<String>)> = Vec::new();
        for sent in requests(&script, api) {
            let shaped = shaped(&conversations, &sent);
            let went = shaped.body.as_ref().map(|body| messages(api, body));
            let came = messages(api, &sent.body);
            for (went, came) in went.iter().flatten().zip(&came) {
                prop_assert!(went.len() <= came.len(), "{went} for {came}");
            }
            goes_on(&mut earlier, &sent, shaped)?;
        }
    }

    #[test]
    fn what_goes_is_what_the_engine_says(
        script in conversation_scripts(OPERATIONS_MAX), api in apis(), profile in profiles(),
    ) {
        goes_as_the_engine_says(&script, api, profile)?;
    }

    #[test]
    fn what_is_late_lets_new_results_pass_and_keeps_the_old_as_they_were(
        script in conversation_scripts(OPERATIONS_MAX), api in apis(), profile in profiles(), late in any::<u32>(),
    ) {
        let kept = Arc::new(InMemoryRecorder::default());
        let mut one = over(profile, Arc::clone(&kept) as _);
        let mut earlier: Vec<(Vec<String>, Vec<String>)> = Vec::new();
        for (at, sent) in requests(&script, api).into_iter().enumerate() {
            if at % 5 == 4 {
                one = over(profile, Arc::clone(&kept) as _);
            }
            let is_late = late >> (at % 32) & 1 == 1;
            let wait = if is_late { DecisionSlot::impatient() } else { DecisionSlot::default() };
            let shaped = shaped_for(&one, &sent, &wait);
            let rewrite = shaped.report.rewrite;
            let went = match wait.abandon(&sent.body) {
                Some(earlier) if is_late => earlier.unwrap_or_else(|| sent.body.clone()),
                Some(_) | None => bytes(shaped, &sent),
            };
            let (asked, went) = (messages(api, &sent.body), messages(api, &went));
            // A client that went back continues what was sent at that time.
            let continued = earlier.iter().rev().filter(|(before, _)| asked.starts_with(before));
            let continued = continued.max_by_key(|(before, _)| before.len());
            if let Some((_, went_before)) = continued.filter(|_| rewrite.is_none()) {
                prop_assert_eq!(&went_before[..], &went[..went_before.len()]);
            }
            earlier.push((asked, went));
        }
    }
}
