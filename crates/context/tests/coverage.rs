//! The generated conversations reach what the laws are about: every kind of replacement and
//! every reason to rewrite. A law over conversations without them would say nothing.

use std::collections::BTreeSet;

use foveal_context::observed::Observed;
use foveal_context::tokens::Tokenizer;
use foveal_testkit::laws::{self, Scope, Subject, eager};
use foveal_testkit::scripts;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

#[test]
fn generated_conversations_reach_every_rule_and_reason() {
    let mut runner = TestRunner::deterministic();
    let mut kinds = BTreeSet::new();
    let mut rules = BTreeSet::new();
    let mut reasons = BTreeSet::new();
    for _ in 0..64 {
        let script = scripts(40).new_tree(&mut runner).expect("scripts are always made").current();
        let conversation = script.conversation();
        let observed = Observed::of(&conversation, Tokenizer::O200k);
        let subject = Subject::engine(eager());
        for step in laws::check(&conversation, &observed, subject, Scope::Changes, &[]) {
            reasons.extend(step.rewrite.map(|reason| format!("{reason:?}")));
            for shape in step.changed.iter().filter_map(|(_, decision)| decision.shape()) {
                kinds.insert(shape.kind.word());
                rules.extend(shape.rule.split('+').map(str::to_owned));
            }
        }
    }
    let text = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(text(&reasons), "CacheCold ClientRewrote HighMark SkiRental");
    assert_eq!(
        kinds.into_iter().collect::<Vec<_>>().join(" "),
        "compacted delta excerpt folded note outline pointer"
    );
    assert_eq!(
        text(&rules),
        "cleared edits excerpt fold gutter heading hits identical noise outline shown"
    );
}
