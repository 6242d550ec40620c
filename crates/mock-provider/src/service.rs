//! Serves one request from its head to the first byte of its answer.

use std::io;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use foveal_protocols::Protocol;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use hyper::{Request, Response};
use serde_json::{Value, json};

use crate::api_route::ApiRoute;
use crate::api_rules::RuleViolation;
use crate::body_encoding::decode_body;
use crate::connection_tap::ConnectionTap;
use crate::paced_body::{PacedBody, body_events};
use crate::protocol_answers::{self, AnswerContent};
use crate::provider_cache::TokenBill;
use crate::received_request::{DeliveryReporter, ReceivedRequest};
use crate::reply_script::{ReplyScript, ScriptRequest, ScriptedOutcome};
use crate::request_body::count_call_turns;
use crate::request_evaluator::{RequestEvaluation, RequestEvaluator};
use crate::scripted_fault::ScriptedFault;
use crate::settings::{RequestRecording, Settings};

/// The state of a server, shared by its connections.
#[derive(Debug)]
pub(crate) struct ProviderState {
    pub(crate) settings: Settings,
    pub(crate) script: Mutex<ReplyScript>,
    pub(crate) evaluator: Mutex<RequestEvaluator>,
    pub(crate) received: Mutex<Vec<Arc<ReceivedRequest>>>,
    pub(crate) request_received: Condvar,
    pub(crate) now_ms: AtomicU64,
    pub(crate) answer_requests: AtomicUsize,
    pub(crate) requests: AtomicUsize,
    pub(crate) connections: AtomicUsize,
}

impl ProviderState {
    pub(crate) fn new(settings: Settings, script: ReplyScript) -> Self {
        ProviderState {
            settings,
            script: Mutex::new(script),
            evaluator: Mutex::default(),
            received: Mutex::default(),
            request_received: Condvar::new(),
            now_ms: AtomicU64::new(0),
            answer_requests: AtomicUsize::new(0),
            requests: AtomicUsize::new(0),
            connections: AtomicUsize::new(0),
        }
    }

    /// Records a request; `None` if nothing is recorded.
    fn record_request(&self, mut seen: ReceivedRequest) -> Option<DeliveryReporter> {
        match self.settings.recording {
            RequestRecording::Nothing => return None,
            RequestRecording::WithoutBodies => seen.body = Vec::new(),
            RequestRecording::Everything => {}
        }
        let seen = Arc::new(seen);
        lock_ignoring_poison(&self.received).push(seen.clone());
        self.request_received.notify_all();
        Some(DeliveryReporter(seen))
    }
}

pub(crate) fn lock_ignoring_poison<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers one request, or fails if the connection is to be reset.
pub(crate) async fn serve_request(
    shared: Arc<ProviderState>,
    wire: ConnectionTap,
    request: Request<Incoming>,
) -> io::Result<Response<PacedBody>> {
    let headers = wire.take_headers();
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let method = request.method().as_str().to_owned();
    let body = request.into_body().collect().await.map_err(io::Error::other)?.to_bytes().to_vec();
    wire.discard_body();
    let seen = ReceivedRequest {
        number: shared.requests.fetch_add(1, Ordering::SeqCst),
        route: ApiRoute::parse(&method, &path),
        method,
        path,
        headers,
        body,
        bill: None,
        overlap: None,
        violations: Vec::new(),
        delivery: AtomicU8::new(0),
    };
    if seen.header("upgrade").is_some() {
        let body = json!({"error": {"message": "websockets are not supported"}});
        return json_response(426, &body, wire, shared.record_request(seen));
    }
    match seen.route {
        ApiRoute::Answer { protocol, is_stream } => {
            answer_prompt(&shared, wire, seen, protocol, is_stream).await
        }
        ApiRoute::CountTokens(protocol) => {
            let body = parse_body(&seen).unwrap_or_default();
            let tokens = lock_ignoring_poison(&shared.evaluator).count_tokens(protocol, &body);
            json_response(
                200,
                &protocol_answers::token_count_document(protocol, tokens),
                wire,
                shared.record_request(seen),
            )
        }
        ApiRoute::Models => {
            let mut model = json!({"id": "scripted", "object": "model", "type": "model"});
            if let Some(window) = shared.settings.window.filter(|_| shared.settings.lists_window) {
                model["max_model_len"] = json!(window);
            }
            let list = json!({"object": "list", "data": [model], "has_more": false});
            json_response(200, &list, wire, shared.record_request(seen))
        }
        ApiRoute::Unknown => {
            let body = protocol_answers::error_document(Protocol::Messages, 404, "no such path");
            json_response(404, &body, wire, shared.record_request(seen))
        }
    }
}

/// The facts of a request that its answer depends on.
struct PlannedAnswer {
    model: String,
    is_stream: bool,
    tells_usage: bool,
    play: ScriptedOutcome,
}

async fn answer_prompt(
    shared: &ProviderState,
    wire: ConnectionTap,
    mut seen: ReceivedRequest,
    protocol: Protocol,
    is_stream: bool,
) -> io::Result<Response<PacedBody>> {
    let (question, mut judgement) = evaluate_request(shared, &seen, protocol, is_stream);
    let PlannedAnswer { play, .. } = &question;
    let refused = judgement
        .violations
        .iter()
        .find(|broken| broken.causes_refusal())
        .map(RuleViolation::to_string);
    let refused = refused.filter(|_| shared.settings.refuses_violations);
    let refused =
        refused.or_else(|| window_refusal(&shared.settings, judgement.bill.prompt_tokens()));
    let status = match (&refused, play.fault) {
        (Some(_), _) => 400,
        (None, ScriptedFault::Status { status, .. }) => status,
        (None, _) => 200,
    };
    judgement.bill.output = protocol_answers::count_output_tokens(protocol, &play.reply);
    seen.bill = (status == 200).then_some(judgement.bill);
    seen.overlap = Some(judgement.overlap);
    seen.violations = judgement.violations;
    let (number, query_has_sse) = (seen.number, seen.path.contains("alt=sse"));
    let tell = shared.record_request(seen);
    if status != 200 {
        let message = refused.unwrap_or_else(|| "scripted error".to_owned());
        let mut response = json_response(
            status,
            &protocol_answers::error_document(protocol, status, &message),
            wire,
            tell,
        )?;
        if let ScriptedFault::Status { retry_after_s: Some(seconds), .. } = play.fault {
            response.headers_mut().insert(RETRY_AFTER, seconds.into());
        }
        return Ok(response);
    }
    match play.fault {
        ScriptedFault::ResetBeforeHead => {
            wire.request_reset();
            if let Some(tell) = tell {
                tell.mark_delivered();
            }
            return Err(io::ErrorKind::ConnectionReset.into());
        }
        ScriptedFault::DelayedHead(pause) => tokio::time::sleep(pause).await,
        _ => {}
    }
    let said = AnswerContent {
        reply: &play.reply,
        model: &question.model,
        request_number: number,
        bill: judgement.bill,
        includes_usage: question.tells_usage,
    };
    let (kind, parts) = if !question.is_stream {
        (
            "application/json",
            vec![protocol_answers::answer_document(protocol, &said).to_string().into_bytes()],
        )
    } else if protocol == Protocol::Gemini && !query_has_sse {
        ("application/json", join_as_json_list(&protocol_answers::stream_events(protocol, &said)))
    } else {
        ("text/event-stream; charset=utf-8", protocol_answers::stream_events(protocol, &said))
    };
    build_response(protocol, play, kind, &parts, wire, tell)
}

/// Returns the refusal of a prompt of this many tokens, if the model's window is smaller.
fn window_refusal(settings: &Settings, prompt: u64) -> Option<String> {
    let window = settings.window.filter(|window| prompt > *window)?;
    Some(match settings.states_window {
        true => format!("prompt is too long: {prompt} tokens > {window} maximum"),
        false => "your input exceeds the context window of this model".to_owned(),
    })
}

/// Parses, evaluates and bills a request, and gets its outcome from the script.
fn evaluate_request(
    shared: &ProviderState,
    seen: &ReceivedRequest,
    protocol: Protocol,
    is_stream: bool,
) -> (PlannedAnswer, RequestEvaluation) {
    let number = shared.answer_requests.fetch_add(1, Ordering::SeqCst);
    let choose = |body: &Value, is_stream| {
        let turn = count_call_turns(protocol, body);
        // A clone, so that a slow script does not hold the lock.
        let script = lock_ignoring_poison(&shared.script).clone();
        script.choose_outcome(&ScriptRequest { number, protocol, is_stream, turn, body })
    };
    if shared.settings.recording == RequestRecording::Nothing {
        let is_stream = is_stream || has_stream_flag(&seen.body);
        let play = choose(&Value::Null, is_stream);
        let model = "scripted".to_owned();
        let bill = TokenBill { uncached: 10, ..TokenBill::default() };
        let question = PlannedAnswer { model, is_stream, tells_usage: true, play };
        return (question, RequestEvaluation { bill, ..RequestEvaluation::default() });
    }
    let (body, judgement) = match parse_body(seen) {
        Ok(body) => {
            let model = model_name(protocol, &body, &seen.path).to_owned();
            let conversation = seen.header(shared.settings.conversation_header);
            let now_ms = shared.now_ms.load(Ordering::SeqCst);
            let mut judge = lock_ignoring_poison(&shared.evaluator);
            let judgement = judge.evaluate(protocol, &model, &body, conversation, now_ms);
            (body, judgement)
        }
        Err(broken) => (
            Value::Null,
            RequestEvaluation { violations: vec![broken], ..RequestEvaluation::default() },
        ),
    };
    let is_stream = is_stream || body["stream"] == true;
    let question = PlannedAnswer {
        model: model_name(protocol, &body, &seen.path).to_owned(),
        is_stream,
        tells_usage: body["stream_options"]["include_usage"] == true,
        play: choose(&body, is_stream),
    };
    (question, judgement)
}

fn parse_body(seen: &ReceivedRequest) -> Result<Value, RuleViolation> {
    let decoded = decode_body(seen.header("content-encoding"), &seen.body)
        .map_err(|error| RuleViolation::UnreadableBody(error.to_string()))?;
    serde_json::from_slice(&decoded)
        .map_err(|error| RuleViolation::UnreadableBody(error.to_string()))
}

/// Returns the model's name: from the body, for Gemini from the path.
fn model_name<'a>(protocol: Protocol, body: &'a Value, path: &'a str) -> &'a str {
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

/// Returns whether an unparsed body has `"stream": true`.
fn has_stream_flag(body: &[u8]) -> bool {
    memchr::memmem::find_iter(body, b"\"stream\"").any(|at| {
        let after = body[at + 8..].trim_ascii_start();
        after.strip_prefix(b":").is_some_and(|value| value.trim_ascii_start().starts_with(b"true"))
    })
}

/// Joins the events of a stream to one JSON list, which Gemini sends to clients that do not request
/// events.
fn join_as_json_list(events: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let count = events.len();
    let parts = events.iter().enumerate().map(|(at, event)| {
        let json = event.strip_prefix(b"data: ").unwrap_or(event).trim_ascii_end();
        let before: &[u8] = if at == 0 { b"[" } else { b",\r\n" };
        let after: &[u8] = if at + 1 == count { b"]" } else { b"" };
        [before, json, after].concat()
    });
    parts.collect()
}

fn build_response(
    protocol: Protocol,
    play: &ScriptedOutcome,
    kind: &str,
    parts: &[Vec<u8>],
    wire: ConnectionTap,
    tell: Option<DeliveryReporter>,
) -> io::Result<Response<PacedBody>> {
    let parts = play.encoding.encode(parts)?;
    let is_whole = matches!(play.fault, ScriptedFault::None | ScriptedFault::DelayedHead(_))
        && kind == "application/json";
    let length = is_whole.then(|| parts.iter().map(|part| part.len() as u64).sum());
    let error = protocol_answers::error_event(protocol);
    let pieces =
        body_events(&parts, play.fault, error, protocol_answers::keep_alive_event(protocol));
    let mut response = Response::builder().header(CONTENT_TYPE, kind);
    if let Some(name) = play.encoding.name() {
        response = response.header(CONTENT_ENCODING, name);
    }
    let body = PacedBody::new(pieces, length, wire, tell);
    response.body(body).map_err(io::Error::other)
}

/// Returns a small JSON answer without events and faults.
fn json_response(
    status: u16,
    body: &Value,
    wire: ConnectionTap,
    tell: Option<DeliveryReporter>,
) -> io::Result<Response<PacedBody>> {
    let bytes = body.to_string().into_bytes();
    Response::builder()
        .status(status)
        .header(CONTENT_TYPE, "application/json")
        .body(PacedBody::from_bytes(bytes, wire, tell))
        .map_err(io::Error::other)
}
