//! The engine's laws on generated conversations, one test a law.

use std::sync::Arc;

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::settings::Settings;
use foveal_engine::views::ViewSource;
use foveal_pricing::tokens::Tokenizer;
use foveal_testkit::conversation_scripts;
use foveal_testkit::generate::{ConversationScript, PathSpelling, ScriptOperation, SimulatedCall};
use foveal_testkit::laws::{
    self, CheckScope, Law, LawSubject, content, determinism, frozen_prefix, own_profiles, pointers,
    rewrites,
};
use foveal_testkit::random_views::RandomViews;
use proptest::prelude::*;

/// Operations of a generated conversation.
const OPERATIONS_MAX: usize = 40;

fn config() -> ProptestConfig {
    ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() }
}

fn views() -> Arc<dyn ViewSource> {
    Arc::new(RandomViews::default())
}

/// Checks `laws` at every request of the script, under each of the engine's profiles.
fn check(script: &ConversationScript, laws: &[Law]) {
    let record =
        ConversationRecord::from_conversation(script.build_conversation(), Tokenizer::O200k);
    for (_, settings) in own_profiles() {
        let subject = LawSubject::from_settings(settings);
        laws::check_laws(&record, subject, CheckScope::WholePrompt, laws);
    }
}

#[test]
fn parallel_reads_and_writes_of_a_file_say_nothing_certain() {
    use PathSpelling::{Absolute, Dotted, Relative};
    use ScriptOperation::{Compact, Interrupt, Respond, User};
    use SimulatedCall::{
        Cat, CheckOut, Edit, EditLines, Read, ReadLines, ReadRange, Run, Sed, Write,
    };
    let operations = vec![
        Respond(vec![Read(0, Absolute), Edit(0, 0, 5759858329008797), CheckOut(1, 1)]),
        Respond(vec![Edit(1, 22, 6391882463701846689), Run(29, 2), ReadRange(1, 57, 5)]),
        Respond(vec![EditLines(2, 57, 9, 14690178699396001520)]),
        Respond(vec![Read(0, Relative), Read(0, Relative)]),
        User,
        Respond(vec![Run(9, 3), Read(0, Absolute)]),
        Respond(vec![Read(0, Absolute), Read(3, Relative)]),
        Respond(vec![Sed(3, 45, 78)]),
        Respond(vec![Write(2, 16, 17044803508672108216), CheckOut(0, 0)]),
        Respond(vec![Sed(3, 36, 64), Read(0, Absolute)]),
        Respond(vec![CheckOut(3, 1), Read(1, Relative), Read(3, Absolute)]),
        User,
        Respond(vec![ReadRange(3, 10, 59)]),
        Compact(11),
        User,
        Respond(vec![EditLines(1, 65, 2, 1642360104157295475)]),
        Compact(11),
        Respond(vec![Edit(3, 10, 2963963051989117062), Edit(0, 41, 18294355250571749074)]),
        Respond(vec![Read(1, Absolute), Run(25, 4)]),
        Respond(vec![
            Edit(3, 82, 3562872153034813642),
            Edit(2, 15, 8992921891056291335),
            Run(286, 1),
        ]),
        Respond(vec![Run(25, 3), Read(2, Dotted)]),
        Respond(vec![Read(3, Relative), Edit(2, 85, 10659175681474815864), ReadRange(3, 9, 56)]),
        Respond(vec![ReadLines(1, 17, 46), Read(3, Absolute), Read(3, Dotted)]),
        Respond(vec![Cat(0), Write(0, 26, 809638470450097203)]),
        Interrupt,
        User,
        Respond(vec![Cat(0), ReadRange(3, 54, 5), Read(1, Absolute)]),
    ];
    let laws: &[Law] = &[pointers::pointers_match_newest_text];
    check(&ConversationScript { seed: 26, operations }, laws);
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn nothing_is_lost(script in conversation_scripts(OPERATIONS_MAX)) {
        check(&script, &[content::handles_resolve]);
    }

    #[test]
    fn lossless_shows_everything(script in conversation_scripts(OPERATIONS_MAX)) {
        let record = ConversationRecord::from_conversation(script.build_conversation(), Tokenizer::O200k);
        let subject = LawSubject::from_settings(Settings::lossless());
        let laws: &[Law] = &[content::all_lines_are_visible];
        laws::check_laws(&record, subject, CheckScope::WholePrompt, laws);
    }

    #[test]
    fn no_pointer_dangles(script in conversation_scripts(OPERATIONS_MAX)) {
        check(&script, &[pointers::pointers_resolve]);
    }

    #[test]
    fn pointers_name_the_newest(script in conversation_scripts(OPERATIONS_MAX)) {
        check(&script, &[pointers::pointers_match_newest_text, pointers::call_references_are_unambiguous]);
    }

    #[test]
    fn what_was_sent_is_frozen(script in conversation_scripts(OPERATIONS_MAX)) {
        check(&script, &[frozen_prefix::prefix_is_frozen]);
    }

    #[test]
    fn rewrites_have_a_reason_and_pay(script in conversation_scripts(OPERATIONS_MAX)) {
        check(&script, &[rewrites::rewrites_are_justified]);
    }

    #[test]
    fn a_plan_can_be_taken_up_anywhere(script in conversation_scripts(OPERATIONS_MAX), at in 0..1000usize) {
        let record = ConversationRecord::from_conversation(script.build_conversation(), Tokenizer::O200k);
        for (_, settings) in own_profiles() {
            let places = [at, at / 7, at / 49];
            let views = views();
            determinism::resuming_is_deterministic(
                &settings, &views, &record, places,
            );
        }
    }

    #[test]
    fn a_plan_can_be_taken_up_at_each_request(script in conversation_scripts(OPERATIONS_MAX)) {
        let record = ConversationRecord::from_conversation(script.build_conversation(), Tokenizer::O200k);
        for (_, settings) in own_profiles() {
            determinism::taking_over_is_deterministic(&settings, &views(), &record);
        }
    }

    #[test]
    fn what_comes_later_changes_nothing(script in conversation_scripts(OPERATIONS_MAX)) {
        let record = ConversationRecord::from_conversation(script.build_conversation(), Tokenizer::O200k);
        for (_, settings) in own_profiles() {
            determinism::later_entries_change_no_step(
                &settings, &views(), &record,
            );
        }
    }

    #[test]
    fn nothing_grows(script in conversation_scripts(OPERATIONS_MAX)) {
        check(&script, &[content::replacements_are_smaller]);
    }

    #[test]
    fn the_rest_is_untouched(script in conversation_scripts(OPERATIONS_MAX)) {
        check(&script, &[content::other_content_is_unchanged]);
    }

    #[test]
    fn verbatim_is_kept(script in conversation_scripts(OPERATIONS_MAX)) {
        check(&script, &[content::requested_content_is_verbatim]);
    }

    #[test]
    fn gaps_are_noted(script in conversation_scripts(OPERATIONS_MAX)) {
        check(&script, &[pointers::omissions_are_noted]);
    }

    #[test]
    fn notes_are_true(script in conversation_scripts(OPERATIONS_MAX)) {
        check(&script, &[pointers::notes_are_true]);
    }

    #[test]
    fn asking_twice_helps(script in conversation_scripts(OPERATIONS_MAX)) {
        check(&script, &[pointers::repeated_calls_return_content]);
    }

    #[test]
    fn the_ledger_is_bounded(script in conversation_scripts(OPERATIONS_MAX)) {
        check(&script, &[pointers::ledger_is_bounded]);
    }
}
