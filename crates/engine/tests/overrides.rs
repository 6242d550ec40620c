//! What a person wants of single results, between the requests of generated conversations.

use std::collections::BTreeSet;
use std::sync::Arc;

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::overrides::{OverrideError, OverrideState, RequestOverrides, ResultOverride};
use foveal_engine::plan_step::{PlanStep, RewriteReason};
use foveal_engine::planner::Planner;
use foveal_engine::projector::Projector;
use foveal_engine::provider_constraints::ProviderConstraints;
use foveal_engine::settings::{RewriteSettings, Settings};
use foveal_engine::views::ViewSource;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_testkit::laws::{
    self, CheckScope, Law, LawSubject, content, determinism, frozen_prefix, own_profiles, pointers,
    result_overrides, rewrites,
};
use foveal_testkit::random_views::RandomViews;
use foveal_testkit::{conversation_scripts, parse_fixture};
use foveal_transcript::{ContentBlock, EntryIndex, MessageRole};
use proptest::prelude::*;

const LAWS: &[Law] = &[
    result_overrides::overrides_hold,
    content::handles_resolve,
    content::replacements_are_smaller,
    content::other_content_is_unchanged,
    frozen_prefix::prefix_is_frozen,
    pointers::pointers_resolve,
    pointers::omissions_are_noted,
    pointers::notes_are_true,
    pointers::repeated_calls_return_content,
    pointers::ledger_is_bounded,
    rewrites::rewrites_are_justified,
];

/// Something that the person does before a request.
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
        4 => (0..400usize).prop_map(Does::Drops),
        2 => (0..400usize).prop_map(Does::Pins),
        3 => (0..400usize).prop_map(Does::Restores),
        3 => Just(Does::TakesBack),
        1 => Just(Does::Compacts),
    ];
    prop::collection::vec((0..24usize, one), 1..16)
}

/// A person at work.
#[derive(Default)]
struct Person {
    /// What takes back each of the last wishes.
    back: Vec<ResultOverride>,
}

impl Person {
    fn wish(
        &mut self,
        record: &ConversationRecord,
        projector: &Projector,
        does: &[Does],
    ) -> RequestOverrides {
        let window = projector.window();
        let results: Vec<EntryIndex> = window
            .iter()
            .copied()
            .filter(|at| record.entry(*at).role == MessageRole::Tool)
            .collect();
        let mut wanted = RequestOverrides::default();
        for does in does {
            let at = |at: usize| (!results.is_empty()).then(|| results[at % results.len()]);
            let wish = match *does {
                Does::Drops(place) => at(place).map(ResultOverride::dropped),
                Does::Pins(place) => at(place).map(ResultOverride::pinned),
                Does::Restores(place) => at(place).map(ResultOverride::restored),
                Does::TakesBack => self.back.pop(),
                Does::Compacts => {
                    wanted.compacts = true;
                    None
                }
            };
            let Some(wish) = wish else { continue };
            if !matches!(does, Does::TakesBack) {
                self.back.push(projector.entry_state(wish.entry).current_override(wish.entry));
            }
            wanted.results.push(wish);
        }
        wanted
    }
}

fn views() -> Arc<dyn ViewSource> {
    Arc::new(RandomViews::default())
}

/// Takes a conversation through its requests with what the person does; the steps and the wishes.
fn course(
    record: &ConversationRecord,
    settings: &Settings,
    done: &[(usize, Does)],
) -> (Vec<PlanStep>, Vec<RequestOverrides>) {
    let (mut person, mut wanted) = (Person::default(), Vec::new());
    let subject = LawSubject::from_settings(settings.clone());
    let steps = laws::check_laws_with_overrides(
        record,
        subject,
        CheckScope::WholePrompt,
        LAWS,
        |number, projector| {
            let does: Vec<Does> =
                done.iter().filter(|(at, _)| *at == number).map(|(_, does)| *does).collect();
            let wishes = person.wish(record, projector, &does);
            wanted.push(wishes.clone());
            wishes
        },
    );
    (steps, wanted)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_laws_hold_with_wishes(script in conversation_scripts(40), done in does()) {
        let record = ConversationRecord::from_conversation(script.build_conversation(), Tokenizer::O200k);
        for (_, settings) in own_profiles() {
            course(&record, &settings, &done);
        }
    }

    #[test]
    fn a_plan_with_wishes_can_be_taken_up_anywhere(script in conversation_scripts(24), done in does()) {
        let record = ConversationRecord::from_conversation(script.build_conversation(), Tokenizer::O200k);
        for (_, settings) in own_profiles() {
            let (steps, wanted) = course(&record, &settings, &done);
            determinism::resuming_preserves_overrides(
                &settings, &views(), &record, &steps, &wanted,
            );
        }
    }
}

/// A law over conversations in which no wish is carried out would say nothing.
#[test]
fn generated_wishes_are_carried_out() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let (mut reasons, mut standings) = (BTreeSet::new(), BTreeSet::new());
    for _ in 0..48 {
        let (script, done) =
            (conversation_scripts(40), does()).new_tree(&mut runner).expect("made").current();
        let record =
            ConversationRecord::from_conversation(script.build_conversation(), Tokenizer::O200k);
        for (_, settings) in own_profiles() {
            let (steps, _) = course(&record, &settings, &done);
            for step in &steps {
                reasons.extend(step.rewrite.map(|reason| format!("{reason:?}")));
                standings.extend(step.wished.iter().map(|wish| format!("{:?}", wish.standing)));
            }
        }
    }
    assert!(reasons.contains("Wished") && reasons.contains("Compacted"), "{reasons:?}");
    let all = ["Dropped", "Free", "Pinned", "Whole"].map(str::to_owned);
    assert_eq!(standings, BTreeSet::from(all));
}

/// A file that is read twice: the second read points at the first.
fn read_twice() -> ConversationRecord {
    let lines: String = (0..60).map(|at| format!("let value_{at} = compute({at});\n")).collect();
    let call = "//- assistant\nI look.\n//- call Bash {\"command\":\"cat a.rs\"}\n//- result\n";
    let text =
        format!("//- user\nlook\n{call}{lines}{call}{lines}//- assistant\nseen\n//- user\nand\n");
    ConversationRecord::from_conversation(parse_fixture(&text), Tokenizer::O200k)
}

fn results(record: &ConversationRecord) -> Vec<EntryIndex> {
    let all = (0..record.len() as u32).map(EntryIndex);
    all.filter(|at| record.entry(*at).role == MessageRole::Tool).collect()
}

/// A planner that planned all requests but one, which is the one behind the last entry.
fn planned(
    record: &ConversationRecord,
    settings: Settings,
    constraints: ProviderConstraints,
) -> Planner {
    let planner = Planner::new(settings, PriceCard::anthropic_5m());
    let mut planner = planner.with_constraints(constraints);
    let answers = laws::answers_to_plan(record);
    for answer in &answers[..answers.len() - 1] {
        planner.advance(record, *answer, None);
    }
    planner
}

#[test]
fn what_pointed_at_a_dropped_result_says_it_itself() {
    let record = read_twice();
    let [first, second] = results(&record)[..] else { panic!("two results") };
    let mut planner = planned(&record, Settings::lossless(), ProviderConstraints::default());
    assert!(
        planner
            .entry_state(second)
            .decision
            .shape()
            .is_some_and(|it| it.referenced_entries() == [first])
    );
    let end = EntryIndex(record.len() as u32);
    let wishes = RequestOverrides {
        results: vec![ResultOverride::dropped(first)],
        ..RequestOverrides::NONE
    };
    assert_eq!(planner.check_override(&record, &wishes.results[0]), Ok(()));
    let step = planner.advance_with_overrides(&record, end, None, &wishes);
    assert_eq!(step.rewrite, Some(RewriteReason::Wished));
    assert_eq!(step.wished, wishes.results);
    let note = planner.entry_state(first).decision.shape().expect("a note").clone();
    let text = note.render(&record.entry(first).tool_result().expect("a result").content);
    assert!(text.lines().count() == 1 && text.contains(&note.handle.to_string()), "{text}");
    // All of it stands in the second read, with which nothing is lost of what the model could see.
    assert!(planner.entry_state(second).decision.shape().is_none());
    // Said twice, nothing changes any more.
    assert_eq!(planner.check_override(&record, &wishes.results[0]), Err(OverrideError::IsSo));
}

#[test]
fn what_cannot_be_done_is_said() {
    let record = read_twice();
    let [first, second] = results(&record)[..] else { panic!("two results") };
    let planner = planned(&record, Settings::lossless(), ProviderConstraints::default());
    let why = |wish: ResultOverride| planner.check_override(&record, &wish).err();
    assert_eq!(why(ResultOverride::dropped(EntryIndex(0))), Some(OverrideError::NoResult));
    assert_eq!(why(ResultOverride::dropped(EntryIndex(99))), Some(OverrideError::NotThere));
    // A pointer is shorter than any note.
    assert_eq!(why(ResultOverride::dropped(second)), Some(OverrideError::NoShorter));
    assert_eq!(why(ResultOverride::restored(second)), None);
    assert_eq!(why(ResultOverride::pinned(first)), None);
}

/// Newer Claude models refuse their own thinking behind a change.
#[test]
fn nothing_before_bound_thinking_is_changed() {
    let mut conversation = read_twice().conversation().clone();
    let mut answer = conversation.entries().last().expect("an entry").clone();
    answer.role = MessageRole::Assistant;
    answer.blocks =
        vec![ContentBlock::Reasoning("hm".to_owned()), ContentBlock::Text("so".to_owned())];
    conversation.push(answer);
    let record = ConversationRecord::from_conversation(conversation, Tokenizer::O200k);
    let first = results(&record)[0];
    let bound = ProviderConstraints { reasoning_is_bound: true };
    let planner = planned(&record, Settings::lossless(), bound);
    assert_eq!(
        planner.check_override(&record, &ResultOverride::dropped(first)),
        Err(OverrideError::Bound)
    );
    let mut planner = planned(&record, Settings::lossless(), bound);
    let end = EntryIndex(record.len() as u32);
    let wishes = RequestOverrides {
        results: vec![ResultOverride::dropped(first)],
        ..RequestOverrides::NONE
    };
    let step = planner.advance_with_overrides(&record, end, None, &wishes);
    assert!(step.wished.is_empty() && step.rewrite.is_none(), "{step:?}");
    assert_eq!(planner.entry_state(first).override_state, OverrideState::Free);
}

/// Calls of a command, each with as many lines of output as `lines` says.
fn runs(lines: &[usize]) -> String {
    let run = |(at, lines): (usize, &usize)| {
        let output: String =
            (0..*lines).map(|line| format!("step {line} of {at}: done\n")).collect();
        format!(
            "//- assistant\nI go on.\n//- call Bash {{\"command\":\"make {at}\"}}\n//- result\n{output}"
        )
    };
    lines.iter().enumerate().map(run).collect()
}

/// Settings under which only the high mark takes old results.
fn under_a_mark(high: Tokens, low: Tokens) -> Settings {
    let mut settings = Settings::lossless();
    settings.rewrite = Settings::balanced().rewrite.map(|rewrite| RewriteSettings {
        high,
        low,
        recent_requests: 1,
        uses_min: 0.0,
        look_once: None,
        ..rewrite
    });
    settings
}

/// What the person has just given free stays for this request; others make the room in its place.
#[test]
fn what_was_just_given_free_makes_no_room() {
    let (runs, long) = (runs(&[600, 90, 90]), "and more ".repeat(300));
    let text = format!("//- user\ngo\n{runs}//- assistant\nso\n//- user\n{long}\n");
    let record = ConversationRecord::from_conversation(parse_fixture(&text), Tokenizer::O200k);
    let found = results(&record);
    let all: u64 = found.iter().map(|at| record.facts(*at).tokens.0).sum();
    // The last message passes the mark. The large result alone would make the room for it.
    let settings = under_a_mark(Tokens(all + 200), Tokens(all - 200));
    let mut planner = Planner::new(settings, PriceCard::anthropic_5m());
    let answers = laws::answers_to_plan(&record);
    let [earlier @ .., last_but_one, last] = &answers[..] else { panic!("{answers:?}") };
    for answer in earlier {
        planner.advance(&record, *answer, None);
    }
    let wish = |wish| RequestOverrides { results: vec![wish], ..RequestOverrides::NONE };
    let before = planner.entry_state(found[0]).current_override(found[0]);
    let step = planner.advance_with_overrides(
        &record,
        *last_but_one,
        None,
        &wish(ResultOverride::pinned(found[0])),
    );
    assert!(step.rewrite.is_none() && step.wished.len() == 1, "{step:?}");
    let step = planner.advance_with_overrides(&record, *last, None, &wish(before));
    assert_eq!(step.wished.len(), 1);
    let gone: Vec<_> = step.levels.iter().map(|(at, _)| *at).collect();
    assert_eq!((gone, step.rewrite), (found[1..].to_vec(), Some(RewriteReason::HighMark)));
}

/// A client's compaction takes what a read pointed at, and the person drops a result behind it.
#[test]
fn what_follows_from_a_clients_cut_is_not_said_to_be_wished() {
    let lines: String = (0..60).map(|at| format!("let value_{at} = compute({at});\n")).collect();
    let call = "//- assistant\nI look.\n//- call Bash {\"command\":\"cat a.rs\"}\n//- result\n";
    let reads = format!("//- user\nlook\n{call}{lines}{call}{lines}");
    let text = format!("{reads}{}//- compact keep 3\n//- summary\nso far\n", runs(&[90]));
    let record = ConversationRecord::from_conversation(parse_fixture(&text), Tokenizer::O200k);
    let [_, second, last] = results(&record)[..] else { panic!("three results") };
    let mut planner = planned(&record, Settings::lossless(), ProviderConstraints::default());
    assert!(planner.entry_state(second).decision.shape().is_some());
    let wishes =
        RequestOverrides { results: vec![ResultOverride::dropped(last)], ..RequestOverrides::NONE };
    let end = EntryIndex(record.len() as u32);
    let step = planner.advance_with_overrides(&record, end, None, &wishes);
    assert_eq!(step.wished, wishes.results);
    let changed: Vec<_> = step.changed.iter().map(|(at, _)| *at).collect();
    assert_eq!((changed, step.rewrite), (vec![second, last], None));
}
