//! The user's changes of a prompt between two requests.

use std::sync::Arc;

use foveal_engine::overrides::OverrideState;
use foveal_proxy::RequestShaper;
use foveal_proxy::prompt_changes::{PromptChange, PromptChangeError};
use foveal_proxy::recorder::InMemoryRecorder;
use foveal_proxy::request::DecisionSlot;
use foveal_testkit::conversation_scripts;
use foveal_testkit::request_bodies::ModelApi;
use foveal_transcript::{EntryIndex, MessageRole};
use proptest::prelude::*;

use crate::support::{
    MODEL, Sent, asked, bytes, conversations, messages, over, requests, shaped, without_own_mark,
    without_results,
};

/// An action of the user.
#[derive(Debug, Clone, Copy)]
enum Does {
    Drops(usize),
    Pins(usize),
    Restores(usize),
    TakesBack,
    Compacts,
}

fn does() -> impl Strategy<Value = Vec<(usize, Does)>> {
    let one = prop_oneof![
        5 => (0..400usize).prop_map(Does::Drops),
        2 => (0..400usize).prop_map(Does::Pins),
        3 => (0..400usize).prop_map(Does::Restores),
        1 => Just(Does::Compacts),
        4 => Just(Does::TakesBack),
    ];
    prop::collection::vec((0..12usize, one), 1..14)
}

/// Applies an action to the prompt that `sent` continues; returns whether that succeeded.
fn done(conversations: &RequestShaper, sent: &Sent, does: Does) -> bool {
    let wait = DecisionSlot::default();
    let asked = asked(sent, &wait);
    if let Does::Compacts = does {
        return conversations.request_compaction(&asked).is_ok_and(|it| it.after < it.before);
    }
    let Ok(overview) = conversations.overview(&asked) else { return false };
    let results = overview.entries.iter().filter(|entry| entry.role == MessageRole::Tool);
    let results: Vec<EntryIndex> = results.map(|entry| entry.index).collect();
    let at = |at: usize| results.get(at % results.len().max(1)).copied();
    let change = match does {
        Does::Drops(place) => at(place).map(PromptChange::Drop),
        Does::Pins(place) => at(place).map(PromptChange::Pin),
        Does::Restores(place) => at(place).map(PromptChange::Restore),
        Does::TakesBack | Does::Compacts => Some(PromptChange::Undo),
    };
    change.is_some_and(|change| conversations.change_prompt(&asked, change).is_ok())
}

fn of(all: &[(usize, Does)], request: usize) -> impl Iterator<Item = Does> {
    all.iter().filter(move |(at, _)| *at == request).map(|(_, does)| *does)
}

fn apis() -> impl Strategy<Value = ModelApi> {
    (0..ModelApi::ALL.len()).prop_map(|at| ModelApi::ALL[at])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_restart_between_any_two_requests_changes_nothing(
        script in conversation_scripts(24), api in apis(), all in does(), restarts in any::<u32>(),
    ) {
        let steady = conversations("balanced");
        let kept = Arc::new(InMemoryRecorder::default());
        let mut one = over("balanced", Arc::clone(&kept) as _);
        for (at, sent) in requests(&script, api).into_iter().enumerate() {
            // The undo history is lost with the process.
            for does in of(&all, at).filter(|does| !matches!(does, Does::TakesBack)) {
                prop_assert_eq!(done(&steady, &sent, does), done(&one, &sent, does));
            }
            let went = bytes(shaped(&steady, &sent), &sent);
            prop_assert_eq!(&went, &bytes(shaped(&one, &sent), &sent));
            let other = over("balanced", Arc::clone(&kept) as _);
            prop_assert_eq!(&went, &bytes(shaped(&other, &sent), &sent));
            if restarts >> (at % 32) & 1 == 1 {
                one = other;
            }
        }
    }

    #[test]
    fn nothing_changes_undeclared(
        script in conversation_scripts(30), api in apis(), all in does(),
    ) {
        let conversations = conversations("max");
        let mut earlier: Vec<(Vec<String>, Vec<String>)> = Vec::new();
        for (at, sent) in requests(&script, api).into_iter().enumerate() {
            for does in of(&all, at) {
                done(&conversations, &sent, does);
            }
            let shaped = shaped(&conversations, &sent);
            prop_assert_eq!(&shaped.report.inactive_reason, &None);
            let rewrite = shaped.report.rewrite;
            let went = bytes(shaped, &sent);
            let plain = without_own_mark(&sent, &went);
            prop_assert_eq!(without_results(api, &plain), without_results(api, &sent.body));
            let (asked, went) = (messages(api, &sent.body), messages(api, &went));
            let continued = earlier.iter().rev().filter(|(before, _)| asked.starts_with(before));
            let continued = continued.max_by_key(|(before, _)| before.len());
            if let Some((_, before)) = continued.filter(|_| rewrite.is_none()) {
                prop_assert_eq!(&before[..], &went[..before.len()]);
            }
            earlier.push((asked, went));
        }
    }
}

/// Returns a conversation with a read file and a command run.
fn conversation() -> Sent {
    let lines: String = (0..80).map(|at| format!("let value_{at} = compute({at});\\n")).collect();
    let call = |id: &str, command: &str, content: &str| {
        format!(
            r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"{id}","name":"Bash","input":{{"command":"{command}"}}}}]}},
            {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":"{content}"}}]}}"#
        )
    };
    let body = format!(
        r#"{{"model":"{MODEL}","system":"be kind","messages":[{{"role":"user","content":"look"}},{},{},{{"role":"user","content":"and"}}]}}"#,
        call("a", "cat a.rs", &lines),
        call("b", "cat b.rs", &lines.replace("value", "other")),
    );
    Sent {
        api: ModelApi::Messages,
        now: foveal_transcript::Timestamp(1_000),
        body: body.into_bytes(),
    }
}

/// Returns that conversation with one more answer and question.
fn goes_on(sent: &Sent) -> Sent {
    let body = String::from_utf8(sent.body.clone()).expect("text");
    let more = r#",{"role":"assistant","content":"I see."},{"role":"user","content":"on"}]}"#;
    let body = format!("{}{more}", body.strip_suffix("]}").expect("a body"));
    Sent { body: body.into_bytes(), now: foveal_transcript::Timestamp(sent.now.0 + 1_000), ..*sent }
}

fn went(conversations: &RequestShaper, sent: &Sent) -> String {
    String::from_utf8(bytes(shaped(conversations, sent), sent)).expect("text")
}

#[test]
fn a_dropped_result_is_a_note_until_that_is_taken_back() {
    let conversations = conversations("balanced");
    let first = conversation();
    let whole = went(&conversations, &first);
    let wait = DecisionSlot::default();
    let asks = |sent| asked(sent, &wait);
    let overview = conversations.overview(&asks(&first)).expect("it is known");
    let results: Vec<_> =
        overview.entries.iter().filter(|it| it.role == MessageRole::Tool).collect();
    assert_eq!(results.len(), 2);
    assert!(results.iter().all(|it| it.restore_cost.is_none() && it.drop_cost.is_some()));
    let index = results[0].index;
    conversations.change_prompt(&asks(&first), PromptChange::Drop(index)).expect("it can go");
    let after = conversations.overview(&asks(&first)).expect("it is known");
    let dropped = after.entries.iter().find(|it| it.index == index).expect("it is there");
    assert_eq!((dropped.pinning, dropped.reason), (OverrideState::Dropped, "you dropped it"));
    assert!(dropped.sent < dropped.whole && dropped.restore_cost.is_some());
    let again = conversations.change_prompt(&asks(&first), PromptChange::Drop(index));
    assert!(matches!(again, Err(PromptChangeError::Unwishable(_))), "{again:?}");
    let next = goes_on(&first);
    let shaped = shaped(&conversations, &next);
    assert_eq!(shaped.report.rewrite, Some("the user changed what is sent"));
    let reduced = String::from_utf8(bytes(shaped, &next)).expect("text");
    assert!(!reduced.contains("value_7 ") && reduced.contains("other_7 "), "{reduced}");
    conversations.change_prompt(&asks(&next), PromptChange::Undo).expect("it comes back");
    let last = goes_on(&next);
    let back = went(&conversations, &last);
    assert!(
        back.contains("value_7 ") && back.starts_with(whole.strip_suffix("]}").expect("a body"))
    );
    let none = conversations.change_prompt(&asks(&last), PromptChange::Undo);
    assert!(matches!(none, Err(PromptChangeError::NothingToUndo)), "{none:?}");
}

/// A failed request is repeated, with the user's overrides up to then.
#[test]
fn what_is_wanted_holds_for_a_request_that_goes_again() {
    let kept = Arc::new(InMemoryRecorder::default());
    let conversations = over("balanced", Arc::clone(&kept) as _);
    let sent = conversation();
    went(&conversations, &sent);
    let wait = DecisionSlot::default();
    let overview = conversations.overview(&asked(&sent, &wait)).expect("it is known");
    let index =
        overview.entries.iter().find(|it| it.role == MessageRole::Tool).expect("a result").index;
    conversations
        .change_prompt(&asked(&sent, &wait), PromptChange::Drop(index))
        .expect("it can go");
    let reduced = went(&conversations, &sent);
    assert!(!reduced.contains("value_7 "), "{reduced}");
    let other = over("balanced", kept);
    assert_eq!(went(&other, &sent), reduced);
}
