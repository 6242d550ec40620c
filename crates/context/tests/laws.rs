//! The engine's laws on generated conversations, one test a law.

use std::sync::Arc;

use foveal_context::prices::PriceCard;
use foveal_context::profile::PROFILES;
use foveal_context::record::Record;
use foveal_context::settings::Settings;
use foveal_context::tokens::Tokenizer;
use foveal_context::views::Views;
use foveal_testkit::generate::Script;
use foveal_testkit::laws::{
    self, Law, Scope, Subject, content, determinism, folds, frozen, own_profiles, pointers,
    rewrites,
};
use foveal_testkit::scripted_views::ScriptedViews;
use foveal_testkit::scripts;
use proptest::prelude::*;

/// Operations of a generated conversation.
const OPERATIONS_MAX: usize = 40;

fn config() -> ProptestConfig {
    ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() }
}

fn views() -> Arc<dyn Views> {
    Arc::new(ScriptedViews::default())
}

/// Checks `laws` at every request of the script, under each of the engine's profiles.
fn check(script: &Script, laws: &[Law]) {
    let record = Record::of(script.conversation(), Tokenizer::O200k);
    for (_, settings) in own_profiles() {
        let subject = Subject::engine(settings);
        laws::check(&record, subject, Scope::Everything, laws);
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn nothing_is_lost(script in scripts(OPERATIONS_MAX)) {
        check(&script, &[content::handles_resolve]);
    }

    #[test]
    fn lossless_shows_everything(script in scripts(OPERATIONS_MAX)) {
        let record = Record::of(script.conversation(), Tokenizer::O200k);
        let subject = Subject::engine(Settings::lossless());
        let laws: &[Law] = &[content::everything_is_visible];
        laws::check(&record, subject, Scope::Everything, laws);
    }

    #[test]
    fn no_pointer_dangles(script in scripts(OPERATIONS_MAX)) {
        check(&script, &[pointers::none_dangles]);
    }

    #[test]
    fn pointers_name_the_newest(script in scripts(OPERATIONS_MAX)) {
        check(&script, &[pointers::pointers_name_the_newest, pointers::calls_are_named_once]);
    }

    #[test]
    fn what_was_sent_is_frozen(script in scripts(OPERATIONS_MAX)) {
        check(&script, &[frozen::law]);
    }

    #[test]
    fn rewrites_have_a_reason_and_pay(script in scripts(OPERATIONS_MAX)) {
        check(&script, &[rewrites::law]);
    }

    #[test]
    fn a_plan_can_be_taken_up_anywhere(script in scripts(OPERATIONS_MAX), at in 0..1000usize) {
        let record = Record::of(script.conversation(), Tokenizer::O200k);
        for (_, settings) in own_profiles() {
            let places = [at, at / 7, at / 49];
            let views = views();
            determinism::resuming_changes_nothing(
                &settings, &views, &record, places,
            );
        }
    }

    #[test]
    fn a_plan_can_be_taken_up_at_each_request(script in scripts(OPERATIONS_MAX)) {
        let record = Record::of(script.conversation(), Tokenizer::O200k);
        for (_, settings) in own_profiles() {
            determinism::taking_up_at_each_request_changes_nothing(&settings, &views(), &record);
        }
    }

    #[test]
    fn what_comes_later_changes_nothing(script in scripts(OPERATIONS_MAX)) {
        let record = Record::of(script.conversation(), Tokenizer::O200k);
        for (_, settings) in own_profiles() {
            determinism::the_future_changes_nothing(
                &settings, &views(), &record,
            );
        }
    }

    #[test]
    fn nothing_grows(script in scripts(OPERATIONS_MAX)) {
        check(&script, &[content::nothing_grows]);
    }

    #[test]
    fn the_rest_is_untouched(script in scripts(OPERATIONS_MAX)) {
        check(&script, &[content::the_rest_is_untouched]);
    }

    #[test]
    fn verbatim_is_kept(script in scripts(OPERATIONS_MAX)) {
        check(&script, &[content::verbatim_is_kept]);
    }

    #[test]
    fn gaps_are_noted(script in scripts(OPERATIONS_MAX)) {
        check(&script, &[pointers::gaps_are_noted]);
    }

    #[test]
    fn notes_are_true(script in scripts(OPERATIONS_MAX)) {
        check(&script, &[pointers::notes_are_true]);
    }

    #[test]
    fn only_edits_are_told(script in scripts(OPERATIONS_MAX)) {
        check(&script, &[folds::only_edits_are_told]);
    }

    #[test]
    fn notes_on_runs_are_true(script in scripts(OPERATIONS_MAX)) {
        check(&script, &[folds::notes_on_runs_are_true]);
    }

    #[test]
    fn asking_twice_helps(script in scripts(OPERATIONS_MAX)) {
        check(&script, &[pointers::asking_twice_helps]);
    }

    #[test]
    fn the_ledger_is_bounded(script in scripts(OPERATIONS_MAX)) {
        check(&script, &[pointers::ledger_is_bounded]);
    }

    #[test]
    fn every_profile_keeps_the_common_laws(script in scripts(OPERATIONS_MAX)) {
        let record = Record::of(script.conversation(), Tokenizer::O200k);
        let prices = PriceCard::anthropic_5m();
        for profile in PROFILES {
            let projector = profile.start(&prices);
            let subject = Subject { projector, settings: None, prices: prices.clone() };
            let laws: &[Law] = &[
                content::handles_resolve,
                content::nothing_grows,
                content::the_rest_is_untouched,
                frozen::law,
            ];
            laws::check(&record, subject, Scope::Everything, laws);
        }
    }
}
