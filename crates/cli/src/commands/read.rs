//! `foveal read`: a file as a model would be shown it.

use std::num::IntErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use clap::ValueEnum;
use foveal_index::text_of;
use foveal_tools::AnswerRow;
use serde_json::json;

use crate::colour::rows_of;
use crate::environment::Environment;
use crate::one_call::{Ended, PathTools, as_json};
use crate::pager::PrintOptions;
use crate::shown::Shown;
use crate::source_file;

/// Largest file whose lines are shown in colours.
const COLOURED_BYTES_MAX: u64 = 4 << 20;

/// The command line of `foveal read`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The file.
    path: PathBuf,
    /// What you want to know. Shows the lines of a long file that matter to it.
    #[arg(long = "for", value_name = "QUESTION", conflicts_with = "lines")]
    question: Option<String>,
    /// How much to show: `auto` shows a short file in full and the important parts of a long one.
    #[arg(long, value_name = "MODE", default_value = "auto", conflicts_with = "lines")]
    mode: Mode,
    /// Only these lines, counted from 1.
    #[arg(long, value_name = "A-B")]
    lines: Option<Span>,
    #[command(flatten)]
    options: PrintOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mode {
    Auto,
    Full,
    Curated,
    Structure,
}

/// Lines, the first from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) first: u32,
    pub(crate) last: u32,
}

/// Lines that cannot be meant.
#[derive(Debug, thiserror::Error)]
#[error("give lines as 12-40, or one as 12; the first is 1")]
pub(crate) struct NoSpan;

impl FromStr for Span {
    type Err = NoSpan;

    fn from_str(text: &str) -> Result<Self, NoSpan> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        // A last line beyond any is the last there is.
        let number = |text: &str| match text.trim().parse::<u32>() {
            Err(error) if *error.kind() == IntErrorKind::PosOverflow => Ok(u32::MAX),
            number => number.map_err(|_| NoSpan),
        };
        let span = Self { first: number(first)?, last: number(last)? };
        if span.first == 0 || span.last < span.first { Err(NoSpan) } else { Ok(span) }
    }
}

/// Prints the file.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    // The tools would name what links and `..` lead to.
    source_file::regular(&arguments.path)?;
    let place = PathTools::of(&arguments.path, environment)?;
    let ended = match (arguments.lines, arguments.mode) {
        (Some(Span { first, last }), _) => {
            place.call("read_lines", json!({ "path": place.path, "start": first, "end": last }))?
        }
        (None, mode) => {
            let mode = match mode {
                Mode::Auto => "auto",
                Mode::Full => "full",
                Mode::Curated => "curated",
                Mode::Structure => "structure",
            };
            let question = &arguments.question;
            let asked = json!({ "path": place.path, "question": question, "mode": mode });
            place.call("read_file", asked)?
        }
    };
    let answer = match ended {
        Ended::Stopped(code) => return Ok(code),
        Ended::Answered(answer) => answer,
    };
    let text: Shown = if arguments.options.json {
        let mut all = as_json(&answer);
        all["path"] = place.path.into();
        format!("{all}\n").into()
    } else if environment.colour {
        coloured(&arguments.path, &answer.text, &answer.rows, environment)
    } else {
        answer.text.into()
    };
    arguments.options.print(text, environment)?;
    Ok(ExitCode::SUCCESS)
}

fn coloured(path: &Path, shown: &str, rows: &[AnswerRow], environment: &Environment) -> Shown {
    let is_small = path.metadata().is_ok_and(|data| data.len() <= COLOURED_BYTES_MAX);
    let bytes = if is_small { std::fs::read(path).unwrap_or_default() } else { Vec::new() };
    let text = text_of(&bytes).unwrap_or_default();
    environment.painter().listing(&path.to_string_lossy(), &text, rows_of(shown, rows))
}
