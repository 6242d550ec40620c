//! `foveal index`: updates the index of a folder.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use foveal_index::{FolderChanges, FolderWatcher, Index, UpdateSummary};
use foveal_providers::EmbeddingRequestLimits;
use foveal_transcript::CancelToken;
use serde_json::json;

use crate::embedder_choice::{EmbedderChoice, EmbedderOptions};
use crate::environment::Environment;
use crate::exit_code;
use crate::interrupt;
use crate::notice;
use crate::numbers::{format_count, format_plural};
use crate::output;
use crate::repository_index::{self, EmbedderContext, OpenedIndex};
use crate::text_table::wrap_text;

/// Delay before an embedder that failed is asked again.
const EMBEDDER_RETRY_DELAY: Duration = Duration::from_secs(30);

/// The number of files that get vectors between two checks for changed files.
const FILES_PER_ROUND: usize = 64;

/// The command line of `foveal index`.
#[derive(Debug, clap::Args)]
pub(crate) struct IndexArguments {
    /// The folder. If not given, the working copy that contains the current folder.
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// Runs until Ctrl+C, and indexes files as they change.
    #[arg(long)]
    watch: bool,
    /// Prints the figures as JSON, one object per line.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    embedder: EmbedderOptions,
}

/// Updates the index, and with `--watch` keeps it up to date.
///
/// # Errors
/// If the folder cannot be read or the index cannot be written.
pub(crate) fn run(
    arguments: &IndexArguments,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    let cancel = &interrupt::cancel_on_ctrl_c();
    let (options, patience) = (&arguments.embedder, EmbeddingRequestLimits::BACKGROUND);
    let embedding = EmbedderContext { options, patience, environment, cancel };
    let mut opened = repository_index::open_index(arguments.path.as_deref(), embedding)?;
    if arguments.watch {
        return watch_folder(arguments, &mut opened, embedding);
    }
    let begin = Instant::now();
    let summary = repository_index::update_index(&mut opened.index, cancel)?;
    print_update(arguments, environment, &opened, &summary, begin)?;
    let lacks_vectors =
        opened.index.embedding_problem().is_some() || opened.embedder_problem.is_some();
    Ok(match (summary.cancelled, lacks_vectors) {
        (true, _) => ExitCode::from(exit_code::INTERRUPTED),
        (false, true) => ExitCode::from(exit_code::NEGATIVE),
        (false, false) => ExitCode::SUCCESS,
    })
}

/// Follows changes until Ctrl+C. Files without vectors get them in between.
fn watch_folder(
    arguments: &IndexArguments,
    opened: &mut OpenedIndex,
    embedding: EmbedderContext<'_>,
) -> anyhow::Result<ExitCode> {
    // The watcher starts first, so that no change between the first update and the watch is missed.
    let watcher = FolderWatcher::start(opened.index.root())?;
    let begin = Instant::now();
    let first = update_before_watch(opened, embedding.cancel)?;
    print_update(arguments, embedding.environment, opened, &first, begin)?;
    if first.cancelled {
        return Ok(ExitCode::from(exit_code::INTERRUPTED));
    }
    // The time from which the embedder may be asked again.
    let mut retry = Instant::now()
        + opened.index.embedding_problem().map_or(Duration::ZERO, |_| EMBEDDER_RETRY_DELAY);
    let mut embedded = 0;
    loop {
        let next = (opened.index.files_without_vectors()? > 0).then_some(retry);
        let Some(changes) = watcher.wait_for_changes(next, embedding.cancel) else {
            return Ok(ExitCode::SUCCESS);
        };
        if opened.index.has_selection_changed()? {
            reopen_with_chosen_embedder(opened, embedding)?;
        }
        let begin = Instant::now();
        let summary = if changes == FolderChanges::Files(Vec::new()) {
            let round = embed_some_files(&mut opened.index, embedding.cancel)?;
            let failed = opened.index.embedding_problem().is_some();
            let in_vain = failed || round.embedded == 0;
            retry = Instant::now() + if in_vain { EMBEDDER_RETRY_DELAY } else { Duration::ZERO };
            embedded += round.embedded;
            // One line for each of many rounds would be too much.
            let is_done = !failed && round.without_vectors == 0;
            UpdateSummary {
                embedded: if is_done { std::mem::take(&mut embedded) } else { 0 },
                ..round
            }
        } else {
            let followed = apply_changes(&mut opened.index, &changes, embedding.cancel)?;
            if followed.indexed > 0 && opened.index.embedding_problem().is_none() {
                retry = Instant::now();
            }
            followed
        };
        if summary.indexed + summary.removed + summary.embedded > 0 {
            print_update(arguments, embedding.environment, opened, &summary, begin)?;
        }
    }
}

/// Updates words, and vectors only if no server makes them: changes must be followed while a server
/// answers.
fn update_before_watch(
    opened: &mut OpenedIndex,
    cancel: &CancelToken<'_>,
) -> anyhow::Result<UpdateSummary> {
    if !matches!(opened.embedder, Some(EmbedderChoice::Server(_))) {
        return repository_index::update_index(&mut opened.index, cancel);
    }
    let texts = opened.index.update_texts(&mut |_| {}, cancel)?;
    Ok(UpdateSummary { without_vectors: opened.index.files_without_vectors()?, ..texts })
}

/// Switches to the embedder that another process chose for this index.
fn reopen_with_chosen_embedder(
    opened: &mut OpenedIndex,
    embedding: EmbedderContext<'_>,
) -> anyhow::Result<()> {
    let no_embeddings = embedding.options.no_embeddings;
    let options = &EmbedderOptions { embedder: None, no_embeddings };
    let root = opened.index.root().to_owned();
    *opened = repository_index::open_index(Some(&root), EmbedderContext { options, ..embedding })?;
    Ok(())
}

/// Embeds some of the files without vectors. If none of them is as it was indexed, changes were
/// missed, and all files are checked.
fn embed_some_files(index: &mut Index, cancel: &CancelToken<'_>) -> anyhow::Result<UpdateSummary> {
    let round = index.update_vectors(FILES_PER_ROUND, &mut |_| {}, cancel)?;
    if round.embedded > 0
        || round.without_vectors == 0
        || index.embedding_problem().is_some()
        || cancel.is_cancelled()
    {
        return Ok(round);
    }
    let texts = index.update_texts(&mut |_| {}, cancel)?;
    Ok(UpdateSummary { without_vectors: index.files_without_vectors()?, ..texts })
}

fn apply_changes(
    index: &mut Index,
    changes: &FolderChanges,
    cancel: &CancelToken<'_>,
) -> anyhow::Result<UpdateSummary> {
    match changes {
        FolderChanges::Everything => Ok(index.update_texts(&mut |_| {}, cancel)?),
        FolderChanges::Files(files) => {
            for file in files {
                index.prioritize_file(file);
            }
            Ok(index.update_queued(cancel)?)
        }
    }
}

/// Prints the result of an update that started at `begin`.
fn print_update(
    arguments: &IndexArguments,
    environment: &Environment,
    opened: &OpenedIndex,
    summary: &UpdateSummary,
    begin: Instant,
) -> anyhow::Result<()> {
    let seconds = begin.elapsed().as_secs_f64();
    let size = opened.index.size()?;
    let line = if arguments.json {
        let line = json!({
            "root": opened.index.root().to_string_lossy(),
            "store": opened.file.as_deref().map(Path::to_string_lossy),
            "indexed": summary.indexed,
            "unchanged": summary.unchanged,
            "removed": summary.removed,
            "unreadable": summary.unreadable,
            "passed_by": summary.skipped,
            "embedder": opened.embedder.as_ref().map(ToString::to_string),
            "embedded": summary.embedded,
            "waiting": summary.without_vectors,
            "stopped": summary.cancelled,
            "rebuilt": summary.rebuilt,
            "files": size.files,
            "chunks": size.chunks,
            "seconds": seconds,
        });
        line.to_string()
    } else {
        let mut line = format!(
            "{} indexed, {} unchanged, {} removed",
            format_plural(summary.indexed, "file"),
            format_count(summary.unchanged),
            format_count(summary.removed)
        );
        for (number, what) in [
            (summary.unreadable, "unreadable"),
            (summary.skipped, "skipped (large or secret)"),
            (summary.embedded, "embedded"),
            (summary.without_vectors, "without vectors"),
        ] {
            if number > 0 {
                line += &format!(", {} {what}", format_count(number));
            }
        }
        let parts = format_plural(size.chunks, "part");
        line += &format!("; {parts} of {} in {seconds:.1} s", format_plural(size.files, "file"));
        if summary.cancelled {
            line = format!("stopped: {line}; the progress is saved; run it again to continue");
        }
        match environment.stdout_columns {
            Some(width) => wrap_text(&line, width, "  ").trim_end().to_owned(),
            None => line,
        }
    };
    output::print(format!("{line}\n"))?;
    if let Some(problem) =
        opened.index.embedding_problem().map(repository_index::embedder_error_line)
    {
        let why = "vectors are not up to date; searches use words only";
        notice::print_notice(format_args!("{why}: {problem}; then run it again to continue"));
    }
    Ok(())
}
