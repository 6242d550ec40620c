//! What recorded sessions asked for, asked of the tools, while files are changed from outside,
//! conversations compacted and everything started anew at random; every answer is checked by a
//! reader who knows nothing but the answers.

mod concurrent_calls;
mod driver;
mod notes;
mod reader;
mod script;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use self::driver::{Counts, Drive};
use self::script::Step;

/// Unoptimised, a part of the recordings is enough for a test that runs often.
const EVERY: usize = if cfg!(debug_assertions) { 8 } else { 1 };

#[test]
fn recorded_calls_are_answered_by_the_laws() {
    let recordings = script::recordings();
    if recordings.is_empty() {
        eprintln!("skipped: ../shared/sessions/atif is missing");
        return;
    }
    let mut counts = Counts::default();
    for (seed, path) in (1..).zip(recordings.iter().step_by(EVERY)) {
        let mut drive = Drive::new(seed);
        drive.all(&script::of_recording(path));
        counts += drive.finish();
    }
    println!("{counts:#?}");
    assert_eq!(counts.violations, 0);
}

/// Few names and lines, so that much of what is shown was shown before, here or elsewhere.
fn paths() -> impl Strategy<Value = String> {
    select(vec!["code/a.rs", "code/b.py", "code/sub/c.txt", "code/empty"]).prop_map(str::to_owned)
}

fn lines() -> impl Strategy<Value = Vec<String>> {
    let line = prop_oneof![
        4 => (0..40u32).prop_map(|n| format!("fn step_{n}(value: u64) -> u64 {{ value + {n} }}")),
        2 => (0..9u32).prop_map(|n| format!("    let value = {n};")),
        1 => Just("}".to_owned()),
        1 => Just(String::new()),
        1 => "[ -~]{0,60}",
        1 => (900..1500usize).prop_map(|count| "wide ".repeat(count / 5)),
    ];
    prop_oneof![3 => vec(line.clone(), 0..30), 1 => vec(line, 100..260)]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let question = prop_oneof![Just(None), Just(Some("where is step_3 called?".to_owned()))];
    let step = prop_oneof![
        3 => (paths(), lines()).prop_map(|(path, lines)| Step::Holds { path, lines }),
        5 => (paths(), question).prop_map(|(path, question)| Step::Read { path, question }),
        2 => (paths(), 1..200u32, 0..80u32)
            .prop_map(|(path, first, more)| Step::ReadLines { path, first, last: first + more }),
        1 => Just(Step::ReadTogether {
            paths: vec!["code/a.rs".to_owned(), "code/b.py".to_owned(), "code/gone".to_owned()],
        }),
        2 => select(vec!["step_3", "value", "^$", "nowhere", "(step|let)"])
            .prop_map(|pattern| Step::Search { pattern: pattern.to_owned() }),
        2 => (0..3u32, lines()).prop_map(|(name, lines)| Step::Run {
            name: format!("runs/{name}.txt"),
            output: lines.join("\n"),
        }),
    ];
    vec(step, 10..40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn made_up_calls_are_answered_by_the_laws(seed in any::<u64>(), steps in steps()) {
        let mut drive = Drive::new(seed);
        drive.all(&steps);
        prop_assert_eq!(drive.finish().violations, 0);
    }

    /// One call after the other, each answer delivered before the next call: as if nobody asked
    /// when anything arrives.
    #[test]
    fn calls_in_turn_are_answered_the_same_however_answers_are_delivered(
        seed in any::<u64>(),
        steps in steps(),
    ) {
        // Whether a search is made again hangs on the age of files.
        let is_search = |step: &Step| matches!(step, Step::Search { .. });
        let steps: Vec<Step> = steps.into_iter().filter(|step| !is_search(step)).collect();
        let mut at_once = Drive::new(seed);
        at_once.all(&steps);
        let (mut later, at_once) = at_once.anew();
        later.is_delivered_later = true;
        later.all(&steps);
        for (one, other) in at_once.iter().zip(&later.answered) {
            prop_assert_eq!(one, other);
        }
        prop_assert_eq!(at_once.len(), later.answered.len());
        prop_assert_eq!(later.finish().violations, 0);
    }

    /// Calls beside each other, whose answers are made and delivered in any order, or never.
    #[test]
    fn calls_beside_each_other_are_answered_by_the_laws(
        seed in any::<u64>(),
        files in vec(lines(), concurrent_calls::FILES),
    ) {
        let mut desk = concurrent_calls::Desk::new(seed, files);
        desk.work(60);
        prop_assert_eq!(desk.violations, Vec::<String>::new());
    }
}
