//! The tool `bash`: runs one command in the session's working directory.

use std::path::Path;
use std::time::Duration;

use crate::notes::RunNote;
use foveal_sandbox::{CommandOutcome, CompletedCommand, Confinement, ShellCommand};
use foveal_transcript::CancelToken;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::error::ToolError;
use crate::findings::{FindingContent, Findings, TextOutput, render_output};
use crate::permission::{CommandKind, PermissionRequest};
use crate::session::CallContext;
use crate::tool_definition::{Tool, ToolArguments, ToolHints};
use crate::write_protection;

pub(crate) const TOOL: Tool = Tool::new::<BashToolArguments>(
    "bash",
    "Run a command",
    "Run a bash command; the working directory is kept between calls, input is empty. For \
     servers and prompts use exec.",
    ToolHints::RUNS_COMMANDS,
);

/// Arguments of `bash`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BashToolArguments {
    command: String,
    /// Seconds, 120 if not given
    timeout: Option<f64>,
}

impl ToolArguments for BashToolArguments {
    fn permission_request(&self) -> PermissionRequest<'_> {
        PermissionRequest::Command(CommandKind::Line, &self.command)
    }

    fn run(self, work: &CallContext<'_>) -> Result<Findings, ToolError> {
        // A replaced root folder must not decide where the command starts.
        work.roots().check_in_place().map_err(ToolError::from_error)?;
        let directory = work.roots().working_directory().to_owned();
        let toolbox = work.toolbox;
        let (environment, shell) = (toolbox.command_environment(), toolbox.shell.clone());
        let mut command = ShellCommand::new(&self.command, directory, environment, shell);
        let forbidden = write_protection::ProtectionSnapshot::take_snapshot(work);
        command.sandbox = forbidden.sandbox(work);
        command.guard = toolbox.command_guard.clone();
        command.limits.time_out = self.time_out(work)?;
        let progress = work.progress_reporter("");
        let mut stream = |piece: &str| progress.report_output(piece);
        let ran = command
            .run(&mut stream, &CancelToken::from_fn(&|| progress.is_cancelled()))
            .map_err(ToolError::from_error)?;
        let loose = unconfined_note(work, ran.confinement.as_ref());
        let moved = ran.directory.as_ref().and_then(|directory| change_directory(work, directory));
        let forbidden = forbidden.notes_after_command(work, Some(&ran.protection));
        Ok(command_findings(&ran, moved.into_iter().chain(loose).chain(forbidden)))
    }
}

impl BashToolArguments {
    fn time_out(&self, work: &CallContext<'_>) -> Result<Duration, ToolError> {
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
            ToolError::invalid_arguments(TOOL.name, what)
        })
    }
}

/// Returns a note, once in a session, if the kernel does not confine commands.
pub(super) fn unconfined_note(
    work: &CallContext<'_>,
    confinement: Option<&Confinement>,
) -> Option<RunNote> {
    let loose = confinement.filter(|found| matches!(found, Confinement::Absent { .. }))?;
    let is_news = work.session.workspace.take_unconfined_notice();
    is_news.then(|| RunNote::Unconfined(loose.to_string().into()))
}

/// Sets the working directory; returns a note if it is outside of the roots.
fn change_directory(work: &CallContext<'_>, directory: &Path) -> Option<RunNote> {
    let roots = work.roots();
    if directory == roots.working_directory() {
        return None;
    }
    let error = work.session.workspace.set_working_directory(directory).err()?;
    let stays = roots.working_directory().display();
    Some(RunNote::Outside { why: error.to_string().into(), stays: stays.to_string().into() })
}

/// Returns the command's output, with notes on how it ended unless it plainly succeeded.
fn command_findings(ran: &CompletedCommand, more: impl Iterator<Item = RunNote>) -> Findings {
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
    notes.extend(more);
    let mut text = render_output(&ran.output);
    if text.as_str().is_empty() && notes.is_empty() {
        notes.push(RunNote::NoOutput);
    }
    notes.into_iter().for_each(|note| text.push_note(note));
    let exit_code = match ran.outcome {
        CommandOutcome::Ended(foveal_sandbox::ProcessExit::Code(code)) => Some(code),
        CommandOutcome::Ended(_)
        | CommandOutcome::TimedOut { .. }
        | CommandOutcome::Cancelled
        | CommandOutcome::TooMuchOutput { .. } => None,
    };
    let data = json!({
        "exit_code": exit_code,
        "outcome": ran.outcome.to_string(),
        "output_bytes": ran.output.bytes,
        "milliseconds": u64::try_from(ran.took.as_millis()).unwrap_or(u64::MAX),
        "confined": ran.confinement.as_ref().map(ToString::to_string),
    });
    let is_error = !ran.outcome.is_success();
    let is_stopped = matches!(ran.outcome, CommandOutcome::Cancelled);
    let has_exit_code = exit_code.is_some();
    FindingContent::Output(TextOutput {
        text,
        data: Some(data),
        is_error,
        has_exit_code,
        is_stopped,
    })
    .into()
}
