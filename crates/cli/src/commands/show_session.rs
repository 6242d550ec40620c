//! `foveal show`: a recorded session as short text.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::bail;
use foveal_engine::conversation_record::ConversationRecord;
use foveal_pricing::tokens::Tokenizer;
use foveal_screen::escape_one_line;
use foveal_transcript::{
    ContentBlock, Conversation, EntryIndex, MessageRole, SUB_AGENT_REFERENCE_KIND, TranscriptEntry,
};

use super::gateway_request_view;
use super::session_selection::{SessionSelection, check_turn};
use crate::environment::Environment;
use crate::message_summary;
use crate::numbers::{format_dollars, format_plural};
use crate::output;
use crate::replay_prices::ReplayPrices;

/// The command line of `foveal show`.
#[derive(Debug, clap::Args)]
pub(crate) struct ShowArguments {
    #[command(flatten)]
    session: SessionSelection,
    /// Show one turn in full: the model's response and the results of its calls.
    #[arg(long, value_name = "N")]
    turn: Option<u32>,
    /// Show one request of a gateway conversation, counted from 1.
    #[arg(long, value_name = "N", conflicts_with = "turn")]
    request: Option<u64>,
    /// Print JSON; only for gateway conversations.
    #[arg(long, conflicts_with = "turn")]
    json: bool,
}

/// Prints one line per message, or one turn.
///
/// # Errors
/// If the session cannot be read or has no such turn.
pub(crate) fn run(
    arguments: &ShowArguments,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    if let Some((store, session)) = arguments.session.find_gateway_session(environment)? {
        if arguments.turn.is_some() {
            bail!("gateway conversations have requests, not turns: use --request");
        }
        let text = match arguments.json {
            true => gateway_request_view::requests_to_json(&store, &session, arguments.request)?,
            false => gateway_request_view::render_requests(
                &store,
                &session,
                arguments.request,
                environment.stdout_columns,
            )?,
        };
        output::print(text)?;
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.request.is_some() || arguments.json {
        bail!(
            "there is no gateway conversation `{}`: --request and --json work only with these; \
             `foveal sessions` lists them",
            arguments.session.session_argument()
        );
    }
    let session = arguments.session.load_session(environment)?;
    let text = match arguments.turn {
        Some(turn) => {
            let conversation = arguments.session.select_conversation(&session)?;
            check_turn(conversation, turn)?;
            render_turn(conversation, turn)
        }
        None => {
            let chosen = arguments.session.select_conversations(&session)?;
            let prices = ReplayPrices::from_settings(environment);
            chosen
                .into_iter()
                .map(|one| render_conversation(one, &prices))
                .collect::<Vec<_>>()
                .join("\n")
        }
    };
    output::print(text)?;
    Ok(ExitCode::SUCCESS)
}

fn render_conversation(conversation: &Conversation, prices: &ReplayPrices) -> String {
    let mut text = escape_one_line(&conversation.id).into_owned();
    for (name, value) in [
        ("agent", &conversation.agent),
        ("in", &conversation.directory),
        ("of", &conversation.parent),
    ] {
        if let Some(value) = value {
            let _ = write!(text, ", {name} {}", escape_one_line(value));
        }
    }
    let turns = conversation.response_indices().count() as u64;
    let messages = conversation.entries().len() as u64;
    let _ = writeln!(
        text,
        ": {}, {}{}",
        format_plural(turns, "turn"),
        format_plural(messages, "message"),
        bill_text(conversation, prices),
    );
    let record = ConversationRecord::from_conversation(conversation.clone(), Tokenizer::default());
    let mut turn = 0u32;
    for (index, entry) in (0u32..).zip(conversation.entries()) {
        if entry.role == MessageRole::Assistant {
            turn += 1;
            let _ = writeln!(text, "turn {turn}");
        }
        let line = message_summary::summarize_message(&record, EntryIndex(index));
        let _ = writeln!(text, "  {line}");
    }
    text
}

/// Returns the recorded bill of a conversation; empty if the usage or price of an answer is unknown.
fn bill_text(conversation: &Conversation, prices: &ReplayPrices) -> String {
    let answers = conversation.response_indices();
    let mut bills =
        answers.map(|at| prices.billed_dollars(&conversation.entries()[at.as_usize()])).peekable();
    let sum = bills.peek().is_some().then(|| bills.sum::<Option<f64>>()).flatten();
    sum.map(|dollars| format!(", billed {}", format_dollars(dollars))).unwrap_or_default()
}

fn render_turn(conversation: &Conversation, turn: u32) -> String {
    let record = ConversationRecord::from_conversation(conversation.clone(), Tokenizer::default());
    let start =
        conversation.response_indices().nth(turn as usize - 1).map_or(0, EntryIndex::as_usize);
    let results = conversation.entries()[start..].iter().skip(1);
    let length = 1 + results.take_while(|entry| entry.role == MessageRole::Tool).count();
    let mut text = format!("turn {turn} of {}\n", escape_one_line(&conversation.id));
    for (index, entry) in (0u32..).zip(conversation.entries()).skip(start).take(length) {
        let line = message_summary::summarize_message(&record, EntryIndex(index));
        let _ = writeln!(text, "\n{line}");
        write_blocks(&mut text, entry);
    }
    text
}

fn write_blocks(text: &mut String, entry: &TranscriptEntry) {
    for block in &entry.blocks {
        let (heading, body) = match block {
            ContentBlock::Text(body) => (None, body.clone()),
            ContentBlock::Reasoning(body) => (Some("reasoning".to_owned()), body.clone()),
            ContentBlock::Call(call) => {
                let arguments = serde_json::to_string_pretty(&call.arguments);
                let arguments = arguments.unwrap_or_else(|_| call.arguments.to_string());
                (Some(format!("call {}", call.name)), arguments)
            }
            ContentBlock::Result(result) => {
                (result.is_error.then(|| "error".to_owned()), result.content.clone())
            }
            ContentBlock::Opaque { kind, raw } if kind == SUB_AGENT_REFERENCE_KIND => {
                (Some("run by a sub-agent".to_owned()), raw.clone())
            }
            ContentBlock::Opaque { kind, raw } => {
                (Some(format!("not recognised: {kind}")), raw.clone())
            }
        };
        if let Some(heading) = heading {
            let _ = writeln!(text, "  [{}]", escape_one_line(&heading));
        }
        for line in body.split('\n') {
            let _ = writeln!(text, "  {line}");
        }
    }
}
