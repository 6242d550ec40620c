//! `foveal index`: brings the index of a folder up to date.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use foveal_cancel::Cancel;
use foveal_embedder::Patience;
use foveal_index::{Changes, Index, Summary, Watcher};
use serde_json::json;

use crate::embedders::{Choice, EmbedderOptions};
use crate::environment::Environment;
use crate::exit_code;
use crate::interrupt;
use crate::notice;
use crate::numbers::{count, plural};
use crate::output;
use crate::repository_index::{self, Embedding, Opened};
use crate::table::wrapped;

/// How long an embedder that failed rests before it is asked again.
const RETRY_TIME: Duration = Duration::from_secs(30);

/// Files that are given vectors before it is looked whether files have changed.
const FILES_AT_ONCE: usize = 64;

/// The command line of `foveal index`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder. If not given, the working copy that holds the current folder.
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// Runs until Ctrl+C, and indexes files as they change.
    #[arg(long)]
    watch: bool,
    /// Prints the figures as JSON, one object a line.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    embedder: EmbedderOptions,
}

/// Updates the index, and with `--watch` keeps it so.
///
/// # Errors
/// If the folder cannot be read or the index cannot be written.
pub(crate) fn run(arguments: &Arguments, environment: &Environment) -> anyhow::Result<ExitCode> {
    let cancel = &interrupt::listen();
    let (options, patience) = (&arguments.embedder, Patience::LONG);
    let embedding = Embedding { options, patience, environment, cancel };
    let mut opened = repository_index::open(arguments.path.as_deref(), embedding)?;
    if arguments.watch {
        return watch(arguments, &mut opened, embedding);
    }
    let begin = Instant::now();
    let summary = repository_index::update(&mut opened.index, cancel)?;
    tell(arguments, environment, &opened, &summary, begin)?;
    let lacks_vectors = opened.index.problem().is_some() || opened.problem.is_some();
    Ok(match (summary.stopped, lacks_vectors) {
        (true, _) => ExitCode::from(exit_code::INTERRUPTED),
        (false, true) => ExitCode::from(exit_code::NEGATIVE),
        (false, false) => ExitCode::SUCCESS,
    })
}

/// Follows changes until Ctrl+C. What has no vectors yet gets them in between.
fn watch(
    arguments: &Arguments,
    opened: &mut Opened,
    embedding: Embedding<'_>,
) -> anyhow::Result<ExitCode> {
    // Begun first, so that nothing is missed between the first look and the watch.
    let watcher = Watcher::start(opened.index.root())?;
    let begin = Instant::now();
    let first = begin_watch(opened, embedding.cancel)?;
    tell(arguments, embedding.environment, opened, &first, begin)?;
    if first.stopped {
        return Ok(ExitCode::from(exit_code::INTERRUPTED));
    }
    // When the embedder may be asked again.
    let mut retry = Instant::now() + opened.index.problem().map_or(Duration::ZERO, |_| RETRY_TIME);
    let mut embedded = 0;
    loop {
        let next = (opened.index.waiting()? > 0).then_some(retry);
        let Some(changes) = watcher.wait_until(next, embedding.cancel) else {
            return Ok(ExitCode::SUCCESS);
        };
        if opened.index.is_chosen_anew()? {
            reopen(opened, embedding)?;
        }
        let begin = Instant::now();
        let summary = if changes == Changes::Files(Vec::new()) {
            let round = make_vectors(&mut opened.index, embedding.cancel)?;
            let failed = opened.index.problem().is_some();
            let in_vain = failed || round.embedded == 0;
            retry = Instant::now() + if in_vain { RETRY_TIME } else { Duration::ZERO };
            embedded += round.embedded;
            // Each round of many would be a line.
            let is_done = !failed && round.waiting == 0;
            Summary { embedded: if is_done { std::mem::take(&mut embedded) } else { 0 }, ..round }
        } else {
            let followed = follow(&mut opened.index, &changes, embedding.cancel)?;
            if followed.indexed > 0 && opened.index.problem().is_none() {
                retry = Instant::now();
            }
            followed
        };
        if summary.indexed + summary.removed + summary.embedded > 0 {
            tell(arguments, embedding.environment, opened, &summary, begin)?;
        }
    }
}

/// Brings words up to date, and vectors only where no server is asked: while it answers,
/// changes have to be followed.
fn begin_watch(opened: &mut Opened, cancel: &Cancel<'_>) -> anyhow::Result<Summary> {
    if !matches!(opened.embedder, Some(Choice::Server(_))) {
        return repository_index::update(&mut opened.index, cancel);
    }
    let texts = opened.index.update_texts(&mut |_| {}, cancel)?;
    Ok(Summary { waiting: opened.index.waiting()?, ..texts })
}

/// Goes on with the embedder that was chosen elsewhere meanwhile.
fn reopen(opened: &mut Opened, embedding: Embedding<'_>) -> anyhow::Result<()> {
    let no_embeddings = embedding.options.no_embeddings;
    let options = &EmbedderOptions { embedder: None, no_embeddings };
    let root = opened.index.root().to_owned();
    *opened = repository_index::open(Some(&root), Embedding { options, ..embedding })?;
    Ok(())
}

/// Has vectors made for some of the files that have none. If none of them is what was
/// indexed, changes were missed, and all files are looked at.
fn make_vectors(index: &mut Index, cancel: &Cancel<'_>) -> anyhow::Result<Summary> {
    let round = index.update_vectors(FILES_AT_ONCE, &mut |_| {}, cancel)?;
    if round.embedded > 0
        || round.waiting == 0
        || index.problem().is_some()
        || cancel.is_cancelled()
    {
        return Ok(round);
    }
    let texts = index.update_texts(&mut |_| {}, cancel)?;
    Ok(Summary { waiting: index.waiting()?, ..texts })
}

fn follow(index: &mut Index, changes: &Changes, cancel: &Cancel<'_>) -> anyhow::Result<Summary> {
    match changes {
        Changes::Everything => Ok(index.update_texts(&mut |_| {}, cancel)?),
        Changes::Files(files) => {
            for file in files {
                index.touch(file);
            }
            Ok(index.update_queued(cancel)?)
        }
    }
}

/// Prints what an update did that began at `begin`.
fn tell(
    arguments: &Arguments,
    environment: &Environment,
    opened: &Opened,
    summary: &Summary,
    begin: Instant,
) -> anyhow::Result<()> {
    let seconds = begin.elapsed().as_secs_f64();
    let size = opened.index.size()?;
    let line = if arguments.json {
        let line = json!({
            "root": opened.index.root().to_string_lossy(),
            "store": opened.store.as_deref().map(Path::to_string_lossy),
            "indexed": summary.indexed,
            "unchanged": summary.unchanged,
            "removed": summary.removed,
            "unreadable": summary.unreadable,
            "passed_by": summary.passed_by,
            "embedder": opened.embedder.as_ref().map(ToString::to_string),
            "embedded": summary.embedded,
            "waiting": summary.waiting,
            "stopped": summary.stopped,
            "rebuilt": summary.rebuilt,
            "files": size.files,
            "chunks": size.chunks,
            "seconds": seconds,
        });
        line.to_string()
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
            (summary.embedded, "given vectors"),
            (summary.waiting, "still without vectors"),
        ] {
            if number > 0 {
                line += &format!(", {} {what}", count(number));
            }
        }
        let parts = plural(size.chunks, "part");
        line += &format!("; {parts} of {} in {seconds:.1} s", plural(size.files, "file"));
        if summary.stopped {
            line = format!("stopped: {line}; what is done is kept; run it again to continue");
        }
        match environment.width {
            Some(width) => wrapped(&line, width, "  ").trim_end().to_owned(),
            None => line,
        }
    };
    output::print(format!("{line}\n"))?;
    if let Some(problem) = opened.index.problem().map(repository_index::told) {
        let why = "vectors are not up to date; searches use words alone";
        notice::say(format_args!("{why}: {problem}; then run it again to continue"));
    }
    Ok(())
}
