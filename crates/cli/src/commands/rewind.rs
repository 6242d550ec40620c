//! `foveal rewind`: takes a session of foveal's own agent back to before a message of the user.

use std::process::ExitCode;

use anyhow::{Context, bail};
use foveal_agent_runtime::runs::RunLog;
use foveal_agent_runtime::session_control::{
    RewindPoint, RewindStage, describe_file_rewind, rewind_points,
};
use foveal_tools::clock::{Clock, SystemClock};
use foveal_tools::session::PassthroughShaper;
use foveal_tools::{RewindState, RewindableFile, ToolSession};
use foveal_transcript::{CancelToken, TranscriptEntry};

use super::own_agent::open_session_by_name;
use crate::environment::Environment;
use crate::numbers::format_plural;
use crate::permission_checker::can_ask_user;
use crate::toolbox::ToolboxFactory;
use crate::{exit_code, interrupt, notice, output};

/// The command line of `foveal rewind`.
#[derive(Debug, clap::Args)]
pub(crate) struct RewindArguments {
    /// The session, as `foveal sessions` lists it; the beginning of its name is enough.
    #[arg(value_name = "SESSION")]
    session: String,
    /// Goes back to just before this message of yours, counted from 1; the last one if not given.
    #[arg(long, value_name = "MESSAGE")]
    to: Option<usize>,
    /// Rewinds only the conversation, and leaves files unchanged.
    #[arg(long, group = "what")]
    conversation: bool,
    /// Restores only the files, and leaves the conversation unchanged.
    #[arg(long, group = "what")]
    files: bool,
    /// Rewinds both; this is the default.
    #[arg(long, group = "what")]
    both: bool,
    /// Also restores files that others changed too.
    #[arg(long)]
    force: bool,
    /// Does not ask for confirmation.
    #[arg(long)]
    yes: bool,
}

/// The planned changes.
struct RewindPlan {
    /// The number of messages that the conversation keeps; `None` leaves it unchanged.
    to: Option<usize>,
    /// The files that were written since then; `None` leaves files unchanged.
    files: Option<Vec<RewindableFile>>,
    /// True if files are restored that others changed too.
    force: bool,
}

/// Shows the changes, asks for confirmation and makes them.
///
/// # Errors
/// If there is no such session or message, or the changes fail.
pub(crate) fn run(
    arguments: &RewindArguments,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    let directory = std::env::current_dir().context("there is no current folder")?;
    let directory = directory.canonicalize().unwrap_or(directory);
    let earlier = open_session_by_name(&arguments.session, &directory, environment)?;
    let (session, past, _lock) = earlier.into_session_parts();
    let entries: Vec<TranscriptEntry> =
        past.active_entries().into_iter().map(|(_, entry)| entry.clone()).collect();
    let said = rewind_points(&entries);
    let target = find_target(&said, arguments.to)?;
    let toolbox = ToolboxFactory::new(environment)?.open(std::slice::from_ref(&directory))?;
    let tools = ToolSession::with_shaper(&toolbox, session.0.clone(), Box::new(PassthroughShaper));
    let cancel = interrupt::cancel_on_ctrl_c();
    let plan = plan_rewind(arguments, target, &tools, &cancel)?;
    output::print(plan.describe(&said, entries.len()))?;
    let files = plan.files_to_restore();
    if plan.to.is_none() && files.is_empty() {
        notice::print_notice("nothing to do");
        return Ok(ExitCode::SUCCESS);
    }
    if !confirm_rewind(arguments, environment) {
        return Ok(ExitCode::from(exit_code::NEGATIVE));
    }
    // Files come first: if the program ends in between, a second run does the rest.
    tools.rewind_files(&files, &cancel)?;
    if let Some(to) = plan.to {
        let keep = past
            .rewind_log_entry(to, SystemClock.now())
            .context("that is not one of your messages")?;
        RunLog::append_single(&*toolbox.store, &session, &keep)?;
        tools.clear_visibility();
    }
    drop(toolbox.collect());
    Ok(ExitCode::SUCCESS)
}

/// Asks the user for confirmation, unless `--yes` is given.
fn confirm_rewind(arguments: &RewindArguments, environment: &Environment) -> bool {
    if arguments.yes {
        return true;
    }
    if !can_ask_user(environment) {
        notice::print_notice(
            "nothing was changed: there is no terminal to ask for confirmation; use --yes",
        );
        return false;
    }
    let is_wanted = notice::confirm("Continue?");
    if !is_wanted {
        notice::print_notice("nothing was changed");
    }
    is_wanted
}

/// Returns the message to go back to.
fn find_target(said: &[RewindPoint], to: Option<usize>) -> anyhow::Result<&RewindPoint> {
    let number = to.unwrap_or(said.len());
    match number.checked_sub(1).and_then(|at| said.get(at)) {
        Some(target) => Ok(target),
        None if said.is_empty() => bail!("the session has no message to rewind to"),
        None => {
            let lines =
                said.iter().zip(1..).map(|(said, at)| format!("\n  {at}  {}", said.first_words));
            let lines: String = lines.collect();
            bail!("the session has no message {number} of yours; your messages are{lines}")
        }
    }
}

fn plan_rewind(
    arguments: &RewindArguments,
    target: &RewindPoint,
    tools: &ToolSession,
    cancel: &CancelToken<'_>,
) -> anyhow::Result<RewindPlan> {
    let to = (!arguments.files).then_some(target.entry_index);
    let files = match arguments.conversation {
        true => None,
        false => {
            let since = target.time;
            let since =
                since.context("the time of that message is unknown: files cannot be restored")?;
            Some(tools.files_written_since(since, cancel)?)
        }
    };
    Ok(RewindPlan { to, files, force: arguments.force })
}

impl RewindPlan {
    fn files_to_restore(&self) -> Vec<&RewindableFile> {
        let goes = |file: &&RewindableFile| match file.state {
            RewindState::OnlyOurs => true,
            RewindState::ChangedByOthers => self.force,
            RewindState::Unchanged | RewindState::NotRestorable(_) => false,
        };
        self.files.iter().flatten().filter(goes).collect()
    }

    /// Describes the planned changes, one per line.
    fn describe(&self, said: &[RewindPoint], messages: usize) -> String {
        let mut text = String::new();
        if let Some((at, target)) =
            said.iter().enumerate().find(|(_, said)| Some(said.entry_index) == self.to)
        {
            let gone = format_plural((messages - target.entry_index) as u64, "message");
            text += &format!("conversation: rewind to before your message {}, ", at + 1);
            text += &format!("\"{}\"; {gone} will be removed\n", target.first_words);
        }
        match self.files.as_deref() {
            None => {}
            Some([]) => text += "files: none were written since\n",
            Some(files) => {
                text += "files:\n";
                for file in files {
                    let line = describe_file_rewind(file, RewindStage::Planned, self.force);
                    text += &format!("  {line}\n");
                }
            }
        }
        text
    }
}
