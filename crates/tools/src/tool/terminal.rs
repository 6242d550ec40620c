//! `exec`, `write_stdin`, `close` and `terminals`: programs in terminals of their own.

use std::time::{Duration, Instant};

use foveal_cancel::Cancel;
use foveal_context::note::RunNote;
use foveal_processes::TerminalId;
use foveal_processes::{Paused, Reading, Size, TerminalCommand, Wait, Waiting};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::definition::{Hints, Tool, ToolArguments};
use crate::error::ToolError;
use crate::findings::{AnswerText, Content, Findings, Output, printed};
use crate::forbidden;
use crate::permission::{Asks, CommandKind};
use crate::session::Work;
use crate::tool::bash::unconfined;

pub(crate) const EXEC: Tool = Tool::of::<Exec>(
    "exec",
    "Start a terminal",
    "Start a program in a terminal (servers, prompts, REPLs); returns its id and first output.",
    Hints::RUNS,
);

pub(crate) const WRITE_STDIN: Tool = Tool::of::<WriteStdin>(
    "write_stdin",
    "Type into a terminal",
    "Type into a terminal (\\n enter, \\u0003 ctrl-C; nothing to just wait) and read its output.",
    Hints::RUNS,
);

pub(crate) const CLOSE: Tool = Tool::of::<Close>(
    "close",
    "Close a terminal",
    "End a terminal and all that runs in it.",
    Hints::RUNS,
);

pub(crate) const TERMINALS: Tool =
    Tool::of::<ListTerminals>("terminals", "List terminals", "List open terminals.", Hints::LOOKS);

/// How long output is waited for where the call says nothing.
const WAIT_MS: u64 = 2_000;
/// The longest wait.
const WAIT_MS_MAX: u64 = 300_000;
/// Output counts as paused after this.
const PAUSE: Duration = Duration::from_millis(300);

/// Arguments of `exec`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Exec {
    command: String,
    wait_ms: Option<u64>,
}

/// Arguments of `write_stdin`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WriteStdin {
    id: u32,
    #[serde(default)]
    text: String,
    wait_ms: Option<u64>,
}

/// Arguments of `close`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Close {
    id: u32,
}

/// Arguments of `terminals`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListTerminals {}

impl ToolArguments for Exec {
    fn asks(&self) -> Asks<'_> {
        Asks::Command(CommandKind::Line, &self.command)
    }

    fn run(self, work: &Work<'_>) -> Result<Findings, ToolError> {
        work.roots().check().map_err(ToolError::failed)?;
        let forbidden = forbidden::Before::look(work);
        let command = TerminalCommand {
            text: self.command,
            directory: work.roots().working_directory().to_owned(),
            environment: work.toolbox.command_environment(),
            shell: work.toolbox.shell.clone(),
            size: Size::default(),
            sandbox: forbidden.sandbox(work),
            guard: work.toolbox.command_guard.clone(),
        };
        let terminals = &work.session.terminals;
        terminals.expire(Instant::now());
        let wait = wait(self.wait_ms);
        let progress = work.progress("");
        let (is_cancelled, stream) =
            (|| progress.is_cancelled(), |piece: &str| progress.output(piece));
        let waiting = Waiting { cancel: &Cancel::when(&is_cancelled), stream: &stream };
        let started = terminals.exec(&command, wait, waiting, Instant::now());
        let (id, reading) = started.map_err(ToolError::failed)?;
        if reading.paused == Paused::Cancelled || work.check_cancelled().is_err() {
            // Who stopped the call may never learn the terminal's id.
            drop(terminals.close(id));
            return Ok(stopped(id, &reading));
        }
        let listed = terminals.list().into_iter().find(|listed| listed.id == id);
        let holding = listed.and_then(|listed| listed.holding);
        let loose = unconfined(work, holding.as_ref().map(|holding| &holding.confinement));
        let held = forbidden.begin(work, holding.as_ref());
        let told = loose.into_iter().chain(held).chain(changes(work));
        Ok(found(id, &reading, told))
    }
}

impl ToolArguments for WriteStdin {
    fn asks(&self) -> Asks<'_> {
        Asks::Command(CommandKind::Typed, &self.text)
    }

    fn run(self, work: &Work<'_>) -> Result<Findings, ToolError> {
        let (id, wait) = (TerminalId(self.id), wait(self.wait_ms));
        let (terminals, now) = (&work.session.terminals, Instant::now());
        let progress = work.progress("");
        let (is_cancelled, stream) =
            (|| progress.is_cancelled(), |piece: &str| progress.output(piece));
        let waiting = Waiting { cancel: &Cancel::when(&is_cancelled), stream: &stream };
        let reading = match self.text.is_empty() {
            true => terminals.read(id, wait, waiting, now),
            false => terminals.write_stdin(id, &self.text, wait, waiting, now),
        };
        let reading = reading.map_err(ToolError::failed)?;
        Ok(found(id, &reading, changes(work)))
    }
}

impl ToolArguments for Close {
    fn asks(&self) -> Asks<'_> {
        Asks::Text(self.id.to_string().into())
    }

    fn run(self, work: &Work<'_>) -> Result<Findings, ToolError> {
        let id = TerminalId(self.id);
        let reading = work.session.terminals.close(id).map_err(ToolError::failed)?;
        Ok(found(id, &reading, changes(work)))
    }
}

impl ToolArguments for ListTerminals {
    fn asks(&self) -> Asks<'_> {
        Asks::Itself
    }

    fn run(self, work: &Work<'_>) -> Result<Findings, ToolError> {
        let terminals = &work.session.terminals;
        terminals.expire(Instant::now());
        let line = |listed: foveal_processes::Listed| {
            let state = listed.ending.map_or("running".to_owned(), |ending| ending.to_string());
            format!("{} {state}: {}\n", listed.id, listed.text.lines().next().unwrap_or_default())
        };
        let mut text = AnswerText::of_content(terminals.list().into_iter().map(line).collect());
        if text.text().is_empty() {
            text.note(RunNote::NoTerminals);
        }
        Ok(Findings::text(text))
    }
}

/// What to say of files that changed while terminals run.
fn changes(work: &Work<'_>) -> impl Iterator<Item = RunNote> {
    forbidden::changes_in_terminals(work).into_iter()
}

fn wait(asked_ms: Option<u64>) -> Wait {
    let longest = Duration::from_millis(asked_ms.unwrap_or(WAIT_MS).min(WAIT_MS_MAX));
    Wait { longest, pause: PAUSE.min(longest) }
}

fn stopped(id: TerminalId, reading: &Reading) -> Findings {
    let mut text = printed(&reading.output);
    text.note(RunNote::Stopped(id.0));
    let data = Some(json!({ "id": id.0, "ended": true }));
    Content::Output(Output { text, data, is_error: true, is_stopped: true, ..Output::default() })
        .into()
}

fn found(id: TerminalId, reading: &Reading, notes: impl IntoIterator<Item = RunNote>) -> Findings {
    let mut text = printed(&reading.output);
    let ended = reading.ending.map(|ending| ending.to_string().into());
    text.note(RunNote::Terminal { id: id.0, ended });
    notes.into_iter().for_each(|note| text.note(note));
    let data = Some(json!({ "id": id.0, "ended": reading.ending.is_some() }));
    let is_stopped = reading.paused == Paused::Cancelled;
    Content::Output(Output { text, data, is_stopped, ..Output::default() }).into()
}
