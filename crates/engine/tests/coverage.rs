//! The generated conversations reach what the laws are about: every kind of replacement and
//! every reason to rewrite. A law over conversations without them would say nothing.

use std::collections::BTreeSet;

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::settings::Settings;
use foveal_pricing::tokens::Tokenizer;
use foveal_testkit::conversation_scripts;
use foveal_testkit::laws::{self, CheckScope, LawSubject, eager_settings, eager_view_settings};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

/// The reasons to rewrite, kinds of replacement and rules that generated conversations reach.
fn reached(settings: &Settings) -> [String; 3] {
    let mut runner = TestRunner::deterministic();
    let mut kinds = BTreeSet::new();
    let mut rules = BTreeSet::new();
    let mut reasons = BTreeSet::new();
    for _ in 0..128 {
        let script = conversation_scripts(40)
            .new_tree(&mut runner)
            .expect("scripts are always made")
            .current();
        let record =
            ConversationRecord::from_conversation(script.build_conversation(), Tokenizer::O200k);
        let subject = LawSubject::from_settings(settings.clone());
        for step in laws::check_laws(&record, subject, CheckScope::Changes, &[]) {
            reasons.extend(step.rewrite.map(|reason| format!("{reason:?}")));
            for shape in step.changed.iter().filter_map(|(_, decision)| decision.shape()) {
                kinds.insert(shape.kind.label().to_owned());
                rules.extend(shape.rule.split('+').map(str::to_owned));
            }
        }
    }
    let text = |set: BTreeSet<String>| set.into_iter().collect::<Vec<_>>().join(" ");
    [text(reasons), text(kinds), text(rules)]
}

#[test]
fn generated_conversations_reach_every_rule_and_reason() {
    let reasons = "CacheCold ClientRewrote HighMark LookedOnce SkiRental";
    let expected = [
        reasons,
        "compacted delta excerpt note outline pointer",
        "cleared excerpt fold gutter heading hits identical noise outline seen shown",
    ];
    assert_eq!(reached(&eager_settings()), expected);
    let expected = [
        reasons,
        "compacted curated delta excerpt note outline pointer summary",
        "cleared curated excerpt fold gutter heading hits identical noise outline seen shown \
         summary",
    ];
    assert_eq!(reached(&eager_view_settings()), expected);
}
