//! The command line, and the chat from its beginning to its end.

use std::process::ExitCode;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use anyhow::{Context, bail};
use foveal_agent::{Limits, Spent};
use foveal_chat::{Chat, Input, Setup};
use foveal_screen::numbers::{dollars_behind, plural};
use foveal_transcript::{Block, Entry, Role};

use super::arrived::ARRIVED_MAX;
use super::course::{Course, End};
use super::person::person;
use super::screen::{Screen, put_back};
use crate::commands::own_agent::{self, Company, Earlier, Opened, Options, Wanted, amount};
use crate::environment::Environment;
use crate::notice;
use crate::user_settings;

/// Requests to the model for one message.
const TURNS_MAX: u32 = 200;

/// The command line of `foveal chat`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    options: Options,
    /// Asks no more at this many US dollars: what the provider says that it charges, else your own
    /// prices, else list prices.
    #[arg(long, value_name = "DOLLARS", value_parser = amount)]
    max_cost: Option<f64>,
}

/// Talks with a person until they leave.
///
/// # Errors
/// If there is no terminal, no model, or the folder cannot be used.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    if !environment.terminal.input || !environment.terminal.output {
        bail!(
            "`foveal chat` needs a terminal for its input and output: `foveal run \"TASK\"` does a \
             task without one"
        );
    }
    let folder = std::env::current_dir().context("there is no current folder")?;
    let folder = folder.canonicalize().unwrap_or(folder);
    let options = &arguments.options;
    let mut earlier = options.earlier(&folder, environment)?;
    let (runtime, client) = own_agent::runtime(environment)?;
    let (sender, arrived) = sync_channel(ARRIVED_MAX);
    let mut model = options.model.clone();
    let mut course: Option<Course> = None;
    let cancel = own_agent::listen(&runtime, put_back);
    let ended = loop {
        // What other models of this chat came to counts.
        let before = course.as_ref().map_or(0.0, |course| course.spent().charge.cost);
        let cost = arguments.max_cost.map(|most| most - before);
        let limits = Limits { turns: Some(TURNS_MAX), cost, ..Limits::default() };
        let wanted = Wanted {
            folder: &folder,
            model: model.as_ref(),
            profile: options.profile.as_deref(),
            limits,
            pinned: &options.pin,
            earlier: earlier.take(),
            company: Company::Person,
            yes: false,
            person: Some(person(sender.clone())),
        };
        let opened = own_agent::open(wanted, (&runtime, client.clone()), environment)?;
        let course = match &mut course {
            Some(course) => {
                course.update(Input::Model(opened.model.clone()));
                course
            }
            None => {
                let chat = new_chat(&opened, &folder.display().to_string(), environment)?;
                let screen = Screen::enter().context("the terminal cannot be drawn on")?;
                course.insert(Course::new((chat, screen), (&folder, environment), sender.clone()))
            }
        };
        let session = opened.session.clone();
        match course.run(opened, &arrived, &cancel, (&runtime, &client, environment))? {
            End::Quit => break session,
            End::Model(next) => {
                model = Some(next);
                // Nothing may have been said yet.
                let named = session.map(|name| Earlier::named(&name, &folder, environment));
                earlier = named.and_then(Result::ok);
            }
        }
    };
    let spent = course.map(|course| course.spent()).unwrap_or_default();
    // What still runs is not waited for.
    runtime.shutdown_timeout(Duration::from_millis(200));
    say_end(&spent, ended.as_deref());
    Ok(ExitCode::SUCCESS)
}

/// Tells what a chat came to, and how to go on with its session.
fn say_end(spent: &Spent, session: Option<&str>) {
    if spent.turns == 0 {
        return;
    }
    let cost = dollars_behind(spent.charge.cost);
    notice::say(format_args!("{}{cost}", plural(spent.turns.into(), "request")));
    if let Some(name) = session {
        notice::say(format_args!("`foveal chat --session {name}` goes on with it"));
    }
}

/// A chat with what was said before in its session.
///
/// # Errors
/// If the settings cannot be used.
fn new_chat(opened: &Opened, folder: &str, environment: &Environment) -> anyhow::Result<Chat> {
    let wish = user_settings::read(environment)?.chat.colours;
    let past = opened.agent.conversation().entries();
    let said = past.iter().filter(|entry| entry.role == Role::User);
    let mut chat = Chat::new(Setup {
        model: opened.model.clone(),
        session: opened.session.clone(),
        folder: folder.to_owned(),
        colours: wish.colours(environment.colour, environment.has_256_colours),
        history: said.map(Entry::text).collect(),
    });
    let mut past = past.to_vec();
    for block in past.iter_mut().flat_map(|entry| &mut entry.blocks) {
        if let Block::Call(call) = block {
            *call = own_agent::spelled(call);
        }
    }
    chat.update(Input::Past(past));
    Ok(chat)
}
