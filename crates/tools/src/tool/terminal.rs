//! The tools `exec`, `write_stdin`, `close` and `terminals`: run programs in terminals.

use std::time::{Duration, Instant};

use crate::notes::RunNote;
use foveal_sandbox::TerminalId;
use foveal_sandbox::{
    OutputWait, TerminalCommand, TerminalReading, TerminalSize, WaitControl, WaitOutcome,
};
use foveal_transcript::CancelToken;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::error::ToolError;
use crate::findings::{AnswerText, FindingContent, Findings, TextOutput, render_output};
use crate::permission::{CommandKind, PermissionRequest};
use crate::session::CallContext;
use crate::tool::bash::unconfined_note;
use crate::tool_definition::{Tool, ToolArguments, ToolHints};
use crate::write_protection;

pub(crate) const EXEC: Tool = Tool::new::<ExecToolArguments>(
    "exec",
    "Start a terminal",
    "Start a program in a terminal (servers, prompts, REPLs); returns its id and first output.",
    ToolHints::RUNS_COMMANDS,
);

pub(crate) const WRITE_STDIN: Tool = Tool::new::<WriteStdinToolArguments>(
    "write_stdin",
    "Type into a terminal",
    "Type into a terminal (\\n enter, \\u0003 ctrl-C; nothing to just wait) and read its output.",
    ToolHints::RUNS_COMMANDS,
);

pub(crate) const CLOSE: Tool = Tool::new::<CloseToolArguments>(
    "close",
    "Close a terminal",
    "End a terminal and all that runs in it.",
    ToolHints::RUNS_COMMANDS,
);

pub(crate) const TERMINALS: Tool = Tool::new::<ListTerminalsToolArguments>(
    "terminals",
    "List terminals",
    "List open terminals.",
    ToolHints::READ_ONLY,
);

/// The wait for output by default.
const DEFAULT_WAIT_MS: u64 = 2_000;
/// The longest wait for output.
const WAIT_MS_MAX: u64 = 300_000;
/// The silence after which output counts as paused.
const PAUSE: Duration = Duration::from_millis(300);

/// Arguments of `exec`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExecToolArguments {
    command: String,
    wait_ms: Option<u64>,
}

/// Arguments of `write_stdin`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WriteStdinToolArguments {
    id: u32,
    #[serde(default)]
    text: String,
    wait_ms: Option<u64>,
}

/// Arguments of `close`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CloseToolArguments {
    id: u32,
}

/// Arguments of `terminals`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListTerminalsToolArguments {}

impl ToolArguments for ExecToolArguments {
    fn permission_request(&self) -> PermissionRequest<'_> {
        PermissionRequest::Command(CommandKind::Line, &self.command)
    }

    fn run(self, work: &CallContext<'_>) -> Result<Findings, ToolError> {
        work.roots().check_in_place().map_err(ToolError::from_error)?;
        let forbidden = write_protection::ProtectionSnapshot::take_snapshot(work);
        let command = TerminalCommand {
            text: self.command,
            directory: work.roots().working_directory().to_owned(),
            environment: work.toolbox.command_environment(),
            shell: work.toolbox.shell.clone(),
            size: TerminalSize::default(),
            sandbox: forbidden.sandbox(work),
            guard: work.toolbox.command_guard.clone(),
        };
        let terminals = &work.session.terminals;
        terminals.close_idle(Instant::now());
        let wait = wait_limits(self.wait_ms);
        let progress = work.progress_reporter("");
        let (is_cancelled, stream) =
            (|| progress.is_cancelled(), |piece: &str| progress.report_output(piece));
        let waiting = WaitControl { cancel: &CancelToken::from_fn(&is_cancelled), stream: &stream };
        let started = terminals.start_terminal(&command, wait, waiting, Instant::now());
        let (id, reading) = started.map_err(ToolError::from_error)?;
        if reading.paused == WaitOutcome::Cancelled || work.check_cancelled().is_err() {
            // The caller cancelled the call and may never learn the terminal's id.
            drop(terminals.close(id));
            return Ok(stopped_findings(id, &reading));
        }
        let listed = terminals.list().into_iter().find(|listed| listed.id == id);
        let holding = listed.and_then(|listed| listed.sandbox_status);
        let loose = unconfined_note(work, holding.as_ref().map(|holding| &holding.confinement));
        let held = forbidden.watch_terminal(work, holding.as_ref());
        let told = loose.into_iter().chain(held).chain(changed_file_notes(work));
        Ok(terminal_findings(id, &reading, told))
    }
}

impl ToolArguments for WriteStdinToolArguments {
    fn permission_request(&self) -> PermissionRequest<'_> {
        PermissionRequest::Command(CommandKind::Typed, &self.text)
    }

    fn run(self, work: &CallContext<'_>) -> Result<Findings, ToolError> {
        let (id, wait) = (TerminalId(self.id), wait_limits(self.wait_ms));
        let (terminals, now) = (&work.session.terminals, Instant::now());
        let progress = work.progress_reporter("");
        let (is_cancelled, stream) =
            (|| progress.is_cancelled(), |piece: &str| progress.report_output(piece));
        let waiting = WaitControl { cancel: &CancelToken::from_fn(&is_cancelled), stream: &stream };
        let reading = match self.text.is_empty() {
            true => terminals.read_output(id, wait, waiting, now),
            false => terminals.write_stdin(id, &self.text, wait, waiting, now),
        };
        let reading = reading.map_err(ToolError::from_error)?;
        Ok(terminal_findings(id, &reading, changed_file_notes(work)))
    }
}

impl ToolArguments for CloseToolArguments {
    fn permission_request(&self) -> PermissionRequest<'_> {
        PermissionRequest::Text(self.id.to_string().into())
    }

    fn run(self, work: &CallContext<'_>) -> Result<Findings, ToolError> {
        let id = TerminalId(self.id);
        let reading = work.session.terminals.close(id).map_err(ToolError::from_error)?;
        Ok(terminal_findings(id, &reading, changed_file_notes(work)))
    }
}

impl ToolArguments for ListTerminalsToolArguments {
    fn permission_request(&self) -> PermissionRequest<'_> {
        PermissionRequest::Itself
    }

    fn run(self, work: &CallContext<'_>) -> Result<Findings, ToolError> {
        let terminals = &work.session.terminals;
        terminals.close_idle(Instant::now());
        let line = |listed: foveal_sandbox::TerminalSummary| {
            let state = listed.ending.map_or("running".to_owned(), |ending| ending.to_string());
            format!("{} {state}: {}\n", listed.id, listed.text.lines().next().unwrap_or_default())
        };
        let mut text = AnswerText::from_content(terminals.list().into_iter().map(line).collect());
        if text.as_str().is_empty() {
            text.push_note(RunNote::NoTerminals);
        }
        Ok(Findings::from_text(text))
    }
}

/// Returns notes on forbidden files that changed while terminals run.
fn changed_file_notes(work: &CallContext<'_>) -> impl Iterator<Item = RunNote> {
    write_protection::terminal_changes_note(work).into_iter()
}

fn wait_limits(asked_ms: Option<u64>) -> OutputWait {
    let longest = Duration::from_millis(asked_ms.unwrap_or(DEFAULT_WAIT_MS).min(WAIT_MS_MAX));
    OutputWait { longest, pause: PAUSE.min(longest) }
}

fn stopped_findings(id: TerminalId, reading: &TerminalReading) -> Findings {
    let mut text = render_output(&reading.output);
    text.push_note(RunNote::Stopped(id.0));
    let data = Some(json!({ "id": id.0, "ended": true }));
    FindingContent::Output(TextOutput {
        text,
        data,
        is_error: true,
        is_stopped: true,
        ..TextOutput::default()
    })
    .into()
}

fn terminal_findings(
    id: TerminalId,
    reading: &TerminalReading,
    notes: impl IntoIterator<Item = RunNote>,
) -> Findings {
    let mut text = render_output(&reading.output);
    let ended = reading.ending.map(|ending| ending.to_string().into());
    text.push_note(RunNote::Terminal { id: id.0, ended });
    notes.into_iter().for_each(|note| text.push_note(note));
    let data = Some(json!({ "id": id.0, "ended": reading.ending.is_some() }));
    let is_stopped = reading.paused == WaitOutcome::Cancelled;
    FindingContent::Output(TextOutput { text, data, is_stopped, ..TextOutput::default() }).into()
}
