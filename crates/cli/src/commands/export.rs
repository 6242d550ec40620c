//! `foveal export`: a session as a document for other programs.

use std::process::ExitCode;

use foveal_agent_runtime::runs;
use foveal_session_readers::export_atif;
use foveal_transcript::{Conversation, RecordedSession};

use super::session_selection::SessionSelection;
use crate::environment::Environment;
use crate::numbers::format_plural;
use crate::{notice, output};

/// The command line of `foveal export`.
#[derive(Debug, clap::Args)]
pub(crate) struct ExportArguments {
    #[command(flatten)]
    session: SessionSelection,
}

/// Prints the session as one JSON document.
///
/// # Errors
/// If the session cannot be read.
pub(crate) fn run(
    arguments: &ExportArguments,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    let session = arguments.session.load_session(environment)?;
    let chosen = arguments.session.select_conversations(&session)?;
    let conversations: Vec<Conversation> = chosen.into_iter().cloned().collect();
    let exported = export_atif(
        &RecordedSession { id: session.id.clone(), conversations },
        recorder_version(&session),
    );
    if exported.omitted_parts > 0 {
        notice::print_notice(format_args!(
            "{} omitted: the format cannot hold data that only a provider can read, images, and \
             rewinds of the conversation",
            format_plural(exported.omitted_parts, "part")
        ));
    }
    output::print(format!("{:#}\n", exported.document))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the version of the program that recorded a session, if it is known.
fn recorder_version(session: &RecordedSession) -> &'static str {
    let agent = session.conversations.first().and_then(|first| first.agent.as_deref());
    if agent == Some(runs::OWN_AGENT_NAME) { env!("CARGO_PKG_VERSION") } else { "unknown" }
}
