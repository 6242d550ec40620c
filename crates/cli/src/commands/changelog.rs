//! `foveal changelog`: the changes of files in a session, in order.

use std::process::ExitCode;

use foveal_engine::timeline;
use foveal_screen::escape_one_line;

use super::session_selection::SessionSelection;
use crate::environment::Environment;
use crate::text_table::{Alignment, ColumnNarrowing, TextTable};
use crate::{notice, output};

/// The command line of `foveal changelog`.
#[derive(Debug, clap::Args)]
pub(crate) struct ChangelogArguments {
    #[command(flatten)]
    session: SessionSelection,
}

/// Prints one row per change.
///
/// # Errors
/// If the session cannot be read.
pub(crate) fn run(
    arguments: &ChangelogArguments,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    let session = arguments.session.load_session(environment)?;
    let mut text = String::new();
    for conversation in arguments.session.select_conversations(&session)? {
        let changes = timeline::build_changelog(conversation);
        if changes.is_empty() {
            continue;
        }
        if session.conversations.len() > 1 {
            text += &format!("{}\n", escape_one_line(&conversation.id));
        }
        let columns =
            [("turn", Alignment::Right), ("file", Alignment::Left), ("change", Alignment::Left)];
        let mut table = TextTable::new(columns.to_vec())
            .with_narrowing(&["file"], ColumnNarrowing::CutStart)
            .with_narrowing(&["change"], ColumnNarrowing::CutEnd);
        for change in changes {
            table.push_row(vec![change.turn.to_string(), change.path, change.summary]);
        }
        text += &table.render(environment.stdout_columns, "");
    }
    if text.is_empty() {
        notice::print_notice("this session records no file changes");
    }
    output::print(text)?;
    Ok(ExitCode::SUCCESS)
}
