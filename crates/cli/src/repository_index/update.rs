//! Brings an index up to date, with progress bars.

use std::time::{Duration, Instant};

use foveal_cancel::Cancel;
use foveal_index::{Index, IndexError, Progress, Stage, Summary};

use super::open::Opened;
use crate::embedders::Choice;
use crate::{notice, progress};

/// How long an update takes before it shows how far it is.
const SILENT_TIME: Duration = Duration::from_secs(1);

/// Parts whose vectors a search has made before it begins, as many as one request holds; with more
/// of them, the vectors that are there have to do.
const PARTS_BEFORE_SEARCH_MAX: u64 = 31;

/// Brings an index up to date, with bars where somebody sees them.
///
/// # Errors
/// If the index cannot be written.
pub(crate) fn update(index: &mut Index, cancel: &Cancel<'_>) -> anyhow::Result<Summary> {
    let work = |index: &mut Index, show: &mut dyn FnMut(Progress)| index.update(show, cancel);
    let summary = shown(index, work)?;
    // A server that was being asked counts as one that failed.
    let stopped = summary.stopped || (summary.waiting > 0 && cancel.is_cancelled());
    Ok(Summary { stopped, ..summary })
}

/// Brings an index up to date as far as somebody who searches should wait: words always,
/// vectors if they are few where a server makes them.
///
/// # Errors
/// If the index cannot be written.
pub(crate) fn update_for_search(
    opened: &mut Opened,
    cancel: &Cancel<'_>,
) -> anyhow::Result<Summary> {
    if !matches!(opened.embedder, Some(Choice::Server(_))) {
        return update(&mut opened.index, cancel);
    }
    let texts = shown(&mut opened.index, |index, show| index.update_texts(show, cancel))?;
    let waiting = opened.index.waiting()?;
    let parts = opened.index.waiting_parts()?;
    if texts.stopped || waiting == 0 || parts > PARTS_BEFORE_SEARCH_MAX {
        return Ok(Summary { waiting, ..texts });
    }
    let vectors =
        shown(&mut opened.index, |index, show| index.update_vectors(usize::MAX, show, cancel))?;
    let Summary { embedded, waiting, stopped, rebuilt, .. } = vectors;
    Ok(Summary { embedded, waiting, stopped, rebuilt: rebuilt || texts.rebuilt, ..texts })
}

/// Brings words up to date, and vectors only where no server has to be asked.
///
/// # Errors
/// If the index cannot be written.
pub(super) fn update_without_servers(
    opened: &mut Opened,
    cancel: &Cancel<'_>,
) -> anyhow::Result<Summary> {
    shown(&mut opened.index, |index, show| index.update_texts(show, cancel))
}

/// Does `work` with bars where somebody sees them.
fn shown(
    index: &mut Index,
    work: impl FnOnce(&mut Index, &mut dyn FnMut(Progress)) -> Result<Summary, IndexError>,
) -> anyhow::Result<Summary> {
    let begin = Instant::now();
    let mut bar: Option<(Stage, indicatif::ProgressBar)> = None;
    let mut show = |progress: Progress| {
        if progress.total == 0 || begin.elapsed() < SILENT_TIME {
            return;
        }
        if bar.as_ref().is_none_or(|(stage, _)| *stage != progress.stage) {
            let things = match progress.stage {
                Stage::Files => "files",
                Stage::Vectors => "files given vectors",
            };
            if let Some((_, before)) =
                bar.replace((progress.stage, progress::bar_of(progress.total, things)))
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
        notice::say("the index was damaged or of another version: it was built anew");
    }
    Ok(summary)
}
