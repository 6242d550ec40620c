//! `bash`: one command in the session's shell directory.

use std::path::Path;
use std::time::Duration;

use foveal_cancel::Cancel;
use foveal_context::note::RunNote;
use foveal_processes::{Command, Confinement, Outcome, Ran};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::definition::{Hints, Tool, ToolArguments};
use crate::error::ToolError;
use crate::findings::{Content, Findings, Output, printed};
use crate::forbidden;
use crate::permission::{Asks, CommandKind};
use crate::session::Work;

pub(crate) const TOOL: Tool = Tool::of::<Bash>(
    "bash",
    "Run a command",
    "Run a bash command; the working directory is kept between calls, input is empty. For \
     servers and prompts use exec.",
    Hints::RUNS,
);

/// How many of the programs that go on are named.
const DAEMONS_NAMED_MAX: usize = 5;

/// Arguments of `bash`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bash {
    command: String,
    /// Seconds, 120 if not given
    timeout: Option<f64>,
}

impl ToolArguments for Bash {
    fn asks(&self) -> Asks<'_> {
        Asks::Command(CommandKind::Line, &self.command)
    }

    fn run(self, work: &Work<'_>) -> Result<Findings, ToolError> {
        // Whoever put another folder in the place of a root chose where the command starts.
        work.roots().check().map_err(ToolError::failed)?;
        let directory = work.roots().working_directory().to_owned();
        let toolbox = work.toolbox;
        let (environment, shell) = (toolbox.command_environment(), toolbox.shell.clone());
        let mut command = Command::new(&self.command, directory, environment, shell);
        let forbidden = forbidden::Before::look(work);
        command.sandbox = forbidden.sandbox(work);
        command.guard = toolbox.command_guard.clone();
        command.limits.time_out = self.time_out(work)?;
        let progress = work.progress("");
        let mut stream = |piece: &str| progress.output(piece);
        let ran = command
            .run(&mut stream, &Cancel::when(&|| progress.is_cancelled()))
            .map_err(ToolError::failed)?;
        let loose = unconfined(work, ran.confinement.as_ref());
        let moved = ran.directory.as_ref().and_then(|directory| move_to(work, directory));
        let forbidden = forbidden.changes(work, Some(&ran.protection));
        Ok(found(&ran, moved.into_iter().chain(loose).chain(forbidden)))
    }
}

impl Bash {
    fn time_out(&self, work: &Work<'_>) -> Result<Duration, ToolError> {
        let settings = &work.toolbox.settings;
        let most = Duration::from_millis(settings.run_time_out_max_ms);
        let Some(seconds) = self.timeout else {
            return Ok(Duration::from_millis(settings.run_time_out_ms));
        };
        let time_out = Duration::try_from_secs_f64(seconds).ok().filter(|asked| !asked.is_zero());
        time_out.filter(|asked| *asked <= most).ok_or_else(|| {
            let what = format!(
                "timeout {seconds}: give seconds, more than 0 and at most {}",
                most.as_secs()
            );
            ToolError::arguments(TOOL.name, what)
        })
    }
}

/// What to say once in a session of commands that the kernel does not hold.
pub(super) fn unconfined(work: &Work<'_>, confinement: Option<&Confinement>) -> Option<RunNote> {
    let loose = confinement.filter(|found| matches!(found, Confinement::Absent { .. }))?;
    let is_news = work.session.workspace.tells_unconfined();
    is_news.then(|| RunNote::Unconfined(loose.to_string().into()))
}

/// Has relative paths start at `directory` from now on; what to say if it is outside.
fn move_to(work: &Work<'_>, directory: &Path) -> Option<RunNote> {
    let roots = work.roots();
    if directory == roots.working_directory() {
        return None;
    }
    let error = work.session.workspace.work_in(directory).err()?;
    let stays = roots.working_directory().display();
    Some(RunNote::Outside { why: error.to_string().into(), stays: stays.to_string().into() })
}

/// Each name once, as many as can be taken in.
fn names(daemons: &[String]) -> Box<str> {
    let mut names: Vec<&str> = daemons.iter().map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    let more = names.len().saturating_sub(DAEMONS_NAMED_MAX);
    names.truncate(DAEMONS_NAMED_MAX);
    let named = names.join(", ");
    if more > 0 { format!("{named} and {more} more").into() } else { named.into() }
}

/// The output, then how it ended where that is not plain success.
fn found(ran: &Ran, more: impl Iterator<Item = RunNote>) -> Findings {
    let mut notes: Vec<RunNote> = Vec::new();
    if !ran.outcome.is_success() {
        notes.push(RunNote::Ended(ran.outcome.to_string().into()));
    }
    if ran.output.replaced_bytes > 0 {
        notes.push(RunNote::Undecoded(ran.output.replaced_bytes));
    }
    if ran.left_background {
        notes.push(RunNote::BackgroundEnded);
    }
    if !ran.daemons.is_empty() {
        notes.push(RunNote::Daemons(names(&ran.daemons)));
    }
    notes.extend(more);
    let mut text = printed(&ran.output);
    if text.text().is_empty() && notes.is_empty() {
        notes.push(RunNote::NoOutput);
    }
    notes.into_iter().for_each(|note| text.note(note));
    let exit_code = match ran.outcome {
        Outcome::Ended(foveal_processes::Ending::Code(code)) => Some(code),
        Outcome::Ended(_)
        | Outcome::TimedOut { .. }
        | Outcome::Cancelled
        | Outcome::TooMuchOutput { .. } => None,
    };
    let data = json!({
        "exit_code": exit_code,
        "outcome": ran.outcome.to_string(),
        "output_bytes": ran.output.bytes,
        "milliseconds": u64::try_from(ran.took.as_millis()).unwrap_or(u64::MAX),
        "confined": ran.confinement.as_ref().map(ToString::to_string),
    });
    let is_error = !ran.outcome.is_success();
    let is_stopped = matches!(ran.outcome, Outcome::Cancelled);
    let has_exit_code = exit_code.is_some();
    Content::Output(Output { text, data: Some(data), is_error, has_exit_code, is_stopped }).into()
}
