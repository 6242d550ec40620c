//! `foveal grep`: the lines of files that match a pattern.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use foveal_tools::answer::{AnswerRow, RowKind, ToolCallAnswer};
use serde_json::{Value, json};

use crate::colour::answer_rows;
use crate::environment::Environment;
use crate::notice;
use crate::pager;
use crate::single_tool_call::{
    HITS_MAX, PathTools, SingleCallOutcome, ToolAnswerForm, answer_to_json,
};

/// The exit code of a search without hits, as in other search programs.
const EXIT_CODE_NO_MATCH: u8 = 1;

/// The command line of `foveal grep`.
#[derive(Debug, clap::Args)]
pub(crate) struct GrepCommandArguments {
    /// A regular expression, in ripgrep's syntax.
    pattern: String,
    /// A folder or file; the current folder if not given.
    path: Option<PathBuf>,
    /// Ignores case.
    #[arg(short, long)]
    ignore_case: bool,
    /// The pattern is plain text.
    #[arg(short = 'F', long)]
    fixed_strings: bool,
    /// Matches can span several lines.
    #[arg(short = 'U', long)]
    multiline: bool,
    /// Only files whose paths match, such as `src/**/*.rs`.
    #[arg(short, long, value_name = "GLOB")]
    glob: Option<String>,
    /// Only files of this type, such as `rust` or `py`.
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// The number of lines to show around each match.
    #[arg(short = 'C', long, value_name = "LINES", default_value_t = 0, value_parser = clap::value_parser!(u8).range(..=100))]
    context: u8,
    /// Shows only which files match.
    #[arg(short = 'l', long, conflicts_with = "count")]
    files: bool,
    /// Shows only how often each file matches.
    #[arg(short, long)]
    count: bool,
    /// The number of matching lines, or files, to show; all if not given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=HITS_MAX as i64))]
    limit: Option<u32>,
    /// The number of matching lines, or files, to skip first.
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u32,
    /// Shows the answer as a model gets it: a selection of many matching lines.
    #[arg(long)]
    shaped: bool,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
    /// Prints without a pager.
    #[arg(long)]
    no_pager: bool,
}

/// Prints the matches.
///
/// # Errors
/// If the pattern or the path is invalid.
pub(crate) fn run(
    arguments: &GrepCommandArguments,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    if arguments.pattern.is_empty() {
        bail!("the pattern is empty: give a regular expression");
    }
    let folder = arguments.path.clone().unwrap_or_else(|| PathBuf::from("."));
    let form = if arguments.shaped { ToolAnswerForm::Shaped } else { ToolAnswerForm::Complete };
    let place = PathTools::open(&folder, form, environment)?;
    let output = match (arguments.files, arguments.count) {
        (true, _) => "files",
        (_, true) => "count",
        _ => "content",
    };
    let rest = HITS_MAX.saturating_sub(arguments.offset as usize).max(1);
    let limit = arguments.limit.map_or(rest, |limit| limit as usize);
    let asked = json!({
        "pattern": arguments.pattern,
        "path": place.path,
        "ignore_case": arguments.ignore_case,
        "literal": arguments.fixed_strings,
        "multiline": arguments.multiline,
        "glob": arguments.glob,
        "type": arguments.kind,
        "context": arguments.context,
        "output": output,
        "limit": limit,
        "offset": arguments.offset,
    });
    let answer = match place.call_tool("grep", asked)? {
        SingleCallOutcome::Stopped(code) => return Ok(code),
        SingleCallOutcome::Answered(answer) => answer,
    };
    let found = answer.structured.as_ref().and_then(|found| found["total"].as_u64()).unwrap_or(0);
    if arguments.json {
        let mut all: Value = answer_to_json(&answer);
        all["path"] = place.path.into();
        pager::print_paged(format!("{all}\n"), false, environment)?;
    } else if arguments.shaped && found > 0 {
        let text =
            environment.painter().paint_rows_of_files(answer_rows(&answer.text, &answer.rows));
        pager::print_paged(text, !arguments.no_pager, environment)?;
    } else {
        print_all_hits(&answer, arguments, environment)?;
    }
    Ok(if found == 0 { ExitCode::from(EXIT_CODE_NO_MATCH) } else { ExitCode::SUCCESS })
}

/// Prints the hits, and the notes on the search on standard error.
fn print_all_hits(
    answer: &ToolCallAnswer,
    arguments: &GrepCommandArguments,
    environment: &Environment,
) -> anyhow::Result<()> {
    let rows = answer.text.split_inclusive('\n').zip(&answer.rows);
    let (notes, hits): (Vec<_>, Vec<_>) = rows.partition(|(_, row)| row.kind == RowKind::Note);
    let (text, rows): (String, Vec<AnswerRow>) =
        hits.into_iter().map(|(line, row)| (line, row.clone())).unzip();
    if !text.is_empty() {
        let text = environment.painter().paint_rows_of_files(answer_rows(&text, &rows));
        pager::print_paged(text, !arguments.no_pager, environment)?;
    }
    for (note, _) in notes {
        notice::print_notice(note.trim_end().trim_matches(['[', ']']));
    }
    Ok(())
}
