//! Which conversations have the tool that gives back what was left out, whatever happens.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use foveal_live::Conversations;
use foveal_live::offered::{Offered, Round};
use foveal_live::recorder::{InMemory, Noted, Original, Planned, Recorder, Turn, Unrecorded};
use foveal_live::request::{Asked, Wait};
use foveal_live::waiting::Waiting;
use foveal_transcript::{ContentHash, Timestamp};
use foveal_wire::Protocol;
use foveal_wire::response::RoundDocument;
use serde_json::{Value, json};

use crate::support::over;

type Hook = Box<dyn FnOnce() + Send>;

/// Keeps notes, but for when it fails; does something once one is kept.
#[derive(Default)]
struct Notes {
    kept: InMemory,
    fails: AtomicBool,
    hook: Mutex<Option<Hook>>,
}

impl Notes {
    fn check(&self) -> Result<(), Unrecorded> {
        match self.fails.load(Ordering::SeqCst) {
            true => Err(Unrecorded("it fails".to_owned())),
            false => Ok(()),
        }
    }
}

impl Recorder for Notes {
    fn find(&self, root: ContentHash, ends: &[ContentHash]) -> Result<Vec<Planned>, Unrecorded> {
        self.kept.find(root, ends)
    }

    fn knows(&self, ends: &[ContentHash]) -> Result<bool, Unrecorded> {
        self.check()?;
        self.kept.knows(ends)
    }

    fn record(&self, turn: &Turn, contents: &[Original<'_>]) -> Result<(), Unrecorded> {
        self.kept.record(turn, contents)
    }

    fn noted(&self, root: ContentHash, ends: &[ContentHash]) -> Result<Vec<Noted>, Unrecorded> {
        self.check()?;
        let noted = self.kept.noted(root, ends);
        // Others come in between, where nothing keeps them from it.
        std::thread::yield_now();
        noted
    }

    fn note(&self, name: &str, note: &Noted, now: Timestamp) -> Result<(), Unrecorded> {
        self.check()?;
        let kept = self.kept.note(name, note, now);
        if let Some(hook) = self.hook.lock().expect("a lock").take() {
            hook();
        }
        kept
    }
}

/// A conversation as far as its client has it.
#[derive(Clone)]
struct Client(Vec<Value>);

impl Client {
    fn begins() -> Self {
        Self(vec![json!({"role": "user", "content": "check it"})])
    }

    /// What goes, and what comes of it.
    fn offer(
        &self,
        to: &Conversations,
        waiting: &Waiting<Offered>,
    ) -> Result<Option<Offered>, String> {
        let tools = json!([{"name": "bash", "input_schema": {"type": "object"}}]);
        let body = json!({"model": "claude-opus-4-5", "tools": tools, "messages": self.0});
        let body = body.to_string().into_bytes();
        let wait = Wait::default();
        let asked = Asked {
            protocol: Protocol::Messages,
            counts: false,
            model: None,
            body: &body,
            now: Timestamp(0),
            wish: None,
            upstream: "",
            wait: &wait,
        };
        to.offer(&asked, waiting).map_err(|error| error.to_string())
    }

    fn ask(&self, to: &Conversations) -> Option<Offered> {
        self.offer(to, &Waiting::default()).expect("it is known")
    }

    /// The same with an answer that calls a tool, and its result.
    fn with(mut self, id: &str) -> Self {
        self.0.push(json!({"role": "assistant", "content": [call(id, "bash")]}));
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": "fine"});
        self.0.push(json!({"role": "user", "content": [result]}));
        self
    }
}

fn call(id: &str, name: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": name, "input": {}})
}

/// Keeps an answer that calls the client's tool, and that of foveal beside it where `hides`.
fn answered(by: &Conversations, offered: &Offered, id: &str, hides: bool) {
    let own = call(&format!("x{id}"), "foveal_expand");
    let all: Vec<Value> = hides.then_some(own).into_iter().chain([call(id, "bash")]).collect();
    let answer = json!({"content": all, "stop_reason": "tool_use", "usage": {}}).to_string();
    let turn = RoundDocument::new(Protocol::Messages).take(answer.into());
    let turn = turn.expect("a turn");
    let failed = |called| foveal_live::offered::Given::failed(called, "no more").kept;
    let round = Round { shown: turn.shown, calls: turn.calls.iter().map(failed).collect() };
    by.keep_rounds(&offered.place, vec![round], Timestamp(0)).expect("it is kept");
}

fn offering(recorder: &Arc<Notes>) -> Conversations {
    over("balanced", Arc::clone(recorder) as _).offering(true)
}

#[test]
fn who_began_with_the_same_words_is_not_given_it_later() {
    let recorder = Arc::new(Notes::default());
    let live = offering(&recorder);
    // One began before the tool was turned on; another begins with the same words.
    let before = Client::begins().with("a");
    let other = Client::begins();
    assert!(before.ask(&live).is_none());
    let offered = other.ask(&live).expect("it begins");
    // By what it was answered the two are told apart.
    answered(&live, &offered, "b", false);
    let other = other.with("b");
    for live in [&live, &offering(&recorder)] {
        assert!(before.ask(live).is_none());
        assert!(before.clone().with("c").ask(live).is_none());
        assert!(other.ask(live).is_some());
        assert!(other.clone().with("c").ask(live).is_some());
    }
}

#[test]
fn who_goes_without_it_stays_without() {
    let recorder = Arc::new(Notes::default());
    let live = offering(&recorder);
    let waiting = Waiting::default();
    let late = waiting.clone();
    // It is noted, and by then its request has gone without.
    *recorder.hook.lock().expect("a lock") = Some(Box::new(move || {
        assert_eq!(late.give_up(), Some(Some(None)));
    }));
    Client::begins().offer(&live, &waiting).expect("it is known");
    for live in [&live, &offering(&recorder)] {
        assert!(Client::begins().with("a").ask(live).is_none());
    }
    // Given up before, nothing is noted at all; and others have it.
    let gone = Waiting::default();
    gone.give_up();
    assert!(Client::begins().offer(&live, &gone).expect("it is known").is_none());
    let offered = Client::begins().ask(&live).expect("it begins");
    answered(&live, &offered, "b", false);
    assert!(Client::begins().with("b").ask(&live).is_some());
    assert!(Client::begins().with("a").ask(&live).is_none());
}

#[test]
fn a_store_that_fails_changes_nothing_of_what_goes() {
    let recorder = Arc::new(Notes::default());
    let live = offering(&recorder);
    let offered = Client::begins().ask(&live).expect("it begins");
    answered(&live, &offered, "a", true);
    let second = Client::begins().with("a");
    let first_time = second.ask(&live).expect("it goes on");
    assert!(String::from_utf8_lossy(&first_time.body).contains("no more"));
    recorder.fails.store(true, Ordering::SeqCst);
    assert_eq!(second.ask(&live), Some(first_time.clone()));
    let third = second.clone().with("b").ask(&live).expect("it goes on");
    let common = first_time.body.len() - "]}".len();
    assert_eq!(third.body[..common], first_time.body[..common]);
    // Who has nothing in memory says so.
    second.offer(&offering(&recorder), &Waiting::default()).expect_err("it cannot be known");
    recorder.fails.store(false, Ordering::SeqCst);
    assert_eq!(second.ask(&offering(&recorder)), Some(first_time));
}

#[test]
fn answers_to_one_request_at_the_same_time_are_all_kept() {
    const COUNT: usize = 40;
    let recorder = Arc::new(Notes::default());
    let live = offering(&recorder);
    let offered = Client::begins().ask(&live).expect("it begins");
    std::thread::scope(|scope| {
        for number in 0..COUNT {
            let (live, offered) = (&live, &offered);
            scope.spawn(move || answered(live, offered, &format!("t{number}"), true));
        }
    });
    for number in 0..COUNT {
        let second = Client::begins().with(&format!("t{number}")).ask(&offering(&recorder));
        let body = second.expect("it goes on").body;
        assert!(String::from_utf8_lossy(&body).contains(&format!("xt{number}")), "{number}");
    }
}
