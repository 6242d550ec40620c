//! `foveal graph`: the callers, tests and users of a symbol, and the symbols that it uses.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use foveal_index::Index;
use foveal_relevance::relations::NodeId;

use super::model_statements::ModelStatements;
use super::{diagram, json, neighbours, symbol, text};
use crate::environment::Environment;
use crate::output;
use crate::permission_checker::PermissionChecker;
use crate::repository_index::RelationsAnswer;
use crate::{exit_code, repository_index};

/// The tool whose permission rules apply.
const TOOL: &str = "graph";

/// The command line of `foveal graph`.
#[derive(Debug, clap::Args)]
pub(crate) struct GraphArguments {
    /// A name (`parse`), a qualified name (`Parser.parse`, `Parser::parse`), a file, a line
    /// of one (`src/parse.rs:12`), or a name in one (`src/parse.rs:parse`).
    #[arg(value_name = "SYMBOL")]
    symbol: String,
    /// The folder of the repository. If not given, the working copy that contains the current
    /// folder.
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// The number of steps to follow: 2 shows the callers of callers.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=8))]
    depth: u32,
    /// How to print it.
    #[arg(long, default_value = "text", value_name = "FORMAT")]
    format: GraphFormat,
    /// An alias of `--format json`.
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum GraphFormat {
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
/// If there is no source to read, the index cannot be read, or the symbol is unknown or ambiguous.
pub(crate) fn run(
    arguments: &GraphArguments,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    if arguments.symbol.trim().is_empty() {
        bail!("the symbol is empty: name a function, type or file");
    }
    let path = arguments.path.as_deref();
    let related = repository_index::query_relations(path, environment, Index::model_summaries)?;
    let Some(RelationsAnswer { relations, extra: said, root: folder }) = related else {
        return Ok(ExitCode::from(exit_code::INTERRUPTED));
    };
    let rules = PermissionChecker::for_folder(&folder, environment)?;
    rules.permit(TOOL, &arguments.symbol)?;
    let is_told = |node: NodeId| {
        rules.allows_without_question(TOOL, &relations.node(relations.file_of(node)).key.path)
    };
    let root = symbol::resolve_symbol(&relations, &arguments.symbol, &is_told)?;
    let words = ModelStatements::new(&said, &relations);
    let related = words.visible_relations(root, &is_told);
    let around = || {
        let mut around =
            neighbours::find_neighbourhood(&relations, root, arguments.depth, &is_told);
        around.nodes.extend(related.iter().flat_map(|relation| [relation.from, relation.to]));
        around
    };
    let format = if arguments.json { GraphFormat::Json } else { arguments.format };
    let printed = match format {
        GraphFormat::Text => {
            let lists = text::visible_lists(&relations, root, arguments.depth, &is_told);
            text::render_text(&relations, root, &lists, words, &related, environment)
        }
        GraphFormat::Mermaid => {
            diagram::mermaid_flowchart(&relations, root, &around(), &related).into()
        }
        GraphFormat::Dot => diagram::graphviz_digraph(&relations, root, &around(), &related).into(),
        GraphFormat::Json => {
            format!("{}\n", json::relations_to_json(&relations, root, &around(), words, &related))
                .into()
        }
    };
    output::print(printed)?;
    Ok(ExitCode::SUCCESS)
}
