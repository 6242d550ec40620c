//! One call: carried out on a thread that may block, its progress and questions passed on.

use std::sync::{Arc, PoisonError};
use std::time::Instant;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use foveal_cancel::Cancel;
use foveal_tools::control::{Approval, Question};
use foveal_tools::session::{Arrival, Delivery};
use foveal_tools::{Answer, Control, Request};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, MetaObject,
};
use rmcp::service::RequestContext;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::approver::Approver;
use crate::connection::{Connection, SessionRef, Toggle};
use crate::elicitation;
use crate::log::Severity;
use crate::passage::Passage;
use crate::progress::{LatestProgress, NOTIFICATION_PAUSE, ProgressNotifier};
use crate::round_trips::RoundTrips;

/// Characters of a tool's name that are told where there is no such tool.
const NAME_CHARS_MAX: usize = 100;

/// `false` under this name keeps a call from being answered from an earlier one.
const DETECT_KEY: &str = "foveal/enable_duplicate_detection";
/// The same for the session from this call on: `true`, `false`, or null for what holds for all.
const DETECT_SESSION_KEY: &str = "foveal/session_duplicate_detection";
/// `true` under this name asks for the answer as data too.
const STRUCTURED_KEY: &str = "foveal/structured";
const CACHED_KEY: &str = "foveal/cached";
const SHAPED_KEY: &str = "foveal/shaped";
/// The model that chose what of a file is shown, what that took, and where its thinking is.
const CURATED_KEY: &str = "foveal/curated";
const HANDLE_KEY: &str = "foveal/handle";

/// An answer of a session, or rather a question that has to be asked before there can be one.
type Done = (Answer, Delivery, Option<Question>);

/// Carries a call out.
pub(crate) async fn call(
    connection: &Connection,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> CallToolResponse {
    let shared = &connection.shared;
    if !shared.tools().iter().any(|tool| tool.name == request.name) {
        let known: Vec<&str> = shared.tools().iter().map(|tool| &*tool.name).collect();
        let name: String = request.name.chars().take(NAME_CHARS_MAX).collect();
        let known = known.join(", ");
        return failed(format!("there is no tool `{name}`; there are: {known}"));
    }
    let thread = tokio::select! {
        thread = Arc::clone(&shared.threads).acquire_owned() => thread,
        () = context.ct.cancelled() => return failed("stopped before it began".to_owned()),
    };
    let round_trips = RoundTrips::of(request.request_state.as_deref(), request.input_responses);
    let session = match connection.session(&context, &round_trips).await {
        Ok(Some(session)) => session,
        Ok(None) => return round_trips.ask_folders().into(),
        Err(error) => {
            let what = format!("the folders cannot be worked in: {error}");
            connection.threshold.log(&context, Severity::Warning, json!(what)).await;
            return failed(what);
        }
    };
    let wants_data = shared.settings.structured || flag(&context, STRUCTURED_KEY) == Some(true);
    let tool = request.name.to_string();
    let mut request =
        Request::new(tool.clone(), Value::Object(request.arguments.unwrap_or_default()));
    request.detect_duplicates &= flag(&context, DETECT_KEY) != Some(false);
    let toggle = context.meta.get(DETECT_SESSION_KEY).and_then(Toggle::of);
    let begun = Instant::now();
    let done = carry_out((session, toggle), request, &round_trips, &context).await;
    drop(thread);
    match done {
        // What is not sent does not count as shown.
        Ok((_, _, Some(question))) => round_trips.ask_approval(&question).into(),
        Ok((answer, delivery, None)) => {
            let told = json!({
                "tool": tool,
                "ms": u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
                "bytes": answer.text.len(),
                "cached": answer.cached,
                "shaped": answer.shaped.map(|(kind, _)| kind.word()),
                "failed": answer.is_error,
            });
            connection.threshold.log(&context, Severity::Debug, told).await;
            // Where the client cancelled meanwhile, nobody takes it, and it is never delivered.
            if let Some(passage) = Passage::of(&context) {
                passage.send(delivery);
            }
            result(answer, wants_data).into()
        }
        Err(error) => {
            let what = format!("{tool} broke: {error}; other calls still work");
            connection.threshold.log(&context, Severity::Warning, json!(what)).await;
            failed(what)
        }
    }
}

fn flag(context: &RequestContext<RoleServer>, key: &str) -> Option<bool> {
    context.meta.get(key)?.as_bool()
}

/// Runs the call on a thread of its own and passes on what it says and asks meanwhile.
async fn carry_out(
    session: (SessionRef, Option<Toggle>),
    request: Request,
    round_trips: &RoundTrips,
    context: &RequestContext<RoleServer>,
) -> Result<Done, tokio::task::JoinError> {
    // Dropped with this future: a call that nobody waits for any more is stopped.
    let stop = context.ct.child_token();
    let _guard = stop.clone().drop_guard();
    let latest = Arc::new(LatestProgress::default());
    let (questions, mut asked) = mpsc::channel(1);
    let approver = Approver::of(context, round_trips, questions);
    // Clients are asked from here, not from the thread of the call: over HTTP only what is asked
    // from within a request goes out with its answer.
    let mut notifier = context.meta.get_progress_token().map(ProgressNotifier::new);
    let arrival = Passage::of(context).and_then(|passage| passage.take_arrival());
    let job = Job { request, arrival, stop: stop.clone(), latest: Arc::clone(&latest) };
    let mut job = start(session, job, approver);
    let mut next = tokio::time::Instant::now();
    let mut due = false;
    loop {
        tokio::select! {
            biased;
            done = &mut job => return done,
            Some((question, reply)) = asked.recv() => {
                let approval = tokio::select! {
                    approval = elicitation::ask(&context.peer, &question) => approval,
                    () = stop.cancelled() => Approval::No,
                };
                // If the call has ended, nobody needs the answer.
                let _ = reply.send(approval);
            }
            () = latest.changed.notified(), if notifier.is_some() && !due => due = true,
            () = tokio::time::sleep_until(next), if due => {
                due = false;
                next = tokio::time::Instant::now() + NOTIFICATION_PAUSE;
                if let Some(news) = notifier.as_mut().and_then(|notifier| notifier.next(&latest)) {
                    drop(context.peer.notify_progress(news).await);
                }
            }
        }
    }
}

/// What is to be carried out, since when, until when, and where it tells how far it is.
struct Job {
    request: Request,
    arrival: Option<Arrival>,
    stop: CancellationToken,
    latest: Arc<LatestProgress>,
}

fn start(
    (session, toggle): (SessionRef, Option<Toggle>),
    job: Job,
    approver: Approver,
) -> JoinHandle<Done> {
    tokio::task::spawn_blocking(move || {
        let Job { request, arrival, stop, latest } = job;
        let of = session.open();
        if let Some(Toggle(enable)) = toggle {
            of.session.duplicates.set_detection(enable);
        }
        let approval = |question: &Question| approver.approval(question);
        let is_cancelled = || stop.is_cancelled();
        let control = Control {
            cancel: &Cancel::when(&is_cancelled),
            progress: &|progress| latest.put(progress),
            person: approver
                .can_ask()
                .then_some(&approval as &(dyn Fn(&Question) -> Approval + Sync)),
            ..Control::NONE
        };
        let arrival = arrival.unwrap_or_else(|| of.session.arrive());
        let (answer, delivery) = of.session.call_from(arrival, &request, &control);
        let unasked = approver.unasked();
        if unasked.is_some() || stop.is_cancelled() {
            // This answer is not sent.
            return (answer, delivery, unasked);
        }
        let whole = answer.shaped.and_then(|(_, handle)| of.session.content(handle));
        let mut counts = of.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.count(&request.tool, &answer, whole.as_deref());
        drop(counts);
        (answer, delivery, None)
    })
}

fn failed(what: String) -> CallToolResponse {
    CallToolResult::error(vec![ContentBlock::text(what)]).into()
}

/// An answer as the protocol has it. What only programs need stands under names of ours, where
/// no model is shown it.
fn result(answer: Answer, wants_data: bool) -> CallToolResult {
    let mut content = vec![ContentBlock::text(answer.text)];
    let pictures = answer.images.iter();
    content.extend(
        pictures.map(|image| ContentBlock::image(STANDARD.encode(&image.bytes), image.media_type)),
    );
    let mut meta = Map::new();
    if answer.cached {
        meta.insert(CACHED_KEY.to_owned(), true.into());
    }
    if let Some((kind, handle)) = answer.shaped {
        meta.insert(SHAPED_KEY.to_owned(), kind.word().into());
        meta.insert(HANDLE_KEY.to_owned(), handle.to_string().into());
    }
    if let Some(by) = answer.chosen_by.and_then(|by| serde_json::to_value(by).ok()) {
        meta.insert(CURATED_KEY.to_owned(), by);
    }
    let mut result = CallToolResult::success(content);
    // That a command fails is an answer: clients show errors cut, or take the server for broken.
    result.is_error = Some(answer.is_error && !answer.has_exit_code);
    result.structured_content = answer.structured.filter(|_| wants_data);
    result.with_meta((!meta.is_empty()).then_some(MetaObject(meta)))
}
