//! Late decisions, and concurrent requests of one conversation.

use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use foveal_protocols::Protocol;
use foveal_proxy::RequestShaper;
use foveal_proxy::recorder::{
    InMemoryRecorder, OriginalContent, PlannedStep, Recorder, RecorderError, StepRecord,
};
use foveal_proxy::request::{DecisionSlot, ShapeOutcome, ShapeRequest};
use foveal_transcript::{ContentHash, Timestamp};

use crate::faults::{ask, asked, body, output, text};
use crate::support::over;

/// Runs a function when a step is recorded, when the caller may have given up.
struct Slow {
    kept: InMemoryRecorder,
    first: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl Slow {
    fn new() -> Arc<Self> {
        Arc::new(Self { kept: InMemoryRecorder::default(), first: Mutex::default() })
    }

    fn once(&self, first: impl FnOnce() + Send + 'static) {
        *self.first.lock().expect("a lock") = Some(Box::new(first));
    }
}

impl Recorder for Slow {
    fn find_steps(
        &self,
        root: ContentHash,
        ends: &[ContentHash],
    ) -> Result<Vec<PlannedStep>, RecorderError> {
        self.kept.find_steps(root, ends)
    }

    fn has_any_step(&self, ends: &[ContentHash]) -> Result<bool, RecorderError> {
        self.kept.has_any_step(ends)
    }

    fn record_step(
        &self,
        turn: &StepRecord,
        contents: &[OriginalContent<'_>],
    ) -> Result<(), RecorderError> {
        let kept = self.kept.record_step(turn, contents);
        let first = self.first.lock().expect("a lock").take();
        if let Some(first) = first {
            first();
        }
        kept
    }
}

fn ask_for(conversations: &RequestShaper, body: &[u8], wait: &DecisionSlot) -> ShapeOutcome {
    conversations.shape(&asked(body, wait))
}

#[test]
fn what_was_kept_too_late_is_not_what_is_kept() {
    let recorder = Slow::new();
    let conversations = over("balanced", Arc::clone(&recorder) as _);
    let first = text(&ask(&conversations, &body(1, ""), |_| {}));
    let wait = DecisionSlot::default();
    let (sent, went) = mpsc::channel();
    let (late, asked) = (wait.clone(), body(2, ""));
    recorder.once(move || {
        // The decision is made only now, after the caller has sent the fallback.
        sent.send(late.abandon(&asked)).expect("somebody waits");
    });
    let second = body(2, "");
    ask_for(&conversations, &second, &wait);
    let went = went.recv().expect("it was given up").expect("it was not decided");
    let went = String::from_utf8(went.expect("what was decided earlier")).expect("text");
    assert_eq!(went[..first.len() - 2], first[..first.len() - 2]);
    assert!(went.contains(&output(1)), "what is new went whole");
    // The next request continues what was sent, here and in another process.
    let other = over("balanced", recorder);
    for conversations in [&conversations, &other] {
        let third = text(&ask(conversations, &body(3, ""), |_| {}));
        assert_eq!(third[..went.len() - 2], went[..went.len() - 2]);
        assert!(!third.contains(&output(2)), "what is new is decided about");
    }
}

#[test]
fn a_request_waits_for_the_decision_before_it() {
    let recorder = Slow::new();
    let conversations = Arc::new(over("balanced", Arc::clone(&recorder) as _));
    ask(&conversations, &body(1, ""), |_| {});
    let wait = DecisionSlot::default();
    let (late, asked) = (wait.clone(), body(2, ""));
    let (next, began) = (Arc::clone(&conversations), mpsc::channel());
    let (sender, third) = mpsc::channel();
    let began_late = began.0.clone();
    recorder.once(move || {
        drop(late.abandon(&asked));
        // The client has its response, and sends the next request while the decision is still under
        // way.
        std::thread::spawn(move || {
            began_late.send(()).expect("somebody waits");
            sender.send(text(&ask(&next, &body(3, ""), |_| {}))).expect("somebody waits");
        });
        began.1.recv().expect("it asks");
        std::thread::sleep(Duration::from_millis(50));
    });
    ask_for(&conversations, &body(2, ""), &wait);
    let third = third.recv().expect("an answer");
    // The second was sent whole, and stays whole.
    assert!(third.contains(&output(1)) && !third.contains(&output(2)));
}

#[test]
fn what_another_process_decided_further_on_is_known() {
    let kept = Arc::new(InMemoryRecorder::default());
    let [here, there] = [(); 2].map(|()| over("balanced", Arc::clone(&kept) as _));
    ask(&here, &body(1, ""), |_| {});
    // The other process gets no time, so it may send the fallback.
    let second = text(&ask_for(&there, &body(2, ""), &DecisionSlot::impatient()));
    assert!(second.is_empty() || second.contains(&output(1)));
    let third = ask(&here, &body(3, ""), |_| {});
    // It was sent whole, and is reduced as soon as that pays.
    assert!(text(&third).contains(&output(1)) != third.report.rewrite.is_some());
    assert!(!text(&third).contains(&output(2)));
}

#[test]
fn a_request_may_name_a_profile() {
    let conversations = over("lossless", Arc::new(InMemoryRecorder::default()));
    let of = |wish: Option<&'static str>| {
        ask(&conversations, &body(1, ""), |asked| asked.profile_override = wish)
    };
    let (own, named, unknown) = (of(None), of(Some("balanced")), of(Some("frugal")));
    assert!(named.report.tokens_sent < own.report.tokens_received);
    assert_ne!(text(&own), text(&named));
    let other = over("balanced", Arc::new(InMemoryRecorder::default()));
    assert_eq!(text(&named), text(&ask(&other, &body(1, ""), |_| {})));
    let why = unknown.report.inactive_reason.clone().unwrap_or_default();
    assert!(unknown.body.is_none() && why.contains("balanced"), "{why}");
}

#[test]
fn what_was_decided_earlier_goes_where_its_text_stands_now() {
    let conversations = over("balanced", Arc::new(InMemoryRecorder::default()));
    let call = |at: usize| {
        format!(
            r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"c{at}","type":"function","function":{{"name":"bash","arguments":"{{\"command\":\"./run {at}\"}}"}}}}]}}"#
        )
    };
    let result = |at: usize, content: &str| {
        format!(r#"{{"role":"tool","tool_call_id":"c{at}","content":{content}}}"#)
    };
    let marked = format!(
        r#"[{{"type":"text","text":"{}","cache_control":{{"type":"ephemeral"}}}}]"#,
        output(0)
    );
    let plain = |at: usize| format!("\"{}\"", output(at));
    let body = |messages: &[String]| {
        let messages = messages.join(",");
        format!(r#"{{"model":"m","messages":[{{"role":"user","content":"Run it."}},{messages}]}}"#)
    };
    let chat = |body: &str, wait: &DecisionSlot| {
        let asked = ShapeRequest { protocol: Protocol::Chat, ..asked(body.as_bytes(), wait) };
        conversations.shape(&asked)
    };
    let first = text(&chat(&body(&[call(0), result(0, &marked)]), &DecisionSlot::default()));
    assert!(!first.is_empty() && !first.contains(&output(0)));
    // The breakpoint has moved, and the text with it. There is only time for the fallback.
    let next = body(&[call(0), result(0, &plain(0)), call(1), result(1, &plain(1))]);
    let wait = DecisionSlot::impatient();
    chat(&next, &wait);
    let went = wait.abandon(next.as_bytes()).expect("nobody decided").expect("a decision");
    let went = String::from_utf8(went).expect("text");
    assert!(!went.contains(&output(0)) && went.contains(&output(1)), "{went}");
}

#[test]
fn a_summary_changes_nothing_for_who_goes_on() {
    let recorder = Slow::new();
    let conversations = over("balanced", Arc::clone(&recorder) as _);
    let first = text(&ask(&conversations, &body(2, ""), |_| {}));
    let wanted = "Your task is to create a detailed summary of the conversation so far.";
    assert_eq!(ask(&conversations, &body(2, wanted), |_| {}).body, None);
    assert_eq!(conversations.conversation_count(), 1, "it is held as before");
    let next = text(&ask(&conversations, &body(3, ""), |_| {}));
    assert_eq!(next[..first.len() - 2], first[..first.len() - 2]);
}

/// Returns whether a fallback was known while a request was decided about, and the fallback. The
/// request belongs to a conversation of 40 runs, so many milliseconds after the previous one.
fn offer_after(pause_ms: i64) -> (bool, bool) {
    let recorder = Slow::new();
    let conversations = over("balanced", Arc::clone(&recorder) as _);
    let before = body(40, "");
    assert!(before.len() > 128 << 10, "{} bytes are no long conversation", before.len());
    ask(&conversations, &before, |_| {});
    let (wait, next) = (DecisionSlot::default(), body(41, ""));
    let (sender, seen) = mpsc::channel();
    let (waits, asked_body) = (wait.clone(), next.clone());
    recorder.once(move || {
        let is_offered = waits.may_stop_waiting();
        let went = waits.abandon(&asked_body).flatten();
        sender.send((is_offered, went.is_some())).expect("somebody waits");
    });
    let mut request = asked(&next, &wait);
    request.now = Timestamp(request.now.0 + pause_ms);
    conversations.shape(&request);
    seen.recv().expect("it was to be kept")
}

/// A rewrite is free then, and the provider needs seconds to read the prompt.
#[test]
fn the_decision_about_a_long_prompt_that_is_not_cached_is_waited_for() {
    assert_eq!(offer_after(1_000), (true, true));
    assert_eq!(offer_after(600_000), (false, true), "and what was decided earlier is not lost");
}

/// A late decision costs a few requests, not the session's saving.
#[test]
fn what_went_whole_because_it_was_late_is_shaped_once_that_pays() {
    let late = |conversations: &RequestShaper| {
        let went = text(&ask_for(conversations, &body(6, ""), &DecisionSlot::impatient()));
        assert!(went.is_empty(), "nothing was decided in time");
    };
    let kept = Arc::new(InMemoryRecorder::default());
    let conversations = over("balanced", Arc::clone(&kept) as _);
    late(&conversations);
    let mut rewrites = 0;
    let mut last = String::new();
    for runs in 7..30 {
        let shaped = ask(&conversations, &body(runs, ""), |_| {});
        rewrites += usize::from(
            shaped.report.rewrite == Some("sending them unchanged had cost more than a rewrite"),
        );
        last = text(&shaped);
    }
    assert!(rewrites >= 1);
    for run in 0..6 {
        assert!(!last.contains(&output(run)), "run {run} goes whole");
    }
    // Another process continues with the same bytes.
    let other = over("balanced", kept);
    let next = [&conversations, &other].map(|it| text(&ask(it, &body(30, ""), |_| {})));
    assert_eq!(next[0], next[1]);
    // Once the cache has expired, it costs nothing.
    let conversations = over("balanced", Arc::new(InMemoryRecorder::default()));
    late(&conversations);
    let cold = |asked: &mut ShapeRequest<'_>| asked.now = Timestamp(600_000);
    let shaped = ask(&conversations, &body(6, "And then?"), cold);
    assert_eq!(shaped.report.rewrite, Some("as far as is known, nothing of the prompt was cached"));
    assert!(!text(&shaped).contains(&output(0)));
}
