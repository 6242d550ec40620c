//! One request from its head to the first byte of its answer.

use std::io;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use foveal_wire::Protocol;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use hyper::{Request, Response};
use serde_json::{Value, json};

use crate::answers::{self, Said};
use crate::body::{Paced, pieces};
use crate::cache::Bill;
use crate::encoding::decode;
use crate::fault::Fault;
use crate::head::Wire;
use crate::judge::{Judge, Judgement};
use crate::pairing::Broken;
use crate::reply::{Asked, Play, Script};
use crate::request::turns_with_calls;
use crate::route::Route;
use crate::seen::{Seen, Tell};
use crate::settings::{Keeps, Settings};

/// What all connections of a server share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) script: Mutex<Script>,
    pub(crate) judge: Mutex<Judge>,
    pub(crate) seen: Mutex<Vec<Arc<Seen>>>,
    pub(crate) has_seen: Condvar,
    pub(crate) now_ms: AtomicU64,
    pub(crate) asked: AtomicUsize,
    pub(crate) requests: AtomicUsize,
    pub(crate) connections: AtomicUsize,
}

impl Shared {
    pub(crate) fn new(settings: Settings, script: Script) -> Self {
        Shared {
            settings,
            script: Mutex::new(script),
            judge: Mutex::default(),
            seen: Mutex::default(),
            has_seen: Condvar::new(),
            now_ms: AtomicU64::new(0),
            asked: AtomicUsize::new(0),
            requests: AtomicUsize::new(0),
            connections: AtomicUsize::new(0),
        }
    }

    /// Keeps what was seen; `None` where nothing is kept.
    fn keep(&self, mut seen: Seen) -> Option<Tell> {
        match self.settings.keeps {
            Keeps::Nothing => return None,
            Keeps::Judgements => seen.body = Vec::new(),
            Keeps::Everything => {}
        }
        let seen = Arc::new(seen);
        lock(&self.seen).push(seen.clone());
        self.has_seen.notify_all();
        Some(Tell(seen))
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers one request, or fails where the connection is to be reset.
pub(crate) async fn answer(
    shared: Arc<Shared>,
    wire: Wire,
    request: Request<Incoming>,
) -> io::Result<Response<Paced>> {
    let headers = wire.take_headers();
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let method = request.method().as_str().to_owned();
    let body = request.into_body().collect().await.map_err(io::Error::other)?.to_bytes().to_vec();
    wire.forget();
    let seen = Seen {
        number: shared.requests.fetch_add(1, Ordering::SeqCst),
        route: Route::of(&method, &path),
        method,
        path,
        headers,
        body,
        bill: None,
        common: None,
        broken: Vec::new(),
        delivery: AtomicU8::new(0),
    };
    if seen.header("upgrade").is_some() {
        let body = json!({"error": {"message": "no websocket here"}});
        return small(426, &body, wire, shared.keep(seen));
    }
    match seen.route {
        Route::Answer { protocol, is_stream } => {
            play(&shared, wire, seen, protocol, is_stream).await
        }
        Route::CountTokens(protocol) => {
            let body = parsed(&seen).unwrap_or_default();
            let tokens = lock(&shared.judge).count(protocol, &body);
            small(200, &answers::count(protocol, tokens), wire, shared.keep(seen))
        }
        Route::Models => {
            let mut model = json!({"id": "scripted", "object": "model", "type": "model"});
            if let Some(window) = shared.settings.window.filter(|_| shared.settings.lists_window) {
                model["max_model_len"] = json!(window);
            }
            let list = json!({"object": "list", "data": [model], "has_more": false});
            small(200, &list, wire, shared.keep(seen))
        }
        Route::Unknown => {
            let body = answers::error(Protocol::Messages, 404, "no such path");
            small(404, &body, wire, shared.keep(seen))
        }
    }
}

/// What one request is about.
struct Question {
    model: String,
    is_stream: bool,
    tells_usage: bool,
    play: Play,
}

async fn play(
    shared: &Shared,
    wire: Wire,
    mut seen: Seen,
    protocol: Protocol,
    is_stream: bool,
) -> io::Result<Response<Paced>> {
    let (question, mut judgement) = judged(shared, &seen, protocol, is_stream);
    let Question { play, .. } = &question;
    let refused = judgement.broken.iter().find(|broken| broken.is_refused()).map(Broken::to_string);
    let refused = refused.filter(|_| shared.settings.is_strict);
    let refused = refused.or_else(|| too_long(&shared.settings, judgement.bill.prompt()));
    let status = match (&refused, play.fault) {
        (Some(_), _) => 400,
        (None, Fault::Status { status, .. }) => status,
        (None, _) => 200,
    };
    judgement.bill.output = answers::output(protocol, &play.reply);
    seen.bill = (status == 200).then_some(judgement.bill);
    seen.common = Some(judgement.common);
    seen.broken = judgement.broken;
    let (number, query_has_sse) = (seen.number, seen.path.contains("alt=sse"));
    let tell = shared.keep(seen);
    if status != 200 {
        let message = refused.unwrap_or_else(|| "scripted error".to_owned());
        let mut response = small(status, &answers::error(protocol, status, &message), wire, tell)?;
        if let Fault::Status { retry_after_s: Some(seconds), .. } = play.fault {
            response.headers_mut().insert(RETRY_AFTER, seconds.into());
        }
        return Ok(response);
    }
    match play.fault {
        Fault::ResetBeforeHead => {
            wire.reset();
            if let Some(tell) = tell {
                tell.sent();
            }
            return Err(io::ErrorKind::ConnectionReset.into());
        }
        Fault::Late(pause) => tokio::time::sleep(pause).await,
        _ => {}
    }
    let said = Said {
        reply: &play.reply,
        model: &question.model,
        number,
        bill: judgement.bill,
        tells_usage: question.tells_usage,
    };
    let (kind, parts) = if !question.is_stream {
        ("application/json", vec![answers::document(protocol, &said).to_string().into_bytes()])
    } else if protocol == Protocol::Gemini && !query_has_sse {
        ("application/json", as_list(&answers::events(protocol, &said)))
    } else {
        ("text/event-stream; charset=utf-8", answers::events(protocol, &said))
    };
    send(protocol, play, kind, &parts, wire, tell)
}

/// What is said of a prompt of so many tokens where the model's window is smaller.
fn too_long(settings: &Settings, prompt: u64) -> Option<String> {
    let window = settings.window.filter(|window| prompt > *window)?;
    Some(match settings.tells_window {
        true => format!("prompt is too long: {prompt} tokens > {window} maximum"),
        false => "your input exceeds the context window of this model".to_owned(),
    })
}

/// Reads, judges and bills a request, and asks the script what to say.
fn judged(
    shared: &Shared,
    seen: &Seen,
    protocol: Protocol,
    is_stream: bool,
) -> (Question, Judgement) {
    let number = shared.asked.fetch_add(1, Ordering::SeqCst);
    let choose = |body: &Value, is_stream| {
        let turn = turns_with_calls(protocol, body);
        // A copy, so that a script may take its time.
        let script = lock(&shared.script).clone();
        script.choose(&Asked { number, protocol, is_stream, turn, body })
    };
    if shared.settings.keeps == Keeps::Nothing {
        let is_stream = is_stream || asks_for_stream(&seen.body);
        let play = choose(&Value::Null, is_stream);
        let model = "scripted".to_owned();
        let bill = Bill { uncached: 10, ..Bill::default() };
        let question = Question { model, is_stream, tells_usage: true, play };
        return (question, Judgement { bill, ..Judgement::default() });
    }
    let (body, judgement) = match parsed(seen) {
        Ok(body) => {
            let model = model(protocol, &body, &seen.path).to_owned();
            let conversation = seen.header(shared.settings.conversation_header);
            let now_ms = shared.now_ms.load(Ordering::SeqCst);
            let mut judge = lock(&shared.judge);
            let judgement = judge.judge(protocol, &model, &body, conversation, now_ms);
            (body, judgement)
        }
        Err(broken) => (Value::Null, Judgement { broken: vec![broken], ..Judgement::default() }),
    };
    let is_stream = is_stream || body["stream"] == true;
    let question = Question {
        model: model(protocol, &body, &seen.path).to_owned(),
        is_stream,
        tells_usage: body["stream_options"]["include_usage"] == true,
        play: choose(&body, is_stream),
    };
    (question, judgement)
}

fn parsed(seen: &Seen) -> Result<Value, Broken> {
    let decoded = decode(seen.header("content-encoding"), &seen.body)
        .map_err(|error| Broken::Unreadable(error.to_string()))?;
    serde_json::from_slice(&decoded).map_err(|error| Broken::Unreadable(error.to_string()))
}

/// The model's name: in the body, at Gemini in the path.
fn model<'a>(protocol: Protocol, body: &'a Value, path: &'a str) -> &'a str {
    match protocol {
        Protocol::Messages | Protocol::Chat | Protocol::Responses => {
            body["model"].as_str().unwrap_or("scripted")
        }
        Protocol::Gemini => {
            let name = path.split("models/").nth(1).unwrap_or("scripted");
            name.split(':').next().unwrap_or(name)
        }
    }
}

/// Whether a body that is not parsed has `"stream": true`.
fn asks_for_stream(body: &[u8]) -> bool {
    memchr::memmem::find_iter(body, b"\"stream\"").any(|at| {
        let after = body[at + 8..].trim_ascii_start();
        after.strip_prefix(b":").is_some_and(|value| value.trim_ascii_start().starts_with(b"true"))
    })
}

/// The events of a stream as one JSON list, which Gemini sends to who does not ask for events.
fn as_list(events: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let count = events.len();
    let parts = events.iter().enumerate().map(|(at, event)| {
        let json = event.strip_prefix(b"data: ").unwrap_or(event).trim_ascii_end();
        let before: &[u8] = if at == 0 { b"[" } else { b",\r\n" };
        let after: &[u8] = if at + 1 == count { b"]" } else { b"" };
        [before, json, after].concat()
    });
    parts.collect()
}

fn send(
    protocol: Protocol,
    play: &Play,
    kind: &str,
    parts: &[Vec<u8>],
    wire: Wire,
    tell: Option<Tell>,
) -> io::Result<Response<Paced>> {
    let parts = play.encoding.encode(parts)?;
    let is_whole = matches!(play.fault, Fault::None | Fault::Late(_)) && kind == "application/json";
    let length = is_whole.then(|| parts.iter().map(|part| part.len() as u64).sum());
    let error = answers::error_event(protocol);
    let pieces = pieces(&parts, play.fault, error, answers::keep_alive(protocol));
    let mut response = Response::builder().header(CONTENT_TYPE, kind);
    if let Some(name) = play.encoding.name() {
        response = response.header(CONTENT_ENCODING, name);
    }
    let body = Paced::new(pieces, length, wire, tell);
    response.body(body).map_err(io::Error::other)
}

/// A small JSON answer without events and faults.
fn small(status: u16, body: &Value, wire: Wire, tell: Option<Tell>) -> io::Result<Response<Paced>> {
    let bytes = body.to_string().into_bytes();
    Response::builder()
        .status(status)
        .header(CONTENT_TYPE, "application/json")
        .body(Paced::whole(bytes, wire, tell))
        .map_err(io::Error::other)
}
