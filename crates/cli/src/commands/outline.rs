//! `foveal outline`: the structure of files.

use std::path::PathBuf;
use std::process::ExitCode;

use foveal_relevance::outline_listing::outline_rows;
use foveal_syntax::{EntityIndex, ParsedFile, outline};
use serde_json::{Value, json};

use crate::colour::{OutputRow, OutputStyle};
use crate::coloured_text::ColouredText;
use crate::environment::Environment;
use crate::numbers::format_plural;
use crate::output;
use crate::permission_checker::PermissionChecker;
use crate::source_file::{self, SourceText, read_source_file};

/// The command line of `foveal outline`.
#[derive(Debug, clap::Args)]
pub(crate) struct OutlineArguments {
    /// Source files, of any language.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print JSON: for each file its entities, and the lines shown and omitted.
    #[arg(long)]
    json: bool,
}

/// Prints the outline of each file.
///
/// # Errors
/// If a file cannot be read; then no outline is printed.
pub(crate) fn run(
    arguments: &OutlineArguments,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    let mut read = Vec::new();
    for path in &arguments.files {
        source_file::regular_file_metadata(path)?;
        PermissionChecker::for_file(path, environment)?.permit_file("outline")?;
        read.push((path.display().to_string(), read_source_file(path)?));
    }
    let painter = environment.painter();
    let mut shown = ColouredText::default();
    if arguments.json {
        let all: Vec<Value> =
            read.iter().map(|(path, source)| outline_to_json(path, source)).collect();
        shown.push(format!("{}\n", json!({ "files": all })));
    } else {
        for (at, (path, source)) in read.iter().enumerate() {
            if read.len() > 1 {
                let before = if at > 0 { "\n" } else { "" };
                let lines = painter.paint(
                    OutputStyle::Secondary,
                    &format!("({})", format_plural(source.parsed.line_count.into(), "line")),
                );
                shown.push(before);
                shown.push(
                    painter
                        .paint(OutputStyle::Location, path)
                        .append(" ")
                        .append(lines)
                        .append("\n"),
                );
            }
            let SourceText { text, parsed } = source;
            let rows = outline_rows(&outline(parsed, text), parsed, text);
            shown.push(painter.paint_file_rows(path, text, rows.iter().map(OutputRow::from)));
        }
    }
    output::print(shown)?;
    Ok(ExitCode::SUCCESS)
}

fn outline_to_json(path: &str, source: &SourceText) -> Value {
    let SourceText { text, parsed } = source;
    let outline = outline(parsed, text);
    let entities = parsed.indexed_entities().map(|(at, _)| entity_to_json(parsed, at));
    json!({
        "path": path,
        "language": parsed.language.map(|language| language.name()),
        "lines": parsed.line_count,
        "broken": parsed.broken,
        "cut": parsed.cut,
        "entities": entities.collect::<Vec<Value>>(),
        "shown": outline.parts.iter().map(|part| line_range_to_json(part.lines)).collect::<Vec<Value>>(),
        "left_out": outline.gaps.iter().map(|gap| line_range_to_json(gap.lines)).collect::<Vec<Value>>(),
    })
}

fn entity_to_json(parsed: &ParsedFile, at: EntityIndex) -> Value {
    let Some(of) = parsed.entity(at) else { return Value::Null };
    json!({
        "kind": of.kind.name(),
        "name": parsed.qualified_name(at),
        "lines": line_range_to_json(of.lines),
        "signature": line_range_to_json(of.signature),
        "documentation": of.doc.map(line_range_to_json),
        "visibility": format!("{:?}", of.visibility).to_lowercase(),
        "parent": of.parent.map(|parent| parent.as_usize()),
    })
}

/// Returns a line range as `[first, last]`.
fn line_range_to_json(lines: foveal_syntax::LineRange) -> Value {
    json!([lines.first.0, lines.last.0])
}
