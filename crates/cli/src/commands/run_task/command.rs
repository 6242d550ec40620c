//! The command line, what is made of it, and how it ends.

use std::io::{IsTerminal, Read};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use foveal_agent::{Agent, Event, Limits, Outcome, Past};
use foveal_live::rules::PROFILES;
use foveal_llm::{Client, ModelSpec, Patience};
use foveal_processes::Confinement;
use foveal_store::SessionId;

use super::approval::Approvals;
use super::asking::Asking;
use super::base_files::base_files;
use super::calling::Calling;
use super::drive::drive;
use super::earlier::Earlier;
use super::show::Show;
use super::{opening, signals};
use crate::environment::Environment;
use crate::exit_code;
use crate::gateway::own_prices;
use crate::models::choose;
use crate::notice;
use crate::rules::can_ask;
use crate::runs::{Lock, Run, RunLog};
use crate::sessions::kind_and_name;
use crate::toolbox::Opener;
use crate::user_settings;

/// Bytes of a task that are read from standard input.
const TASK_BYTES_MAX: u64 = 1 << 20;

/// The command line of `foveal run`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// What is to be done. If not given, it is read from standard input. In a session that is gone
    /// on with, it is what you say next; without it, the session goes on where it was.
    #[arg(value_name = "TASK")]
    task: Option<String>,
    /// Goes on with a session of this folder, as `foveal sessions` lists it; the beginning of its
    /// name is enough.
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Goes on with the latest session of this folder.
    #[arg(long = "continue", conflicts_with = "session")]
    goes_on: bool,
    /// The model, as NAME:MODEL, with @URL for another server than the usual one
    /// (`anthropic:claude-sonnet-4-5`, `ollama:qwen3`, `chat:MODEL@https://HOST/v1`). If not given,
    /// that of the session, that in FOVEAL_MODEL, or the first that `foveal models` shows.
    #[arg(long, value_name = "MODEL")]
    model: Option<ModelSpec>,
    /// Changes files and runs commands without asking. What your permission rules ask about, and
    /// files that look like keys, still need your approval.
    #[arg(long)]
    yes: bool,
    /// Prints what happens as JSON, one event a line.
    #[arg(long)]
    json: bool,
    /// Ends it at this many US dollars: what the provider says that it charges, else your own prices,
    /// else list prices.
    #[arg(long, value_name = "DOLLARS", value_parser = amount)]
    max_cost: Option<f64>,
    /// Ends it at this many tokens of prompts and answers together.
    #[arg(long, value_name = "TOKENS")]
    max_tokens: Option<u64>,
    /// Ends it after this many requests to the model.
    #[arg(long, value_name = "COUNT", default_value_t = 200)]
    max_turns: u32,
    /// Ends it after this many seconds.
    #[arg(long, value_name = "SECONDS")]
    max_time: Option<u32>,
    /// Tells the model a file of the folder from the start, with what the project says of itself; may
    /// be given several times. A session that is gone on with keeps the files that it began with.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["session", "goes_on"])]
    pin: Vec<String>,
    /// How much of old results is left out of prompts: lossless, balanced, curated or max. If not
    /// given, that of the session, or balanced.
    #[arg(long, value_name = "PROFILE", value_parser = PROFILES)]
    profile: Option<String>,
}

/// A sum of money.
fn amount(text: &str) -> anyhow::Result<f64> {
    let amount: f64 = text.parse().context("this is no number")?;
    if !amount.is_finite() || amount < 0.0 {
        bail!("this is no sum of money");
    }
    Ok(amount)
}

/// Works on a task until the model says that it is done.
///
/// # Errors
/// If there is no task, no model, or the folder cannot be used.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    let directory = std::env::current_dir().context("there is no current folder")?;
    let directory = directory.canonicalize().unwrap_or(directory);
    let earlier = match (&arguments.session, arguments.goes_on) {
        (Some(name), _) => Some(Earlier::named(name, &directory, environment)?),
        (None, true) => Some(Earlier::latest(&directory, environment)?),
        (None, false) => None,
    };
    let first = first(arguments.task.as_deref(), earlier.as_ref())?;
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build();
    let runtime = runtime.context("no model can be asked")?;
    let client = Client::new(Patience::default()).context("cannot speak TLS")?;
    let named = match (&arguments.model, &earlier) {
        (None, Some(earlier)) => Some(earlier.model()?),
        (named, _) => named.clone(),
    };
    let chosen = runtime.block_on(choose(&client, named.as_ref(), environment))?;
    if chosen.is_guessed {
        notice::say(format_args!("asks {}; --model names another", chosen.spec));
    }
    let opener = opener(chosen.server.key_variable, environment)?;
    let toolbox = opener.open(std::slice::from_ref(&directory))?;
    let profile = arguments.profile.clone().or_else(|| earlier.as_ref()?.profile());
    let run = Run {
        model: chosen.spec.to_string(),
        protocol: chosen.server.dialect.name().to_owned(),
        profile: profile.unwrap_or_else(|| PROFILE.to_owned()),
    };
    let (session, past, lock) = match earlier {
        Some(earlier) => earlier.taken_up(&run),
        None => new_session(environment),
    };
    let wanted = user_settings::read(environment)?;
    let own = Arc::new(own_prices(&wanted.gateway.prices)?);
    let files = base_files(&directory, &wanted.base_files, &arguments.pin)?;
    let about = (directory.as_path(), files.as_slice());
    let settings = opening::settings(&chosen, limits(arguments), about, (&session, &own));
    let (sender, events) = std::sync::mpsc::sync_channel(EVENTS_MAX);
    let cancel = signals::listen(&runtime);
    let watch = (sender.clone(), cancel.clone());
    let shaper = opening::shaper(&run.profile, (&opener, &toolbox), &session, own, watch)?;
    let heard = (&events, &cancel);
    let who = (client, chosen.server);
    let asking =
        Asking::new(runtime.handle().clone(), who, shaper, (sender.clone(), environment.debug()?));
    let approvals = Approvals::new(arguments.yes, can_ask(environment) && !arguments.json);
    let calling = Calling::new(&toolbox, &session, approvals, sender);
    let roots = vec![directory.display().to_string()];
    let mut log = RunLog::new(&toolbox.store, &session, roots, run);
    let name = opener.keeps_sessions().then(|| kind_and_name(&session.0).1.to_owned());
    let shown = (Show::new(arguments.json, name), &mut log);
    let ended = drive(Agent::resumed(settings, past), first, (asking, calling), shown, heard);
    // What still runs is not waited for.
    runtime.shutdown_timeout(Duration::from_millis(200));
    drop(toolbox.collect());
    drop(lock);
    Ok(ExitCode::from(code(&ended?)))
}

/// By which rules requests are decided about, if nothing else is said.
const PROFILE: &str = "balanced";

/// A session that nobody else works on. Where it cannot be held, nobody else can either.
fn new_session(environment: &Environment) -> (SessionId, Past, Option<Lock>) {
    let session = SessionId(opening::session_name());
    let lock = Lock::take(&session, environment).ok();
    (session, Past::default(), lock)
}

/// What a run begins with: the task, or that an earlier one goes on.
fn first(given: Option<&str>, earlier: Option<&Earlier>) -> anyhow::Result<Event> {
    match (given, earlier) {
        (None, Some(earlier)) => {
            earlier.check_goes_on()?;
            Ok(Event::GoOn)
        }
        (given, _) => Ok(Event::Task(task(given)?)),
    }
}

/// Events that wait to be taken, at most.
const EVENTS_MAX: usize = 1_024;

/// The task: what is given, or what stands on standard input.
fn task(given: Option<&str>) -> anyhow::Result<String> {
    let task = match given {
        Some("-") | None if !std::io::stdin().is_terminal() => {
            let mut text = String::new();
            let read = std::io::stdin().lock().take(TASK_BYTES_MAX + 1).read_to_string(&mut text);
            read.context("the task cannot be read from standard input")?;
            if text.len() as u64 > TASK_BYTES_MAX {
                bail!(
                    "the task has more than {TASK_BYTES_MAX} bytes: put it into a file, and name that"
                );
            }
            text
        }
        given => given.unwrap_or_default().to_owned(),
    };
    if task.trim().is_empty() {
        bail!("there is no task: give it as an argument, or on standard input");
    }
    Ok(task)
}

fn limits(arguments: &Arguments) -> Limits {
    Limits {
        turns: Some(arguments.max_turns),
        tokens: arguments.max_tokens,
        cost: arguments.max_cost,
        time_ms: arguments.max_time.map(|seconds| i64::from(seconds) * 1_000),
    }
}

/// Opens the tools. Commands do not see the key that the model is asked with.
fn opener(key_variable: &str, environment: &Environment) -> anyhow::Result<Opener> {
    match Confinement::available() {
        Ok(Confinement::Full | Confinement::Writes) => {}
        Ok(loose) => notice::say(loose),
        Err(error) => notice::say(error),
    }
    Ok(Opener::new(environment)?.hiding(key_variable).for_commands(&[]))
}

/// What the program ends with.
fn code(outcome: &Outcome) -> u8 {
    match outcome {
        Outcome::Finished { .. } => 0,
        Outcome::Cut { .. }
        | Outcome::Refused { .. }
        | Outcome::Limit { .. }
        | Outcome::Repeated { .. } => exit_code::NEGATIVE,
        Outcome::TooLong { .. } | Outcome::Failed { .. } => exit_code::FAILED,
        Outcome::Stopped => exit_code::INTERRUPTED,
    }
}
