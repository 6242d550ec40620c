//! `foveal grep`: the lines of files that match a pattern.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;
use foveal_tools::answer::{AnswerRow, RowKind, ToolCallAnswer};
use serde_json::{Value, json};

use crate::colour::answer_rows;
use crate::coloured_text::ColouredText;
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
    /// Folders or files; the current folder if not given.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
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
    let is_paged = arguments.limit.is_some() || arguments.offset > 0;
    if arguments.paths.len() > 1 && is_paged {
        bail!("--limit and --offset need a single path");
    }
    let here = [PathBuf::from(".")];
    let paths = if arguments.paths.is_empty() { &here[..] } else { &arguments.paths[..] };
    let (mut output, mut notes, mut is_found) = (ColouredText::default(), Vec::new(), false);
    for path in paths {
        let (place, answer) = match search_path(arguments, path, environment)? {
            (_, SingleCallOutcome::Stopped(code)) => return Ok(code),
            (place, SingleCallOutcome::Answered(answer)) => (place, answer),
        };
        let total = answer.structured.as_ref().and_then(|found| found["total"].as_u64());
        let has_hits = total.unwrap_or(0) > 0;
        if is_found && has_hits && !(arguments.json || arguments.files || arguments.count) {
            output.push_str("\n");
        }
        is_found |= has_hits;
        if arguments.json {
            let mut all: Value = answer_to_json(&answer);
            all["path"] = place.into();
            output.push_str(&format!("{all}\n"));
        } else if arguments.shaped && has_hits {
            let rows = answer_rows(&answer.text, &answer.rows);
            output.push(environment.painter().paint_rows_of_files(rows));
        } else {
            let (hits, more) = split_notes(&answer, environment);
            output.push(hits);
            notes.extend(more);
        }
    }
    if output != ColouredText::default() {
        pager::print_paged(output, !(arguments.no_pager || arguments.json), environment)?;
    }
    notes.iter().for_each(notice::print_notice);
    Ok(if is_found { ExitCode::SUCCESS } else { ExitCode::from(EXIT_CODE_NO_MATCH) })
}

/// Searches one path. Returns the path as answers show it, and the answer.
fn search_path(
    arguments: &GrepCommandArguments,
    path: &Path,
    environment: &Environment,
) -> anyhow::Result<(String, SingleCallOutcome)> {
    let form = if arguments.shaped { ToolAnswerForm::Shaped } else { ToolAnswerForm::Complete };
    let place = PathTools::open(path, form, environment)?;
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
    let outcome = place.call_tool("grep", asked)?;
    Ok((place.path, outcome))
}

/// Returns the hits of an answer, and its notes on the search.
fn split_notes(answer: &ToolCallAnswer, environment: &Environment) -> (ColouredText, Vec<String>) {
    let rows = answer.text.split_inclusive('\n').zip(&answer.rows);
    let (notes, hits): (Vec<_>, Vec<_>) = rows.partition(|(_, row)| row.kind == RowKind::Note);
    let (text, rows): (String, Vec<AnswerRow>) =
        hits.into_iter().map(|(line, row)| (line, row.clone())).unzip();
    let text = environment.painter().paint_rows_of_files(answer_rows(&text, &rows));
    let note = |(note, _): (&str, _)| note.trim_end().trim_matches(['[', ']']).to_owned();
    (text, notes.into_iter().map(note).collect())
}
