//! `foveal export`: a session as a document that other programs read.

use std::process::ExitCode;

use foveal_transcript::{Conversation, Session};
use foveal_wire::to_atif;

use super::one_session::OneSession;
use crate::environment::Environment;
use crate::numbers::plural;
use crate::{notice, output};

/// The command line of `foveal export`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    session: OneSession,
}

/// Prints the session as one JSON document.
///
/// # Errors
/// If the session cannot be read.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    let session = arguments.session.load(environment)?;
    let chosen = arguments.session.choose_all(&session)?;
    let conversations: Vec<Conversation> = chosen.into_iter().cloned().collect();
    let exported = to_atif(&Session { id: session.id.clone(), conversations }, version(&session));
    if exported.left_out > 0 {
        notice::say(format_args!(
            "{} left out that the format has no place for: what only a provider can read, pictures, \
             and where the conversation went back",
            plural(exported.left_out, "part")
        ));
    }
    output::print(format!("{:#}\n", exported.document))?;
    Ok(ExitCode::SUCCESS)
}

/// The version of the program that recorded a session, as far as it is known.
fn version(session: &Session) -> &'static str {
    let agent = session.conversations.first().and_then(|first| first.agent.as_deref());
    if agent == Some("foveal") { env!("CARGO_PKG_VERSION") } else { "unknown" }
}
