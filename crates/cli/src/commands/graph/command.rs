//! `foveal graph`: who calls, tests and uses a symbol, and what it calls and uses.

use std::path::PathBuf;
use std::process::ExitCode;

use super::said::ModelWords;
use super::{diagram, json, neighbours, symbol, text};
use crate::environment::Environment;
use crate::output;
use crate::repository_index::Related;
use crate::rules::Rules;
use crate::{exit_code, repository_index};
use anyhow::bail;
use foveal_code::relations::NodeId;
use foveal_index::Index;

/// The tool whose permission rules hold here.
const TOOL: &str = "graph";

/// The command line of `foveal graph`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A name (`parse`), a qualified name (`Parser.parse`, `Parser::parse`), a file, a line
    /// of one (`src/parse.rs:12`), or a name in one (`src/parse.rs:parse`).
    #[arg(value_name = "SYMBOL")]
    symbol: String,
    /// The folder of the repository. If not given, the working copy that holds the current folder.
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// The number of steps to follow: 2 shows the callers of callers.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=8))]
    depth: u32,
    /// How to print it.
    #[arg(long, default_value = "text", value_name = "FORMAT")]
    format: Format,
    /// The same as `--format json`.
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Lists for people.
    Text,
    /// A Mermaid flowchart.
    Mermaid,
    /// A Graphviz digraph.
    Dot,
    /// Nodes and relations for programs.
    Json,
}

/// Prints the relations of a symbol.
///
/// # Errors
/// If there is nothing to read, or the index cannot be read, or the symbol means nothing or several things.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    if arguments.symbol.trim().is_empty() {
        bail!("the symbol is empty: name a function, type or file");
    }
    let path = arguments.path.as_deref();
    let related = repository_index::relations(path, environment, Index::said)?;
    let Some(Related { relations, more: said, root: folder }) = related else {
        return Ok(ExitCode::from(exit_code::INTERRUPTED));
    };
    let rules = Rules::within(&folder, environment)?;
    rules.permit(TOOL, &arguments.symbol)?;
    let is_told =
        |node: NodeId| rules.allow(TOOL, &relations.node(relations.file_of(node)).key.path);
    let root = symbol::one(&relations, &arguments.symbol, &is_told)?;
    let words = ModelWords::of(&said, &relations);
    let related = words.related(root, &is_told);
    let around = || {
        let mut around = neighbours::around(&relations, root, arguments.depth, &is_told);
        around.nodes.extend(related.iter().flat_map(|relation| [relation.from, relation.to]));
        around
    };
    let format = if arguments.json { Format::Json } else { arguments.format };
    let printed = match format {
        Format::Text => {
            let lists = text::lists(&relations, root, arguments.depth, &is_told);
            text::text(&relations, (root, &lists), (words, &related), environment)
        }
        Format::Mermaid => diagram::mermaid(&relations, &around(), &related).into(),
        Format::Dot => diagram::dot(&relations, &around(), &related).into(),
        Format::Json => {
            format!("{}\n", json::json(&relations, root, &around(), (words, &related))).into()
        }
    };
    output::print(printed)?;
    Ok(ExitCode::SUCCESS)
}
