//! `foveal search`: parts of files by words and by meaning.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use foveal_index::{Index, SearchHit, SearchOptions};
use foveal_providers::EmbeddingRequestLimits;
use foveal_syntax::{EntityKind, Visibility};
use serde_json::json;

use crate::colour::OutputStyle;
use crate::coloured_text::ColouredText;
use crate::embedder_choice::EmbedderOptions;
use crate::environment::Environment;
use crate::exit_code;
use crate::interrupt;
use crate::notice;
use crate::numbers::format_plural;
use crate::output;
use crate::permission_checker::PermissionChecker;
use crate::repository_index::{self, EmbedderContext, IndexQueryResult};
use crate::text_table::wrap_text;

/// All kinds of entities that `--kind` accepts.
const KINDS: [EntityKind; 13] = [
    EntityKind::Module,
    EntityKind::Imports,
    EntityKind::Function,
    EntityKind::Method,
    EntityKind::Type,
    EntityKind::Trait,
    EntityKind::Impl,
    EntityKind::Enum,
    EntityKind::Constant,
    EntityKind::Field,
    EntityKind::Test,
    EntityKind::Section,
    EntityKind::Key,
];

/// The tool whose permission rules apply.
const TOOL: &str = "search_code";

/// The command line of `foveal search`.
#[derive(Debug, clap::Args)]
pub(crate) struct SearchArguments {
    /// The query: names, or what something does.
    #[arg(value_name = "QUERY", required = true)]
    query: Vec<String>,
    /// Finds only these kinds, such as `function,method`.
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = parse_kind)]
    kind: Vec<EntityKind>,
    /// The number of parts to show.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
    /// The folder. If not given, the working copy that contains the current folder.
    #[arg(long, value_name = "PATH")]
    path: Option<PathBuf>,
    /// Prints the results as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    embedder: EmbedderOptions,
}

fn parse_kind(text: &str) -> Result<EntityKind, UnknownEntityKind> {
    let known = KINDS.into_iter().find(|kind| kind.name() == text);
    known.ok_or_else(|| UnknownEntityKind(text.to_owned()))
}

/// The error for an unknown kind.
#[derive(Debug, thiserror::Error)]
#[error(
    "unknown kind `{0}`: expected one of {names}",
    names = KINDS.map(EntityKind::name).join(", ")
)]
struct UnknownEntityKind(String);

/// Prints the parts that match the query, best first.
///
/// # Errors
/// If the query is empty, or the index cannot be read or written.
pub(crate) fn run(
    arguments: &SearchArguments,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    let query = arguments.query.join(" ");
    if query.trim().is_empty() {
        bail!("the query is empty: give names or words to search for");
    }
    let cancel = &interrupt::cancel_on_ctrl_c();
    let (options, patience) = (&arguments.embedder, EmbeddingRequestLimits::INTERACTIVE);
    let embedding = EmbedderContext { options, patience, environment, cancel };
    let mut opened =
        repository_index::open_index_for_reading(arguments.path.as_deref(), embedding)?;
    let rules = PermissionChecker::for_folder(opened.index.root(), environment)?;
    rules.permit(TOOL, &query)?;
    let options =
        SearchOptions { limit: usize::from(arguments.limit), kinds: arguments.kind.clone() };
    let search = |index: &mut Index| index.search(&query, &options);
    let asked = repository_index::query_index(
        &mut opened,
        cancel,
        repository_index::update_index_for_search,
        search,
    )?;
    let Some(IndexQueryResult { answer: mut hits, summary }) = asked else {
        return Ok(ExitCode::from(exit_code::INTERRUPTED));
    };
    hits.retain(|hit| rules.allows_without_question(TOOL, &hit.path));
    let (problem, waiting) = (opened.embedder_problem.as_deref(), summary.without_vectors);
    let embedder = opened.embedder.as_ref().map(ToString::to_string).unwrap_or_default();
    print_search_limits(&hits, problem, waiting, &embedder);
    let index = &opened.index;
    let text: ColouredText = if arguments.json {
        let root = index.root().to_string_lossy();
        let hits: Vec<serde_json::Value> = hits.iter().map(hit_to_json).collect();
        let all = json!({ "root": root, "hits": hits, "problem": problem, "waiting": waiting });
        format!("{all}\n").into()
    } else {
        hits.iter().map(|hit| hit_to_text(hit, environment)).collect()
    };
    output::print(text)?;
    if hits.is_empty() {
        notice::print_notice(format_args!("nothing was found in {}", index.root().display()));
        return Ok(ExitCode::from(exit_code::NEGATIVE));
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints on standard error what the search had to do without.
fn print_search_limits(hits: &[SearchHit], problem: Option<&str>, waiting: u64, embedder: &str) {
    let without = match hits.iter().any(|hit| hit.reason.cosine.is_some()) {
        true => "searched by words and by the existing vectors",
        false => "searched by words only",
    };
    match problem {
        Some(problem) => notice::print_notice(format_args!("{without}: {problem}")),
        None if waiting > 0 => {
            let (files, has) =
                (format_plural(waiting, "file"), if waiting == 1 { "has" } else { "have" });
            notice::print_notice(format_args!(
                "{files} {has} no vectors by {embedder} yet: run `foveal index` to create them"
            ));
        }
        None => {}
    }
    if !hits.is_empty() && hits.iter().all(|hit| hit.reason.words.is_empty()) {
        notice::print_notice(
            "no result contains a word of the query: all were found by meaning or as neighbours",
        );
    }
}

fn visibility_word(hit: &SearchHit) -> Option<&'static str> {
    hit.visibility.map(|visibility| match visibility {
        Visibility::Public => "public",
        Visibility::Restricted => "restricted",
        Visibility::Private => "private",
    })
}

fn hit_to_json(hit: &SearchHit) -> serde_json::Value {
    let mut data = hit.to_json();
    data["visibility"] = visibility_word(hit).into();
    data["score"] = hit.score.into();
    data["words"] = hit.reason.words.clone().into();
    data["words_score"] = hit.reason.words_score.into();
    data["cosine"] = hit.reason.cosine.into();
    data["neighbours"] = hit.reason.neighbours.into();
    data
}

/// Renders the location, the entity and the reasons of a hit in two or three lines, more on a
/// narrow terminal.
fn hit_to_text(hit: &SearchHit, environment: &Environment) -> ColouredText {
    let painter = environment.painter();
    let place = format!("{}:{}", hit.path, hit.lines);
    // Text outside of entities has neither kind nor name.
    let kind = match (hit.kind, hit.name.is_empty()) {
        (Some(kind), _) => kind.name(),
        (None, false) => "lines",
        (None, true) => "",
    };
    let width = environment.stdout_columns.unwrap_or(usize::MAX);
    let length = place.chars().count() + kind.len() + hit.name.chars().count() + 3;
    let gap = if length > width { "\n    " } else { "  " };
    let (place, name) =
        (painter.paint(OutputStyle::Location, &place), painter.paint(OutputStyle::Name, &hit.name));
    let mut text = match kind {
        "" => place.append("\n"),
        kind => place.append(gap).append(kind).append(" ").append(name).append("\n"),
    };
    if !hit.signature.is_empty() && hit.signature != hit.name {
        let signature = truncate_lines(&hit.signature, width.saturating_sub(INDENT.len()));
        text.push_str(INDENT);
        text.push(painter.highlight_fragment(&hit.path, &signature).append("\n"));
    }
    if let Some(words) = &hit.model_summary {
        let told = format!("a model says: {words}");
        for line in wrap_text(&told, width.saturating_sub(INDENT.len()), "").lines() {
            text.push_str(INDENT);
            text.push(painter.paint(OutputStyle::Secondary, line).append("\n"));
        }
    }
    // Scores are comparable within one query only, so they stand in the JSON alone.
    let mut reasons = Vec::new();
    if !hit.reason.words.is_empty() {
        reasons.push(format!("words {}", hit.reason.words.join(", ")));
    }
    if hit.reason.cosine.is_some_and(|cosine| cosine > 0.0) {
        reasons.push("meaning".to_owned());
    }
    if hit.reason.neighbours > 0.0 {
        reasons.push("neighbours".to_owned());
    }
    let why = format!("found by {}", reasons.join("; "));
    for line in wrap_text(&why, width.saturating_sub(INDENT.len()), "").lines() {
        text.push_str(INDENT);
        text.push(painter.paint(OutputStyle::Secondary, line).append("\n"));
    }
    text
}

/// Indentation of the lines below a hit.
const INDENT: &str = "    ";

/// Truncates each line to `width` characters.
fn truncate_lines(text: &str, width: usize) -> String {
    let cut = |line: &str| match line.chars().count() > width {
        true => line.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
        false => line.to_owned(),
    };
    text.split('\n').map(cut).collect::<Vec<String>>().join("\n")
}
