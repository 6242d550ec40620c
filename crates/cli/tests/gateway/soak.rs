//! The gateway under mixed traffic for a while: upstreams that break, clients that are slow, kills,
//! a full disk, a locked database. Every client sees what the upstream answered or its error, what
//! went goes again in the same bytes, and what the gateway uses stays flat.
//!
//! `FOVEAL_SOAK_SECONDS` is the time; without it the test is skipped.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, RwLock};
use std::time::{Duration, Instant};

use foveal_mock_provider::{
    MockProvider, ModelReply, ReplyScript, RuleViolation, ScriptRequest, ScriptedFault,
    ScriptedOutcome, Settings,
};
use foveal_testkit::request_bodies::{ModelApi, build_request_body};
use foveal_transcript::{
    ContentBlock, EntryMark, MessageRole, RecordingPosition, ToolCall, ToolResult, TranscriptEntry,
};
use serde_json::json;

use super::served::{Got, Served, ask};
use crate::soak::{Use, soak_time, used};
use crate::world::World;

const CLIENTS: u64 = 6;

/// Turns after which a client has its conversation compacted, and after which it goes back.
const TURNS_MAX: usize = 40;
const REWIND_EVERY: u64 = 13;

/// What memory may grow by after the first third, in bytes, beside what conversations that nobody
/// continues hold until they are let go: a quarter of an hour, in bounds.
const GROWTH_BYTES_MAX: u64 = 64 << 20;
const HELD_BYTES_MAX: u64 = 256 << 20;

/// What threads and open files may come to be more by.
const GROWTH_MAX: u64 = 24;

/// Kills in the first half.
const KILLS: u32 = 6;

/// Blocks of 512 bytes that a file may have on the full disk: the store has more already.
const BLOCKS: u32 = 64;

const MODEL: &str = "claude-opus-4-5";

/// A word that the model repeats and that says what goes wrong with its answer.
fn word(client: u64, number: u64) -> String {
    format!("ask-{client}-{number}-")
}

/// What goes wrong with the answer to the request with this word.
fn fault(word: &str) -> ScriptedFault {
    let hash = blake3::hash(word.as_bytes());
    match hash.as_bytes()[0] {
        0..8 => ScriptedFault::ResetBeforeHead,
        8..16 => ScriptedFault::ResetAfterHead,
        16..24 => ScriptedFault::ResetInEvent(2),
        24..32 => ScriptedFault::TruncatedBefore(2),
        32..40 => ScriptedFault::Status { status: 529, retry_after_s: Some(1) },
        40..48 => ScriptedFault::Status { status: 429, retry_after_s: None },
        48..56 => ScriptedFault::ErrorEvent(2),
        56..64 => ScriptedFault::Slow { bytes: 40, pause: Duration::from_millis(5) },
        64..72 => ScriptedFault::DelayedHead(Duration::from_millis(100)),
        _ => ScriptedFault::None,
    }
}

fn script() -> ReplyScript {
    ReplyScript::new(|asked: &ScriptRequest<'_>| {
        let text = asked.body.to_string();
        let last = text.rfind("ask-").map_or("", |at| &text[at..]);
        let word: String = last.split_inclusive('-').take(3).collect();
        let reply = ModelReply::from_text(format!(
            "{word} is answered in some more words than fit one event."
        ));
        ScriptedOutcome { reply, fault: fault(&word), ..ScriptedOutcome::default() }
    })
}

/// Whether the client saw what the upstream did.
fn is_as_scripted(got: &Got, word: &str) -> bool {
    let has_answer = got.is_whole && got.text().contains(word);
    let is_unreached = got.status == 502 && got.text().contains("foveal cannot reach");
    match fault(word) {
        ScriptedFault::None | ScriptedFault::Slow { .. } | ScriptedFault::DelayedHead(_) => {
            got.status == 200 && has_answer
        }
        ScriptedFault::Status { status, .. } => got.status == status && got.is_whole,
        ScriptedFault::ResetBeforeHead => is_unreached,
        // A reset may overtake what was written before it.
        ScriptedFault::ResetAfterHead => is_unreached || got.status == 200 && !got.is_whole,
        ScriptedFault::ResetInEvent(_) => is_unreached || got.status == 200 && !got.is_whole,
        ScriptedFault::TruncatedBefore(_) | ScriptedFault::ErrorEvent(_) => {
            got.status == 200 && got.is_whole
        }
        ScriptedFault::SilentBefore(_) | ScriptedFault::EndlessKeepAlives { .. } => false,
    }
}

fn entry(role: MessageRole, block: ContentBlock) -> TranscriptEntry {
    let source = RecordingPosition { step: 0, result: None };
    let (time, model, usage, mark) = (None, None, None, EntryMark::None);
    TranscriptEntry { source, role, time, mark, model, usage, blocks: vec![block] }
}

/// One client with a conversation of its own.
struct Client {
    number: u64,
    api: ModelApi,
    asked: u64,
    entries: Vec<TranscriptEntry>,
}

/// Where the gateway is, and whether it is not just being killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct There {
    address: SocketAddr,
    is_up: bool,
}

/// What was seen of all.
#[derive(Default)]
struct Tally {
    answers: AtomicU64,
    /// Requests that ended with the gateway, and were asked again.
    gone: AtomicU64,
    wrong: Mutex<Vec<String>>,
}

impl Client {
    fn new(number: u64) -> Self {
        let api = ModelApi::ALL[number as usize % ModelApi::ALL.len()];
        let mut client = Self { number, api, asked: 0, entries: Vec::new() };
        client.begin("Look into it");
        client
    }

    /// A conversation that begins with this.
    fn begin(&mut self, text: &str) {
        let text = format!("{text}, client {} at {}", self.number, self.asked);
        self.entries = vec![entry(MessageRole::User, ContentBlock::Text(text))];
    }

    /// The next turn: a call, its result, and what the user says with the word.
    fn turn(&mut self) -> String {
        self.asked += 1;
        if self.entries.len() > TURNS_MAX * 3 {
            self.begin("The conversation so far is summed up so");
        } else if self.asked.is_multiple_of(REWIND_EVERY) && self.entries.len() > 12 {
            let kept = self.entries.len() - 9;
            self.entries.truncate(kept);
        }
        let (file, id) = (self.asked % 5, format!("call_{}_{}", self.number, self.asked));
        let arguments =
            json!({ "command": format!("cat src/file_{file}.rs; make {}", self.asked) });
        let call = ToolCall { id: id.clone(), name: "bash".to_owned(), arguments };
        self.entries.push(entry(MessageRole::Assistant, ContentBlock::Call(call)));
        let lines = if self.asked.is_multiple_of(9) { 900 } else { 30 };
        let line =
            |at: u64| format!("{at}: fn step_{file}_{at}(value: u64) -> u64 {{ value * {at} }}\n");
        let content: String = (0..lines).map(line).collect();
        let result = ToolResult { call: id, content, is_error: false };
        self.entries.push(entry(MessageRole::Tool, ContentBlock::Result(result)));
        let word = word(self.number, self.asked);
        self.entries
            .push(entry(MessageRole::User, ContentBlock::Text(format!("go on {word} please"))));
        word
    }

    /// Works until it is to stop.
    fn work(mut self, there: &RwLock<There>, stop: &AtomicBool, tally: &Tally) {
        let lines = vec![format!("X-Test-Conversation: {}", self.number)];
        while !stop.load(Ordering::Relaxed) {
            let word = self.turn();
            let is_stream = !self.asked.is_multiple_of(3);
            let pause = Duration::from_millis(if self.asked.is_multiple_of(17) { 20 } else { 0 });
            let sent = self.sent(is_stream);
            let path = path(self.api, is_stream);
            // Who is refused because the gateway is just not there asks again, as agents do.
            while !stop.load(Ordering::Relaxed) {
                let before = *there.read().expect("a lock");
                let got = ask(before.address, path, &lines, &sent, pause);
                let is_right = match &got {
                    Ok(got) => is_as_scripted(got, &word),
                    // A reset right behind the head may overtake the head.
                    Err(_) => {
                        matches!(
                            fault(&word),
                            ScriptedFault::ResetAfterHead | ScriptedFault::ResetInEvent(_)
                        )
                    }
                };
                if is_right {
                    tally.answers.fetch_add(1, Ordering::Relaxed);
                    break;
                }
                if !before.is_up || *there.read().expect("a lock") != before {
                    tally.gone.fetch_add(1, Ordering::Relaxed);
                    std::thread::sleep(Duration::from_millis(20));
                    continue;
                }
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let what = got.map(|got| format!("{} {} {}", got.status, got.is_whole, got.text()));
                let mut wrong = tally.wrong.lock().expect("a lock");
                wrong.push(format!("{word} {:?} {:?}: {what:?}", self.api, fault(&word)));
                break;
            }
        }
    }

    fn sent(&self, is_stream: bool) -> Vec<u8> {
        let sent = build_request_body(self.api, MODEL, &self.entries);
        if is_stream {
            return sent;
        }
        String::from_utf8_lossy(&sent).replace("\"stream\":true", "\"stream\":false").into_bytes()
    }
}

fn path(api: ModelApi, is_stream: bool) -> &'static str {
    match (api, is_stream) {
        (ModelApi::Messages, _) => "/v1/messages",
        (ModelApi::Chat, _) => "/v1/chat/completions",
        (ModelApi::Responses, _) => "/v1/responses",
        (ModelApi::Gemini, false) => "/v1beta/models/gemini-2.5-pro:generateContent",
        (ModelApi::Gemini, true) => "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
    }
}

/// A conversation of each API, asked again after every kill: what goes has to be the same bytes.
struct Probes {
    upstream: MockProvider,
    sent: Vec<(ModelApi, Vec<u8>, Option<Vec<u8>>)>,
}

impl Probes {
    fn new() -> Self {
        let settings = Settings { refuses_violations: false, ..Settings::default() };
        let sent = ModelApi::ALL.into_iter().enumerate().map(|(at, api)| {
            let mut client = Client::new(1_000 + at as u64);
            client.api = api;
            for _ in 0..24 {
                client.turn();
            }
            (api, client.sent(true), None)
        });
        Self { upstream: MockProvider::start(settings).expect("loopback"), sent: sent.collect() }
    }

    /// Asks all; the first time sets what has to go ever after.
    fn ask(&mut self, address: SocketAddr) {
        for (api, sent, went) in &mut self.sent {
            let name = path(*api, true);
            let got = ask(address, &format!("/probe{name}"), &[], sent, Duration::ZERO);
            assert_eq!(got.expect("an answer").status, 200);
            let seen = self.upstream.take_received_requests().pop().expect("it is asked");
            match went {
                None => {
                    assert!(seen.body.len() < sent.len(), "{api:?}: nothing to hold on to");
                    *went = Some(seen.body.clone());
                }
                Some(went) => assert!(*went == seen.body, "{api:?} went otherwise after a kill"),
            }
        }
    }
}

/// Locks the store against everybody for a while.
fn lock_store(world: &World, time: Duration) {
    let path = world.folder.join("home/.local/share/foveal/store.db");
    let Ok(database) = rusqlite::Connection::open(path) else { return };
    if database.execute_batch("PRAGMA busy_timeout=2000; BEGIN EXCLUSIVE").is_ok() {
        std::thread::sleep(time);
        let _ = database.execute_batch("ROLLBACK");
    }
}

#[test]
fn clients_see_what_the_upstream_did_whatever_happens() {
    let Some(whole) = soak_time() else { return };
    let world = World::new("gateway_soak");
    let settings = Settings { refuses_violations: false, ..Settings::default() };
    let upstream = MockProvider::start(settings).expect("loopback");
    upstream.set_script(script());
    let mut probes = Probes::new();
    let all = [upstream.url(), format!("probe={}", probes.upstream.url())];
    let start = |blocks| Served::start(&world, &all, blocks);
    let mut served = Some(start(None));
    let there =
        RwLock::new(There { address: served.as_ref().expect("it runs").address, is_up: true });
    let (stop, tally) = (AtomicBool::new(false), Tally::default());
    let broken = Mutex::new(Vec::new());
    let samples = std::thread::scope(|scope| {
        for number in 0..CLIENTS {
            let (there, stop, tally) = (&there, &stop, &tally);
            scope.spawn(move || Client::new(number).work(there, stop, tally));
        }
        let (judge, judging, broken) = (&upstream, &stop, &broken);
        scope.spawn(move || {
            while !judging.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(200));
                judge_seen(judge, broken);
            }
        });
        let _stop = StopAtEnd(&stop);
        let began = Instant::now();
        probes.ask(there.read().expect("a lock").address);
        for kill in 1..=KILLS {
            wait_until(began, whole / 2 * kill / KILLS);
            there.write().expect("a lock").is_up = false;
            served.take().expect("it runs").kill();
            // Every other life is on a full disk.
            let next = start((kill % 2 == 1).then_some(BLOCKS));
            *there.write().expect("a lock") = There { address: next.address, is_up: true };
            probes.ask(next.address);
            served = Some(next);
            eprintln!("{:5} s: kill {kill}", began.elapsed().as_secs());
        }
        let process = served.as_ref().expect("it runs").process();
        watch(&world, process, began, whole, &tally)
    });
    let answers = tally.answers.load(Ordering::Relaxed);
    let gone = tally.gone.load(Ordering::Relaxed);
    eprintln!("{answers} answers, {gone} asked again after a kill");
    let wrong = tally.wrong.into_inner().expect("a lock");
    assert!(wrong.is_empty(), "{} of {answers}: {:#?}", wrong.len(), &wrong[..wrong.len().min(5)]);
    let broken = broken.into_inner().expect("a lock");
    assert!(broken.is_empty(), "{broken:?}");
    assert!(answers > whole.as_secs(), "only {answers} answers");
    probes.ask(there.into_inner().expect("a lock").address);
    flat(&samples);
}

/// Tells clients to stop, also where a check fails.
struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn wait_until(began: Instant, at: Duration) {
    std::thread::sleep(at.saturating_sub(began.elapsed()));
}

/// Notes rules that requests break.
fn judge_seen(upstream: &MockProvider, broken: &Mutex<Vec<RuleViolation>>) {
    for seen in upstream.take_received_requests() {
        let mut broken = broken.lock().expect("a lock");
        if broken.len() < 20 {
            broken.extend(seen.violations.iter().cloned());
        }
    }
}

/// Looks at what the gateway uses until the end; now and then the store is locked.
fn watch(world: &World, process: u32, began: Instant, whole: Duration, tally: &Tally) -> Vec<Use> {
    let mut samples = Vec::new();
    let mut told = Instant::now();
    let every = (whole / 20).max(Duration::from_secs(5));
    while began.elapsed() < whole {
        std::thread::sleep(Duration::from_millis(500));
        samples.extend(used(process));
        if told.elapsed() > every {
            told = Instant::now();
            lock_store(world, Duration::from_millis(1_500));
            let answers = tally.answers.load(Ordering::Relaxed);
            eprintln!("{:5} s, {answers} answers: {:?}", began.elapsed().as_secs(), samples.last());
        }
    }
    samples
}

fn flat(samples: &[Use]) {
    let (first, rest) = samples.split_at(samples.len() / 3);
    if first.is_empty() {
        eprintln!("/proc does not tell what a process uses");
        return;
    }
    let most = |all: &[Use], of: fn(&Use) -> u64| all.iter().map(of).max().unwrap_or_default();
    let last = &rest[rest.len() / 2..];
    eprintln!("{:?}, then {:?}", first.last(), last.last());
    for (what, of, more) in [
        (
            "bytes of memory",
            (|one| one.bytes) as fn(&Use) -> u64,
            GROWTH_BYTES_MAX + HELD_BYTES_MAX,
        ),
        ("threads", |one| one.threads, GROWTH_MAX),
        ("open files", |one| one.files, GROWTH_MAX),
    ] {
        let (before, after) = (most(first, of), most(last, of));
        assert!(after <= before + more, "{what}: {before}, then {after}");
    }
}
