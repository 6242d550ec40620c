//! What has to hold of a long session.

use serde_json::Value;

use crate::long_session::LongSession;
use crate::model::{Arrival, Event};
use crate::prompt::{WrongNote, left_out_lines, wrong_notes};
use crate::run::Run;

/// The long session of an agent, which is done once for all checks.
macro_rules! long_session_checks {
    ($agent:ident, $session:ident) => {
        mod all {
            use crate::agents::Agent;
            use crate::run::Task;

            crate::checks::checks! {
                super::$agent, work;
                the_agent_ends_well,
            }

            #[test]
            fn events_happen() {
                if let Some(run) = done() {
                    crate::session_checks::events_happen(run, &super::$session);
                }
            }

            #[test]
            fn notes_are_true() {
                if let Some(run) = done() {
                    crate::session_checks::notes_are_true(run);
                }
            }

            #[test]
            fn what_is_left_out_comes_back() {
                if let Some(run) = done() {
                    crate::session_checks::what_is_left_out_comes_back(run);
                }
            }

            #[test]
            fn the_gateway_serves_all() {
                if let Some(run) = done() {
                    crate::session_checks::the_gateway_serves_all(run);
                }
            }

            #[test]
            fn a_killed_gateway_goes_on_as_before() {
                if let Some(run) = done() {
                    crate::session_checks::a_killed_gateway_goes_on_as_before(run);
                }
            }

            fn work(agent: &Agent) -> Task {
                super::$session.task(agent)
            }
        }
    };
}

pub(crate) use long_session_checks;

/// All events of the plan took place, a compaction too where the client compacts.
pub(crate) fn events_happen(run: &Run, session: &LongSession) {
    assert_eq!(run.events_left, [], "{}", run.printed);
    let ids =
        |arrival: &Arrival| arrival.results.iter().map(|of| of.id.clone()).collect::<Vec<_>>();
    let is_compacted = run.arrivals.windows(2).any(|pair| {
        let (before, after) = (ids(&pair[0]), ids(&pair[1]));
        before.iter().any(|id| !after.contains(id))
    });
    assert_eq!(is_compacted, session.full_window.is_some(), "{}", run.printed);
}

/// Each note stands for what it says, and what it points at stands above it in the same prompt.
pub(crate) fn notes_are_true(run: &Run) {
    let before = (run.agent.before)().len();
    let wrong = wrong_notes(run);
    let lines = wrong.iter().map(|wrong| {
        let WrongNote { at, turn, call, note, why } = wrong;
        format!("step {}, in the prompt of turn {turn}, {call}: {note}: {why}", at.0 - before)
    });
    let lines: Vec<String> = lines.collect();
    assert!(lines.is_empty(), "{} notes are wrong:\n{}", lines.len(), lines.join("\n"));
}

/// Each handle of a note gives back what the note stands for.
pub(crate) fn what_is_left_out_comes_back(run: &Run) {
    let all = left_out_lines(run);
    assert!(!all.is_empty(), "nothing was left out\n{}", run.printed);
    for left_out in all {
        let whole = run.expand(&left_out.handle);
        for line in &left_out.lines {
            let is_there = whole.lines().any(|of| of.trim_end() == line.trim_end());
            assert!(is_there, "{}: {line:?} is not in\n{whole}", left_out.note);
        }
    }
}

/// The gateway passes all requests on, and none of them as the client made it for want of time.
pub(crate) fn the_gateway_serves_all(run: &Run) {
    assert!(run.told.len() > run.plans[0].steps.len(), "{} requests", run.told.len());
    for told in &run.told {
        assert_eq!(told["failed_open"], Value::Null, "{told}");
    }
}

/// What stood in the prompt before the gateway was killed stands there afterwards.
pub(crate) fn a_killed_gateway_goes_on_as_before(run: &Run) {
    let kills = run.plans[0].events.iter().filter(|(_, event)| *event == Event::GatewayKill);
    for (turn, _) in kills {
        let before = run.arrivals.iter().rfind(|arrival| arrival.turn == *turn);
        let after = run.arrivals.iter().find(|arrival| arrival.turn == turn + 1);
        let (before, after) = before.zip(after).unwrap_or_else(|| panic!("{}", run.printed));
        assert!(after.results.len() > before.results.len(), "{}", run.printed);
        for (before, after) in before.results.iter().zip(&after.results) {
            assert_eq!((&before.id, &before.text), (&after.id, &after.text));
        }
    }
}
