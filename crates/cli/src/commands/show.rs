//! `foveal show`: a recorded session as short text.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::bail;
use foveal_context::record::Record;
use foveal_context::tokens::Tokenizer;
use foveal_screen::in_one_line;
use foveal_transcript::{Block, Conversation, Entry, EntryIndex, Role, SUB_AGENT_REFERENCE};

use super::one_session::{OneSession, check_turn};
use super::show_requests;
use crate::environment::Environment;
use crate::listing;
use crate::numbers::plural;
use crate::output;

/// The command line of `foveal show`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    session: OneSession,
    /// Show one turn in full: the model's response and the results of its calls.
    #[arg(long, value_name = "N")]
    turn: Option<u32>,
    /// Show one request of a conversation that passed the gateway, counted from 1.
    #[arg(long, value_name = "N", conflicts_with = "turn")]
    request: Option<u64>,
    /// Print JSON. For conversations that passed the gateway alone.
    #[arg(long, conflicts_with = "turn")]
    json: bool,
}

/// Prints a line for each message, or one turn.
///
/// # Errors
/// If the session cannot be read or has no such turn.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    if let Some((store, session)) = arguments.session.of_gateway(environment)? {
        if arguments.turn.is_some() {
            bail!("what passed the gateway has requests, and no turns: give --request");
        }
        let text = match arguments.json {
            true => show_requests::json(&store, &session, arguments.request)?,
            false => show_requests::text(&store, &session, arguments.request, environment.width)?,
        };
        output::print(text)?;
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.request.is_some() || arguments.json {
        bail!(
            "no conversation that passed the gateway is called `{}`: --request and --json are for \
             these, and `foveal sessions` lists them",
            arguments.session.argument()
        );
    }
    let session = arguments.session.load(environment)?;
    let text = match arguments.turn {
        Some(turn) => {
            let conversation = arguments.session.choose(&session)?;
            check_turn(conversation, turn)?;
            one_turn(conversation, turn)
        }
        None => {
            let chosen = arguments.session.choose_all(&session)?;
            chosen.into_iter().map(all_turns).collect::<Vec<_>>().join("\n")
        }
    };
    output::print(text)?;
    Ok(ExitCode::SUCCESS)
}

fn all_turns(conversation: &Conversation) -> String {
    let mut text = in_one_line(&conversation.id).into_owned();
    for (name, value) in [
        ("agent", &conversation.agent),
        ("in", &conversation.directory),
        ("of", &conversation.parent),
    ] {
        if let Some(value) = value {
            let _ = write!(text, ", {name} {}", in_one_line(value));
        }
    }
    let turns = conversation.responses().count() as u64;
    let messages = conversation.entries().len() as u64;
    let _ = writeln!(text, ": {}, {}", plural(turns, "turn"), plural(messages, "message"));
    let record = Record::of(conversation.clone(), Tokenizer::default());
    let mut turn = 0u32;
    for (index, entry) in (0u32..).zip(conversation.entries()) {
        if entry.role == Role::Assistant {
            turn += 1;
            let _ = writeln!(text, "turn {turn}");
        }
        let line = listing::line(&record, EntryIndex(index));
        let _ = writeln!(text, "  {line}");
    }
    text
}

fn one_turn(conversation: &Conversation, turn: u32) -> String {
    let record = Record::of(conversation.clone(), Tokenizer::default());
    let start = conversation.responses().nth(turn as usize - 1).map_or(0, EntryIndex::at);
    let results = conversation.entries()[start..].iter().skip(1);
    let length = 1 + results.take_while(|entry| entry.role == Role::Tool).count();
    let mut text = format!("turn {turn} of {}\n", in_one_line(&conversation.id));
    for (index, entry) in (0u32..).zip(conversation.entries()).skip(start).take(length) {
        let line = listing::line(&record, EntryIndex(index));
        let _ = writeln!(text, "\n{line}");
        content(&mut text, entry);
    }
    text
}

fn content(text: &mut String, entry: &Entry) {
    for block in &entry.blocks {
        let (heading, body) = match block {
            Block::Text(body) => (None, body.clone()),
            Block::Reasoning(body) => (Some("reasoning".to_owned()), body.clone()),
            Block::Call(call) => {
                let arguments = serde_json::to_string_pretty(&call.arguments);
                let arguments = arguments.unwrap_or_else(|_| call.arguments.to_string());
                (Some(format!("call {}", call.name)), arguments)
            }
            Block::Result(result) => {
                (result.is_error.then(|| "error".to_owned()), result.content.clone())
            }
            Block::Opaque { kind, raw } if kind == SUB_AGENT_REFERENCE => {
                (Some("carried out by a sub-agent".to_owned()), raw.clone())
            }
            Block::Opaque { kind, raw } => (Some(format!("not understood: {kind}")), raw.clone()),
        };
        if let Some(heading) = heading {
            let _ = writeln!(text, "  [{}]", in_one_line(&heading));
        }
        for line in body.split('\n') {
            let _ = writeln!(text, "  {line}");
        }
    }
}
