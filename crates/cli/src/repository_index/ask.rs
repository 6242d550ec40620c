//! Asks an index that was brought up to date.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use foveal_cancel::Cancel;
use foveal_code::embed::EmbedError;
use foveal_code::relations::Relations;
use foveal_embedder::{Patience, ServerError};
use foveal_index::{Index, IndexError, Summary, Wait};

use super::open::{Embedding, Opened, is_held, open_for_reading};
use super::update::update_without_servers;
use crate::embedders::EmbedderOptions;
use crate::environment::Environment;
use crate::numbers::plural;
use crate::{interrupt, notice};

/// An answer of an index, and what its last update did.
pub(crate) struct Answer<T> {
    pub(crate) answer: T,
    pub(crate) summary: Summary,
}

/// Brings an index up to date and asks it; once more where it is found damaged only then.
/// `None`, which is said, if the user interrupts.
///
/// # Errors
/// If the index cannot be read or written.
pub(crate) fn ask<T>(
    opened: &mut Opened,
    cancel: &Cancel<'_>,
    update: impl Fn(&mut Opened, &Cancel<'_>) -> anyhow::Result<Summary>,
    question: impl Fn(&mut Index) -> Result<T, IndexError>,
) -> anyhow::Result<Option<Answer<T>>> {
    for is_last in [false, true] {
        let summary = match update(opened, cancel) {
            Err(error) if is_of_place(&error) && opened.store.take().is_some() => {
                let why = notice::in_one_line(error.as_ref());
                notice::say(format_args!("{why}; reads everything anew for this run"));
                opened.index.leave_file()?;
                update(opened, cancel)?
            }
            Err(error) if is_held(&error) => do_without(opened, cancel, &update)?,
            done => done?,
        };
        if summary.stopped {
            break;
        }
        if let Some(problem) = opened.index.problem() {
            let is_away = is_away(problem);
            opened.problem = Some(told(problem));
            // Somebody waits: who is not there is not tried again.
            if is_away {
                opened.index.set_embedders(None, opened.meanwhile.clone());
            }
        }
        let answer = question(&mut opened.index)?;
        if cancel.is_cancelled() {
            break;
        }
        if is_last || !opened.index.is_rebuilt() {
            let problem = opened.index.problem().map(told);
            opened.problem = opened.problem.take().or(problem);
            return Ok(Some(Answer { answer, summary }));
        }
    }
    notice::say("stopped before the index was up to date: run it again to continue");
    Ok(None)
}

/// Goes on with an index that another process holds as it is, which is said; with one in memory where
/// it cannot be read, or more is missing in it than is there.
fn do_without(
    opened: &mut Opened,
    cancel: &Cancel<'_>,
    update: impl Fn(&mut Opened, &Cancel<'_>) -> anyhow::Result<Summary>,
) -> anyhow::Result<Summary> {
    opened.index.wait_for_others(Wait::NONE)?;
    match opened.index.behind(cancel) {
        Ok(Some(behind)) => {
            // Not which: rules may keep them from whoever reads this.
            let files = plural(behind.len() as u64, "file");
            notice::say(format_args!(
                "another process holds the index, so what changed in {files} is missing here: run \
                 it again later, or use grep"
            ));
            Ok(Summary::default())
        }
        _ => {
            notice::say("another process holds the index; reads everything anew for this run");
            opened.store = None;
            opened.index.leave_file()?;
            update(opened, cancel)
        }
    }
}

/// How everything is related in a folder, and what else was asked of its index.
pub(crate) struct Related<T> {
    pub(crate) relations: Arc<Relations>,
    pub(crate) more: T,
    /// The folder, a canonical path.
    pub(crate) root: PathBuf,
}

/// How everything is related in `folder`, or in the working copy that the current folder is
/// in; `more` asks the same index for what else is wanted. `None`, which is said, if the user
/// interrupts.
///
/// # Errors
/// If there is no such folder, it holds nothing to read, or its index cannot be read.
pub(crate) fn relations<T>(
    folder: Option<&Path>,
    environment: &Environment,
    more: impl Fn(&mut Index) -> Result<T, IndexError>,
) -> anyhow::Result<Option<Related<T>>> {
    let cancel = &interrupt::listen();
    // With the vectors that cost little, so that a search finds them there.
    let (options, patience) = (&EmbedderOptions::default(), Patience::SHORT);
    let embedding = Embedding { options, patience, environment, cancel };
    let mut opened = open_for_reading(folder, embedding)?;
    opened.tell_problem();
    let both = |index: &mut Index| Ok((index.relations()?, more(index)?));
    let asked = ask(&mut opened, cancel, update_without_servers, both)?;
    let Some(Answer { answer: (relations, more), .. }) = asked else { return Ok(None) };
    if relations.files().len() == 0 {
        let named = folder.unwrap_or(opened.index.root()).display();
        bail!(
            "`{named}` holds no source files that are not ignored: name the folder of a repository"
        );
    }
    Ok(Some(Related { relations, more, root: opened.index.root().to_owned() }))
}

/// Whether the index cannot be written where it is: the disk is full, or the folder closed.
fn is_of_place(error: &anyhow::Error) -> bool {
    error.downcast_ref().is_some_and(IndexError::is_place)
}

/// Whether a server cannot be reached. One that was slow, or failed at some texts, may still
/// answer a question.
fn is_away(problem: &EmbedError) -> bool {
    let cause = std::error::Error::source(problem).and_then(|cause| cause.downcast_ref());
    matches!(cause, Some(ServerError::Away { .. }))
}

/// An embedder's failure on one line.
pub(crate) fn told(problem: &EmbedError) -> String {
    let cause = std::error::Error::source(problem).map(ToString::to_string);
    cause.unwrap_or_else(|| problem.to_string())
}
