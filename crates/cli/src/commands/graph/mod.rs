//! `foveal graph`: who calls, tests and uses a symbol, and what it calls and uses.

mod diagram;
mod json;
mod neighbours;
mod text;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use foveal_code::relations::{NodeId, NodeKind, Relations, SymbolMatch};
use foveal_code::{EntityKind, FileClass};

use crate::environment::Environment;
use crate::{index_place, interrupt};

/// Symbols that are listed where one name means several.
const LISTED_MAX: usize = 30;

/// Names that are suggested for one that nothing has.
const SUGGESTED_MAX: usize = 5;

/// The command line of `foveal graph`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A name (`parse`), a qualified name (`Parser.parse`, `Parser::parse`), a file, a line
    /// of one (`src/parse.rs:12`), or a name in one (`src/parse.rs:parse`).
    #[arg(value_name = "SYMBOL")]
    symbol: String,
    /// The folder of the repository; the working copy around the current folder if not given.
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// How many steps to go: 2 shows the callers of callers.
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
    let Some(relations) = index_place::relations(arguments.path.as_deref(), environment)? else {
        return Ok(ExitCode::from(interrupt::EXIT_CODE));
    };
    let root = one(&relations, &arguments.symbol)?;
    let format = if arguments.json { Format::Json } else { arguments.format };
    let printed = match format {
        Format::Text => text::text(&relations, root, arguments.depth, environment.painter()),
        Format::Mermaid => {
            diagram::mermaid(&relations, &neighbours::around(&relations, root, arguments.depth))
        }
        Format::Dot => {
            diagram::dot(&relations, &neighbours::around(&relations, root, arguments.depth))
        }
        Format::Json => {
            let around = neighbours::around(&relations, root, arguments.depth);
            format!("{}\n", json::json(&relations, root, &around))
        }
    };
    let mut out = super::output();
    out.write_all(printed.as_bytes())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// What `symbol` means, if it is one thing.
fn one(relations: &Relations, symbol: &str) -> anyhow::Result<NodeId> {
    let SymbolMatch::Nodes(found) = relations.find(symbol) else {
        bail!(unknown(relations, symbol));
    };
    let meant = best(relations, &found);
    if let [only] = meant[..] {
        return Ok(only);
    }
    let mut message = format!("`{symbol}` is {} things; name one by its line:", meant.len());
    for node in meant.iter().take(LISTED_MAX) {
        message.push_str(&format!("\n  {}", place_and_name(relations, *node)));
    }
    if meant.len() > LISTED_MAX {
        message.push_str(&format!("\n  and {} more", meant.len() - LISTED_MAX));
    }
    bail!(message)
}

/// Those that are most likely meant: code before data and tests, own code before that of
/// others, what has a body before its declarations, a type before its impls.
fn best(relations: &Relations, found: &[NodeId]) -> Vec<NodeId> {
    let keep = |fits: &dyn Fn(&NodeId) -> bool, nodes: Vec<NodeId>| {
        let kept: Vec<NodeId> = nodes.iter().copied().filter(|node| fits(node)).collect();
        if kept.is_empty() { nodes } else { kept }
    };
    let is = |node: &NodeId, kinds: &[EntityKind]| {
        kinds.iter().any(|kind| relations.node(*node).key.kind == NodeKind::Entity(*kind))
    };
    let aside = [EntityKind::Section, EntityKind::Key, EntityKind::Field];
    let nodes = keep(&|node| !is(node, &aside), found.to_vec());
    let nodes = keep(&|node| !relations.node(*node).in_tests, nodes);
    let nodes = keep(&|node| relations.node(*node).class == FileClass::Source, nodes);
    let nodes = keep(&|node| !is(node, &[EntityKind::Impl]), nodes);
    let functions = [EntityKind::Function, EntityKind::Method];
    if nodes.iter().all(|node| is(node, &functions)) {
        return keep(
            &|node| {
                let node = relations.node(*node);
                node.lines.last > node.signature_lines.last
            },
            nodes,
        );
    }
    nodes
}

/// That nothing is called `symbol`, and what is called nearly so.
pub(super) fn unknown(relations: &Relations, symbol: &str) -> String {
    let nearest = relations.nearest(symbol, SUGGESTED_MAX);
    if nearest.is_empty() {
        return format!("nothing is called `{symbol}`");
    }
    let names: Vec<String> = nearest.iter().map(|near| format!("`{}`", near.name)).collect();
    format!("nothing is called `{symbol}`; the nearest names are {}", names.join(", "))
}

/// `src/parse.rs:12  function parse`.
fn place_and_name(relations: &Relations, of: NodeId) -> String {
    let key = &relations.node(of).key;
    match key.kind {
        NodeKind::File => format!("{}  file", key.path),
        NodeKind::Entity(kind) => {
            format!("{}:{}  {} {}", key.path, key.line.0, kind.name(), key.name)
        }
    }
}
