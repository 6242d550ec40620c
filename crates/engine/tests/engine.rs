//! The engine as one value, and what providers forbid.

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::engine::Engine;
use foveal_engine::plan_step::{PlanStep, RewriteReason};
use foveal_engine::planner::Planner;
use foveal_engine::provider_constraints::ProviderConstraints;
use foveal_engine::settings::Settings;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_testkit::conversation_scripts;
use foveal_testkit::laws::{answers_to_plan, eager_settings, request_time};
use foveal_transcript::{ClientPrompt, ClientPromptChange, ContentBlock, EntryIndex, MessageRole};
use proptest::prelude::*;

fn planner(settings: Settings) -> Planner {
    Planner::new(settings, PriceCard::anthropic_5m())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn an_engine_plans_as_a_planner_beside_a_record(script in conversation_scripts(30)) {
        let record = ConversationRecord::from_conversation(script.build_conversation(), Tokenizer::O200k);
        let mut beside = planner(eager_settings());
        let empty = record.conversation().without_entries();
        let mut engine = Engine::new(empty, Tokenizer::O200k, planner(eager_settings()));
        let mut steps = Vec::new();
        for answer in answers_to_plan(&record) {
            while engine.record().len() < answer.as_usize() {
                engine.push(record.entries()[engine.record().len()].clone());
            }
            let now = request_time(&record, answer);
            let step = engine.plan(now);
            prop_assert_eq!(&step, &beside.advance(&record, answer, now));
            steps.push(step);
        }
        for index in engine.window() {
            let shown = engine.render(*index).prompt_text();
            prop_assert_eq!(Tokenizer::O200k.count(&shown), engine.entry_state(*index).tokens);
        }
        prop_assert!(engine.tokens() <= engine.tokens_recorded());
        let conversation = record.conversation().clone();
        let resumed = Engine::resume(conversation, Tokenizer::O200k, planner(eager_settings()), &steps);
        prop_assert_eq!(resumed.window(), engine.window());
        prop_assert_eq!(resumed.tokens(), engine.tokens());
    }

    #[test]
    fn nothing_before_bound_reasoning_is_rewritten(script in conversation_scripts(40), every in 1..6u32) {
        let conversation = script.build_conversation().map_entries(|entry| {
            if entry.role == MessageRole::Assistant && entry.source.step % every == 0 {
                entry.blocks.push(ContentBlock::Reasoning("so".to_owned()));
            }
        });
        let record = ConversationRecord::from_conversation(conversation, Tokenizer::O200k);
        let bound = ProviderConstraints { reasoning_is_bound: true };
        let mut planner = planner(eager_settings()).with_constraints(bound);
        for answer in answers_to_plan(&record) {
            let step = planner.advance(&record, answer, request_time(&record, answer));
            if matches!(step.rewrite, None | Some(RewriteReason::ClientRewrote)) {
                continue;
            }
            let reasons = |index: &&EntryIndex| {
                let blocks = &record.entry(**index).blocks;
                blocks.iter().any(|block| matches!(block, ContentBlock::Reasoning(_)))
            };
            let last = planner.window().iter().rev().find(reasons);
            for (index, _) in &step.changed {
                prop_assert!(last.is_none_or(|last| last < index), "{index:?} before {last:?}");
            }
        }
    }
}

/// The steps of an eager planner under `prices`; what is in every prompt has `prelude` tokens.
fn steps(record: &ConversationRecord, prices: PriceCard, prelude: Tokens) -> Vec<PlanStep> {
    let mut planner = Planner::new(eager_settings(), prices);
    planner.set_prelude(prelude);
    let step = |answer| planner.advance(record, answer, request_time(record, answer));
    answers_to_plan(record).into_iter().map(step).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn where_nothing_is_cached_a_rewrite_costs_nothing(script in conversation_scripts(40)) {
        let record = ConversationRecord::from_conversation(script.build_conversation(), Tokenizer::O200k);
        let uncached = PriceCard { cache_lifetime_ms: None, ..PriceCard::anthropic_5m() };
        let steps = steps(&record, uncached, Tokens(0));
        for step in &steps {
            let is_free = matches!(
                step.rewrite,
                None | Some(RewriteReason::CacheCold | RewriteReason::ClientRewrote)
            );
            prop_assert!(is_free, "{:?}", step.rewrite);
        }
    }

    #[test]
    fn a_prompt_below_the_minimum_is_not_cached(script in conversation_scripts(40)) {
        let record = ConversationRecord::from_conversation(script.build_conversation(), Tokenizer::O200k);
        let lasting = PriceCard { cache_lifetime_ms: Some(i64::MAX), ..PriceCard::anthropic_5m() };
        let uncached = PriceCard { cache_lifetime_ms: None, ..lasting.clone() };
        let minimum = Tokens(1 << 40);
        let below = PriceCard { cache_minimum: minimum, ..lasting.clone() };
        prop_assert_eq!(
            steps(&record, below.clone(), Tokens(1)),
            steps(&record, uncached, Tokens(1))
        );
        // Where the prelude is not known, nobody knows that the prompt is so short.
        prop_assert_eq!(
            steps(&record, below.clone(), Tokens(0)),
            steps(&record, lasting.clone(), Tokens(0))
        );
        // With what is in every prompt it is longer than the minimum.
        prop_assert_eq!(steps(&record, below, minimum), steps(&record, lasting, minimum));
    }

    #[test]
    fn a_lasting_cache_is_never_taken_for_expired(script in conversation_scripts(40)) {
        let record = ConversationRecord::from_conversation(script.build_conversation(), Tokenizer::O200k);
        let lasting = PriceCard { cache_lifetime_ms: Some(i64::MAX), ..PriceCard::anthropic_5m() };
        for step in steps(&record, lasting, Tokens(0)) {
            prop_assert_ne!(step.rewrite, Some(RewriteReason::CacheCold));
        }
    }

    #[test]
    fn what_is_too_dear_to_write_again_is_carried_on(script in conversation_scripts(40)) {
        let record = ConversationRecord::from_conversation(script.build_conversation(), Tokenizer::O200k);
        let dear = PriceCard {
            cache_write: 1e12,
            cache_lifetime_ms: Some(i64::MAX),
            ..PriceCard::anthropic_5m()
        };
        for step in steps(&record, dear, Tokens(0)) {
            prop_assert_ne!(step.rewrite, Some(RewriteReason::SkiRental));
        }
    }
}

#[test]
fn what_is_in_every_prompt_counts_for_the_high_mark() {
    let text: String = (0..120).map(|at| format!("line {at} says {}\n", at * 7919)).collect();
    let conversation = foveal_testkit::parse_fixture(&format!(
        "//- user\nGo.\n//- call Bash {{\"command\":\"cat x\"}}\n//- result\n{text}\n\
         //- assistant\nOne.\n//- user\nOn.\n//- assistant\nTwo.\n//- user\nOn.\n//- assistant\nThree."
    ));
    let reasons = |prelude: u64| {
        let mut settings = eager_settings();
        (settings.run_bytes_max, settings.read_bytes_max) = (None, None);
        let rewrite = settings.rewrite.as_mut().expect("it rewrites");
        (rewrite.high, rewrite.uses_min) = (Tokens(2_500), 0.0);
        let record = ConversationRecord::from_conversation(conversation.clone(), Tokenizer::O200k);
        let mut planner = planner(settings);
        planner.set_prelude(Tokens(prelude));
        let reason = |answer| planner.advance(&record, answer, None).rewrite;
        answers_to_plan(&record).into_iter().filter_map(reason).collect::<Vec<_>>()
    };
    assert_eq!(reasons(0), []);
    assert_eq!(reasons(2_000), [RewriteReason::HighMark]);
}

#[test]
fn a_window_that_only_grows_is_appended_to() {
    let conversation = foveal_testkit::parse_fixture("//- system\nBe brief.\n//- user\nhello");
    let mut window = ClientPrompt::default();
    assert_eq!(window.push(&conversation), ClientPromptChange::Appended);
}

#[test]
fn a_compaction_that_drops_nothing_changes_nothing() {
    let changes = |keep: u32| {
        let text = "//- system\nBe.\n//- user\nGo.\n//- assistant\nSo.\n//- compact keep";
        let conversation = foveal_testkit::parse_fixture(&format!("{text} {keep}\n"));
        let mut window = ClientPrompt::default();
        let last = conversation.entries().iter().map(|_| window.push(&conversation)).last();
        (last, window.entries().to_vec())
    };
    assert_eq!(changes(1), (Some(ClientPromptChange::Skipped), [0, 1, 2].map(EntryIndex).to_vec()));
    let cut = ClientPromptChange::Cut { from: 1 };
    assert_eq!(changes(2), (Some(cut), [0, 2].map(EntryIndex).to_vec()));
}

#[test]
fn a_step_of_an_older_version_is_read_as_far_as_it_can_be_carried_out() {
    // Older versions had turns told in words.
    let told = |changed: &str| {
        format!(
            r#"{{"answer":4,"time":null,"changed":[{changed}],"levels":[],
                "told":[{{"entries":[1],"text":"It was so."}}],"kept":4,"rewrite":null}}"#
        )
    };
    let step: PlanStep = serde_json::from_str(&told("")).expect("it is a step");
    assert_eq!((step.answer, step.kept), (EntryIndex(4), 4));
    let shape = |kind: &str| {
        let shape = format!(r#""kind":"{kind}","rule":"","pieces":[],"handle":"0123456789ab""#);
        serde_json::from_str::<PlanStep>(&told(&format!(r#"[1,{{"Replace":{{{shape}}}}}]"#)))
    };
    assert!(shape("Note").is_ok() && shape("Told").is_err());
}

#[test]
fn a_step_that_shortened_edits_in_an_older_version_keeps_them() {
    let edits = r#"{"kind":"Folded","rule":"edits","pieces":[[0,40],
        {"Note":[300,{"kind":{"Edits":{"count":2,"turns":[1,3],"changes":[["+6 −6 lines",1]],
        "more":0}},"file":"a.rs","handle":"0123456789ab"}]},[0,20],
        {"Note":[500,{"kind":"EditText","counts":{"lines":6}}]},[0,2]],
        "handle":"0123456789ab"}"#;
    let result = r#"{"kind":"Note","rule":"","pieces":[],"handle":"0123456789ab"}"#;
    let step: PlanStep = serde_json::from_str(&format!(
        r#"{{"answer":4,"time":null,"changed":[[1,{{"Replace":{edits}}}],[2,{{"Replace":{result}}}],
            [3,"Keep"]],"levels":[[1,"Note"]],"kept":4,"rewrite":"CacheCold"}}"#
    ))
    .expect("it is a step");
    let replaced: Vec<bool> = step.changed.iter().map(|(_, it)| it.shape().is_some()).collect();
    assert_eq!(replaced, [false, true, false]);
    let written = serde_json::to_string(&step).expect("JSON");
    assert_eq!(serde_json::from_str::<PlanStep>(&written).expect(&written), step);
}
