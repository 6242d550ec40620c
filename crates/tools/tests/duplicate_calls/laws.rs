//! The tracker compared with a naive model, which keeps everything and compares words.

use foveal_tools::duplicate_calls::{CallSettings, CallTracker};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Words, ask, at, done, looked_up};

#[derive(Debug, Clone)]
enum Asks {
    /// A file and lines of it, from 1 to 9.
    Lines(u8, u8, u8),
    /// A pattern, and the number of context lines.
    Grep(u8, u8),
    /// A command.
    Run,
}

impl Asks {
    fn call(&self) -> (&'static str, Value) {
        match self {
            Asks::Lines(file, first, last) => {
                let path = format!("src/{file}.rs");
                ("read_lines", json!({ "path": path, "start": first, "end": last }))
            }
            Asks::Grep(pattern, around) => {
                ("grep", json!({ "pattern": pattern.to_string(), "context": around }))
            }
            Asks::Run => ("bash", json!({ "command": "date" })),
        }
    }

    /// Returns whether `earlier` showed everything that this call asks for.
    fn is_answered_by(&self, earlier: &Asks) -> bool {
        match (self, earlier) {
            (Asks::Lines(file, first, last), Asks::Lines(other, from, to)) => {
                file == other && (*first..=*last).all(|line| (*from..=*to).contains(&line))
            }
            (Asks::Grep(pattern, _), Asks::Grep(other, _)) => pattern == other,
            _ => false,
        }
    }

    fn is_same(&self, earlier: &Asks) -> bool {
        self.is_answered_by(earlier) && earlier.is_answered_by(self)
    }
}

#[derive(Debug, Clone)]
enum Operation {
    /// Look up a call in a session; confirm the answer unless its dependencies changed.
    Ask(u8, Asks, bool),
    /// Advance the clock by this many seconds.
    Wait(u16),
    Clear(u8),
    CleanUp,
}

fn operation() -> impl Strategy<Value = Operation> {
    let asks = prop_oneof![
        4 => (0..2u8, 1..5u8, 0..5u8).prop_map(|(file, a, n)| Asks::Lines(file, a, a + n)),
        3 => (0..3u8, 0..3u8).prop_map(|(pattern, around)| Asks::Grep(pattern, around)),
        1 => Just(Asks::Run),
    ];
    prop_oneof![
        20 => (0..2u8, asks, prop::bool::weighted(0.2))
            .prop_map(|(session, asks, changed)| Operation::Ask(session, asks, changed)),
        2 => prop_oneof![1..40u16, 290..310u16].prop_map(Operation::Wait),
        1 => (0..2u8).prop_map(Operation::Clear),
        1 => Just(Operation::CleanUp),
    ]
}

const CALLS_MAX: usize = 5;
const BETWEEN_MAX: usize = 2;

/// The full history of one session.
#[derive(Debug, Default)]
struct Naive {
    /// The calls carried out, with result and time; `None` once forgotten.
    calls: Vec<Option<(Asks, String, i64)>>,
    /// The calls answered from these, with their position; `None` once repeated.
    answered: Vec<Option<(Asks, usize)>>,
    /// The number of calls.
    asked: usize,
    /// The time of the last call.
    last_used: i64,
}

impl Naive {
    fn look_up(&mut self, asks: &Asks, now: i64) -> String {
        self.asked += 1;
        self.last_used = now;
        if matches!(asks, Asks::Run) {
            return "Never".to_owned();
        }
        for answered in &mut self.answered {
            if let Some((earlier, place)) = answered
                && self.asked - *place <= BETWEEN_MAX + 1
                && asks.is_answered_by(earlier)
            {
                *answered = None;
                return "AskedAgain".to_owned();
            }
        }
        let answers = self.calls.iter().flatten().rev().filter(|call| asks.is_answered_by(&call.0));
        let mut miss = "New";
        for (_, result, time) in answers {
            if now - time <= 300 {
                return result.clone();
            }
            miss = "TooOld";
        }
        miss.to_owned()
    }

    fn record(&mut self, asks: &Asks, result: &str, now: i64) {
        for call in &mut self.calls {
            if call.as_ref().is_some_and(|(earlier, _, _)| asks.is_same(earlier)) {
                *call = None;
            }
        }
        self.clean_up(now);
        self.calls.push(Some((asks.clone(), result.to_owned(), now)));
        let kept = self.calls.iter().flatten().count();
        let too_many = kept.saturating_sub(CALLS_MAX);
        for call in self.calls.iter_mut().filter(|call| call.is_some()).take(too_many) {
            *call = None;
        }
    }

    fn clean_up(&mut self, now: i64) {
        for call in &mut self.calls {
            if call.as_ref().is_some_and(|(_, _, time)| now - time > 300) {
                *call = None;
            }
        }
    }

    fn forget(&mut self, result: &str) {
        for call in &mut self.calls {
            if call.as_ref().is_some_and(|(_, known, _)| known == result) {
                *call = None;
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_tracker_does_as_the_naive_one(operations in prop::collection::vec(operation(), 0..60)) {
        let mut settings = CallSettings::default();
        settings.limits.calls_max = CALLS_MAX;
        settings.calls_between_max = BETWEEN_MAX as u64;
        let mut tracker: Words = CallTracker::new(settings);
        let mut naive = [Naive::default(), Naive::default()];
        let mut now = 0;
        for (place, operation) in operations.iter().enumerate() {
            match operation {
                Operation::Wait(seconds) => now += i64::from(*seconds),
                Operation::Clear(session) => {
                    tracker.clear_session(&session.to_string());
                    naive[usize::from(*session)] = Naive::default();
                }
                Operation::CleanUp => {
                    tracker.remove_expired(at(now));
                    for session in &mut naive {
                        session.clean_up(now);
                        if session.calls.iter().all(Option::is_none) && now - session.last_used > 300 {
                            *session = Naive::default();
                        }
                    }
                }
                Operation::Ask(session, asks, changed) => {
                    let (name, naive) = (session.to_string(), &mut naive[usize::from(*session)]);
                    let (tool, arguments) = asks.call();
                    let asked = ask(&tracker, tool, arguments);
                    let found = looked_up(&mut tracker, &name, &asked, now);
                    prop_assert_eq!(&found, &naive.look_up(asks, now), "operation {}", place);
                    if !super::is_miss(&found) {
                        if !changed {
                            tracker.confirm_hit(&name, &asked, 1);
                            naive.answered.push(Some((asks.clone(), naive.asked)));
                            continue;
                        }
                        let held = tracker.records(&name).find(|record| record.result == found);
                        let id = held.expect("it was found").id;
                        tracker.reject_hit(&name, id);
                        naive.forget(&found);
                    }
                    if found != "Never" {
                        done(&mut tracker, &name, &asked, &format!("result {place}"), now);
                        naive.record(asks, &format!("result {place}"), now);
                    }
                }
            }
        }
        prop_assert!(tracker.records("0").count() <= CALLS_MAX);
        let counts = tracker.statistics();
        prop_assert_eq!(counts.looked_up, counts.hits + counts.misses + counts.refused);
    }
}
