//! The command line, what is made of it, and how it ends.

use std::io::{IsTerminal, Read};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use foveal_agent::{Agent, Limits, Outcome};
use foveal_live::rules::PROFILES;
use foveal_llm::{Client, ModelSpec, Patience};
use foveal_processes::Confinement;
use foveal_store::SessionId;
use foveal_tools::Toolbox;

use super::approval::Approvals;
use super::asking::Asking;
use super::calling::Calling;
use super::drive::drive;
use super::opening;
use super::show::Show;
use crate::environment::Environment;
use crate::exit_code;
use crate::gateway::own_prices;
use crate::models::choose;
use crate::notice;
use crate::rules::can_ask;
use crate::toolbox::Opener;
use crate::user_settings;

/// Bytes of a task that are read from standard input.
const TASK_BYTES_MAX: u64 = 1 << 20;

/// The command line of `foveal run`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// What is to be done. If not given, it is read from standard input.
    #[arg(value_name = "TASK")]
    task: Option<String>,
    /// The model, as NAME:MODEL, with @URL for another server than the usual one
    /// (`anthropic:claude-sonnet-4-5`, `ollama:qwen3`, `chat:MODEL@https://HOST/v1`). If not given,
    /// that in FOVEAL_MODEL, or the first that `foveal models` shows.
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
    /// How much of old results is left out of prompts: lossless, balanced, curated or max.
    #[arg(long, value_name = "PROFILE", default_value = "balanced", value_parser = PROFILES)]
    profile: String,
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
    let task = task(arguments.task.as_deref())?;
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build();
    let runtime = runtime.context("no model can be asked")?;
    let client = Client::new(Patience::default()).context("cannot speak TLS")?;
    let chosen = runtime.block_on(choose(&client, arguments.model.as_ref(), environment))?;
    if chosen.is_guessed {
        notice::say(format_args!("asks {}; --model names another", chosen.spec));
    }
    let directory = std::env::current_dir().context("there is no current folder")?;
    let directory = directory.canonicalize().unwrap_or(directory);
    let toolbox = open(&directory, chosen.server.key_variable, environment)?;
    let session = SessionId(opening::session_name());
    let own = Arc::new(own_prices(&user_settings::read(environment)?.gateway.prices)?);
    let agent = Agent::new(opening::settings(&chosen, limits(arguments), &directory, &own));
    let (sender, events) = std::sync::mpsc::sync_channel(EVENTS_MAX);
    let shaper = opening::shaper(&arguments.profile, &toolbox, &session, own)?;
    let who = (client, chosen.server);
    let asking = Asking::new(runtime.handle().clone(), who, shaper, sender.clone());
    let approvals = Approvals::new(arguments.yes, can_ask(environment) && !arguments.json);
    let calling = Calling::new(&toolbox, &session, approvals, sender);
    let show = Show::new(arguments.json);
    let ended = drive(agent, task, (asking, calling), show, &events);
    // What still runs is not waited for.
    runtime.shutdown_timeout(Duration::from_millis(200));
    drop(toolbox.collect());
    Ok(ExitCode::from(code(&ended?)))
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

/// The tools on a folder. Commands do not see the key that the model is asked with.
fn open(
    directory: &Path,
    key_variable: &str,
    environment: &Environment,
) -> anyhow::Result<Arc<Toolbox>> {
    match Confinement::available() {
        Ok(Confinement::Full | Confinement::Writes) => {}
        Ok(loose) => notice::say(loose),
        Err(error) => notice::say(error),
    }
    let opener = Opener::new(environment)?.hiding(key_variable).for_commands(&[]);
    opener.open(&[directory.to_owned()])
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
