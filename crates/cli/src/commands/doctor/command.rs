//! `foveal doctor`: looks at everything and prints the findings.

use std::process::ExitCode;

use serde_json::{Value, json};

use super::finding::{Finding, State};
use super::{agents, machine};
use crate::colour::Style;
use crate::environment::Environment;
use crate::exit_code;
use crate::output;
use crate::shown::Shown;
use crate::table::wrapped;
use foveal_code::highlight::HighlightClass;

/// The command line of `foveal doctor`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// Looks at everything and says how it is. Ends with 1 if something is broken.
///
/// # Errors
/// If standard output cannot be written.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    let mut findings = machine::look(environment);
    findings.extend(agents::look(environment));
    let text: Shown = if arguments.json {
        let all: Vec<Value> = findings
            .iter()
            .map(|finding| {
                json!({
                    "about": finding.about,
                    "state": finding.state.word(),
                    "what": finding.what,
                    "remedy": finding.remedy,
                })
            })
            .collect();
        let all = json!({ "version": env!("CARGO_PKG_VERSION"), "findings": all });
        format!("{all}\n").into()
    } else {
        text(&findings, environment)
    };
    output::print(text)?;
    let worst = findings.iter().map(|finding| finding.state).max();
    Ok(if worst == Some(State::Broken) {
        ExitCode::from(exit_code::NEGATIVE)
    } else {
        ExitCode::SUCCESS
    })
}

/// Characters of the word before each finding, with the gap behind it.
const STATE_CHARS: usize = 8;

fn text(findings: &[Finding], environment: &Environment) -> Shown {
    let painter = environment.painter();
    let width = findings.iter().map(|finding| finding.about.chars().count()).max().unwrap_or(0);
    let start = STATE_CHARS + width + 2;
    // In a narrow terminal what is found stands below what it is about.
    let columns = environment.width.unwrap_or(usize::MAX);
    let is_narrow = columns < start + WORDS_CHARS_MIN;
    let indent = " ".repeat(if is_narrow { STATE_CHARS } else { start });
    let room = columns.saturating_sub(indent.len());
    let within = |text: &str| match environment.width {
        None => text.to_owned(),
        Some(_) => wrapped(text, room, "").trim_end().replace('\n', &format!("\n{indent}")),
    };
    let mut text = Shown::default();
    for Finding { about, state, what, remedy } in findings {
        let style = match state {
            State::Ok => Style::Code(HighlightClass::Text),
            State::Note => Style::Code(HighlightClass::Keyword),
            State::Broken => Style::Code(HighlightClass::Constant),
        };
        let word = painter.paint(style, &format!("{:<6}", state.word()));
        let what = within(what);
        text.push(word);
        text.push(match is_narrow {
            true => format!("  {about}\n{indent}{what}\n"),
            false => format!("  {about:<width$}  {what}\n"),
        });
        if let Some(remedy) = remedy {
            for line in within(remedy).lines() {
                text.push_str(&indent);
                text.push(painter.paint(Style::Aside, line.trim_start()).and("\n"));
            }
        }
    }
    text
}

/// Characters that a finding needs beside what it is about.
const WORDS_CHARS_MIN: usize = 36;
