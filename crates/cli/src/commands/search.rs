//! `foveal search`: parts of files by words and by meaning.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use foveal_code::{EntityKind, Visibility};
use foveal_embedder::Patience;
use foveal_index::{Hit, Index, SearchOptions};
use serde_json::json;

use crate::colour::Style;
use crate::embedders::EmbedderOptions;
use crate::environment::Environment;
use crate::exit_code;
use crate::interrupt;
use crate::notice;
use crate::numbers::plural;
use crate::output;
use crate::repository_index::{self, Answer, Embedding};
use crate::rules::Rules;
use crate::shown::Shown;
use crate::table::wrapped;

/// All kinds, as they are asked for.
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

/// The tool whose permission rules hold here.
const TOOL: &str = "search_code";

/// The command line of `foveal search`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// What to look for: names, or what something does.
    #[arg(value_name = "QUERY", required = true)]
    query: Vec<String>,
    /// Finds only these kinds, such as `function,method`.
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = parse_kind)]
    kind: Vec<EntityKind>,
    /// The number of parts to show.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
    /// The folder. If not given, the working copy that holds the current folder.
    #[arg(long, value_name = "PATH")]
    path: Option<PathBuf>,
    /// Prints what is found as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    embedder: EmbedderOptions,
}

fn parse_kind(text: &str) -> Result<EntityKind, UnknownKind> {
    let known = KINDS.into_iter().find(|kind| kind.name() == text);
    known.ok_or_else(|| UnknownKind(text.to_owned()))
}

/// A kind that there is not.
#[derive(Debug, thiserror::Error)]
#[error("unknown kind `{0}`: one of {names}", names = KINDS.map(EntityKind::name).join(", "))]
struct UnknownKind(String);

/// Prints the parts that answer the question, best first.
///
/// # Errors
/// If the question is empty, or the index cannot be read or written.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    let query = arguments.query.join(" ");
    if query.trim().is_empty() {
        bail!("the question is empty: say what to look for");
    }
    let cancel = &interrupt::listen();
    let (options, patience) = (&arguments.embedder, Patience::SHORT);
    let embedding = Embedding { options, patience, environment, cancel };
    let mut opened = repository_index::open_for_reading(arguments.path.as_deref(), embedding)?;
    let rules = Rules::within(opened.index.root(), environment)?;
    rules.permit(TOOL, &query)?;
    let options = SearchOptions {
        limit: usize::from(arguments.limit),
        kinds: arguments.kind.clone(),
        ..SearchOptions::default()
    };
    let search = |index: &mut Index| index.search(&query, &options);
    let asked =
        repository_index::ask(&mut opened, cancel, repository_index::update_for_search, search)?;
    let Some(Answer { answer: mut hits, summary }) = asked else {
        return Ok(ExitCode::from(exit_code::INTERRUPTED));
    };
    hits.retain(|hit| rules.allow(TOOL, &hit.path));
    let (problem, waiting) = (opened.problem.as_deref(), summary.waiting);
    let embedder = opened.embedder.as_ref().map(ToString::to_string).unwrap_or_default();
    note(&hits, problem, waiting, &embedder);
    let index = &opened.index;
    let text: Shown = if arguments.json {
        let root = index.root().to_string_lossy();
        let hits: Vec<serde_json::Value> = hits.iter().map(to_json).collect();
        let all = json!({ "root": root, "hits": hits, "problem": problem, "waiting": waiting });
        format!("{all}\n").into()
    } else {
        hits.iter().map(|hit| to_text(hit, environment)).collect()
    };
    output::print(text)?;
    if hits.is_empty() {
        notice::say(format_args!("nothing was found in {}", index.root().display()));
        return Ok(ExitCode::from(exit_code::NEGATIVE));
    }
    Ok(ExitCode::SUCCESS)
}

/// Says on standard error what was searched without.
fn note(hits: &[Hit], problem: Option<&str>, waiting: u64, embedder: &str) {
    let without = match hits.iter().any(|hit| hit.reason.cosine.is_some()) {
        true => "searched by words and by the vectors that are there",
        false => "searched by words alone",
    };
    match problem {
        Some(problem) => notice::say(format_args!("{without}: {problem}")),
        None if waiting > 0 => {
            let (files, has) = (plural(waiting, "file"), if waiting == 1 { "has" } else { "have" });
            notice::say(format_args!(
                "{files} {has} no vectors by {embedder} yet: run `foveal index` to make them"
            ));
        }
        None => {}
    }
}

fn visibility(hit: &Hit) -> Option<&'static str> {
    hit.visibility.map(|visibility| match visibility {
        Visibility::Public => "public",
        Visibility::Restricted => "restricted",
        Visibility::Private => "private",
    })
}

fn to_json(hit: &Hit) -> serde_json::Value {
    let mut data = hit.data();
    data["visibility"] = visibility(hit).into();
    data["score"] = hit.score.into();
    data["words"] = hit.reason.words.clone().into();
    data["words_score"] = hit.reason.words_score.into();
    data["cosine"] = hit.reason.cosine.into();
    data["neighbours"] = hit.reason.neighbours.into();
    data
}

/// Where it is, what it is, and why it was found: two or three lines, more where a terminal is
/// narrow.
fn to_text(hit: &Hit, environment: &Environment) -> Shown {
    let painter = environment.painter();
    let place = format!("{}:{}", hit.path, hit.lines);
    let kind = hit.kind.map_or("lines", EntityKind::name);
    let width = environment.width.unwrap_or(usize::MAX);
    let length = place.chars().count() + kind.len() + hit.name.chars().count() + 3;
    let gap = if length > width { "\n    " } else { "  " };
    let (place, name) =
        (painter.paint(Style::Place, &place), painter.paint(Style::Name, &hit.name));
    let mut text = place.and(gap).and(kind).and(" ").and(name).and("\n");
    if !hit.signature.is_empty() && hit.signature != hit.name {
        let signature = cut(&hit.signature, width.saturating_sub(INDENT.len()));
        text.push_str(INDENT);
        text.push(painter.piece(&hit.path, &signature).and("\n"));
    }
    if let Some(words) = &hit.said {
        let told = format!("a model says: {words}");
        for line in wrapped(&told, width.saturating_sub(INDENT.len()), "").lines() {
            text.push_str(INDENT);
            text.push(painter.paint(Style::Aside, line).and("\n"));
        }
    }
    // Numbers compare within one question only; they are in the JSON.
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
    for line in wrapped(&why, width.saturating_sub(INDENT.len()), "").lines() {
        text.push_str(INDENT);
        text.push(painter.paint(Style::Aside, line).and("\n"));
    }
    text
}

/// What stands before lines about a hit.
const INDENT: &str = "    ";

/// At most so many characters of each line.
fn cut(text: &str, width: usize) -> String {
    let cut = |line: &str| match line.chars().count() > width {
        true => line.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
        false => line.to_owned(),
    };
    text.split('\n').map(cut).collect::<Vec<String>>().join("\n")
}
