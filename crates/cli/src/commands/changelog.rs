//! `foveal changelog`: what a session changed in files, in order.

use std::process::ExitCode;

use foveal_context::timeline;
use foveal_screen::in_one_line;

use super::one_session::OneSession;
use crate::environment::Environment;
use crate::table::{Narrow, Side, Table};
use crate::{notice, output};

/// The command line of `foveal changelog`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    session: OneSession,
}

/// Prints a row for each change.
///
/// # Errors
/// If the session cannot be read.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    let session = arguments.session.load(environment)?;
    let mut text = String::new();
    for conversation in arguments.session.choose_all(&session)? {
        let changes = timeline::changelog(conversation);
        if changes.is_empty() {
            continue;
        }
        if session.conversations.len() > 1 {
            text += &format!("{}\n", in_one_line(&conversation.id));
        }
        let columns = [("turn", Side::Right), ("file", Side::Left), ("change", Side::Left)];
        let mut table = Table::new(columns.to_vec())
            .narrowing(&["file"], Narrow::LosesStart)
            .narrowing(&["change"], Narrow::LosesEnd);
        for change in changes {
            table.row(vec![change.turn.to_string(), change.path, change.what]);
        }
        text += &table.render_within(environment.width, "");
    }
    if text.is_empty() {
        notice::say("no change of a file is recorded in this session");
    }
    output::print(text)?;
    Ok(ExitCode::SUCCESS)
}
