//! Which tools are shortened, and what that comes to.

use std::collections::BTreeSet;

use foveal_context::prices::PriceCard;
use foveal_context::tokens::Tokens;
use foveal_context::tool_use::{
    Conversed, Defined, JUDGED, Judged, SESSIONS_MIN, ToolUse, Verdict, carried, estimate, verdict,
};
use foveal_transcript::Timestamp;

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn a_tool_is_shortened_where_enough_sessions_did_not_call_it() {
    let mut known = ToolUse::default();
    for at in 1..=SESSIONS_MIN {
        assert!(!known.is_shortened("fetch"), "after {} sessions", at - 1);
        known.add(&names(&["read"]));
        // Nothing is learned from who calls nothing.
        known.add(&names(&[]));
    }
    assert!(known.is_shortened("fetch") && !known.is_shortened("read"));
    known.add(&names(&["fetch", "read"]));
    assert!(!known.is_shortened("fetch"));
    let others = known.without(&names(&["fetch", "read"]));
    assert!(others.is_shortened("fetch") && !others.is_shortened("read"));
    assert_eq!((known.sessions(), others.sessions()), (SESSIONS_MIN + 1, SESSIONS_MIN));
}

#[test]
fn it_ends_where_shortened_tools_are_called_or_little_is_left_out() {
    let judged = |left_out: u64, called: usize| -> Vec<Judged> {
        let one = |at| Judged { left_out: Tokens(left_out), was_called: at < called };
        (0..JUDGED).map(one).collect()
    };
    assert_eq!(verdict(&judged(200, 4)), Verdict::GoesOn);
    assert_eq!(verdict(&judged(200, 5)), Verdict::CalledTooOften);
    assert_eq!(verdict(&judged(199, 0)), Verdict::SavesTooLittle);
    // Too few say nothing, and what was long ago counts no more.
    assert_eq!(verdict(&judged(0, JUDGED)[1..]), Verdict::GoesOn);
    assert_eq!(verdict(&[judged(0, JUDGED), judged(200, 0)].concat()), Verdict::GoesOn);
}

#[test]
fn what_stands_in_front_is_written_once_and_read_while_it_lives() {
    let card = PriceCard::anthropic_5m();
    let minutes =
        |all: &[i64]| all.iter().map(|it| Some(Timestamp(it * 60_000))).collect::<Vec<_>>();
    let (write, read) = (card.cache_write, card.cache_read);
    let check = |times: Vec<Option<Timestamp>>, expected: f64| {
        let found = carried(times, &card);
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    };
    check(vec![], 0.0);
    check(minutes(&[0, 4, 9]), write + 2.0 * read);
    check(minutes(&[0, 6, 7]), 2.0 * write + read);
    check(vec![None, None], write + read);
    let plain = PriceCard { cache_lifetime_ms: None, ..card.clone() };
    assert!((carried(minutes(&[0, 1]), &plain) - 2.0 * card.input).abs() < 1e-9);
}

#[test]
fn what_a_session_calls_is_judged_by_the_others() {
    let tool = |name: &str, tokens| Defined {
        name: name.to_owned(),
        tokens: Tokens(tokens),
        plain: Tokens(tokens - 10),
        short: Tokens(tokens - 400),
    };
    let session = |called: &[&str]| {
        let tools = vec![tool("read", 1_000), tool("fetch", 2_000)];
        vec![Conversed { time: None, tools, called: names(called), carried: 2.0 }]
    };
    let mut sessions: Vec<_> = (0..SESSIONS_MIN).map(|_| session(&["read"])).collect();
    let few = estimate(&sessions);
    assert_eq!((few.shortened, few.texts, few.noise), (0, Tokens(0), Tokens(100)));
    // The one that calls it could not be known before: what it saved counts, and that it was called.
    sessions.push(session(&["fetch", "read"]));
    let all = estimate(&sessions);
    assert_eq!((all.conversations, all.tools, all.tokens), (6, 12, Tokens(18_000)));
    assert_eq!((all.shortened, all.called), (1, 1));
    assert_eq!((all.uncalled_tools, all.uncalled), (1, Tokens(2_000)));
    assert_eq!((all.noise, all.texts), (Tokens(120), Tokens(390)));
    assert!((all.dollars - 0.036).abs() < 1e-12 && (all.saved - 510.0 * 2e-6).abs() < 1e-12);
    assert_eq!(all.stopped, None);
}
