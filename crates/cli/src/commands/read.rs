//! `foveal read`: a file as a model sees it.

use std::num::IntErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use clap::ValueEnum;
use foveal_index::decode_text;
use foveal_tools::AnswerRow;
use serde_json::json;

use crate::colour::answer_rows;
use crate::coloured_text::ColouredText;
use crate::environment::Environment;
use crate::pager::PrintOptions;
use crate::single_tool_call::{PathTools, SingleCallOutcome, ToolAnswerForm, answer_to_json};
use crate::source_file;

/// Largest file that is shown in colours, in bytes.
const COLOURED_BYTES_MAX: u64 = 4 << 20;

/// The command line of `foveal read`.
#[derive(Debug, clap::Args)]
pub(crate) struct ReadArguments {
    /// The file.
    path: PathBuf,
    /// The question to answer. Shows the lines of a long file that matter to it.
    #[arg(long = "for", value_name = "QUESTION", conflicts_with = "lines")]
    question: Option<String>,
    /// How much to show: `auto` shows a short file in full and the important parts of a long one.
    #[arg(long, value_name = "MODE", default_value = "auto", conflicts_with = "lines")]
    mode: ReadViewMode,
    /// Only these lines, counted from 1.
    #[arg(long, value_name = "A-B")]
    lines: Option<LineRangeArgument>,
    #[command(flatten)]
    options: PrintOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ReadViewMode {
    Auto,
    Full,
    Curated,
    Structure,
}

/// A line range, counted from 1, the last line included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineRangeArgument {
    pub(crate) first: u32,
    pub(crate) last: u32,
}

/// The error for an invalid line range.
#[derive(Debug, thiserror::Error)]
#[error("expected a line range such as 12-40, or a line such as 12, counted from 1")]
pub(crate) struct InvalidLineRange;

impl FromStr for LineRangeArgument {
    type Err = InvalidLineRange;

    fn from_str(text: &str) -> Result<Self, InvalidLineRange> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        // A last line beyond the limit of the type means the end of the file.
        let number = |text: &str| match text.trim().parse::<u32>() {
            Err(error) if *error.kind() == IntErrorKind::PosOverflow => Ok(u32::MAX),
            number => number.map_err(|_| InvalidLineRange),
        };
        let span = Self { first: number(first)?, last: number(last)? };
        if span.first == 0 || span.last < span.first { Err(InvalidLineRange) } else { Ok(span) }
    }
}

/// Prints the file.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn run(
    arguments: &ReadArguments,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    // The tools would resolve links and `..`; errors should name the user's path.
    source_file::regular_file_metadata(&arguments.path)?;
    let place = PathTools::open(&arguments.path, ToolAnswerForm::Shaped, environment)?;
    let ended = match (arguments.lines, arguments.mode) {
        (Some(LineRangeArgument { first, last }), _) => place
            .call_tool("read_lines", json!({ "path": place.path, "start": first, "end": last }))?,
        (None, mode) => {
            let mode = match mode {
                ReadViewMode::Auto => "auto",
                ReadViewMode::Full => "full",
                ReadViewMode::Curated => "curated",
                ReadViewMode::Structure => "structure",
            };
            let question = &arguments.question;
            let asked = json!({ "path": place.path, "question": question, "mode": mode });
            place.call_tool("read_file", asked)?
        }
    };
    let answer = match ended {
        SingleCallOutcome::Stopped(code) => return Ok(code),
        SingleCallOutcome::Answered(answer) => answer,
    };
    let text: ColouredText = if arguments.options.json {
        let mut all = answer_to_json(&answer);
        all["path"] = place.path.into();
        format!("{all}\n").into()
    } else if environment.colour {
        highlight_answer(&arguments.path, &answer.text, &answer.rows, environment)
    } else {
        answer.text.into()
    };
    arguments.options.print(text, environment)?;
    Ok(ExitCode::SUCCESS)
}

fn highlight_answer(
    path: &Path,
    shown: &str,
    rows: &[AnswerRow],
    environment: &Environment,
) -> ColouredText {
    let is_small = path.metadata().is_ok_and(|data| data.len() <= COLOURED_BYTES_MAX);
    let bytes = if is_small { std::fs::read(path).unwrap_or_default() } else { Vec::new() };
    let text = decode_text(&bytes).unwrap_or_default();
    environment.painter().paint_file_rows(&path.to_string_lossy(), &text, answer_rows(shown, rows))
}
