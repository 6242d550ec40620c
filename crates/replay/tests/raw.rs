//! The recorded prompt compared with itself.

use foveal_engine::projector::Projector;
use foveal_pricing::tokens::Tokenizer;
use foveal_replay::baselines::RAW;
use foveal_replay::{PreparedConversation, replay};
use foveal_testkit::{conversation_scripts, parse_fixture};
use proptest::prelude::*;

use super::cost::prices;

fn untouched() -> Projector {
    RAW.new_projector(&prices())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn what_nothing_changed_costs_the_same_and_lacks_nothing(script in conversation_scripts(40)) {
        let conversation = script.build_conversation();
        let prepared = PreparedConversation::new(conversation.clone(), Tokenizer::O200k);
        let replay = replay(&prepared, &mut untouched(), &prices(), &mut |_, _| {});
        prop_assert_eq!(replay.requests.len(), conversation.response_indices().count());
        prop_assert_eq!(replay.breaches.total(), 0);
        for request in &replay.requests {
            prop_assert_eq!(request.raw, request.projected);
            prop_assert_eq!(request.evidence.visible, request.evidence.used);
            prop_assert_eq!(request.references.visible, request.references.used);
            prop_assert_eq!((request.repairs, request.rewrite), (0, None));
        }
        prop_assert!((replay.raw_dollars() - replay.net_dollars()).abs() < 1e-12);
    }
}

/// The recorded tokens of each prompt, and those read from the cache.
fn check(text: &str, expected: &[(&[&str], &[&str])]) {
    let conversation = parse_fixture(text);
    let prepared = PreparedConversation::new(conversation, Tokenizer::O200k);
    let replay = replay(&prepared, &mut untouched(), &prices(), &mut |_, _| {});
    let count = |texts: &[&str]| texts.iter().map(|text| Tokenizer::O200k.count(text).0).sum();
    let expected: Vec<(u64, u64)> = expected.iter().map(|(p, c)| (count(p), count(c))).collect();
    let found: Vec<(u64, u64)> =
        replay.requests.iter().map(|r| (r.raw.prompt.0, r.raw.cached.0)).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_compaction_leaves_the_instructions_and_what_it_keeps() {
    check(
        "//- system\nBe brief.\n//- user\none\n//- assistant\ntwo\n//- user\nthree\n\
         //- assistant\nfour\n//- compact keep 3\n//- summary\nso far\n//- assistant\nfive",
        &[
            (&["Be brief.", "one"], &[]),
            (&["Be brief.", "one", "two", "three"], &["Be brief.", "one"]),
            (&["Be brief.", "three", "four", "so far"], &["Be brief."]),
        ],
    );
}

#[test]
fn a_rewind_drops_what_came_after() {
    check(
        "//- user\none\n//- assistant\ntwo\n//- user\nthree\n//- assistant\nfour\n\
         //- rewind 2\nanother three\n//- assistant\nfive",
        &[
            (&["one"], &[]),
            (&["one", "two", "three"], &["one"]),
            (&["one", "two", "another three"], &["one", "two"]),
        ],
    );
}

#[test]
fn a_pause_longer_than_the_cache_lives_reads_nothing() {
    check(
        "//- user\none\n//- assistant\ntwo\n//- user @+301s\nthree\n//- assistant\nfour",
        &[(&["one"], &[]), (&["one", "two", "three"], &[])],
    );
}
