//! `foveal doctor`: runs all checks and prints the diagnoses.

use std::process::ExitCode;

use foveal_syntax::highlighting::HighlightClass;
use serde_json::{Value, json};

use super::diagnosis::{Diagnosis, HealthStatus};
use super::{agents, machine};
use crate::colour::OutputStyle;
use crate::coloured_text::ColouredText;
use crate::environment::Environment;
use crate::exit_code;
use crate::output;
use crate::text_table::wrap_text;

/// The command line of `foveal doctor`.
#[derive(Debug, clap::Args)]
pub(crate) struct DoctorArguments {
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// Runs all checks and prints the results. Exits with 1 if something is broken.
///
/// # Errors
/// If standard output cannot be written.
pub(crate) fn run(
    arguments: &DoctorArguments,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    let mut findings = machine::check_machine(environment);
    findings.extend(agents::check_agents(environment));
    let text: ColouredText = if arguments.json {
        let all: Vec<Value> = findings
            .iter()
            .map(|finding| {
                json!({
                    "about": finding.subject,
                    "state": finding.status.label(),
                    "what": finding.description,
                    "remedy": finding.remedy,
                })
            })
            .collect();
        let all = json!({ "version": env!("CARGO_PKG_VERSION"), "findings": all });
        format!("{all}\n").into()
    } else {
        diagnoses_text(&findings, environment)
    };
    output::print(text)?;
    let worst = findings.iter().map(|finding| finding.status).max();
    Ok(if worst == Some(HealthStatus::Broken) {
        ExitCode::from(exit_code::NEGATIVE)
    } else {
        ExitCode::SUCCESS
    })
}

/// The width of the status before each diagnosis, with the gap after it.
const STATUS_CHARS: usize = 8;

fn diagnoses_text(findings: &[Diagnosis], environment: &Environment) -> ColouredText {
    let painter = environment.painter();
    let width = findings.iter().map(|finding| finding.subject.chars().count()).max().unwrap_or(0);
    let start = STATUS_CHARS + width + 2;
    // On a narrow terminal the text of a diagnosis stands below its subject.
    let columns = environment.stdout_columns.unwrap_or(usize::MAX);
    let is_narrow = columns < start + TEXT_CHARS_MIN;
    let indent = " ".repeat(if is_narrow { STATUS_CHARS } else { start });
    let room = columns.saturating_sub(indent.len());
    let within = |text: &str| match environment.stdout_columns {
        None => text.to_owned(),
        Some(_) => wrap_text(text, room, "").trim_end().replace('\n', &format!("\n{indent}")),
    };
    let mut text = ColouredText::default();
    for Diagnosis { subject: about, status: state, description: what, remedy } in findings {
        let style = match state {
            HealthStatus::Ok => OutputStyle::Code(HighlightClass::Text),
            HealthStatus::Note => OutputStyle::Code(HighlightClass::Keyword),
            HealthStatus::Broken => OutputStyle::Code(HighlightClass::Constant),
        };
        let word = painter.paint(style, &format!("{:<6}", state.label()));
        let what = within(what);
        text.push(word);
        text.push(match is_narrow {
            true => format!("  {about}\n{indent}{what}\n"),
            false => format!("  {about:<width$}  {what}\n"),
        });
        if let Some(remedy) = remedy {
            for line in within(remedy).lines() {
                text.push_str(&indent);
                text.push(painter.paint(OutputStyle::Secondary, line.trim_start()).append("\n"));
            }
        }
    }
    text
}

/// Smallest width for the text of a diagnosis beside its subject.
const TEXT_CHARS_MIN: usize = 36;
