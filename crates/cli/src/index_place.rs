//! Which folder is meant, and where its index is kept.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use foveal_cancel::Cancel;
use foveal_code::embed::{EmbedError, Embedder};
use foveal_code::relations::Relations;
use foveal_embedder::{Patience, ServerError};
use foveal_index::{Indexer, IndexerError, Progress, Stage, Summary};

use crate::embedders::{Choice, EmbedderOptions};
use crate::environment::Environment;
use crate::interrupt;
use crate::notice;
use crate::progress;

/// What the top folder of a working copy holds.
const MARKS: [&str; 3] = [".git", ".jj", ".hg"];

/// Hex digits of the root's hash in the file's name.
const HASH_DIGITS: usize = 16;

/// How long an update takes before it shows how far it is.
const SILENT_TIME: Duration = Duration::from_secs(1);

/// Parts whose vectors a search has made before it begins, as many as one request holds; with more
/// of them, the vectors that are there have to do.
const PARTS_BEFORE_SEARCH_MAX: u64 = 31;

/// An index with the file it is kept in.
pub(crate) struct Opened {
    pub(crate) indexer: Indexer,
    /// `None` in memory.
    pub(crate) store: Option<PathBuf>,
    /// What makes its vectors; `None` if they are left alone this time.
    pub(crate) embedder: Option<Choice>,
    /// The embedder before, whose vectors are still there.
    meanwhile: Option<Arc<dyn Embedder>>,
    /// Why the embedder could not be used, if it could not.
    pub(crate) problem: Option<String>,
}

/// How the embedder of an index is chosen and asked.
#[derive(Clone, Copy)]
pub(crate) struct Embedding<'a> {
    pub(crate) options: &'a EmbedderOptions,
    pub(crate) patience: Patience,
    pub(crate) environment: &'a Environment,
    pub(crate) cancel: &'a Cancel<'static>,
}

/// Opens the index of `folder`, or of the working copy that the current folder is in. The
/// embedder is the one that the options name, or else the one the index remembers, without
/// which the index is opened all the same and says so.
///
/// # Errors
/// If there is no such folder, or no place for the index.
pub(crate) fn open(folder: Option<&Path>, embedding: Embedding<'_>) -> anyhow::Result<Opened> {
    let root = root_of(folder)?;
    let store = store_of(&root, embedding.environment)?;
    let opened = embedding.open(Indexer::open(&root, &store, None)?, Some(store))?;
    opened.tell_problem();
    Ok(opened)
}

/// Opens an index as [`open`] does; in memory, which is said, where it cannot be written.
///
/// # Errors
/// If there is no such folder.
pub(crate) fn open_for_reading(
    folder: Option<&Path>,
    embedding: Embedding<'_>,
) -> anyhow::Result<Opened> {
    let root = root_of(folder)?;
    let why = match store_of(&root, embedding.environment) {
        Err(none) => none,
        Ok(store) => match Indexer::open(&root, &store, None) {
            Err(error) if error.is_place() => error.into(),
            other => return embedding.open(other?, Some(store)),
        },
    };
    notice::say(format_args!("{why:#}; reads everything anew for this run"));
    embedding.open(Indexer::in_memory(&root, None)?, None)
}

/// Opens the index of `root` for tools, with the embedder it remembers; in memory, which is said,
/// where it cannot be kept.
///
/// # Errors
/// If there is no such folder.
pub(crate) fn open_for_tools(
    root: &Path,
    environment: &Environment,
) -> Result<Indexer, IndexerError> {
    let (options, cancel) = (EmbedderOptions::default(), &Cancel::NEVER);
    let patience = Patience::SHORT;
    let embedding = Embedding { options: &options, patience, environment, cancel };
    match open_for_reading(Some(root), embedding) {
        Ok(opened) => Ok(opened.indexer),
        Err(_) => Indexer::in_memory(root, None),
    }
}

impl Opened {
    /// Says on standard error why vectors are left alone, for who shows no problems.
    fn tell_problem(&self) {
        if let Some(problem) = &self.problem {
            notice::say(format_args!("vectors are left alone: {problem}"));
        }
    }
}

impl Embedding<'_> {
    fn open(self, mut indexer: Indexer, store: Option<PathBuf>) -> anyhow::Result<Opened> {
        let Self { options, patience, environment, cancel } = self;
        if options.no_embeddings {
            return Ok(Opened { indexer, store, embedder: None, meanwhile: None, problem: None });
        }
        let remembered = indexer.chosen()?.embedder;
        let current = remembered.map_or(Ok(Choice::BuiltIn), |text| text.parse());
        if let (Some(named), current) = (&options.embedder, &current) {
            let current = current.as_ref().map_or_else(|_| String::new(), ToString::to_string);
            indexer.choose(&named.to_string(), &current)?;
        }
        let choice = match (&options.embedder, current) {
            (Some(named), _) => named.clone(),
            (None, Ok(current)) => current,
            (None, Err(error)) => {
                let problem = Some(format!(
                    "the embedder that the index remembers cannot be used, name one with \
                     --embedder: {error}"
                ));
                return Ok(Opened { indexer, store, embedder: None, meanwhile: None, problem });
            }
        };
        let before = indexer.chosen()?.before.and_then(|text| text.parse::<Choice>().ok());
        let before = before.filter(|_| choice != Choice::None);
        let key = environment.embeddings_key.as_ref();
        // Somebody may wait for an answer; and the key is for the server that is chosen now.
        let short = |one: Choice| {
            let key = key.filter(|_| one.shares_server(&choice)).cloned();
            one.embedder(Patience::SHORT, key, cancel)
        };
        let meanwhile = before.and_then(short);
        let embedder = choice.embedder(patience, key.cloned(), cancel);
        indexer.set_embedders(embedder, meanwhile.clone());
        Ok(Opened { indexer, store, embedder: Some(choice), meanwhile, problem: None })
    }
}

/// The folder whose index is meant, and the index's file.
///
/// # Errors
/// As [`open`].
pub(crate) fn place(
    folder: Option<&Path>,
    environment: &Environment,
) -> anyhow::Result<(PathBuf, PathBuf)> {
    let root = root_of(folder)?;
    let store = store_of(&root, environment)?;
    Ok((root, store))
}

fn root_of(folder: Option<&Path>) -> anyhow::Result<PathBuf> {
    Ok(match folder {
        Some(folder) if !folder.exists() => {
            bail!("`{}` does not exist: check the path", folder.display())
        }
        Some(folder) if !folder.is_dir() => {
            bail!("`{}` is a file: name a folder", folder.display())
        }
        Some(folder) => folder.canonicalize()?,
        None => working_copy(&std::env::current_dir().context("there is no current folder")?),
    })
}

/// The nearest folder from `folder` on upwards that is the top of a working copy, or else
/// `folder`.
fn working_copy(folder: &Path) -> PathBuf {
    let is_top = |folder: &&Path| MARKS.iter().any(|mark| folder.join(mark).exists());
    folder.ancestors().find(is_top).unwrap_or(folder).to_owned()
}

/// The file for the index of `root`: `foveal/index/NAME-HASH.db` among the user's data.
fn store_of(root: &Path, environment: &Environment) -> anyhow::Result<PathBuf> {
    let Some(data) = environment.data_folder() else {
        bail!("there is no place for the index: set HOME or XDG_DATA_HOME");
    };
    let hash = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let file = format!("{name}-{}.db", &hash[..HASH_DIGITS]);
    Ok(data.join("foveal").join("index").join(file))
}

/// Brings an index up to date, with bars where somebody sees them.
///
/// # Errors
/// If the index cannot be written.
pub(crate) fn update(indexer: &mut Indexer, cancel: &Cancel<'_>) -> anyhow::Result<Summary> {
    let work = |indexer: &mut Indexer, show: &mut dyn FnMut(Progress)| indexer.update(show, cancel);
    let summary = shown(indexer, work)?;
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
        return update(&mut opened.indexer, cancel);
    }
    let texts = shown(&mut opened.indexer, |indexer, show| indexer.update_texts(show, cancel))?;
    let waiting = opened.indexer.waiting()?;
    let parts = opened.indexer.waiting_parts()?;
    if texts.stopped || waiting == 0 || parts > PARTS_BEFORE_SEARCH_MAX {
        return Ok(Summary { waiting, ..texts });
    }
    let vectors = shown(&mut opened.indexer, |indexer, show| {
        indexer.update_vectors(usize::MAX, show, cancel)
    })?;
    let Summary { embedded, waiting, stopped, rebuilt, .. } = vectors;
    Ok(Summary { embedded, waiting, stopped, rebuilt: rebuilt || texts.rebuilt, ..texts })
}

/// Brings words up to date, and vectors only where no server has to be asked.
///
/// # Errors
/// If the index cannot be written.
fn update_without_servers(opened: &mut Opened, cancel: &Cancel<'_>) -> anyhow::Result<Summary> {
    shown(&mut opened.indexer, |indexer, show| indexer.update_texts(show, cancel))
}

/// Does `work` with bars where somebody sees them.
fn shown(
    indexer: &mut Indexer,
    work: impl FnOnce(&mut Indexer, &mut dyn FnMut(Progress)) -> Result<Summary, IndexerError>,
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
    let summary = work(indexer, &mut show);
    if let Some((_, bar)) = bar {
        bar.finish_and_clear();
    }
    let summary = summary?;
    if summary.rebuilt {
        notice::say("the index was damaged or of another version: it was built anew");
    }
    Ok(summary)
}

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
    question: impl Fn(&mut Indexer) -> Result<T, IndexerError>,
) -> anyhow::Result<Option<Answer<T>>> {
    for is_last in [false, true] {
        let summary = update(opened, cancel)?;
        if summary.stopped {
            break;
        }
        if let Some(problem) = opened.indexer.problem() {
            let is_away = is_away(problem);
            opened.problem = Some(told(problem));
            // Somebody waits: who is not there is not tried again.
            if is_away {
                opened.indexer.set_embedders(None, opened.meanwhile.clone());
            }
        }
        let answer = question(&mut opened.indexer)?;
        if cancel.is_cancelled() {
            break;
        }
        if is_last || !opened.indexer.is_rebuilt() {
            let problem = opened.indexer.problem().map(told);
            opened.problem = opened.problem.take().or(problem);
            return Ok(Some(Answer { answer, summary }));
        }
    }
    notice::say("stopped before the index was up to date: run it again to continue");
    Ok(None)
}

/// How everything is related in `folder`, or in the working copy that the current folder is
/// in. `None`, which is said, if the user interrupts.
///
/// # Errors
/// If there is no such folder, it holds nothing to read, or its index cannot be read.
pub(crate) fn relations(
    folder: Option<&Path>,
    environment: &Environment,
) -> anyhow::Result<Option<Arc<Relations>>> {
    let cancel = &interrupt::listen();
    // With the vectors that cost little, so that a search finds them there.
    let (options, patience) = (&EmbedderOptions::default(), Patience::SHORT);
    let embedding = Embedding { options, patience, environment, cancel };
    let mut opened = open_for_reading(folder, embedding)?;
    opened.tell_problem();
    let asked = ask(&mut opened, cancel, update_without_servers, Indexer::relations)?;
    let Some(Answer { answer: relations, .. }) = asked else { return Ok(None) };
    if relations.files().len() == 0 {
        let named = folder.unwrap_or(opened.indexer.root()).display();
        bail!(
            "`{named}` holds no source files that are not ignored: name the folder of a repository"
        );
    }
    Ok(Some(relations))
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
