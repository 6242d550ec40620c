//! `foveal doctor`: what works here, what does not, and what to do about it.

mod agents;
mod machine;

use std::io::Write;
use std::process::ExitCode;

use serde_json::{Value, json};

use crate::colour::{Painter, Style};
use crate::environment::Environment;
use foveal_code::highlight::HighlightClass;

/// What a machine on which something is broken ends with.
const EXIT_CODE_BROKEN: u8 = 1;

/// The command line of `foveal doctor`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    /// As it should be.
    Ok,
    /// Not there, or less than it could be; all else works.
    Note,
    /// Not as it should be.
    Broken,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Broken => "broken",
        }
    }
}

/// One thing that was looked at.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    /// The thing.
    about: String,
    state: State,
    /// How it is.
    what: String,
    /// What to do about it, if there is something.
    remedy: Option<String>,
}

impl Finding {
    fn new(state: State, about: impl Into<String>, what: impl Into<String>) -> Self {
        Self { about: about.into(), state, what: what.into(), remedy: None }
    }

    fn remedy(self, remedy: impl Into<String>) -> Self {
        Self { remedy: Some(remedy.into()), ..self }
    }
}

/// Looks at everything and says how it is. Ends with 1 if something is broken.
///
/// # Errors
/// If standard output cannot be written.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    let mut findings = machine::look(environment);
    findings.extend(agents::look(environment));
    let mut out = super::output();
    if arguments.json {
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
        writeln!(out, "{}", json!({ "version": env!("CARGO_PKG_VERSION"), "findings": all }))?;
    } else {
        out.write_all(text(&findings, environment.painter()).as_bytes())?;
    }
    out.flush()?;
    let worst = findings.iter().map(|finding| finding.state).max();
    Ok(if worst == Some(State::Broken) {
        ExitCode::from(EXIT_CODE_BROKEN)
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
