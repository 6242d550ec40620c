//! Opens the index of a folder, with its embedder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{anyhow, bail};
use foveal_index::{Index, IndexError, LockWait};
use foveal_providers::EmbeddingRequestLimits;
use foveal_relevance::embedding::Embedder;
use foveal_transcript::CancelToken;

use super::index_location::{index_file, resolve_root};
use crate::embedder_choice::{EmbedderChoice, EmbedderOptions};
use crate::environment::Environment;
use crate::notice;

/// The reason why an index is not stored.
const NOT_STORED_REASON: &str = "your settings contain `keep_contents = false`, or are invalid";

/// An open index with its file and embedder.
pub(crate) struct OpenedIndex {
    pub(crate) index: Index,
    /// The file; `None` if the index is in memory.
    pub(crate) file: Option<PathBuf>,
    /// The embedder of this run; `None` if vectors are not updated.
    pub(crate) embedder: Option<EmbedderChoice>,
    /// The embedder before the current one, whose vectors are still stored.
    pub(super) previous_embedder: Option<Arc<dyn Embedder>>,
    /// The reason why the embedder could not be used, if it failed.
    pub(crate) embedder_problem: Option<String>,
}

/// The options by which an embedder is chosen and called.
#[derive(Clone, Copy)]
pub(crate) struct EmbedderContext<'a> {
    pub(crate) options: &'a EmbedderOptions,
    pub(crate) patience: EmbeddingRequestLimits,
    pub(crate) environment: &'a Environment,
    pub(crate) cancel: &'a CancelToken<'static>,
}

/// Opens the index of `folder`, or of the working copy that contains the current folder. The
/// embedder is the one that the options name, or else the one that the index remembers. If that one
/// cannot be used, a notice is printed and the index is opened without it.
///
/// # Errors
/// Returns an error if the folder does not exist, or there is no place for the index.
pub(crate) fn open_index(
    folder: Option<&Path>,
    embedding: EmbedderContext<'_>,
) -> anyhow::Result<OpenedIndex> {
    let root = resolve_root(folder)?;
    if !embedding.environment.may_keep_contents() {
        bail!("{NOT_STORED_REASON}, so no index is written; searches build one in memory");
    }
    let store = index_file(&root, embedding.environment)?;
    let opened = embedding.attach_embedder(Index::open(&root, &store, None)?, Some(store))?;
    opened.report_embedder_problem();
    Ok(opened)
}

/// Returns whether the error is that another process holds the index file for longer than the wait.
pub(super) fn is_index_busy(error: &anyhow::Error) -> bool {
    error.downcast_ref::<IndexError>().is_some_and(IndexError::is_busy)
}

/// Opens an index like [`open_index`]. If it cannot be written or another process holds it, prints
/// a notice and opens one in memory, because the caller waits for an answer.
///
/// # Errors
/// Returns an error if the folder does not exist.
pub(crate) fn open_index_for_reading(
    folder: Option<&Path>,
    embedding: EmbedderContext<'_>,
) -> anyhow::Result<OpenedIndex> {
    let root = resolve_root(folder)?;
    match open_stored_index(&root, embedding, LockWait::ANSWER) {
        Err(error) if is_index_busy(&error) => {
            notice::print_notice(
                "another process has locked the index; reading all files for this run, without it",
            );
            embedding.attach_embedder(Index::in_memory(&root, None)?, None)
        }
        opened => opened,
    }
}

/// Opens the stored index of `root`; if it cannot be stored, prints a notice and opens one in
/// memory.
///
/// # Errors
/// Returns an error if another process holds it for longer than `wait`.
fn open_stored_index(
    root: &Path,
    embedding: EmbedderContext<'_>,
    wait: LockWait,
) -> anyhow::Result<OpenedIndex> {
    let why = match index_file(root, embedding.environment) {
        _ if !embedding.environment.may_keep_contents() => {
            anyhow!("{NOT_STORED_REASON}")
        }
        Err(none) => none,
        Ok(store) => match Index::open_within(root, &store, None, wait) {
            Err(error) if error.is_inaccessible() => error.into(),
            other => return embedding.attach_embedder(other?, Some(store)),
        },
    };
    let why = notice::describe_error(why.as_ref());
    notice::print_notice(format_args!("{why}; reading all files for this run"));
    embedding.attach_embedder(Index::in_memory(root, None)?, None)
}

/// Opens the index of `root` for tools, with the embedder that it remembers. It is in memory if it
/// must not be stored, or cannot be, which a notice says. If another process holds the file for
/// longer than `wait`, an index in memory stands in for as long as that lasts.
///
/// # Errors
/// Returns an error if the folder does not exist.
pub(crate) fn open_index_for_tools(
    root: &Path,
    keeps: bool,
    environment: &Environment,
    wait: LockWait,
) -> Result<Index, IndexError> {
    let (options, cancel) = (EmbedderOptions::default(), &CancelToken::NEVER);
    let patience = EmbeddingRequestLimits::INTERACTIVE;
    let embedding = EmbedderContext { options: &options, patience, environment, cancel };
    let opened = match keeps {
        true => resolve_root(Some(root)).and_then(|root| open_stored_index(&root, embedding, wait)),
        // The user chose this, so no notice is printed.
        false => embedding.attach_embedder(Index::in_memory(root, None)?, None),
    };
    match opened {
        Ok(opened) => Ok(opened.index),
        Err(error) if is_index_busy(&error) => Index::in_memory_substitute(root, None),
        Err(_) => Index::in_memory(root, None),
    }
}

impl OpenedIndex {
    /// Prints a notice if vectors are not updated, for callers that do not show the problem
    /// themselves.
    pub(super) fn report_embedder_problem(&self) {
        if let Some(problem) = &self.embedder_problem {
            notice::print_notice(format_args!("vectors are not updated: {problem}"));
        }
    }
}

impl EmbedderContext<'_> {
    fn attach_embedder(
        self,
        mut index: Index,
        store: Option<PathBuf>,
    ) -> anyhow::Result<OpenedIndex> {
        let Self { options, patience, environment, cancel } = self;
        if options.no_embeddings {
            return Ok(OpenedIndex {
                index,
                file: store,
                embedder: None,
                previous_embedder: None,
                embedder_problem: None,
            });
        }
        let remembered = index.embedder_selection()?.embedder;
        let current = remembered.map_or(Ok(EmbedderChoice::BuiltIn), |text| text.parse());
        if let (Some(named), current) = (&options.embedder, &current) {
            let current = current.as_ref().map_or_else(|_| String::new(), ToString::to_string);
            index.select_embedder(&named.to_string(), &current)?;
        }
        let choice = match (&options.embedder, current) {
            (Some(named), _) => named.clone(),
            (None, Ok(current)) => current,
            (None, Err(error)) => {
                let problem = Some(format!(
                    "the embedder of the index cannot be used, choose one with --embedder: {error}"
                ));
                return Ok(OpenedIndex {
                    index,
                    file: store,
                    embedder: None,
                    previous_embedder: None,
                    embedder_problem: problem,
                });
            }
        };
        let before = index
            .embedder_selection()?
            .previous
            .and_then(|text| text.parse::<EmbedderChoice>().ok());
        let before = before.filter(|_| choice != EmbedderChoice::None);
        let key = environment.embeddings_key.as_ref();
        // The user may wait for an answer, so the wait is short. The key belongs to the server of
        // the chosen embedder.
        let short = |one: EmbedderChoice| {
            let key = key.filter(|_| one.shares_server(&choice)).cloned();
            one.build_embedder(EmbeddingRequestLimits::INTERACTIVE, key, cancel)
        };
        let meanwhile = before.and_then(short);
        let embedder = choice.build_embedder(patience, key.cloned(), cancel);
        index.set_embedders(embedder, meanwhile.clone());
        Ok(OpenedIndex {
            index,
            file: store,
            embedder: Some(choice),
            previous_embedder: meanwhile,
            embedder_problem: None,
        })
    }
}
