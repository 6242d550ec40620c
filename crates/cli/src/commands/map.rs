//! `foveal map`: the most important files and signatures within a token budget.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_relevance::relations::{
    FileRanks, NodeId, RankFocus, RelationNodeKind, Relations, SymbolMatch,
};
use foveal_relevance::repository_map::{MapOptions, RepositoryMap, build_repository_map};
use serde_json::{Value, json};

use crate::colour::OutputRow;
use crate::environment::Environment;
use crate::output;
use crate::permission_checker::PermissionChecker;
use crate::repository_index::RelationsAnswer;
use crate::{exit_code, repository_index};

/// The tool whose permission rules apply.
const TOOL: &str = "map";

/// The command line of `foveal map`.
#[derive(Debug, clap::Args)]
pub(crate) struct MapArguments {
    /// The folder of the repository. If not given, the working copy that contains the current
    /// folder.
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// The most tokens (o200k) that the map may have.
    #[arg(long, default_value_t = 2_000, value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    tokens: u64,
    /// Files or symbols that the map is for; it shows what they use and what uses them.
    #[arg(long, num_args = 1.., value_name = "FILE|SYMBOL")]
    focus: Vec<String>,
    /// Print JSON: the map as text, and each file and entity shown.
    #[arg(long)]
    json: bool,
}

/// Prints the map.
///
/// # Errors
/// If there is no source to read, a focus names no file or symbol, or nothing fits the budget.
pub(crate) fn run(arguments: &MapArguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    let related =
        repository_index::query_relations(arguments.path.as_deref(), environment, |_| Ok(()))?;
    let Some(RelationsAnswer { relations, root, .. }) = related else {
        return Ok(ExitCode::from(exit_code::INTERRUPTED));
    };
    let rules = PermissionChecker::for_folder(&root, environment)?;
    rules.permit(TOOL, "")?;
    let focus = resolve_focus(&relations, &arguments.focus)?;
    let ranks = FileRanks::compute(&relations, &focus);
    let is_hidden =
        |file: &NodeId| !rules.allows_without_question(TOOL, &relations.node(*file).key.path);
    let hidden = relations.files().filter(is_hidden).collect();
    let options = MapOptions {
        hidden_files: hidden,
        ..MapOptions::new(Tokens(arguments.tokens), |text| Tokenizer::O200k.count(text))
    };
    let found = build_repository_map(&relations, &ranks, &options);
    if found.files.is_empty() && found.entity_count > 0 {
        bail!("nothing fits into {} tokens: allow more with --tokens", arguments.tokens);
    }
    if arguments.json {
        output::print(format!("{}\n", map_to_json(&relations, &ranks, &found)))?;
    } else if found.files.is_empty() {
        bail!("nothing to map: no file here defines anything");
    } else {
        // The start of a signature is enough for a person; programs read the JSON.
        let columns = environment.stdout_columns.unwrap_or(usize::MAX);
        let rows = found.rows.iter().map(|row| OutputRow::from(row).truncate_to_columns(columns));
        output::print(environment.painter().paint_rows_of_files(rows))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn resolve_focus(relations: &Relations, words: &[String]) -> anyhow::Result<RankFocus> {
    let mut focus = RankFocus::default();
    for word in words {
        let SymbolMatch::Nodes(nodes) = relations.find_symbol(word) else {
            bail!(relations.unknown_symbol_message(word));
        };
        for node in nodes {
            match relations.node(node).key.kind {
                RelationNodeKind::File => focus.files.push(node),
                RelationNodeKind::Entity(_) => focus.entities.push(node),
            }
        }
    }
    Ok(focus)
}

fn map_to_json(relations: &Relations, ranks: &FileRanks, found: &RepositoryMap) -> Value {
    let entity = |of: &NodeId| {
        let node = relations.node(*of);
        json!({
            "kind": node.key.kind.name(),
            "name": node.key.name,
            "line": node.key.line.0,
            "lines": [node.lines.first.0, node.lines.last.0],
            "signature": node.signature,
        })
    };
    let files = found.files.iter().map(|of| {
        json!({
            "path": relations.node(of.file).key.path.as_ref(),
            "rank": ranks.rank_of_file(relations, of.file),
            "entities": of.entities.iter().map(entity).collect::<Vec<Value>>(),
        })
    });
    json!({
        "tokens": found.tokens.0,
        "text": found.text,
        "files": files.collect::<Vec<Value>>(),
        "files_in_all": relations.files().len(),
    })
}
