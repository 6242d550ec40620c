//! Opens the index of a folder, with the embedder that is chosen for it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{anyhow, bail};
use foveal_cancel::Cancel;
use foveal_code::embed::Embedder;
use foveal_embedder::Patience;
use foveal_index::{Index, IndexError, Wait};

use super::place::{root_of, store_of};
use crate::embedders::{Choice, EmbedderOptions};
use crate::environment::Environment;
use crate::notice;
use crate::user_settings;

/// Why an index is not on disk.
const NOT_KEPT: &str = "your settings say `keep_contents = false`, or cannot be used";

/// An index with the file it is kept in.
pub(crate) struct Opened {
    pub(crate) index: Index,
    /// `None` in memory.
    pub(crate) store: Option<PathBuf>,
    /// What makes its vectors; `None` if they are left alone this time.
    pub(crate) embedder: Option<Choice>,
    /// The embedder before, whose vectors are still there.
    pub(super) meanwhile: Option<Arc<dyn Embedder>>,
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
    if !user_settings::keep_contents(embedding.environment) {
        bail!("{NOT_KEPT}, so no index is written; searches make theirs in memory");
    }
    let store = store_of(&root, embedding.environment)?;
    let opened = embedding.open(Index::open(&root, &store, None)?, Some(store))?;
    opened.tell_problem();
    Ok(opened)
}

/// Whether another process holds the file of an index for longer than is waited for.
pub(super) fn is_held(error: &anyhow::Error) -> bool {
    error.downcast_ref::<IndexError>().is_some_and(IndexError::is_busy)
}

/// Opens an index as [`open`] does; in memory, which is said, where it cannot be written, or another
/// process holds it: somebody waits for an answer.
///
/// # Errors
/// If there is no such folder.
pub(crate) fn open_for_reading(
    folder: Option<&Path>,
    embedding: Embedding<'_>,
) -> anyhow::Result<Opened> {
    let root = root_of(folder)?;
    match kept(&root, embedding, Wait::ANSWER) {
        Err(error) if is_held(&error) => {
            notice::say(
                "another process holds the index; reads everything anew for this run, without it",
            );
            embedding.open(Index::in_memory(&root, None)?, None)
        }
        opened => opened,
    }
}

/// Opens the index of `root` as it is kept; in memory, which is said, where it cannot be.
///
/// # Errors
/// If another process holds it for longer than is waited for.
fn kept(root: &Path, embedding: Embedding<'_>, wait: Wait) -> anyhow::Result<Opened> {
    let why = match store_of(root, embedding.environment) {
        _ if !user_settings::keep_contents(embedding.environment) => anyhow!("{NOT_KEPT}"),
        Err(none) => none,
        Ok(store) => match Index::open_within(root, &store, None, wait) {
            Err(error) if error.is_place() => error.into(),
            other => return embedding.open(other?, Some(store)),
        },
    };
    let why = notice::in_one_line(why.as_ref());
    notice::say(format_args!("{why}; reads everything anew for this run"));
    embedding.open(Index::in_memory(root, None)?, None)
}

/// Opens the index of `root` for tools, with the embedder it remembers; in memory, which is said,
/// where it cannot be kept, and where it is not to be. Also in memory, for as long as that lasts,
/// where another process holds the file, for which it is waited as `wait` says.
///
/// # Errors
/// If there is no such folder.
pub(crate) fn open_for_tools(
    root: &Path,
    keeps: bool,
    environment: &Environment,
    wait: Wait,
) -> Result<Index, IndexError> {
    let (options, cancel) = (EmbedderOptions::default(), &Cancel::NEVER);
    let patience = Patience::SHORT;
    let embedding = Embedding { options: &options, patience, environment, cancel };
    let opened = match keeps {
        true => root_of(Some(root)).and_then(|root| kept(&root, embedding, wait)),
        // Its user knows.
        false => embedding.open(Index::in_memory(root, None)?, None),
    };
    match opened {
        Ok(opened) => Ok(opened.index),
        Err(error) if is_held(&error) => Index::standing_in(root, None),
        Err(_) => Index::in_memory(root, None),
    }
}

impl Opened {
    /// Says on standard error why vectors are left alone, for who shows no problems.
    pub(super) fn tell_problem(&self) {
        if let Some(problem) = &self.problem {
            notice::say(format_args!("vectors are left alone: {problem}"));
        }
    }
}

impl Embedding<'_> {
    fn open(self, mut index: Index, store: Option<PathBuf>) -> anyhow::Result<Opened> {
        let Self { options, patience, environment, cancel } = self;
        if options.no_embeddings {
            return Ok(Opened { index, store, embedder: None, meanwhile: None, problem: None });
        }
        let remembered = index.chosen()?.embedder;
        let current = remembered.map_or(Ok(Choice::BuiltIn), |text| text.parse());
        if let (Some(named), current) = (&options.embedder, &current) {
            let current = current.as_ref().map_or_else(|_| String::new(), ToString::to_string);
            index.choose(&named.to_string(), &current)?;
        }
        let choice = match (&options.embedder, current) {
            (Some(named), _) => named.clone(),
            (None, Ok(current)) => current,
            (None, Err(error)) => {
                let problem = Some(format!(
                    "the embedder that the index remembers cannot be used, name one with \
                     --embedder: {error}"
                ));
                return Ok(Opened { index, store, embedder: None, meanwhile: None, problem });
            }
        };
        let before = index.chosen()?.before.and_then(|text| text.parse::<Choice>().ok());
        let before = before.filter(|_| choice != Choice::None);
        let key = environment.embeddings_key.as_ref();
        // Somebody may wait for an answer; and the key is for the server that is chosen now.
        let short = |one: Choice| {
            let key = key.filter(|_| one.shares_server(&choice)).cloned();
            one.embedder(Patience::SHORT, key, cancel)
        };
        let meanwhile = before.and_then(short);
        let embedder = choice.embedder(patience, key.cloned(), cancel);
        index.set_embedders(embedder, meanwhile.clone());
        Ok(Opened { index, store, embedder: Some(choice), meanwhile, problem: None })
    }
}
