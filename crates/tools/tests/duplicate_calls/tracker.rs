//! Tests of the limits of the tracker, and of repeated calls.

use foveal_tools::duplicate_calls::{
    CallSettings, CallStatistics, CallTracker, LookupMiss, MatchExtent,
};
use serde_json::json;

use super::{Words, ask, at, done, looked_up, path_key, read, taken};

fn tracker() -> Words {
    CallTracker::new(CallSettings::default())
}

#[test]
fn who_asks_again_right_after_an_answer_gets_the_call_carried_out() {
    let mut tracker = tracker();
    let whole = read(&tracker, "a");
    done(&mut tracker, "s", &whole, "one", 0);
    assert_eq!(taken(&mut tracker, "s", &whole, 1), "one");
    assert_eq!(taken(&mut tracker, "s", &whole, 2), "AskedAgain");
    done(&mut tracker, "s", &whole, "two", 2);
    assert_eq!(taken(&mut tracker, "s", &whole, 3), "two");
    // Another session has no records.
    assert_eq!(taken(&mut tracker, "t", &whole, 3), "New");
}

#[test]
fn asked_again_is_what_the_answered_call_covers() {
    let mut tracker = tracker();
    let lines = |tracker: &Words, first: u32, last: u32| {
        ask(tracker, "read_lines", json!({ "path": "a", "start": first, "end": last }))
    };
    let all = lines(&tracker, 1, 100);
    done(&mut tracker, "s", &all, "all", 0);
    let some = lines(&tracker, 10, 20);
    assert_eq!(taken(&mut tracker, "s", &some, 1), "all");
    let others = lines(&tracker, 30, 40);
    assert_eq!(taken(&mut tracker, "s", &others, 1), "all");
    let fewer = lines(&tracker, 12, 13);
    assert_eq!(taken(&mut tracker, "s", &fewer, 1), "AskedAgain");
}

#[test]
fn calls_made_at_once_may_all_be_asked_again() {
    let mut tracker = tracker();
    let calls: Vec<_> = ["a", "b", "c"].iter().map(|path| read(&tracker, path)).collect();
    for call in &calls {
        done(&mut tracker, "s", call, "old", 0);
    }
    for expected in ["old", "AskedAgain"] {
        for call in &calls {
            assert_eq!(taken(&mut tracker, "s", call, 1), expected);
        }
    }
    // Much later the repetition is forgotten.
    for call in &calls {
        done(&mut tracker, "s", call, "new", 2);
        assert_eq!(taken(&mut tracker, "s", call, 2), "new");
    }
    let other = ask(&tracker, "bash", json!({}));
    for _ in 0..5 {
        looked_up(&mut tracker, "s", &other, 3);
    }
    assert_eq!(looked_up(&mut tracker, "s", &calls[0], 4), "new");
}

#[test]
fn history_is_bounded_and_expires() {
    let mut settings = CallSettings { sessions_max: 2, ..CallSettings::default() };
    settings.limits.calls_max = 3;
    let brief = settings.tools.entry("grep".to_owned()).or_default();
    (brief.calls_max, brief.age_ms_max) = (Some(1), Some(10_000));
    let mut tracker: Words = CallTracker::new(settings);
    let grep = |tracker: &Words, pattern: &str| ask(tracker, "grep", json!({ "pattern": pattern }));
    for (pattern, seconds) in [("x", 0), ("y", 1)] {
        let asked = grep(&tracker, pattern);
        done(&mut tracker, "s", &asked, pattern, seconds);
    }
    let (x, y) = (grep(&tracker, "x"), grep(&tracker, "y"));
    assert_eq!(looked_up(&mut tracker, "s", &x, 2), "New");
    assert_eq!(looked_up(&mut tracker, "s", &y, 11), "y");
    assert_eq!(looked_up(&mut tracker, "s", &y, 12), "TooOld");
    for (place, path) in (2..).zip(["a", "b", "c"]) {
        let asked = read(&tracker, path);
        done(&mut tracker, "s", &asked, path, place);
    }
    let left: Vec<&str> = tracker.records("s").map(|record| record.result.as_str()).collect();
    assert_eq!(left, ["a", "b", "c"]);
    let c = read(&tracker, "c");
    assert_eq!(looked_up(&mut tracker, "s", &c, 304), "c");
    assert_eq!(looked_up(&mut tracker, "s", &c, 305), "TooOld");
    assert_eq!(tracker.remove_expired(at(303)), 1);
    assert_eq!(tracker.remove_expired(at(1000)), 2);
    // Beyond the number of sessions, the idle one is removed.
    for (session, seconds) in [("s", 1001), ("t", 1002), ("s", 1003), ("u", 1004)] {
        done(&mut tracker, session, &c, session, seconds);
    }
    assert_eq!(looked_up(&mut tracker, "t", &c, 1005), "New");
    assert_eq!(looked_up(&mut tracker, "s", &c, 1005), "s");
    assert_eq!(tracker.remove_expired(at(5000)), 2);
    assert_eq!(tracker.statistics().sessions, 0);
}

#[test]
fn long_arguments_are_not_remembered() {
    let settings = CallSettings { arguments_bytes_max: 100, ..CallSettings::default() };
    let mut tracker: Words = CallTracker::new(settings);
    let write = |tracker: &Words, bytes: usize| {
        ask(tracker, "write_file", json!({ "path": "a", "content": "x".repeat(bytes) }))
    };
    for (bytes, expected) in [(80, "done"), (100, "New")] {
        let asked = write(&tracker, bytes);
        done(&mut tracker, "s", &asked, "done", 0);
        assert_eq!(looked_up(&mut tracker, "s", &asked, 1), expected);
    }
}

#[test]
fn detection_is_switched_off_for_calls_tools_and_sessions() {
    let mut settings = CallSettings::default();
    settings.tools.entry("glob".to_owned()).or_default().detect = Some(false);
    let mut tracker: Words = CallTracker::new(settings);
    let call = read(&tracker, "a");
    done(&mut tracker, "s", &call, "one", 0);
    assert_eq!(taken(&mut tracker, "s", &call.clone().without_detection(), 1), "Off");
    assert_eq!(looked_up(&mut tracker, "s", &call, 1), "one");
    let glob = ask(&tracker, "glob", json!({ "pattern": "*" }));
    done(&mut tracker, "s", &glob, "names", 1);
    assert_eq!(looked_up(&mut tracker, "s", &glob, 1), "Off");
    tracker.set_detection("s", Some(false), at(2));
    let other = read(&tracker, "b");
    done(&mut tracker, "s", &other, "two", 2);
    assert_eq!(looked_up(&mut tracker, "s", &call, 2), "Off");
    tracker.clear_session("s");
    assert!(!tracker.is_detecting("s") && tracker.is_detecting("t"));
    tracker.set_detection("s", None, at(3));
    assert_eq!(looked_up(&mut tracker, "s", &call, 3), "New");
    let mut off: Words = CallTracker::new(CallSettings { detect: false, ..Default::default() });
    off.set_detection("on", Some(true), at(0));
    for (session, expected) in [("s", "Off"), ("on", "one")] {
        done(&mut off, session, &call, "one", 0);
        assert_eq!(looked_up(&mut off, session, &call, 1), expected);
    }
}

#[test]
fn what_has_changed_answers_no_more_and_everything_is_counted() {
    let mut tracker = tracker();
    let call = read(&tracker, "a");
    assert_eq!(looked_up(&mut tracker, "s", &call, 0), "New");
    done(&mut tracker, "s", &call, "one", 0);
    let hit = tracker.look_up("s", &call, at(1), |_| true).expect("it was recorded");
    let (id, dependencies) = (hit.record.id, hit.record.dependencies.clone());
    assert_eq!(dependencies, "fresh");
    tracker.reject_hit("s", id);
    assert_eq!(looked_up(&mut tracker, "s", &call, 1), "New");
    done(&mut tracker, "s", &call, "two", 1);
    assert_eq!(taken(&mut tracker, "s", &call, 2), "two");
    assert_eq!(taken(&mut tracker, "s", &call, 2), "AskedAgain");
    assert_eq!(taken(&mut tracker, "s", &call, 1000), "TooOld");
    let bash = ask(&tracker, "bash", json!({}));
    assert_eq!(taken(&mut tracker, "t", &bash, 1000), "Never");
    tracker.remove_expired(at(1000));
    let expected = CallStatistics {
        sessions: 1,
        calls: 0,
        repeats: 0,
        looked_up: 6,
        hits: 1,
        misses: 4,
        asked_again: 1,
        too_old: 1,
        refused: 1,
        skipped: 1,
        expired: 1,
        bytes_saved: 10,
    };
    assert_eq!(tracker.statistics(), expected);
    tracker.reset();
    assert_eq!(tracker.statistics(), CallStatistics::default());
}

#[test]
fn history_goes_on_after_a_restart() {
    let mut tracker = tracker();
    let call = read(&tracker, "a");
    done(&mut tracker, "s", &call, "one", 0);
    let other = read(&tracker, "b");
    done(&mut tracker, "s", &other, "two", 0);
    assert_eq!(taken(&mut tracker, "s", &call, 1), "one");
    let kept = serde_json::to_string(&tracker.session_calls("s")).expect("text is JSON");
    let history = serde_json::from_str(&kept).expect("it was just written");
    let mut settings = CallSettings::default();
    let mut again: Words = CallTracker::new(settings.clone());
    again.restore_session("s", history);
    assert_eq!(again.session_calls("s"), tracker.session_calls("s"));
    assert_eq!(looked_up(&mut again, "s", &call, 2), "AskedAgain");
    assert_eq!(looked_up(&mut again, "s", &call, 2), "one");
    settings.limits.calls_max = 1;
    let mut less: Words = CallTracker::new(settings);
    less.restore_session("s", again.session_calls("s").expect("it was restored").clone());
    assert_eq!(less.records("s").count(), 1);
    // Numbers are not reused.
    let call = again.new_query("inspect", json!({}), &path_key);
    let id = again.record("s", call, String::new(), String::new(), at(3)).expect("it is recorded");
    assert!(again.records("s").filter(|record| record.id == id).count() == 1);
}

#[test]
fn calls_that_are_not_looked_up_stand_between_others() {
    for (between, expected) in [(4, "AskedAgain"), (5, "one")] {
        let mut tracker = tracker();
        let call = read(&tracker, "a");
        done(&mut tracker, "s", &call, "one", 0);
        assert_eq!(taken(&mut tracker, "s", &call, 1), "one");
        for _ in 0..between {
            tracker.count_skipped_call("s", at(2));
        }
        assert_eq!(looked_up(&mut tracker, "s", &call, 3), expected, "{between}");
    }
    // A session without records has no counts.
    let mut tracker = tracker();
    tracker.count_skipped_call("s", at(0));
    assert_eq!(tracker.statistics(), CallStatistics::default());
}

#[test]
fn records_that_cannot_be_used_are_passed_over_and_counted() {
    let mut tracker = tracker();
    let lines = |tracker: &Words, last: u32| {
        ask(tracker, "read_lines", json!({ "path": "a", "start": 1, "end": last }))
    };
    for (last, words) in [(50, "fifty"), (60, "sixty")] {
        let asked = lines(&tracker, last);
        done(&mut tracker, "s", &asked, words, 0);
    }
    let asked = lines(&tracker, 10);
    let hit = tracker.look_up("s", &asked, at(1), |hit| hit.record.result != "sixty");
    assert_eq!(hit.map(|hit| hit.record.result.clone()), Ok("fifty".to_owned()));
    let none = tracker.look_up("s", &asked, at(1), |hit| hit.extent == MatchExtent::Same);
    assert_eq!(none.map(|hit| hit.record.id), Err(LookupMiss::New));
    let CallStatistics { calls, looked_up, misses, .. } = tracker.statistics();
    assert_eq!((calls, looked_up, misses), (2, 2, 1));
    let id = tracker.records("s").next().expect("it stays").id;
    tracker.update_dependencies("s", id, "seen again".to_owned());
    let known: Vec<&str> =
        tracker.records("s").map(|record| record.dependencies.as_str()).collect();
    assert_eq!(known, ["seen again", "fresh"]);
}

#[test]
fn what_is_kept_for_all_sessions_answers_as_a_record_does() {
    let mut tracker = tracker();
    let page = ask(&tracker, "web_fetch", json!({ "url": "https://a.example/" }));
    assert_eq!(looked_up(&mut tracker, "s", &page, 0), "New");
    tracker.record_external_answer("s", &page, 7, at(0));
    let CallStatistics { hits, misses, bytes_saved, .. } = tracker.statistics();
    assert_eq!((hits, misses, bytes_saved), (1, 0, 7));
    assert_eq!(looked_up(&mut tracker, "s", &page, 1), "AskedAgain");
    assert_eq!(looked_up(&mut tracker, "s", &page, 2), "New");
    assert_eq!(looked_up(&mut tracker, "t", &page, 2), "New");
}

#[test]
fn another_content_put_back_is_another_write() {
    let mut tracker = tracker();
    let put = |tracker: &Words, handle: &str| {
        ask(tracker, "write_file", json!({ "path": "a", "handle": handle }))
    };
    let (one, two) = (put(&tracker, "1"), put(&tracker, "2"));
    done(&mut tracker, "s", &one, "wrote", 0);
    assert_eq!(looked_up(&mut tracker, "s", &one, 1), "wrote");
    assert_eq!(looked_up(&mut tracker, "s", &two, 1), "New");
}
