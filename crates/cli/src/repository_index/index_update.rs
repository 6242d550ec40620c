//! Updates an index, with progress bars.

use std::time::{Duration, Instant};

use foveal_index::{Index, IndexError, UpdateProgress, UpdateStage, UpdateSummary};
use foveal_transcript::CancelToken;

use super::opened_index::OpenedIndex;
use crate::embedder_choice::EmbedderChoice;
use crate::{notice, progress_bar};

/// The time before an update shows its progress.
const PROGRESS_DELAY: Duration = Duration::from_secs(1);

/// The most parts that are embedded before a search, as many as one request holds. With more
/// missing, the search uses the existing vectors.
const EMBEDDED_BEFORE_SEARCH_MAX: u64 = 31;

/// Updates an index, with progress bars in a terminal.
///
/// # Errors
/// Returns an error if the index cannot be written.
pub(crate) fn update_index(
    index: &mut Index,
    cancel: &CancelToken<'_>,
) -> anyhow::Result<UpdateSummary> {
    let work = |index: &mut Index, show: &mut dyn FnMut(UpdateProgress)| index.update(show, cancel);
    let summary = with_progress_bar(index, work)?;
    // An embedding request that was cancelled counts as failed, so `stopped` is set here.
    let stopped = summary.cancelled || (summary.without_vectors > 0 && cancel.is_cancelled());
    Ok(UpdateSummary { cancelled: stopped, ..summary })
}

/// Updates an index as far as a search should wait for: always words; vectors of a server only if
/// few are missing.
///
/// # Errors
/// Returns an error if the index cannot be written.
pub(crate) fn update_index_for_search(
    opened: &mut OpenedIndex,
    cancel: &CancelToken<'_>,
) -> anyhow::Result<UpdateSummary> {
    if !matches!(opened.embedder, Some(EmbedderChoice::Server(_))) {
        return update_index(&mut opened.index, cancel);
    }
    let texts =
        with_progress_bar(&mut opened.index, |index, show| index.update_texts(show, cancel))?;
    let waiting = opened.index.files_without_vectors()?;
    let parts = opened.index.chunks_without_vectors()?;
    if texts.cancelled || waiting == 0 || parts > EMBEDDED_BEFORE_SEARCH_MAX {
        return Ok(UpdateSummary { without_vectors: waiting, ..texts });
    }
    let vectors = with_progress_bar(&mut opened.index, |index, show| {
        index.update_vectors(usize::MAX, show, cancel)
    })?;
    let UpdateSummary { embedded, without_vectors: waiting, cancelled: stopped, rebuilt, .. } =
        vectors;
    Ok(UpdateSummary {
        embedded,
        without_vectors: waiting,
        cancelled: stopped,
        rebuilt: rebuilt || texts.rebuilt,
        ..texts
    })
}

/// Updates words, and vectors only if they need no server.
///
/// # Errors
/// Returns an error if the index cannot be written.
pub(super) fn update_without_servers(
    opened: &mut OpenedIndex,
    cancel: &CancelToken<'_>,
) -> anyhow::Result<UpdateSummary> {
    with_progress_bar(&mut opened.index, |index, show| index.update_texts(show, cancel))
}

/// Runs `work` with progress bars in a terminal.
fn with_progress_bar(
    index: &mut Index,
    work: impl FnOnce(&mut Index, &mut dyn FnMut(UpdateProgress)) -> Result<UpdateSummary, IndexError>,
) -> anyhow::Result<UpdateSummary> {
    let begin = Instant::now();
    let mut bar: Option<(UpdateStage, indicatif::ProgressBar)> = None;
    let mut show = |progress: UpdateProgress| {
        if progress.total == 0 || begin.elapsed() < PROGRESS_DELAY {
            return;
        }
        if bar.as_ref().is_none_or(|(stage, _)| *stage != progress.stage) {
            let things = match progress.stage {
                UpdateStage::Files => "files",
                UpdateStage::Vectors => "files embedded",
            };
            if let Some((_, before)) = bar
                .replace((progress.stage, progress_bar::new_progress_bar(progress.total, things)))
            {
                before.finish_and_clear();
            }
        }
        if let Some((_, bar)) = &bar {
            bar.set_position(progress.done);
        }
    };
    let summary = work(index, &mut show);
    if let Some((_, bar)) = bar {
        bar.finish_and_clear();
    }
    let summary = summary?;
    if summary.rebuilt {
        notice::print_notice("the index was damaged or from another version: it was rebuilt");
    }
    Ok(summary)
}
