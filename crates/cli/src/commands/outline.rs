//! `foveal outline`: the structure of files.

use std::path::PathBuf;
use std::process::ExitCode;

use foveal_code::{EntityIndex, Parsed, outline};
use serde_json::{Value, json};

use crate::colour::{Row, Style};
use crate::environment::Environment;
use crate::output;
use crate::rules::Rules;
use crate::shown::Shown;
use crate::source_file::{self, SourceText, read_file};

/// The command line of `foveal outline`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Source files, of any language.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print JSON: for each file its entities, and the lines shown and left out.
    #[arg(long)]
    json: bool,
}

/// Prints the outline of each file.
///
/// # Errors
/// If a file cannot be read; nothing is printed then.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    let mut read = Vec::new();
    for path in &arguments.files {
        source_file::regular(path)?;
        Rules::about(path, environment)?.permit_file("outline")?;
        read.push((path.display().to_string(), read_file(path)?));
    }
    let painter = environment.painter();
    let mut shown = Shown::default();
    if arguments.json {
        let all: Vec<Value> = read.iter().map(|(path, source)| as_json(path, source)).collect();
        shown.push(format!("{}\n", json!({ "files": all })));
    } else {
        for (at, (path, source)) in read.iter().enumerate() {
            if read.len() > 1 {
                let before = if at > 0 { "\n" } else { "" };
                let lines =
                    painter.paint(Style::Aside, &format!("({} lines)", source.parsed.line_count));
                shown.push(before);
                shown.push(painter.paint(Style::Place, path).and(" ").and(lines).and("\n"));
            }
            let SourceText { text, parsed } = source;
            let rows = outline(parsed, text).rows(parsed, text);
            shown.push(painter.listing(path, text, rows.iter().map(Row::from)));
        }
    }
    output::print(shown)?;
    Ok(ExitCode::SUCCESS)
}

fn as_json(path: &str, source: &SourceText) -> Value {
    let SourceText { text, parsed } = source;
    let outline = outline(parsed, text);
    let entities = parsed.indexed().map(|(at, _)| entity(parsed, at));
    json!({
        "path": path,
        "language": parsed.language.map(|language| language.name()),
        "lines": parsed.line_count,
        "broken": parsed.broken,
        "cut": parsed.cut,
        "entities": entities.collect::<Vec<Value>>(),
        "shown": outline.parts.iter().map(|part| pair(part.lines)).collect::<Vec<Value>>(),
        "left_out": outline.gaps.iter().map(|gap| pair(gap.lines)).collect::<Vec<Value>>(),
    })
}

fn entity(parsed: &Parsed, at: EntityIndex) -> Value {
    let Some(of) = parsed.entity(at) else { return Value::Null };
    json!({
        "kind": of.kind.name(),
        "name": parsed.qualified_name(at),
        "lines": pair(of.lines),
        "signature": pair(of.signature),
        "documentation": of.doc.map(pair),
        "visibility": format!("{:?}", of.visibility).to_lowercase(),
        "parent": of.parent.map(|parent| parent.get()),
    })
}

/// A range as `[first, last]`.
fn pair(lines: foveal_code::LineRange) -> Value {
    json!([lines.first.0, lines.last.0])
}
