//! One call: carried out on a thread that may block, its progress and questions passed on.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use foveal_cancel::Cancel;
use foveal_tools::control::{Approval, Question};
use foveal_tools::{Answer, Control, Request};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, MetaObject,
};
use rmcp::service::RequestContext;
use serde_json::{Map, Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::handler::{Belongs, Connection, Switch};
use crate::log::Weight;
use crate::person::{self, Askable};
use crate::progress::{Board, PAUSE, Told};
use crate::rounds::Rounds;

/// `false` under this name keeps a call from being answered from an earlier one.
const DETECT_KEY: &str = "foveal/enable_duplicate_detection";
/// The same for the session from this call on: `true`, `false`, or null for what holds for all.
const DETECT_SESSION_KEY: &str = "foveal/session_duplicate_detection";
/// `true` under this name asks for the answer as data too.
const STRUCTURED_KEY: &str = "foveal/structured";
const CACHED_KEY: &str = "foveal/cached";
const SHAPED_KEY: &str = "foveal/shaped";
const HANDLE_KEY: &str = "foveal/handle";

type Asked = (Question, oneshot::Sender<Approval>);

/// An answer, or rather a question that has to be asked before there can be one.
type Done = (Answer, Option<Question>);

/// Carries a call out.
pub(crate) async fn call(
    connection: &Connection,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> CallToolResponse {
    let shared = &connection.shared;
    if !shared.tools().iter().any(|tool| tool.name == request.name) {
        let known: Vec<&str> = shared.tools().iter().map(|tool| &*tool.name).collect();
        let (name, known) = (&request.name, known.join(", "));
        return failed(format!("there is no tool `{name}`; there are: {known}"));
    }
    let thread = tokio::select! {
        thread = Arc::clone(&shared.threads).acquire_owned() => thread,
        () = context.ct.cancelled() => return failed("stopped before it began".to_owned()),
    };
    let rounds = Rounds::of(request.request_state.as_deref(), request.input_responses);
    let belongs = match connection.belongs(&context, &rounds).await {
        Ok(Some(belongs)) => belongs,
        Ok(None) => return rounds.ask_folders().into(),
        Err(error) => {
            let what = format!("the folders cannot be worked in: {error}");
            connection.threshold.say(&context, Weight::Warning, json!(what)).await;
            return failed(what);
        }
    };
    let wants_data = shared.settings.structured || flag(&context, STRUCTURED_KEY) == Some(true);
    let tool = request.name.to_string();
    let request = Request {
        tool: tool.clone(),
        arguments: Value::Object(request.arguments.unwrap_or_default()),
        detect_duplicates: flag(&context, DETECT_KEY) != Some(false),
    };
    let switch = context.meta.get(DETECT_SESSION_KEY).and_then(Switch::of);
    let begun = Instant::now();
    let done = carry_out((belongs, switch), request, &rounds, &context).await;
    drop(thread);
    match done {
        Ok((_, Some(question))) => rounds.ask_person(&question).into(),
        Ok((answer, None)) => {
            let told = json!({
                "tool": tool,
                "ms": u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
                "bytes": answer.text.len(),
                "cached": answer.cached,
                "shaped": answer.shaped.map(|(kind, _)| kind.word()),
                "failed": answer.is_error,
            });
            connection.threshold.say(&context, Weight::Debug, told).await;
            result(answer, wants_data).into()
        }
        Err(error) => {
            let what = format!("{tool} broke: {error}; other calls still work");
            connection.threshold.say(&context, Weight::Warning, json!(what)).await;
            failed(what)
        }
    }
}

fn flag(context: &RequestContext<RoleServer>, key: &str) -> Option<bool> {
    context.meta.get(key)?.as_bool()
}

/// Runs the call on a thread of its own and passes on what it says and asks meanwhile.
async fn carry_out(
    belongs: (Belongs, Option<Switch>),
    request: Request,
    rounds: &Rounds,
    context: &RequestContext<RoleServer>,
) -> Result<Done, tokio::task::JoinError> {
    // Dropped with this future: a call that nobody waits for any more is stopped.
    let stop = context.ct.child_token();
    let _guard = stop.clone().drop_guard();
    let board = Arc::new(Board::default());
    let (ask, mut asked) = mpsc::channel(1);
    let person = match person::askable(context) {
        Askable::Never => Person::Away,
        Askable::Meanwhile => Person::There(ask),
        Askable::BetweenRounds => Person::Between(rounds.clone(), Mutex::default()),
    };
    let mut told = context.meta.get_progress_token().map(Told::nothing);
    let mut job = start(belongs, request, stop.clone(), Arc::clone(&board), person);
    let mut next = tokio::time::Instant::now();
    let mut due = false;
    loop {
        tokio::select! {
            biased;
            done = &mut job => return done,
            Some((question, reply)) = asked.recv() => {
                let approval = tokio::select! {
                    approval = person::ask(&context.peer, &question) => approval,
                    () = stop.cancelled() => Approval::No,
                };
                // If the call has ended, nobody needs the answer.
                let _ = reply.send(approval);
            }
            () = board.changed.notified(), if told.is_some() && !due => due = true,
            () = tokio::time::sleep_until(next), if due => {
                due = false;
                next = tokio::time::Instant::now() + PAUSE;
                if let Some(news) = told.as_mut().and_then(|told| told.next(&board)) {
                    drop(context.peer.notify_progress(news).await);
                }
            }
        }
    }
}

/// Who answers for the person while a call runs.
enum Person {
    Away,
    There(mpsc::Sender<Asked>),
    /// What was said in the rounds before, and the first question that is new.
    Between(Rounds, Mutex<Option<Question>>),
}

impl Person {
    fn approval(&self, question: &Question) -> Approval {
        match self {
            Self::Away => Approval::No,
            Self::There(ask) => {
                let (reply, answered) = oneshot::channel();
                match ask.blocking_send((question.clone(), reply)) {
                    Ok(()) => answered.blocking_recv().unwrap_or(Approval::No),
                    Err(_) => Approval::No,
                }
            }
            Self::Between(rounds, unasked) => rounds.approval(question).unwrap_or_else(|| {
                let mut unasked = unasked.lock().unwrap_or_else(PoisonError::into_inner);
                unasked.get_or_insert_with(|| question.clone());
                Approval::No
            }),
        }
    }

    /// The question that is to be asked before the next round, if there is one.
    fn unasked(self) -> Option<Question> {
        match self {
            Self::Away | Self::There(_) => None,
            Self::Between(_, unasked) => {
                unasked.into_inner().unwrap_or_else(PoisonError::into_inner)
            }
        }
    }
}

fn start(
    (belongs, switch): (Belongs, Option<Switch>),
    request: Request,
    stop: CancellationToken,
    board: Arc<Board>,
    person: Person,
) -> JoinHandle<Done> {
    tokio::task::spawn_blocking(move || {
        let reader = belongs.reader();
        if let Some(Switch(enable)) = switch {
            reader.session.set_duplicate_detection(enable);
        }
        let approval = |question: &Question| person.approval(question);
        let is_cancelled = || stop.is_cancelled();
        let control = Control {
            cancel: &Cancel::when(&is_cancelled),
            progress: &|progress| board.put(progress),
            person: if matches!(person, Person::Away) { None } else { Some(&approval) },
        };
        let answer = reader.session.call(&request, &control);
        let unasked = person.unasked();
        if unasked.is_some() || stop.is_cancelled() {
            // This answer is not sent, but the session takes it for shown.
            reader.session.forget();
            return (answer, unasked);
        }
        let whole = answer.shaped.and_then(|(_, handle)| reader.session.content(handle));
        let mut tally = reader.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.count(&request.tool, &answer, whole.as_deref());
        drop(tally);
        (answer, None)
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
    let mut result = CallToolResult::success(content);
    result.is_error = Some(answer.is_error);
    result.structured_content = answer.structured.filter(|_| wants_data);
    result.with_meta((!meta.is_empty()).then_some(MetaObject(meta)))
}
