//! Updates of the index from its folder.

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;

use foveal_relevance::embedding::Embedder;
use foveal_transcript::CancelToken;
use foveal_workspace::regular_file::OpenFolder;

use super::folder_index::Index;
use crate::embedding::{
    EmbeddingOutcome, EmbeddingTask, embed_files_without_vectors, is_instant_embedder,
};
use crate::error::IndexError;
use crate::file_update::{UpdateTask, changed_paths, update_store};
use crate::folder_walk::{ReadFiles, WalkedFiles, walk_folder};
use crate::model_probe::{ProbedEmbedder, identify_model};
use crate::progress::{UpdateProgress, UpdateSummary};
use crate::store::StoredModel;

/// The number of rebuilds of a damaged store before the damage is an error.
const REBUILDS_MAX: u32 = 1;

impl Index {
    /// Updates the index: looks at all files, reads the changed ones, and then embeds files without
    /// vectors. Queued files come first, even if they are queued during the update. If the embedder
    /// fails, files stay without vectors: see [`Self::embedding_problem`].
    ///
    /// Stops soon after a cancellation. Finished work is kept, and the next update continues from
    /// there. Other indexes can search the store meanwhile.
    ///
    /// # Errors
    /// If the store cannot be written. Finished work is kept.
    pub fn update(
        &mut self,
        progress: &mut dyn FnMut(UpdateProgress),
        cancel: &CancelToken<'_>,
    ) -> Result<UpdateSummary, IndexError> {
        let queued: HashSet<PathBuf> = self.queue.paths().into_iter().collect();
        let summary = self.update_with_rebuild(cancel, &mut |this| {
            let texts = this.update_files(None, progress, cancel)?;
            if texts.cancelled {
                return Ok(texts);
            }
            let vectors = this.embed_files(usize::MAX, true, progress, cancel)?;
            let UpdateSummary { embedded, without_vectors: waiting, cancelled: stopped, .. } =
                vectors;
            Ok(UpdateSummary { embedded, without_vectors: waiting, cancelled: stopped, ..texts })
        })?;
        if !summary.cancelled {
            self.queue.remove(&queued);
        }
        Ok(summary)
    }

    /// Updates words and structure of all files, and vectors only if the embedder is instant.
    /// Vectors of a slow embedder wait for [`Self::update_vectors`].
    ///
    /// # Errors
    /// Those of [`Self::update`].
    pub fn update_texts(
        &mut self,
        progress: &mut dyn FnMut(UpdateProgress),
        cancel: &CancelToken<'_>,
    ) -> Result<UpdateSummary, IndexError> {
        self.update_with_rebuild(cancel, &mut |this| this.update_files(None, progress, cancel))
    }

    /// Embeds at most `files_max` of the files without vectors.
    ///
    /// # Errors
    /// Those of [`Self::update`].
    pub fn update_vectors(
        &mut self,
        files_max: usize,
        progress: &mut dyn FnMut(UpdateProgress),
        cancel: &CancelToken<'_>,
    ) -> Result<UpdateSummary, IndexError> {
        self.update_with_rebuild(cancel, &mut |this| {
            this.embed_files(files_max, false, progress, cancel)
        })
    }

    /// Updates only the queued files, with vectors as in [`Self::update_texts`].
    ///
    /// # Errors
    /// Those of [`Self::update`].
    pub fn update_queued(&mut self, cancel: &CancelToken<'_>) -> Result<UpdateSummary, IndexError> {
        let files = self.queue.drain_files();
        if files.is_empty() {
            return Ok(UpdateSummary::default());
        }
        self.update_with_rebuild(cancel, &mut |this| {
            this.update_files(Some(&files), &mut |_| {}, cancel)
        })
    }

    /// Returns the paths of new, changed and deleted files, which an update would handle. Reads no
    /// file.
    ///
    /// # Errors
    /// If the folder or the store cannot be read.
    pub fn changed_files(&mut self, cancel: &CancelToken<'_>) -> Result<Vec<String>, IndexError> {
        self.reopen_replaced_root()?;
        let found = self.walk(None, cancel)?;
        Ok(changed_paths(&found, &self.store.known_files(cancel)?))
    }

    /// Returns the [changed files](Self::changed_files) that are missing from answers while another
    /// process locks the index. Returns `None` if more files are missing than present, so that the
    /// index should not be used.
    ///
    /// # Errors
    /// If the folder or the store cannot be read.
    pub fn outdated_files(
        &mut self,
        cancel: &CancelToken<'_>,
    ) -> Result<Option<Vec<String>>, IndexError> {
        let behind = self.changed_files(cancel)?;
        Ok((behind.len() as u64 <= self.size()?.files).then_some(behind))
    }

    /// Returns the number of files with chunks but without vectors of the embedder, if there is
    /// one.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn files_without_vectors(&self) -> Result<u64, IndexError> {
        let Some(embedder) = &self.embedder else { return Ok(0) };
        match self.store.find_model(&embedder.identity())? {
            Some(model) => Ok(self.store.files_without_vectors(model.number)?.len() as u64),
            None => Ok(self.store.size()?.files),
        }
    }

    /// Returns the number of chunks of these files.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn chunks_without_vectors(&self) -> Result<u64, IndexError> {
        let Some(embedder) = &self.embedder else { return Ok(0) };
        let Some(model) = self.store.find_model(&embedder.identity())? else {
            return Ok(self.store.size()?.chunks);
        };
        let waiting = self.store.files_without_vectors(model.number)?;
        Ok(waiting.iter().map(|(_, known)| u64::from(known.chunks)).sum())
    }

    /// Runs `work`, and again after a rebuild if the store is damaged.
    fn update_with_rebuild(
        &mut self,
        cancel: &CancelToken<'_>,
        work: &mut dyn FnMut(&mut Self) -> Result<UpdateSummary, IndexError>,
    ) -> Result<UpdateSummary, IndexError> {
        self.invalidate_loaded();
        let mut rebuilds = 0;
        loop {
            match work(self) {
                Ok(summary) => {
                    let rebuilt = std::mem::take(&mut self.rebuilt);
                    return Ok(UpdateSummary { rebuilt, ..summary });
                }
                // Waiting for another process ends at the cancellation.
                Err(error) if error.is_busy() && cancel.is_cancelled() => {
                    return Ok(UpdateSummary { cancelled: true, ..UpdateSummary::default() });
                }
                Err(error) if error.is_corruption() && rebuilds < REBUILDS_MAX => {
                    rebuilds += 1;
                    self.rebuild()?;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Ensures that the open folder is the one at its path. Reopens another folder that replaced
    /// it, but not a link.
    fn reopen_replaced_root(&mut self) -> Result<(), IndexError> {
        if self.root.is_still_at_path() {
            return Ok(());
        }
        let path = self.root.path().to_owned();
        let held = match path.canonicalize() {
            Ok(real) if real == path => OpenFolder::open(real),
            Ok(_) => Err(io::Error::other("it was replaced by a link")),
            Err(error) => Err(error),
        };
        self.root = held.map_err(|source| IndexError::Root { path, source })?;
        Ok(())
    }

    /// Returns the files to index, or those of `only`.
    fn walk(
        &self,
        only: Option<&[PathBuf]>,
        cancel: &CancelToken<'_>,
    ) -> Result<WalkedFiles, IndexError> {
        let known = self.store.read_files()?;
        let waiting = self.queue.paths();
        let read = ReadFiles { known: &known, queued: only.unwrap_or(&waiting) };
        Ok(walk_folder(self.root.path(), only, read, cancel))
    }

    fn update_files(
        &mut self,
        only: Option<&[PathBuf]>,
        progress: &mut dyn FnMut(UpdateProgress),
        cancel: &CancelToken<'_>,
    ) -> Result<UpdateSummary, IndexError> {
        self.reopen_replaced_root()?;
        let found = self.walk(only, cancel)?;
        let instant = self.embedder.clone().filter(|embedder| is_instant_embedder(&**embedder));
        let model = match &instant {
            Some(embedder) => self.verified_model(&**embedder)?,
            None => None,
        };
        let probed = instant.as_deref().zip(model.as_ref());
        let model = probed.map(|(embedder, model)| ProbedEmbedder { embedder, model });
        let work = UpdateTask { root: &self.root, queue: &self.queue, model, cancel };
        update_store(&mut self.store, &work, &found, only, progress)
    }

    /// Embeds files without vectors. With `make_sure`, checks the model behind the embedder's name
    /// even if no file needs vectors.
    fn embed_files(
        &mut self,
        files_max: usize,
        make_sure: bool,
        progress: &mut dyn FnMut(UpdateProgress),
        cancel: &CancelToken<'_>,
    ) -> Result<UpdateSummary, IndexError> {
        let Some(embedder) = self.embedder.clone() else { return Ok(UpdateSummary::default()) };
        self.embedding_problem = None;
        let mut done = EmbeddingOutcome::default();
        let has_work =
            self.files_without_vectors()? > 0 || (make_sure && !is_instant_embedder(&*embedder));
        if has_work && files_max > 0 && !cancel.is_cancelled() {
            if let Some(model) = self.verified_model(&*embedder)? {
                let embedder = ProbedEmbedder { embedder: &*embedder, model: &model };
                let (root, queue) = (&self.root, &self.queue);
                let task = EmbeddingTask { root, queue, embedder, files_max, cancel };
                done = embed_files_without_vectors(&mut self.store, &task, progress)?;
            } else {
                let waiting = self.files_without_vectors()?;
                // A mere check of the model continues with the existing vectors.
                self.embedding_problem = self.embedding_problem.take().filter(|_| waiting > 0);
                return Ok(UpdateSummary { without_vectors: waiting, ..UpdateSummary::default() });
            }
        }
        let waiting = self.files_without_vectors()?;
        if waiting == 0
            && let Some(model) = self.store.find_model(&embedder.identity())?
        {
            let chosen = self.selection.as_ref().and_then(|chosen| chosen.embedder.as_deref());
            match self.store.remove_other_models(model.number, chosen) {
                // Other models take space until they are removed, and have no other effect.
                Err(error) if error.is_busy() => {}
                kept => kept?,
            }
        }
        self.embedding_problem = done.problem;
        let EmbeddingOutcome { files: embedded, cancelled: stopped, .. } = done;
        Ok(UpdateSummary {
            embedded,
            without_vectors: waiting,
            cancelled: stopped,
            ..UpdateSummary::default()
        })
    }

    /// Returns the verified model behind `embedder`, or `None` if it cannot be called.
    fn verified_model(
        &mut self,
        embedder: &dyn Embedder,
    ) -> Result<Option<StoredModel>, IndexError> {
        match identify_model(&self.store, embedder) {
            Err(IndexError::Embed(problem)) => {
                self.embedding_problem = Some(problem);
                Ok(None)
            }
            other => other.map(Some),
        }
    }
}
