//! `foveal rewind`: takes a session of foveal's own agent back to before something that was said.

use std::process::ExitCode;

use anyhow::{Context, bail};
use foveal_cancel::Cancel;
use foveal_tools::clock::{Clock, SystemClock};
use foveal_tools::session::Unshaped;
use foveal_tools::{FileBack, Session, Stands};
use foveal_transcript::Entry;

use super::own_agent::Earlier;
use crate::environment::Environment;
use crate::numbers::plural;
use crate::rules::can_ask;
use crate::runs::RunLog;
use crate::session_control::{SaidByPerson, line_of, said_by_person};
use crate::toolbox::Opener;
use crate::{exit_code, interrupt, notice, output};

/// The command line of `foveal rewind`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The session, as `foveal sessions` lists it; the beginning of its name is enough.
    #[arg(value_name = "SESSION")]
    session: String,
    /// Goes back to just before this message of yours, counted from 1; the last one if not given.
    #[arg(long, value_name = "MESSAGE")]
    to: Option<usize>,
    /// Takes back what was said, and leaves files as they are.
    #[arg(long, group = "what")]
    conversation: bool,
    /// Puts files back, and leaves what was said.
    #[arg(long, group = "what")]
    files: bool,
    /// Both; so it is if nothing is said.
    #[arg(long, group = "what")]
    both: bool,
    /// Puts files back that others changed too.
    #[arg(long)]
    force: bool,
    /// Does it without asking.
    #[arg(long)]
    yes: bool,
}

/// What is to be done.
struct Plan {
    /// Where the conversation goes back to; `None`: it stays.
    to: Option<usize>,
    /// The files that were written since; `None`: they stay.
    files: Option<Vec<FileBack>>,
    /// Whether files go back that others changed too.
    force: bool,
}

/// Shows what would change, asks, and does it.
///
/// # Errors
/// If there is no such session, or what is to be done cannot be.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    let directory = std::env::current_dir().context("there is no current folder")?;
    let directory = directory.canonicalize().unwrap_or(directory);
    let earlier = Earlier::named(&arguments.session, &directory, environment)?;
    let (session, past, _lock) = earlier.held();
    let entries: Vec<Entry> = past.window().into_iter().map(|(_, entry)| entry.clone()).collect();
    let said = said_by_person(&entries);
    let target = target(&said, arguments.to)?;
    let toolbox = Opener::new(environment)?.open(std::slice::from_ref(&directory))?;
    let tools = Session::with_shaper(&toolbox, session.0.clone(), Box::new(Unshaped));
    let cancel = interrupt::listen();
    let plan = plan(arguments, target, &tools, &cancel)?;
    output::print(plan.told(&said, entries.len()))?;
    let files = plan.files_that_go();
    if plan.to.is_none() && files.is_empty() {
        notice::say("nothing is to be done");
        return Ok(ExitCode::SUCCESS);
    }
    if !is_wanted(arguments, environment) {
        return Ok(ExitCode::from(exit_code::NEGATIVE));
    }
    // Files first: if it ends in between, the same once more does the rest.
    tools.put_files_back(&files, &cancel)?;
    if let Some(to) = plan.to {
        let keep = past.rewind(to, SystemClock.now()).context("that is no message of yours")?;
        RunLog::add(&*toolbox.store, &session, &keep)?;
        tools.forget();
    }
    drop(toolbox.collect());
    Ok(ExitCode::SUCCESS)
}

/// Whether the person wants it done, now that they see what it is.
fn is_wanted(arguments: &Arguments, environment: &Environment) -> bool {
    if arguments.yes {
        return true;
    }
    if !can_ask(environment) {
        notice::say("nothing was changed: nobody can be asked here; give --yes to do it");
        return false;
    }
    let is_wanted = notice::confirm("Go on?");
    if !is_wanted {
        notice::say("nothing was changed");
    }
    is_wanted
}

/// The message that is gone back to.
fn target(said: &[SaidByPerson], to: Option<usize>) -> anyhow::Result<&SaidByPerson> {
    let number = to.unwrap_or(said.len());
    match number.checked_sub(1).and_then(|at| said.get(at)) {
        Some(target) => Ok(target),
        None if said.is_empty() => bail!("nothing was said in it that it can go back to"),
        None => {
            let lines = said.iter().zip(1..).map(|(said, at)| format!("\n  {at}  {}", said.words));
            let lines: String = lines.collect();
            bail!("there is no message {number} of yours in it; there are{lines}")
        }
    }
}

fn plan(
    arguments: &Arguments,
    target: &SaidByPerson,
    tools: &Session,
    cancel: &Cancel<'_>,
) -> anyhow::Result<Plan> {
    let to = (!arguments.files).then_some(target.place);
    let files = match arguments.conversation {
        true => None,
        false => {
            let since = target.time;
            let since =
                since.context("it is not known when that was said: files cannot go back")?;
            Some(tools.files_since(since, cancel)?)
        }
    };
    Ok(Plan { to, files, force: arguments.force })
}

impl Plan {
    fn files_that_go(&self) -> Vec<&FileBack> {
        let goes = |file: &&FileBack| match file.stands {
            Stands::Ours => true,
            Stands::Changed => self.force,
            Stands::AsItWas | Stands::Lost(_) => false,
        };
        self.files.iter().flatten().filter(goes).collect()
    }

    /// What would be done, in lines.
    fn told(&self, said: &[SaidByPerson], messages: usize) -> String {
        let mut text = String::new();
        if let Some((at, target)) =
            said.iter().enumerate().find(|(_, said)| Some(said.place) == self.to)
        {
            let gone = plural((messages - target.place) as u64, "message");
            text += &format!("conversation: back to before your message {}, ", at + 1);
            text += &format!("\"{}\"; {gone} left out\n", target.words);
        }
        match self.files.as_deref() {
            None => {}
            Some([]) => text += "files: none was written since\n",
            Some(files) => {
                text += "files:\n";
                for file in files {
                    text += &format!("  {}\n", line_of(file, self.force));
                }
            }
        }
        text
    }
}
