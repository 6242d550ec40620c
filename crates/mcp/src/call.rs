//! Tool calls: run on a blocking thread, with progress and approval questions forwarded to the
//! client.

use std::sync::{Arc, PoisonError};
use std::time::Instant;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use foveal_tools::call_control::{Approval, ApprovalQuestion};
use foveal_tools::session::{CallArrival, PendingDelivery};
use foveal_tools::{CallControl, ToolCallAnswer, ToolRequest};
use foveal_transcript::CancelToken;
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
use crate::connection::{ClientConnection, DedupOverride, SessionRef};
use crate::delivery_tracker::DeliveryTracker;
use crate::elicitation;
use crate::log::Severity;
use crate::progress::{LatestProgress, NOTIFICATION_INTERVAL, ProgressNotifier};
use crate::round_trips::RoundTrips;

/// Characters of an unknown tool's name that the error repeats.
const UNKNOWN_NAME_CHARS_MAX: usize = 100;

/// Request metadata: `false` turns duplicate detection off for this call.
const DUPLICATE_DETECTION_KEY: &str = "foveal/enable_duplicate_detection";
/// Request metadata: duplicate detection of the session from this call on: `true`, `false`, or null
/// for the server's setting.
const SESSION_DUPLICATE_DETECTION_KEY: &str = "foveal/session_duplicate_detection";
/// Request metadata: `true` asks for structured content beside the text.
const STRUCTURED_KEY: &str = "foveal/structured";
const CACHED_KEY: &str = "foveal/cached";
const SHAPED_KEY: &str = "foveal/shaped";
/// Result metadata: the model that curated the file view, its cost, and where its reasoning is
/// stored.
const CURATED_KEY: &str = "foveal/curated";
const HANDLE_KEY: &str = "foveal/handle";

/// The answer of a session and its delivery; or, with a question, a result to discard until the
/// user has answered.
type SessionCallResult = (ToolCallAnswer, PendingDelivery, Option<ApprovalQuestion>);

/// Runs one tool call.
pub(crate) async fn run_tool_call(
    connection: &ClientConnection,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> CallToolResponse {
    let shared = &connection.shared;
    if !shared.tool_definitions().iter().any(|tool| tool.name == request.name) {
        let known: Vec<&str> = shared.tool_definitions().iter().map(|tool| &*tool.name).collect();
        let name: String = request.name.chars().take(UNKNOWN_NAME_CHARS_MAX).collect();
        let known = known.join(", ");
        return error_response(format!("there is no tool `{name}`; there are: {known}"));
    }
    let thread = tokio::select! {
        thread = Arc::clone(&shared.call_threads).acquire_owned() => thread,
        () = context.ct.cancelled() => return error_response("stopped before it began".to_owned()),
    };
    let round_trips =
        RoundTrips::from_request(request.request_state.as_deref(), request.input_responses);
    let session = match connection.resolve_session(&context, &round_trips).await {
        Ok(Some(session)) => session,
        Ok(None) => return round_trips.request_folders().into(),
        Err(error) => {
            let what = format!("the folders cannot be worked in: {error}");
            connection.threshold.log(&context, Severity::Warning, json!(what)).await;
            return error_response(what);
        }
    };
    let wants_data =
        shared.settings.structured || meta_flag(&context, STRUCTURED_KEY) == Some(true);
    let tool = request.name.to_string();
    let mut request =
        ToolRequest::new(tool.clone(), Value::Object(request.arguments.unwrap_or_default()));
    request.detect_duplicates &= meta_flag(&context, DUPLICATE_DETECTION_KEY) != Some(false);
    let toggle =
        context.meta.get(SESSION_DUPLICATE_DETECTION_KEY).and_then(DedupOverride::from_json);
    let begun = Instant::now();
    let done = run_with_progress(session, toggle, request, &round_trips, &context).await;
    drop(thread);
    match done {
        // An unsent answer does not count as visible.
        Ok((_, _, Some(question))) => round_trips.request_approval(&question).into(),
        Ok((answer, delivery, None)) => {
            let told = json!({
                "tool": tool,
                "ms": u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
                "bytes": answer.text.len(),
                "cached": answer.cached,
                "shaped": answer.reduction.map(|(kind, _)| kind.label()),
                "failed": answer.is_error,
            });
            connection.threshold.log(&context, Severity::Debug, told).await;
            // If the client cancelled meanwhile, the delivery is never taken and never confirmed.
            if let Some(passage) = DeliveryTracker::from_context(&context) {
                passage.set_delivery(delivery);
            }
            to_call_result(answer, wants_data).into()
        }
        Err(error) => {
            let what = format!("{tool} broke: {error}; other calls still work");
            connection.threshold.log(&context, Severity::Warning, json!(what)).await;
            error_response(what)
        }
    }
}

fn meta_flag(context: &RequestContext<RoleServer>, key: &str) -> Option<bool> {
    context.meta.get(key)?.as_bool()
}

/// Runs the call on a blocking thread, and forwards its progress and questions meanwhile.
async fn run_with_progress(
    session: SessionRef,
    toggle: Option<DedupOverride>,
    request: ToolRequest,
    round_trips: &RoundTrips,
    context: &RequestContext<RoleServer>,
) -> Result<SessionCallResult, tokio::task::JoinError> {
    // Dropped with this future, so that a call is cancelled when its request is dropped.
    let stop = context.ct.child_token();
    let _guard = stop.clone().drop_guard();
    let latest = Arc::new(LatestProgress::default());
    let (questions, mut asked) = mpsc::channel(1);
    let approver = Approver::from_request(context, round_trips, questions);
    // The client is asked from this task, not from the call's thread: over HTTP, only requests that
    // originate within the request's task are sent on its response stream.
    let mut notifier = context.meta.get_progress_token().map(ProgressNotifier::new);
    let arrival =
        DeliveryTracker::from_context(context).and_then(|passage| passage.take_call_arrival());
    let job =
        BlockingToolCall { request, arrival, stop: stop.clone(), latest: Arc::clone(&latest) };
    let mut job = spawn_blocking_call(session, toggle, job, approver);
    let mut next = tokio::time::Instant::now();
    let mut due = false;
    loop {
        tokio::select! {
            biased;
            done = &mut job => return done,
            Some((question, reply)) = asked.recv() => {
                let approval = tokio::select! {
                    approval = elicitation::request_approval(&context.peer, &question) => approval,
                    () = stop.cancelled() => Approval::No,
                };
                // The receiver is gone if the call has ended.
                let _ = reply.send(approval);
            }
            () = latest.changed.notified(), if notifier.is_some() && !due => due = true,
            () = tokio::time::sleep_until(next), if due => {
                due = false;
                next = tokio::time::Instant::now() + NOTIFICATION_INTERVAL;
                if let Some(news) = notifier.as_mut().and_then(|notifier| notifier.next_notification(&latest)) {
                    drop(context.peer.notify_progress(news).await);
                }
            }
        }
    }
}

/// A tool call for a blocking thread: its request, arrival and cancellation token, and the slot for
/// its progress.
struct BlockingToolCall {
    request: ToolRequest,
    arrival: Option<CallArrival>,
    stop: CancellationToken,
    latest: Arc<LatestProgress>,
}

fn spawn_blocking_call(
    session: SessionRef,
    toggle: Option<DedupOverride>,
    job: BlockingToolCall,
    approver: Approver,
) -> JoinHandle<SessionCallResult> {
    tokio::task::spawn_blocking(move || {
        let BlockingToolCall { request, arrival, stop, latest } = job;
        let of = session.open_session();
        if let Some(DedupOverride(enable)) = toggle {
            of.session.duplicates.set_detection(enable);
        }
        let approval = |question: &ApprovalQuestion| approver.request_approval(question);
        let is_cancelled = || stop.is_cancelled();
        let control = CallControl {
            cancel: &CancelToken::from_fn(&is_cancelled),
            progress: &|progress| latest.update(progress),
            approver: approver
                .can_ask_user()
                .then_some(&approval as &(dyn Fn(&ApprovalQuestion) -> Approval + Sync)),
            ..CallControl::NONE
        };
        let arrival = arrival.unwrap_or_else(|| of.session.register_arrival());
        let (answer, delivery) = of.session.call_with_delivery(arrival, &request, &control);
        let unasked = approver.into_unasked_question();
        if unasked.is_some() || stop.is_cancelled() {
            // This answer is not sent.
            return (answer, delivery, unasked);
        }
        let whole = answer.reduction.and_then(|(_, handle)| of.session.content(handle));
        let mut counts = of.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.record_call(&request.tool, &answer, whole.as_deref());
        drop(counts);
        (answer, delivery, None)
    })
}

fn error_response(what: String) -> CallToolResponse {
    CallToolResult::error(vec![ContentBlock::text(what)]).into()
}

/// Converts an answer to the protocol's result. Data for programs is in `_meta` under keys of our
/// own, which clients do not show to models.
fn to_call_result(answer: ToolCallAnswer, wants_data: bool) -> CallToolResult {
    let mut content = vec![ContentBlock::text(answer.text)];
    let pictures = answer.images.iter();
    content.extend(
        pictures.map(|image| ContentBlock::image(STANDARD.encode(&image.bytes), image.media_type)),
    );
    let mut meta = Map::new();
    if answer.cached {
        meta.insert(CACHED_KEY.to_owned(), true.into());
    }
    if let Some((kind, handle)) = answer.reduction {
        meta.insert(SHAPED_KEY.to_owned(), kind.label().into());
        meta.insert(HANDLE_KEY.to_owned(), handle.to_string().into());
    }
    if let Some(by) = answer.chosen_by.and_then(|by| serde_json::to_value(by).ok()) {
        meta.insert(CURATED_KEY.to_owned(), by);
    }
    let mut result = CallToolResult::success(content);
    // A failed command is not a failed tool: clients truncate errors or consider the server broken.
    result.is_error = Some(answer.is_error && !answer.has_exit_code);
    result.structured_content = answer.structured.filter(|_| wants_data);
    result.with_meta((!meta.is_empty()).then_some(MetaObject(meta)))
}
