//! The command line of `foveal chat`, and the chat from start to end.

use std::process::ExitCode;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use anyhow::{Context, bail};
use foveal_agent::{RunLimits, RunTotals};
use foveal_agent_runtime::{AgentSpec, InteractionMode, ReadyAgent, normalize_argument_names};
use foveal_screen::numbers::{cost_suffix, format_plural};
use foveal_transcript::{ContentBlock, MessageRole, TranscriptEntry};
use foveal_tui::{Chat, ChatInput, ChatSetup};

use super::approval_dialog::screen_prompter;
use super::chat_app::{ChatApp, ChatExit};
use super::chat_event::CHAT_EVENTS_MAX;
use super::colour_choice::resolve_colours;
use super::screen::{Screen, restore_terminal};
use crate::commands::own_agent::{self, AgentArguments, parse_dollars};
use crate::environment::Environment;
use crate::notice;

/// Requests to the model for one message of the user.
const TURNS_MAX: u32 = 200;

/// The command line of `foveal chat`.
#[derive(Debug, clap::Args)]
pub(crate) struct ChatArguments {
    #[command(flatten)]
    options: AgentArguments,
    /// Sends no more requests at this many US dollars: the cost that the provider reports, else at
    /// your own prices, else at list prices.
    #[arg(long, value_name = "DOLLARS", value_parser = parse_dollars)]
    max_cost: Option<f64>,
}

/// Runs the chat until the user quits.
///
/// # Errors
/// If there is no terminal, no model, or the folder cannot be used.
pub(crate) fn run(
    arguments: &ChatArguments,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    if !environment.terminal.input || !environment.terminal.output {
        bail!(
            "`foveal chat` needs a terminal for its input and output: without one, use `foveal run \
             \"TASK\"`"
        );
    }
    let folder = std::env::current_dir().context("there is no current folder")?;
    let folder = folder.canonicalize().unwrap_or(folder);
    let options = &arguments.options;
    let mut earlier = options.open_resumable_session(&folder, environment)?;
    let (runtime, client) = own_agent::start_runtime_and_client(environment)?;
    let (sender, arrived) = sync_channel(CHAT_EVENTS_MAX);
    let mut model = options.model.clone();
    let mut course: Option<ChatApp> = None;
    let cancel = own_agent::cancel_on_signals(&runtime, restore_terminal);
    let ended = loop {
        // The limit covers all models of this chat.
        let before = course.as_ref().map_or(0.0, |course| course.total_spending().charge.cost);
        let cost = arguments.max_cost.map(|most| most - before);
        let limits = RunLimits { turns: Some(TURNS_MAX), cost, ..RunLimits::default() };
        let chosen = own_agent::choose_session_model(
            &runtime,
            &client,
            model.as_ref(),
            earlier.as_ref(),
            environment,
        )?;
        let wanted = AgentSpec {
            folder: &folder,
            model: chosen,
            profile: options.profile.as_deref(),
            limits,
            pinned: &options.pin,
            earlier: earlier.take(),
            interaction: InteractionMode::Interactive,
            auto_approves: false,
            prompter: Some(screen_prompter(sender.clone())),
        };
        let opened = own_agent::start_agent(wanted, &runtime, client.clone(), environment)?;
        let course = match &mut course {
            Some(course) => {
                course.update_chat(ChatInput::ModelChanged(opened.model.clone()));
                course
            }
            None => {
                let chat = new_chat(&opened, &folder.display().to_string(), environment)?;
                let screen = Screen::enter().context("cannot draw on the terminal")?;
                course.insert(ChatApp::new(chat, screen, &folder, environment, sender.clone()))
            }
        };
        let session = opened.session.clone();
        match course.run_until_exit(opened, &arrived, &cancel, (&runtime, &client, environment))? {
            ChatExit::Quit => break session,
            ChatExit::SwitchModel(next) => {
                model = Some(next);
                // The session is missing if nothing was said yet.
                let named = session
                    .map(|name| own_agent::open_session_by_name(&name, &folder, environment));
                earlier = named.and_then(Result::ok);
            }
        }
    };
    let spent = course.map(|course| course.total_spending()).unwrap_or_default();
    // Tasks that still run are not awaited.
    runtime.shutdown_timeout(Duration::from_millis(200));
    print_summary(&spent, ended.as_deref());
    Ok(ExitCode::SUCCESS)
}

/// Prints the cost of a chat and the command that continues its session.
fn print_summary(spent: &RunTotals, session: Option<&str>) {
    if spent.turns == 0 {
        return;
    }
    let cost = cost_suffix(spent.charge.cost, spent.charge.has_unknown_cost);
    notice::print_notice(format_args!("{}{cost}", format_plural(spent.turns.into(), "request")));
    if let Some(name) = session {
        notice::print_notice(format_args!("resume with `foveal chat --session {name}`"));
    }
}

/// Returns a chat that shows the earlier messages of its session.
///
/// # Errors
/// If the settings are invalid.
fn new_chat(opened: &ReadyAgent, folder: &str, environment: &Environment) -> anyhow::Result<Chat> {
    let wish = environment.read_user_settings()?.chat.colours;
    let past = opened.agent.conversation().entries();
    let said = past.iter().filter(|entry| entry.role == MessageRole::User);
    let mut chat = Chat::new(ChatSetup {
        model: opened.model.clone(),
        session: opened.session.clone(),
        folder: folder.to_owned(),
        colours: resolve_colours(wish, environment.colour, environment.has_256_colours),
        history: said.map(TranscriptEntry::text).collect(),
    });
    let mut past = past.to_vec();
    for block in past.iter_mut().flat_map(|entry| &mut entry.blocks) {
        if let ContentBlock::Call(call) = block {
            *call = normalize_argument_names(call);
        }
    }
    chat.update(ChatInput::EarlierMessages(past));
    Ok(chat)
}
