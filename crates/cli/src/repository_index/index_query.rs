//! Queries an index after an update.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use foveal_index::{Index, IndexError, LockWait, UpdateSummary};
use foveal_providers::{EmbeddingRequestLimits, EmbeddingServerError};
use foveal_relevance::embedding::EmbeddingError;
use foveal_relevance::relations::Relations;
use foveal_transcript::CancelToken;

use super::index_update::update_without_servers;
use super::opened_index::{EmbedderContext, OpenedIndex, is_index_busy, open_index_for_reading};
use crate::embedder_choice::EmbedderOptions;
use crate::environment::Environment;
use crate::numbers::format_plural;
use crate::{interrupt, notice};

/// The answer to a query, with the summary of the update before it.
pub(crate) struct IndexQueryResult<T> {
    pub(crate) answer: T,
    pub(crate) summary: UpdateSummary,
}

/// Updates an index and queries it, a second time if only the query finds it damaged. If the user
/// interrupts, prints a notice and returns `None`.
///
/// # Errors
/// Returns an error if the index cannot be read or written.
pub(crate) fn query_index<T>(
    opened: &mut OpenedIndex,
    cancel: &CancelToken<'_>,
    update: impl Fn(&mut OpenedIndex, &CancelToken<'_>) -> anyhow::Result<UpdateSummary>,
    question: impl Fn(&mut Index) -> Result<T, IndexError>,
) -> anyhow::Result<Option<IndexQueryResult<T>>> {
    for is_last in [false, true] {
        let summary = match update(opened, cancel) {
            Err(error) if is_location_error(&error) && opened.file.take().is_some() => {
                let why = notice::describe_error(error.as_ref());
                notice::print_notice(format_args!("{why}; reading all files for this run"));
                opened.index.detach_from_file()?;
                update(opened, cancel)?
            }
            Err(error) if is_index_busy(&error) => use_busy_index(opened, cancel, &update)?,
            done => done?,
        };
        if summary.cancelled {
            break;
        }
        if let Some(problem) = opened.index.embedding_problem() {
            let is_away = is_server_unreachable(problem);
            opened.embedder_problem = Some(embedder_error_line(problem));
            // A query waits for the answer, so an unreachable server is not tried again.
            if is_away {
                opened.index.set_embedders(None, opened.previous_embedder.clone());
            }
        }
        let answer = question(&mut opened.index)?;
        if cancel.is_cancelled() {
            break;
        }
        if is_last || !opened.index.is_rebuilt() {
            let problem = opened.index.embedding_problem().map(embedder_error_line);
            opened.embedder_problem = opened.embedder_problem.take().or(problem);
            return Ok(Some(IndexQueryResult { answer, summary }));
        }
    }
    notice::print_notice("stopped before the index was up to date: run it again to continue");
    Ok(None)
}

/// Uses an index that another process holds as it is, after a notice. Replaces it by one in memory
/// if it cannot be read, or lacks more files than it has.
fn use_busy_index(
    opened: &mut OpenedIndex,
    cancel: &CancelToken<'_>,
    update: impl Fn(&mut OpenedIndex, &CancelToken<'_>) -> anyhow::Result<UpdateSummary>,
) -> anyhow::Result<UpdateSummary> {
    opened.index.set_lock_wait(LockWait::NONE)?;
    match opened.index.outdated_files(cancel) {
        Ok(Some(behind)) => {
            // The files are not named: rules may hide them from the reader of this notice.
            let files = format_plural(behind.len() as u64, "file");
            notice::print_notice(format_args!(
                "another process has locked the index, so changes in {files} are missing here: run \
                 it again later, or use grep"
            ));
            Ok(UpdateSummary::default())
        }
        _ => {
            notice::print_notice(
                "another process has locked the index; reading all files for this run",
            );
            opened.file = None;
            opened.index.detach_from_file()?;
            update(opened, cancel)
        }
    }
}

/// The relations in a folder, and the answer to a further query.
pub(crate) struct RelationsAnswer<T> {
    pub(crate) relations: Arc<Relations>,
    pub(crate) extra: T,
    /// The folder, as a canonical path.
    pub(crate) root: PathBuf,
}

/// Returns the relations in `folder`, or in the working copy that contains the current folder.
/// `more` is a further query to the same index. If the user interrupts, prints a notice and returns
/// `None`.
///
/// # Errors
/// Returns an error if the folder does not exist, holds no source files, or its index cannot be
/// read.
pub(crate) fn query_relations<T>(
    folder: Option<&Path>,
    environment: &Environment,
    more: impl Fn(&mut Index) -> Result<T, IndexError>,
) -> anyhow::Result<Option<RelationsAnswer<T>>> {
    let cancel = &interrupt::cancel_on_ctrl_c();
    // Includes the vectors that need no server, so that a later search finds them.
    let (options, patience) = (&EmbedderOptions::default(), EmbeddingRequestLimits::INTERACTIVE);
    let embedding = EmbedderContext { options, patience, environment, cancel };
    let mut opened = open_index_for_reading(folder, embedding)?;
    opened.report_embedder_problem();
    let both = |index: &mut Index| Ok((index.relations()?, more(index)?));
    let asked = query_index(&mut opened, cancel, update_without_servers, both)?;
    let Some(IndexQueryResult { answer: (relations, more), .. }) = asked else { return Ok(None) };
    if relations.files().len() == 0 {
        let named = folder.unwrap_or(opened.index.root()).display();
        bail!(
            "`{named}` has no source files that are not ignored: name the folder of a repository"
        );
    }
    Ok(Some(RelationsAnswer { relations, extra: more, root: opened.index.root().to_owned() }))
}

/// Returns whether the index cannot be written at its location: the disk is full, or the folder is
/// not writable.
fn is_location_error(error: &anyhow::Error) -> bool {
    error.downcast_ref().is_some_and(IndexError::is_inaccessible)
}

/// Returns whether a server cannot be reached. A server that was slow, or failed on some texts, may
/// still answer a query.
fn is_server_unreachable(problem: &EmbeddingError) -> bool {
    let cause = std::error::Error::source(problem).and_then(|cause| cause.downcast_ref());
    matches!(cause, Some(EmbeddingServerError::Unreachable { .. }))
}

/// Returns an embedder's error on one line.
pub(crate) fn embedder_error_line(problem: &EmbeddingError) -> String {
    let cause = std::error::Error::source(problem).map(ToString::to_string);
    cause.unwrap_or_else(|| problem.to_string())
}
