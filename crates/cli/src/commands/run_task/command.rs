//! The command line, what is made of it, and how it ends.

use std::io::{IsTerminal, Read};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use foveal_agent::{Event, Limits, Outcome, Told};

use super::show::Show;
use crate::commands::own_agent::{
    self, Company, Earlier, Opened, Options, Person, Wanted, amount, at_terminal, drive,
};
use crate::environment::Environment;
use crate::exit_code;
use crate::rules::can_ask;

/// Bytes of a task that are read from standard input.
const TASK_BYTES_MAX: u64 = 1 << 20;

/// The command line of `foveal run`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// What is to be done. If not given, it is read from standard input. In a session that is gone
    /// on with, it is what you say next; without it, the session goes on where it was.
    #[arg(value_name = "TASK")]
    task: Option<String>,
    #[command(flatten)]
    options: Options,
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
}

/// Works on a task until the model says that it is done.
///
/// # Errors
/// If there is no task, no model, or the folder cannot be used.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    let folder = std::env::current_dir().context("there is no current folder")?;
    let folder = folder.canonicalize().unwrap_or(folder);
    let options = &arguments.options;
    let earlier = options.earlier(&folder, environment)?;
    let first = first(arguments.task.as_deref(), earlier.as_ref())?;
    let (runtime, client) = own_agent::runtime(environment)?;
    let asks = can_ask(environment) && !arguments.json;
    let wanted = Wanted {
        folder: &folder,
        model: options.model.as_ref(),
        profile: options.profile.as_deref(),
        limits: limits(arguments),
        pinned: &options.pin,
        earlier,
        company: Company::Alone,
        yes: arguments.yes,
        person: asks.then(|| Box::new(at_terminal) as Box<Person>),
    };
    let opened = own_agent::open(wanted, (&runtime, client), environment)?;
    let Opened { agent, asking, calling, mut log, events, toolbox, session, lock, .. } = opened;
    let cancel = own_agent::listen(&runtime, || {});
    let mut show = Show::new(arguments.json, session);
    let mut tell = |told: Told| show.tell(&told);
    let (_, nothing) = std::sync::mpsc::sync_channel(0);
    let heard = (&events, &nothing, &cancel);
    let ended = drive(agent, first, (asking, calling), (&mut tell, &mut log), heard);
    // What still runs is not waited for.
    runtime.shutdown_timeout(Duration::from_millis(200));
    drop(toolbox.collect());
    drop(lock);
    Ok(ExitCode::from(code(&ended?)))
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
