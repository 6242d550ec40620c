//! The command line of `foveal run`, the run, and its exit code.

use std::cell::Cell;
use std::io::{IsTerminal, Read};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use foveal_agent::{AgentEvent, AgentInput, RunLimits, RunOutcome};
use foveal_agent_runtime::{
    AgentSignals, AgentSpec, InteractionMode, ReadyAgent, ResumableSession, UserPrompter, run_agent,
};

use super::run_output::RunPrinter;
use crate::commands::own_agent::{self, AgentArguments, ask_at_terminal, parse_dollars};
use crate::environment::Environment;
use crate::exit_code;
use crate::notice;
use crate::permission_checker::can_ask_user;

/// Bytes of a task that are read from standard input.
const TASK_BYTES_MAX: u64 = 1 << 20;

/// The command line of `foveal run`.
#[derive(Debug, clap::Args)]
pub(crate) struct RunArguments {
    /// The task. If not given, it is read from standard input. In a resumed session, it is your
    /// next message; without it, the session continues where it stopped.
    #[arg(value_name = "TASK")]
    task: Option<String>,
    #[command(flatten)]
    options: AgentArguments,
    /// Changes files and runs commands without asking. What your permission rules ask about, and
    /// files that look like keys, still need your approval.
    #[arg(long)]
    yes: bool,
    /// Prints the events as JSON, one per line.
    #[arg(long)]
    json: bool,
    /// Stops at this many US dollars: the cost that the provider reports, else at your own prices,
    /// else at list prices.
    #[arg(long, value_name = "DOLLARS", value_parser = parse_dollars)]
    max_cost: Option<f64>,
    /// Stops at this many tokens of prompts and answers together.
    #[arg(long, value_name = "TOKENS")]
    max_tokens: Option<u64>,
    /// Stops after this many requests to the model.
    #[arg(long, value_name = "COUNT", default_value_t = 200)]
    max_turns: u32,
    /// Stops after this many seconds.
    #[arg(long, value_name = "SECONDS")]
    max_time: Option<u32>,
}

/// Runs the agent on a task until it ends.
///
/// # Errors
/// If there is no task, no model, or the folder cannot be used.
pub(crate) fn run(arguments: &RunArguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    let folder = std::env::current_dir().context("there is no current folder")?;
    let folder = folder.canonicalize().unwrap_or(folder);
    let options = &arguments.options;
    let earlier = options.open_resumable_session(&folder, environment)?;
    let first = first_event(arguments.task.as_deref(), earlier.as_ref())?;
    let (runtime, client) = own_agent::start_runtime_and_client(environment)?;
    let model = options.model.as_ref();
    let model =
        own_agent::choose_session_model(&runtime, &client, model, earlier.as_ref(), environment)?;
    let asks = can_ask_user(environment) && !arguments.json;
    let wanted = AgentSpec {
        folder: &folder,
        model,
        profile: options.profile.as_deref(),
        limits: run_limits(arguments),
        pinned: &options.pin,
        earlier,
        interaction: InteractionMode::Unattended,
        auto_approves: arguments.yes,
        prompter: asks.then(|| Box::new(ask_at_terminal) as Box<UserPrompter>),
    };
    let opened = own_agent::start_agent(wanted, &runtime, client, environment)?;
    let ReadyAgent {
        agent,
        requester: asking,
        executor: calling,
        mut log,
        events,
        toolbox,
        session,
        lock,
        ..
    } = opened;
    let cancel = own_agent::cancel_on_signals(&runtime, || {});
    let input = UnusedInput::new(arguments.task.as_deref());
    input.report();
    let mut show = RunPrinter::new(arguments.json, session);
    let mut tell = |told: AgentEvent| show.print_event(&told);
    let (_, nothing) = std::sync::mpsc::sync_channel(0);
    let signals = AgentSignals { events: &events, commands: &nothing, cancel: &cancel };
    let ended = run_agent(agent, first, asking, calling, &mut tell, &mut log, signals);
    input.report();
    // Tasks that still run are not awaited.
    runtime.shutdown_timeout(Duration::from_millis(200));
    drop(toolbox.collect());
    drop(lock);
    Ok(ExitCode::from(outcome_exit_code(&ended?)))
}

/// Returns the first event of the run: a task, or the continuation of an earlier session.
fn first_event(
    given: Option<&str>,
    earlier: Option<&ResumableSession>,
) -> anyhow::Result<AgentInput> {
    match (given, earlier) {
        (None, Some(earlier)) => {
            earlier.check_unfinished()?;
            Ok(AgentInput::Continue)
        }
        (given, _) => Ok(AgentInput::Task(read_task(given)?)),
    }
}

/// Returns the task from the argument, else from standard input.
fn read_task(given: Option<&str>) -> anyhow::Result<String> {
    let task = match given {
        Some("-") | None if !std::io::stdin().is_terminal() => {
            let mut text = String::new();
            let read = std::io::stdin().lock().take(TASK_BYTES_MAX + 1).read_to_string(&mut text);
            read.context("the task cannot be read from standard input")?;
            if text.len() as u64 > TASK_BYTES_MAX {
                bail!(
                    "the task has more than {TASK_BYTES_MAX} bytes: put it into a file, and name \
                     the file"
                );
            }
            text
        }
        given => given.unwrap_or_default().to_owned(),
    };
    if task.trim().is_empty() {
        bail!("no task: give it as an argument, or on standard input");
    }
    Ok(task)
}

/// Standard input beside a task in an argument. It is not read: a program that starts foveal may
/// leave it open, and foveal would wait for its end.
struct UnusedInput {
    is_reported: Cell<bool>,
}

impl UnusedInput {
    fn new(task: Option<&str>) -> Self {
        let is_unused = task.is_some_and(|task| task != "-") && !std::io::stdin().is_terminal();
        Self { is_reported: Cell::new(!is_unused) }
    }

    /// Says once that the input is not used, if some has arrived.
    fn report(&self) {
        if !self.is_reported.get() && rustix::io::ioctl_fionread(std::io::stdin()).unwrap_or(0) > 0
        {
            self.is_reported.set(true);
            notice::print_notice(
                "standard input is not used, because the task is an argument: give the whole task \
                 on standard input, as in `cat TASK FILE | foveal run -`",
            );
        }
    }
}

fn run_limits(arguments: &RunArguments) -> RunLimits {
    RunLimits {
        turns: Some(arguments.max_turns),
        tokens: arguments.max_tokens,
        cost: arguments.max_cost,
        time_ms: arguments.max_time.map(|seconds| i64::from(seconds) * 1_000),
    }
}

/// Returns the exit code of the program.
fn outcome_exit_code(outcome: &RunOutcome) -> u8 {
    match outcome {
        RunOutcome::Finished { .. } => 0,
        RunOutcome::Cut { .. }
        | RunOutcome::Refused { .. }
        | RunOutcome::Limit { .. }
        | RunOutcome::Repeated { .. } => exit_code::NEGATIVE,
        RunOutcome::TooLong { .. } | RunOutcome::Failed { .. } => exit_code::FAILED,
        RunOutcome::Stopped => exit_code::INTERRUPTED,
    }
}
