//! Decisions that come too late, and requests of one conversation at the same time.

use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use foveal_live::Conversations;
use foveal_live::recorder::{InMemory, Original, Planned, Recorder, Turn, Unrecorded};
use foveal_live::request::{Asked, Shaped, Wait};
use foveal_transcript::{ContentHash, Timestamp};
use foveal_wire::Protocol;

use crate::faults::{ask, asked, body, output, text};
use crate::support::over;

/// Does something when a decision is to be kept: by then nobody may wait for it any longer.
struct Slow {
    kept: InMemory,
    first: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl Slow {
    fn new() -> Arc<Self> {
        Arc::new(Self { kept: InMemory::default(), first: Mutex::default() })
    }

    fn once(&self, first: impl FnOnce() + Send + 'static) {
        *self.first.lock().expect("a lock") = Some(Box::new(first));
    }
}

impl Recorder for Slow {
    fn find(&self, root: ContentHash, ends: &[ContentHash]) -> Result<Vec<Planned>, Unrecorded> {
        self.kept.find(root, ends)
    }

    fn knows(&self, ends: &[ContentHash]) -> Result<bool, Unrecorded> {
        self.kept.knows(ends)
    }

    fn record(&self, turn: &Turn, contents: &[Original<'_>]) -> Result<(), Unrecorded> {
        let kept = self.kept.record(turn, contents);
        let first = self.first.lock().expect("a lock").take();
        if let Some(first) = first {
            first();
        }
        kept
    }
}

fn ask_for(conversations: &Conversations, body: &[u8], wait: &Wait) -> Shaped {
    conversations.shape(&asked(body, wait))
}

#[test]
fn what_was_kept_too_late_is_not_what_is_kept() {
    let recorder = Slow::new();
    let conversations = over("balanced", Arc::clone(&recorder) as _);
    let first = text(&ask(&conversations, &body(1, ""), |_| {}));
    let wait = Wait::default();
    let (sent, went) = mpsc::channel();
    let (late, asked) = (wait.clone(), body(2, ""));
    recorder.once(move || {
        // Only now the decision is there, and whoever waited has sent something else.
        sent.send(late.give_up(&asked)).expect("somebody waits");
    });
    let second = body(2, "");
    ask_for(&conversations, &second, &wait);
    let went = went.recv().expect("it was given up").expect("it was not decided");
    let went = String::from_utf8(went.expect("what was decided earlier")).expect("text");
    assert_eq!(went[..first.len() - 2], first[..first.len() - 2]);
    assert!(went.contains(&output(1)), "what is new went whole");
    // The next request goes on from what went, here and in another process.
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
    let wait = Wait::default();
    let (late, asked) = (wait.clone(), body(2, ""));
    let (next, began) = (Arc::clone(&conversations), mpsc::channel());
    let (sender, third) = mpsc::channel();
    let began_late = began.0.clone();
    recorder.once(move || {
        drop(late.give_up(&asked));
        // The client has its answer, and asks again while the decision is still under way.
        std::thread::spawn(move || {
            began_late.send(()).expect("somebody waits");
            sender.send(text(&ask(&next, &body(3, ""), |_| {}))).expect("somebody waits");
        });
        began.1.recv().expect("it asks");
        std::thread::sleep(Duration::from_millis(50));
    });
    ask_for(&conversations, &body(2, ""), &wait);
    let third = third.recv().expect("an answer");
    // The second went whole, and stays so.
    assert!(third.contains(&output(1)) && !third.contains(&output(2)));
}

#[test]
fn what_another_process_decided_further_on_is_known() {
    let kept = Arc::new(InMemory::default());
    let [here, there] = [(); 2].map(|()| over("balanced", Arc::clone(&kept) as _));
    ask(&here, &body(1, ""), |_| {});
    // There it is asked for less to be done.
    let second = text(&ask_for(&there, &body(2, ""), &Wait::impatient()));
    assert!(second.is_empty() || second.contains(&output(1)));
    let third = ask(&here, &body(3, ""), |_| {});
    // It went whole, and is shaped now where that has paid.
    assert!(text(&third).contains(&output(1)) != third.about.rewrite.is_some());
    assert!(!text(&third).contains(&output(2)));
}

#[test]
fn a_request_may_name_a_profile() {
    let conversations = over("lossless", Arc::new(InMemory::default()));
    let of =
        |wish: Option<&'static str>| ask(&conversations, &body(1, ""), |asked| asked.wish = wish);
    let (own, named, unknown) = (of(None), of(Some("balanced")), of(Some("frugal")));
    assert!(named.about.tokens_sent < own.about.tokens_asked);
    assert_ne!(text(&own), text(&named));
    let other = over("balanced", Arc::new(InMemory::default()));
    assert_eq!(text(&named), text(&ask(&other, &body(1, ""), |_| {})));
    let why = unknown.about.inactive.clone().unwrap_or_default();
    assert!(unknown.body.is_none() && why.contains("balanced"), "{why}");
}

#[test]
fn what_was_decided_earlier_goes_where_its_text_stands_now() {
    let conversations = over("balanced", Arc::new(InMemory::default()));
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
    let chat = |body: &str, wait: &Wait| {
        let asked = Asked { protocol: Protocol::Chat, ..asked(body.as_bytes(), wait) };
        conversations.shape(&asked)
    };
    let first = text(&chat(&body(&[call(0), result(0, &marked)]), &Wait::default()));
    assert!(!first.is_empty() && !first.contains(&output(0)));
    // The mark has moved on, and with it the text. There is time for what was decided earlier only.
    let next = body(&[call(0), result(0, &plain(0)), call(1), result(1, &plain(1))]);
    let wait = Wait::impatient();
    chat(&next, &wait);
    let went = wait.give_up(next.as_bytes()).expect("nobody decided").expect("a decision");
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
    assert_eq!(conversations.held(), 1, "it is held as before");
    let next = text(&ask(&conversations, &body(3, ""), |_| {}));
    assert_eq!(next[..first.len() - 2], first[..first.len() - 2]);
}

/// Whether what was decided earlier could have gone while this request was decided about, and what it
/// was: the request of a conversation of 40 runs, so many milliseconds after the one before.
fn offer_after(pause_ms: i64) -> (bool, bool) {
    let recorder = Slow::new();
    let conversations = over("balanced", Arc::clone(&recorder) as _);
    let before = body(40, "");
    assert!(before.len() > 128 << 10, "{} bytes are no long conversation", before.len());
    ask(&conversations, &before, |_| {});
    let (wait, next) = (Wait::default(), body(41, ""));
    let (sender, seen) = mpsc::channel();
    let (waits, asked_body) = (wait.clone(), next.clone());
    recorder.once(move || {
        let is_offered = waits.is_offered();
        let went = waits.give_up(&asked_body).flatten();
        sender.send((is_offered, went.is_some())).expect("somebody waits");
    });
    let mut request = asked(&next, &wait);
    request.now = Timestamp(request.now.0 + pause_ms);
    conversations.shape(&request);
    seen.recv().expect("it was to be kept")
}

/// A rewrite is free then, and the provider takes seconds to read the prompt.
#[test]
fn the_decision_about_a_long_prompt_that_is_not_cached_is_waited_for() {
    assert_eq!(offer_after(1_000), (true, true));
    assert_eq!(offer_after(600_000), (false, true), "and what was decided earlier is not lost");
}

/// A decision that comes too late costs a few requests and not the session's saving.
#[test]
fn what_went_whole_because_it_was_late_is_shaped_once_that_pays() {
    let late = |conversations: &Conversations| {
        let went = text(&ask_for(conversations, &body(6, ""), &Wait::impatient()));
        assert!(went.is_empty(), "nothing was decided in time");
    };
    let kept = Arc::new(InMemory::default());
    let conversations = over("balanced", Arc::clone(&kept) as _);
    late(&conversations);
    let mut rewrites = 0;
    let mut last = String::new();
    for runs in 7..30 {
        let shaped = ask(&conversations, &body(runs, ""), |_| {});
        rewrites +=
            usize::from(shaped.about.rewrite == Some("carrying them had cost more than a rewrite"));
        last = text(&shaped);
    }
    assert!(rewrites >= 1);
    for run in 0..6 {
        assert!(!last.contains(&output(run)), "run {run} goes whole");
    }
    // Another process goes on with the same bytes.
    let other = over("balanced", kept);
    let next = [&conversations, &other].map(|it| text(&ask(it, &body(30, ""), |_| {})));
    assert_eq!(next[0], next[1]);
    // Once the cache has expired it costs nothing.
    let conversations = over("balanced", Arc::new(InMemory::default()));
    late(&conversations);
    let cold = |asked: &mut Asked<'_>| asked.now = Timestamp(600_000);
    let shaped = ask(&conversations, &body(6, "And then?"), cold);
    assert_eq!(shaped.about.rewrite, Some("nothing of the prompt was cached"));
    assert!(!text(&shaped).contains(&output(0)));
}
