//! Old turns told in words: which, what an answer has to be, and what becomes of the prompt.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use foveal_context::gist::{Gist, Question, Refused, said};
use foveal_context::planner::Planner;
use foveal_context::prices::{Constraints, PriceCard};
use foveal_context::projector::Projector;
use foveal_context::record::Record;
use foveal_context::retention::strategy::{ResetMarks, Strategy as Documented};
use foveal_context::settings::Settings;
use foveal_context::shape::ShapeKind;
use foveal_context::step::{RewriteReason, Step};
use foveal_context::tokens::{Tokenizer, Tokens};
use foveal_context::wish::{Wish, Wishes};
use foveal_testkit::fixture;
use foveal_testkit::laws::{
    self, Law, Moment, Scope, Subject, eager, frozen, pointers, request_time, viewed,
};
use foveal_testkit::scripted_views::ScriptedViews;
use foveal_transcript::{Block, Entry, EntryIndex, Handle, Mark, Role};
use proptest::prelude::*;
use serde_json::json;

const LAWS: &[Law] = &[
    frozen::law,
    pointers::none_dangles,
    pointers::notes_are_true,
    pointers::ledger_is_bounded,
    told_is_true,
    the_rest_stays,
];

/// What is told is declared, smaller, can be had again, and points at nothing that is not there.
fn told_is_true(moment: &Moment<'_>) {
    let (record, step) = (moment.record, moment.step);
    if !step.told.is_empty() {
        let reasons = [RewriteReason::HighMark, RewriteReason::Compacted, RewriteReason::CacheCold];
        assert!(step.rewrite.is_some_and(|reason| reasons.contains(&reason)), "{:?}", step.rewrite);
    }
    for gist in &step.told {
        let all = said(record, gist);
        for index in &gist.entries {
            let at = moment.position(*index).expect("it is in the prompt");
            let entry = record.entry(*index);
            assert!(all.contains(&entry.text()), "{index:?} is lost");
            let calls = entry.prompt_text()[entry.text().len()..].to_owned();
            assert!(moment.texts[at].ends_with(&calls), "the calls of {index:?} changed");
            assert!(!moment.texts[at].contains(&entry.text()), "{index:?} stands there still");
            let handle = Handle::of(all.as_bytes()).to_string();
            assert!(moment.texts[at].contains(&handle), "{index:?} has no way back");
            let tokens = record.tokenizer().count(&moment.texts[at]);
            assert_eq!(moment.projector.item(*index).tokens, tokens, "tokens of {index:?}");
        }
        let first = moment.position(gist.entries[0]).expect("it is in the prompt");
        assert!(moment.texts[first].contains(&gist.text), "the telling does not stand there");
    }
    let [sent, raw] = [true, false].map(|sent| {
        let tokens = moment.window().iter().map(|index| match sent {
            true => moment.projector.item(*index).tokens,
            false => record.facts(*index).tokens,
        });
        tokens.sum::<Tokens>()
    });
    assert!(sent <= raw, "{sent:?} of {raw:?}");
}

/// The user's words and responses that edit stay; a note above is there.
fn the_rest_stays(moment: &Moment<'_>) {
    for (at, index) in moment.window().iter().enumerate() {
        let (entry, facts) = (moment.record.entry(*index), moment.record.facts(*index));
        let writes = facts.calls.iter().any(|call| !call.effect.writes.is_empty());
        let shape = moment.projector.item(*index).decision.shape();
        if entry.role == Role::User || (entry.role == Role::Assistant && writes) {
            let is_told = shape.is_some_and(|shape| shape.kind == ShapeKind::Told);
            assert!(!is_told, "{index:?} is told");
        }
        if let Some(shape) = shape.filter(|shape| shape.kind == ShapeKind::Told) {
            for target in shape.refers_to() {
                let there = moment.position(target).expect("what it points at is there");
                let target = moment.projector.item(target).decision.shape();
                assert!(target.is_some_and(|shape| shape.kind == ShapeKind::Told) && there <= at);
            }
        }
    }
}

/// A turn: words of the assistant, what it calls, how much it gets, and what comes before it.
#[derive(Debug, Clone, Copy)]
struct Turn {
    words: usize,
    call: u8,
    result: usize,
    before: u8,
}

fn turns() -> impl Strategy<Value = Vec<Turn>> {
    let turn = (0..120usize, 0..6u8, 0..40usize, 0..24u8);
    let turn = turn.prop_map(|(words, call, result, before)| Turn { words, call, result, before });
    prop::collection::vec(turn, 24..60)
}

/// A session of these turns.
fn session(turns: &[Turn]) -> Record {
    let mut text = "//- user\ndo it\n".to_owned();
    for (at, turn) in turns.iter().enumerate() {
        match turn.before {
            0 => text += "//- user\nand what of the other one?\n",
            1 => text += "//- user @+400s\ngo on\n",
            2 if at > 12 => {
                let _ = writeln!(text, "//- rewind {}\nlike this", at / 2 * 2 + 1);
            }
            _ => {}
        }
        let words: String =
            (0..turn.words).fold(String::new(), |all, n| all + &format!(" thing {at} is {n}"));
        let _ = writeln!(text, "//- assistant\nI see {at}.{words}");
        let call = match turn.call {
            0 => r#"Edit {"file_path":"a.rs","old_string":"one","new_string":"two"}"#.to_owned(),
            1 => r#"Bash {"command":"echo one > b.txt"}"#.to_owned(),
            2 => r#"Bash {"command":"cargo test"}"#.to_owned(),
            3 => continue,
            file => format!("Read {{\"file_path\":\"f{}.rs\"}}", file + (at % 3) as u8),
        };
        // Files say the same again, runs do not.
        let of = if turn.call > 3 { String::new() } else { format!("{at}_") };
        let line = |all: String, n| all + &format!("fn l{of}{n}() {{}}\n");
        let lines = (0..turn.result).fold(String::new(), line);
        let _ = writeln!(text, "//- call {call}\n//- result\ndone\n{lines}");
    }
    Record::of(fixture(&text), Tokenizer::O200k)
}

/// What a model tells.
fn telling(question: &Question) -> Gist {
    let answer = json!({"gist": "It looked at the things one after the other, and all was well."});
    question.check(&answer.to_string(), Tokenizer::O200k).expect("it is short and names nothing")
}

type Make = fn() -> Planner;

fn by(settings: Settings) -> Planner {
    let views = Arc::new(ScriptedViews::default());
    Planner::new(settings, PriceCard::anthropic_5m()).with_views(views)
}

fn makes() -> [(&'static str, Make); 3] {
    let resets = || {
        let marks = ResetMarks { high: Tokens(2_500), low: Tokens(1_200) };
        by(Settings::lossless()).by_strategy(Documented::ContentReset(marks))
    };
    [("eager", || by(eager())), ("viewed", || by(viewed())), ("content-reset", resets)]
}

/// Takes a session through its requests, with a model that is asked when it is due, and a person who
/// wants a shorter prompt now and then.
fn course(record: &Record, make: Make) -> (Vec<Step>, Vec<Wishes>) {
    let planner = make();
    let settings = planner.settings().rewrite.clone();
    let prices = PriceCard::anthropic_5m();
    let subject = Subject { projector: Projector::Engine(Box::new(planner)), settings, prices };
    let (mut waiting, mut wanted) = (Vec::<Gist>::new(), Vec::new());
    let steps =
        laws::check_with(record, subject, (Scope::Everything, LAWS), |number, projector| {
            let Projector::Engine(planner) = projector else { panic!("it is the engine") };
            let is_told = |index: &EntryIndex| {
                let known = planner.window().binary_search(index).is_ok();
                known && planner.item(*index).decision.shape().is_some()
            };
            waiting.retain(|gist| !gist.entries.iter().any(is_told));
            if number > 0 {
                waiting.extend(planner.to_tell(record, &waiting).as_ref().map(telling));
            }
            let wishes =
                Wishes { gists: waiting.clone(), compacts: number % 17 == 16, ..Wishes::NONE };
            wanted.push(wishes.clone());
            wishes
        });
    (steps, wanted)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_laws_hold_where_turns_are_told(turns in turns()) {
        let record = session(&turns);
        for (_, make) in makes() {
            course(&record, make);
        }
    }

    #[test]
    fn a_plan_with_turns_told_can_be_taken_up_anywhere(turns in turns()) {
        let record = session(&turns);
        for (name, make) in makes() {
            let (steps, wanted) = course(&record, make);
            for at in (0..=steps.len()).step_by(7) {
                let stored = serde_json::to_string(&steps[..at]).expect("steps are plain data");
                let recorded: Vec<Step> = serde_json::from_str(&stored).expect("what was written");
                let mut other = make().resumed(&record, &recorded);
                for (step, wishes) in steps.iter().zip(&wanted).skip(at) {
                    let now = request_time(&record, step.answer);
                    let ours = other.advance_with(&record, step.answer, now, wishes);
                    assert_eq!(ours, *step, "{name} resumed at {at}");
                }
            }
        }
    }

    /// Whatever an answer is, what is made of it is short, and names nothing new.
    #[test]
    fn no_answer_is_believed(answer in "(\\{\"gist\": \")?[ -~]{0,400}(\"\\})?") {
        let question = question();
        if let Ok(gist) = question.check(&answer, Tokenizer::O200k) {
            let tokens = Tokenizer::O200k.count(&gist.text);
            assert!(tokens > Tokens(0) && tokens <= question.tokens_max);
            assert_eq!(gist.entries, question.entries);
        }
    }
}

/// A law over conversations in which nothing is told would say nothing.
#[test]
fn generated_turns_are_told() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut told = BTreeSet::new();
    for _ in 0..24 {
        let record = session(&turns().new_tree(&mut runner).expect("made").current());
        for (name, make) in makes() {
            let (steps, _) = course(&record, make);
            let steps = steps.iter().filter(|step| !step.told.is_empty());
            told.extend(steps.map(|step| (name, format!("{:?}", step.rewrite.expect("declared")))));
        }
    }
    for each in [("eager", "HighMark"), ("eager", "CacheCold"), ("content-reset", "HighMark")] {
        assert!(told.contains(&(each.0, each.1.to_owned())), "{each:?} of {told:?}");
    }
}

/// Thirty turns of many words and few results.
fn talk() -> Record {
    let turn = |at: usize| Turn {
        words: 20 + at % 7,
        call: if at == 3 { 0 } else { 2 },
        result: 2,
        before: 9,
    };
    session(&(0..30).map(turn).collect::<Vec<_>>())
}

/// A planner that planned all requests of a record.
fn planned(record: &Record, mut planner: Planner) -> Planner {
    for answer in laws::answers(record) {
        planner.advance(record, answer, None);
    }
    planner
}

fn question() -> Question {
    let record = talk();
    planned(&record, by(eager())).to_tell(&record, &[]).expect("it is long")
}

#[test]
fn the_oldest_turns_are_asked_about() {
    let record = talk();
    let planner = planned(&record, by(eager()));
    let question = planner.to_tell(&record, &[]).expect("it is long");
    let responses: Vec<EntryIndex> = record.conversation().responses().collect();
    // The fourth edits, and the last eight are in use.
    let old = [&responses[..3], &responses[4..22]].concat();
    assert_eq!(question.entries, old);
    let user = &question.user;
    assert!(user.contains("The user: do it") && user.contains("I see 21."), "{user}");
    assert!(!user.contains("I see 3.") && !user.contains("I see 22."), "{user}");
    assert!(user.contains("It calls: Bash") && user.contains("It gets: done"), "{user}");
    assert!(question.tokens_max.0 * 4 <= question.tokens.0);
    // What waits is not asked about again, and there is nothing else.
    assert_eq!(planner.to_tell(&record, &[telling(&question)]), None);
}

#[test]
fn nobody_is_asked_where_a_rewrite_helps_or_none_is_allowed() {
    let record = talk();
    let mut high = eager();
    high.rewrite.as_mut().expect("it rewrites").high = Tokens(500_000);
    assert_eq!(planned(&record, by(high)).to_tell(&record, &[]), None);
    assert_eq!(planned(&record, by(Settings::lossless())).to_tell(&record, &[]), None);
    // Thinking is bound to what stands before it.
    let mut conversation = record.conversation().emptied();
    for (at, entry) in record.entries().iter().enumerate() {
        let mut entry = entry.clone();
        if at + 2 == record.len() {
            entry.blocks.insert(0, Block::Reasoning("so".to_owned()));
        }
        conversation.push(entry);
    }
    let record = Record::of(conversation, Tokenizer::O200k);
    let bound = Constraints { reasoning_is_bound: true };
    assert_eq!(planned(&record, by(eager()).with_constraints(bound)).to_tell(&record, &[]), None);
    assert!(planned(&record, by(eager())).to_tell(&record, &[]).is_some());
}

#[test]
fn an_answer_of_no_use_is_refused() {
    let question = question();
    let check = |text: &str| question.check(text, Tokenizer::O200k);
    let says = |words: &str| check(&json!({ "gist": words }).to_string());
    for nothing in ["", "I do not know.", "{\"gist\": 3}", "{\"gist\": \"\"}", "{\"gist\": \"It"] {
        assert_eq!(check(nothing), Err(Refused::NoText), "{nothing}");
    }
    let long = "It saw a thing. ".repeat(question.tokens_max.0 as usize);
    assert!(matches!(says(&long), Err(Refused::TooLong { .. })));
    for (words, name) in [
        ("It changed src/secret.rs for good.", "src/secret.rs"),
        ("It called `frobnicate` twice.", "frobnicate"),
        ("It chose parse_all over it.", "parse_all"),
        ("Ask for 0a1b2c3d4e5f.", "0a1b2c3d4e5f"),
    ] {
        assert_eq!(says(words), Err(Refused::StrangeName { name: name.to_owned() }));
    }
    let gist =
        says("It ran `cargo test`, e.g. for 7 and/or 8;\n\n it was done.\u{7}").expect("true");
    assert_eq!(gist.text, "It ran `cargo test`, e.g. for 7 and/or 8;\nit was done.");
    // A model may think aloud before it.
    let aloud =
        check("Hm {\"gist\": 1} {so}: {\"gist\": \"It was done.\"} Yes.").expect("the last");
    assert_eq!(aloud.text, "It was done.");
    let again = question.again(&Refused::NoText);
    assert!(
        again.user.starts_with(&question.user) && again.user.contains("of no use: it holds no")
    );
}

/// What is told goes with the turns that it tells of: no text stands for what the user took back.
#[test]
fn what_the_user_takes_back_is_told_no_more() {
    let record = talk();
    let mut planner = planned(&record, by(eager()));
    let gist = telling(&planner.to_tell(&record, &[]).expect("it is long"));
    let wishes = Wishes { gists: vec![gist.clone()], compacts: true, ..Wishes::NONE };
    let end = EntryIndex(record.len() as u32);
    let step = planner.advance_with(&record, end, None, &wishes);
    assert_eq!((&step.told, step.rewrite), (&vec![gist.clone()], Some(RewriteReason::Compacted)));
    let mut conversation = record.conversation().clone();
    let user = record.entries().iter().find(|entry| entry.role == Role::User).expect("a task");
    let mark = Mark::Rewind { to: gist.entries[5] };
    conversation.push(Entry { mark, ..user.clone() });
    let record = Record::of(conversation, Tokenizer::O200k);
    let end = EntryIndex(record.len() as u32);
    planner.advance_with(&record, end, None, &Wishes::NONE);
    for index in planner.window() {
        let shape = planner.item(*index).decision.shape();
        assert!(shape.is_none_or(|shape| shape.kind != ShapeKind::Told), "{index:?}");
    }
}

/// Results that the person pinned stay where their turn is told; others leave a note.
#[test]
fn pinned_results_stay() {
    let turn = |at: usize| Turn { words: 20, call: 2, result: 20 + at % 5, before: 9 };
    let record = session(&(0..30).map(turn).collect::<Vec<_>>());
    let mut settings = eager();
    let rewrite = settings.rewrite.as_mut().expect("it rewrites");
    // The engine alone would leave all results.
    rewrite.tokens_min = Tokens(100_000);
    rewrite.look_once = None;
    let mut planner = planned(&record, by(settings));
    let gist = telling(&planner.to_tell(&record, &[]).expect("it is long"));
    let results = |at: usize| EntryIndex(gist.entries[at].0 + 1);
    let (pinned, other) = (results(0), results(1));
    let end = EntryIndex(record.len() as u32);
    let wishes = Wishes { results: vec![Wish::pinned(pinned)], ..Wishes::NONE };
    planner.advance_with(&record, end, None, &wishes);
    let before = planner.tokens_told(&record, &gist);
    let wishes = Wishes { gists: vec![gist.clone()], compacts: true, ..Wishes::NONE };
    let step = planner.advance_with(&record, end, None, &wishes);
    assert_eq!(step.told, std::slice::from_ref(&gist));
    assert_eq!(planner.item(pinned).decision.shape(), None);
    assert_eq!(planner.item(other).decision.shape().map(|it| it.kind), Some(ShapeKind::Note));
    assert!(planner.tokens_told(&record, &gist) < before);
}
