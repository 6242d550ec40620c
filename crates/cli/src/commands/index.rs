//! `foveal index`: brings the index of a folder up to date.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use foveal_indexer::{Changes, Indexer, Summary, Watcher};
use serde_json::json;

use crate::environment::Environment;
use crate::index_place::{self, Opened};
use crate::interrupt::{self, Interrupt};
use crate::numbers::{count, plural};

/// The command line of `foveal index`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder; the working copy around the current folder if not given.
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// Goes on until Ctrl+C, and indexes files as they change.
    #[arg(long)]
    watch: bool,
    /// Prints figures as one JSON object a line.
    #[arg(long)]
    json: bool,
    /// Leaves out vectors: parts are found by their words alone.
    #[arg(long)]
    no_embeddings: bool,
}

/// Updates the index, and with `--watch` keeps it so.
///
/// # Errors
/// If the folder cannot be read or the index cannot be written.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    let interrupt = Interrupt::listen();
    let mut opened =
        index_place::open(arguments.path.as_deref(), !arguments.no_embeddings, environment)?;
    // Begun first, so that nothing is missed between the first look and the watch.
    let watcher = match arguments.watch {
        true => Some(Watcher::start(opened.indexer.root())?),
        false => None,
    };
    let begin = Instant::now();
    let summary = index_place::update(&mut opened.indexer, &interrupt)?;
    tell(arguments, &opened, &summary, begin)?;
    if summary.stopped {
        return Ok(ExitCode::from(interrupt::EXIT_CODE));
    }
    let Some(watcher) = watcher else { return Ok(ExitCode::SUCCESS) };
    while let Some(changes) = watcher.wait(&|| interrupt.requested()) {
        let begin = Instant::now();
        let summary = follow(&mut opened.indexer, &changes, &interrupt)?;
        if summary.indexed + summary.removed > 0 {
            tell(arguments, &opened, &summary, begin)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn follow(
    indexer: &mut Indexer,
    changes: &Changes,
    interrupt: &Interrupt,
) -> anyhow::Result<Summary> {
    match changes {
        Changes::Everything => index_place::update(indexer, interrupt),
        Changes::Files(files) => {
            for file in files {
                indexer.touch(file);
            }
            Ok(indexer.update_queued(&|| interrupt.requested())?)
        }
    }
}

/// Prints what an update did that began at `begin`.
fn tell(
    arguments: &Arguments,
    opened: &Opened,
    summary: &Summary,
    begin: Instant,
) -> anyhow::Result<()> {
    let seconds = begin.elapsed().as_secs_f64();
    let size = opened.indexer.size()?;
    let mut out = super::output();
    if arguments.json {
        let line = json!({
            "root": opened.indexer.root().to_string_lossy(),
            "store": opened.store.to_string_lossy(),
            "indexed": summary.indexed,
            "unchanged": summary.unchanged,
            "removed": summary.removed,
            "unreadable": summary.unreadable,
            "passed_by": summary.passed_by,
            "stopped": summary.stopped,
            "rebuilt": summary.rebuilt,
            "files": size.files,
            "chunks": size.chunks,
            "seconds": seconds,
        });
        writeln!(out, "{line}")?;
    } else {
        let mut line = format!(
            "{} indexed, {} unchanged, {} removed",
            plural(summary.indexed, "file"),
            count(summary.unchanged),
            count(summary.removed)
        );
        for (number, what) in [
            (summary.unreadable, "that could not be read"),
            (summary.passed_by, "passed by (large or secret)"),
        ] {
            if number > 0 {
                line += &format!(", {} {what}", count(number));
            }
        }
        let parts = plural(size.chunks, "part");
        line += &format!("; {parts} of {} in {seconds:.1} s", plural(size.files, "file"));
        if summary.stopped {
            line = format!("stopped: {line}; what is done is kept, run it again to go on");
        }
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    Ok(())
}
