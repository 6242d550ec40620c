//! Early reductions never cost more than was saved before.

use foveal_engine::planner::Planner;
use foveal_engine::projector::Projector;
use foveal_engine::settings::{EarlyReduction, Settings};
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_replay::{ConversationReplay, PreparedConversation, replay};
use foveal_testkit::conversation_scripts;
use proptest::prelude::*;

/// Settings with early reduction only, for results of any size.
fn settings(searches_after: u32, horizon: u32) -> Settings {
    let mut settings = Settings { run_bytes_max: None, ..Settings::balanced() };
    if let Some(rewrite) = &mut settings.rewrite {
        rewrite.high = Tokens(u64::MAX);
        rewrite.uses_min = 0.0;
        rewrite.tokens_min = Tokens(30);
        rewrite.look_once =
            Some(EarlyReduction { runs_after: 1, searches_after, reads: None, horizon });
    }
    settings
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_conversation_costs_more_wherever_it_ends(
        script in conversation_scripts(60),
        searches_after in 1..3u32,
        horizon in prop::sample::select(vec![1, 20, 1_000_000]),
    ) {
        let prepared = PreparedConversation::new(script.build_conversation(), Tokenizer::O200k);
        for card in PriceCard::built_in_cards() {
            let planner = Planner::new(settings(searches_after, horizon), card.clone());
            let mut projector = Projector::Engine(Box::new(planner));
            let done: ConversationReplay = replay(&prepared, &mut projector, &card, &mut |_, _| {});
            let (mut raw, mut sent) = (0.0, 0.0);
            for request in &done.requests {
                raw += request.raw.dollars;
                sent += request.projected.dollars;
                prop_assert!(sent <= raw + 1e-9, "{}: {sent} for {raw}", card.name);
            }
        }
    }
}
