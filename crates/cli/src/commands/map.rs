//! `foveal map`: the files and signatures that matter most, within a number of tokens.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use foveal_code::map::{MapOptions, RepositoryMap, map};
use foveal_code::relations::{FileRanks, Focus, NodeId, NodeKind, Relations, SymbolMatch};
use foveal_context::tokens::{Tokenizer, Tokens};
use serde_json::{Value, json};

use crate::colour::Row;
use crate::environment::Environment;
use crate::output;
use crate::repository_index::Related;
use crate::rules::Rules;
use crate::{exit_code, repository_index};

/// The tool whose permission rules hold here.
const TOOL: &str = "map";

/// The command line of `foveal map`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder of the repository. If not given, the working copy that holds the current folder.
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
/// If there is nothing to read, or a focus names nothing.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    let related = repository_index::relations(arguments.path.as_deref(), environment, |_| Ok(()))?;
    let Some(Related { relations, root, .. }) = related else {
        return Ok(ExitCode::from(exit_code::INTERRUPTED));
    };
    let rules = Rules::within(&root, environment)?;
    rules.permit(TOOL, "")?;
    let focus = focus(&relations, &arguments.focus)?;
    let ranks = FileRanks::of(&relations, &focus);
    let is_hidden = |file: &NodeId| !rules.allow(TOOL, &relations.node(*file).key.path);
    let hidden = relations.files().filter(is_hidden).collect();
    let options = MapOptions {
        hidden,
        ..MapOptions::new(Tokens(arguments.tokens), |text| Tokenizer::O200k.count(text))
    };
    let found = map(&relations, &ranks, &options);
    if arguments.json {
        output::print(format!("{}\n", as_json(&relations, &ranks, &found)))?;
    } else if found.text.is_empty() {
        bail!("nothing fits into {} tokens: allow more with --tokens", arguments.tokens);
    } else {
        // A signature tells enough by its beginning; whoever reads the map by a program has all.
        let columns = environment.width.unwrap_or(usize::MAX);
        let rows = found.rows.iter().map(|row| Row::from(row).within(columns));
        output::print(environment.painter().files(rows))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn focus(relations: &Relations, words: &[String]) -> anyhow::Result<Focus> {
    let mut focus = Focus::default();
    for word in words {
        let SymbolMatch::Nodes(nodes) = relations.find(word) else {
            bail!(relations.unknown(word));
        };
        for node in nodes {
            match relations.node(node).key.kind {
                NodeKind::File => focus.files.push(node),
                NodeKind::Entity(_) => focus.entities.push(node),
            }
        }
    }
    Ok(focus)
}

fn as_json(relations: &Relations, ranks: &FileRanks, found: &RepositoryMap) -> Value {
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
            "rank": ranks.file(relations, of.file),
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
