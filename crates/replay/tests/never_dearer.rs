//! What goes as soon as it has been seen is paid for with what was saved before.

use foveal_context::planner::Planner;
use foveal_context::prices::PriceCard;
use foveal_context::projector::Projector;
use foveal_context::settings::{LookOnce, Settings};
use foveal_context::tokens::{Tokenizer, Tokens};
use foveal_replay::{Prepared, Replay, replay};
use foveal_testkit::scripts;
use proptest::prelude::*;

/// Settings that reduce nothing but what has been seen, and that of any size.
fn settings(searches_after: u32, horizon: u32) -> Settings {
    let mut settings = Settings { run_bytes_max: None, ..Settings::balanced() };
    if let Some(rewrite) = &mut settings.rewrite {
        rewrite.high = Tokens(u64::MAX);
        rewrite.uses_min = 0.0;
        rewrite.tokens_min = Tokens(30);
        rewrite.look_once = Some(LookOnce { runs_after: 1, searches_after, reads: None, horizon });
    }
    settings
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_conversation_costs_more_wherever_it_ends(
        script in scripts(60),
        searches_after in 1..3u32,
        horizon in prop::sample::select(vec![1, 20, 1_000_000]),
    ) {
        let prepared = Prepared::new(script.conversation(), Tokenizer::O200k);
        for card in PriceCard::all() {
            let planner = Planner::new(settings(searches_after, horizon), card.clone());
            let mut projector = Projector::Engine(Box::new(planner));
            let done: Replay = replay(&prepared, &mut projector, &card, &mut |_, _| {});
            let (mut raw, mut sent) = (0.0, 0.0);
            for request in &done.requests {
                raw += request.raw.dollars;
                sent += request.projected.dollars;
                prop_assert!(sent <= raw + 1e-9, "{}: {sent} for {raw}", card.name);
            }
        }
    }
}
