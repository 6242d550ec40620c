//! `foveal doctor`: looks at everything and prints the findings.

use std::process::ExitCode;

use serde_json::{Value, json};

use super::finding::{Finding, State};
use super::{agents, machine};
use crate::colour::{Painter, Style};
use crate::environment::Environment;
use crate::exit_code;
use crate::output;
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
    let text = if arguments.json {
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
        format!("{}\n", json!({ "version": env!("CARGO_PKG_VERSION"), "findings": all }))
    } else {
        text(&findings, environment.painter())
    };
    output::print(&text)?;
    let worst = findings.iter().map(|finding| finding.state).max();
    Ok(if worst == Some(State::Broken) {
        ExitCode::from(exit_code::NEGATIVE)
    } else {
        ExitCode::SUCCESS
    })
}

fn text(findings: &[Finding], painter: Painter) -> String {
    let width = findings.iter().map(|finding| finding.about.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for Finding { about, state, what, remedy } in findings {
        let style = match state {
            State::Ok => Style::Code(HighlightClass::Text),
            State::Note => Style::Code(HighlightClass::Keyword),
            State::Broken => Style::Code(HighlightClass::Constant),
        };
        let word = painter.paint(style, &format!("{:<6}", state.word()));
        text += &format!("{word}  {about:<width$}  {what}\n");
        if let Some(remedy) = remedy {
            text += &format!("{:8}{:width$}  {}\n", "", "", painter.paint(Style::Aside, remedy));
        }
    }
    text
}
