//! The index brought up to date with its folder.

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;

use foveal_cancel::Cancel;
use foveal_code::embed::Embedder;
use foveal_files::bounded::HeldFolder;

use super::open::Index;
use crate::embedding::{Embedded, Task, embed_waiting, is_instant};
use crate::error::IndexError;
use crate::model::{ProbedEmbedder, agree};
use crate::progress::{Progress, Summary};
use crate::store::Model;
use crate::update::{Work, changed, update};
use crate::walk::walk;

/// How often a store that is damaged is built anew before that is an error.
const REBUILDS_MAX: u32 = 1;

impl Index {
    /// Brings the index up to date: looks at all files, reads those that have changed, and
    /// then has vectors made for those that have none. Files in the queue come first, also if
    /// they are put there meanwhile. An embedder that fails leaves files without vectors: see
    /// [`Self::problem`].
    ///
    /// Stops soon after it is cancelled; what was done is kept, and the next update goes
    /// on from there. Other indexes search what is there meanwhile.
    ///
    /// # Errors
    /// If the store cannot be written; what was done is kept.
    pub fn update(
        &mut self,
        progress: &mut dyn FnMut(Progress),
        cancel: &Cancel<'_>,
    ) -> Result<Summary, IndexError> {
        let queued: HashSet<PathBuf> = self.queue.paths().into_iter().collect();
        let summary = self.mending(cancel, &mut |this| {
            let texts = this.read_files(None, progress, cancel)?;
            if texts.stopped {
                return Ok(texts);
            }
            let vectors = this.make_vectors(usize::MAX, true, progress, cancel)?;
            let Summary { embedded, waiting, stopped, .. } = vectors;
            Ok(Summary { embedded, waiting, stopped, ..texts })
        })?;
        if !summary.stopped {
            self.queue.remove(&queued);
        }
        Ok(summary)
    }

    /// Brings words and structure of all files up to date, and vectors only where they are
    /// made at once: those of a slow embedder wait for [`Self::update_vectors`].
    ///
    /// # Errors
    /// As [`Self::update`].
    pub fn update_texts(
        &mut self,
        progress: &mut dyn FnMut(Progress),
        cancel: &Cancel<'_>,
    ) -> Result<Summary, IndexError> {
        self.mending(cancel, &mut |this| this.read_files(None, progress, cancel))
    }

    /// Has vectors made for at most `files_max` of the files that have none.
    ///
    /// # Errors
    /// As [`Self::update`].
    pub fn update_vectors(
        &mut self,
        files_max: usize,
        progress: &mut dyn FnMut(Progress),
        cancel: &Cancel<'_>,
    ) -> Result<Summary, IndexError> {
        self.mending(cancel, &mut |this| this.make_vectors(files_max, false, progress, cancel))
    }

    /// Brings the files in the queue up to date, and no others; vectors as
    /// [`Self::update_texts`] does.
    ///
    /// # Errors
    /// As [`Self::update`].
    pub fn update_queued(&mut self, cancel: &Cancel<'_>) -> Result<Summary, IndexError> {
        let files = self.queue.take();
        if files.is_empty() {
            return Ok(Summary::default());
        }
        self.mending(cancel, &mut |this| this.read_files(Some(&files), &mut |_| {}, cancel))
    }

    /// Files that have changed since they were indexed, came or are gone, by path: those that an
    /// update would look at. No file is read.
    ///
    /// # Errors
    /// If the folder or the store cannot be read.
    pub fn changed_files(&mut self, cancel: &Cancel<'_>) -> Result<Vec<String>, IndexError> {
        self.stay_in_place()?;
        let found = walk(self.root.path(), None, cancel);
        Ok(changed(&found, &self.store.known(cancel)?))
    }

    /// The [changed files](Self::changed_files) that answers lack while another process holds the
    /// index; `None` where more is missing than is there, so that it is not to be asked.
    ///
    /// # Errors
    /// If the folder or the store cannot be read.
    pub fn behind(&mut self, cancel: &Cancel<'_>) -> Result<Option<Vec<String>>, IndexError> {
        let behind = self.changed_files(cancel)?;
        Ok((behind.len() as u64 <= self.size()?.files).then_some(behind))
    }

    /// How many files have parts but no vectors of the embedder, if there is one.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn waiting(&self) -> Result<u64, IndexError> {
        let Some(embedder) = &self.embedder else { return Ok(0) };
        match self.store.model(&embedder.identity())? {
            Some(model) => Ok(self.store.waiting(model.number)?.len() as u64),
            None => Ok(self.store.size()?.files),
        }
    }

    /// How many parts those files have together.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn waiting_parts(&self) -> Result<u64, IndexError> {
        let Some(embedder) = &self.embedder else { return Ok(0) };
        let Some(model) = self.store.model(&embedder.identity())? else {
            return Ok(self.store.size()?.chunks);
        };
        let waiting = self.store.waiting(model.number)?;
        Ok(waiting.iter().map(|(_, known)| u64::from(known.chunks)).sum())
    }

    /// Does `work`, again if the store turns out to be damaged and is built anew.
    fn mending(
        &mut self,
        cancel: &Cancel<'_>,
        work: &mut dyn FnMut(&mut Self) -> Result<Summary, IndexError>,
    ) -> Result<Summary, IndexError> {
        self.unload();
        let mut rebuilds = 0;
        loop {
            match work(self) {
                Ok(summary) => {
                    let rebuilt = std::mem::take(&mut self.rebuilt);
                    return Ok(Summary { rebuilt, ..summary });
                }
                // Another process was waited for, but no longer than until the stop.
                Err(error) if error.is_busy() && cancel.is_cancelled() => {
                    return Ok(Summary { stopped: true, ..Summary::default() });
                }
                Err(error) if error.is_damage() && rebuilds < REBUILDS_MAX => {
                    rebuilds += 1;
                    self.rebuild()?;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Makes sure that the folder is the one that stands at its path. Another that was put there
    /// is the folder from now on, unless a link was.
    fn stay_in_place(&mut self) -> Result<(), IndexError> {
        if self.root.is_in_place() {
            return Ok(());
        }
        let path = self.root.path().to_owned();
        let held = match path.canonicalize() {
            Ok(real) if real == path => HeldFolder::open(real),
            Ok(_) => Err(io::Error::other("a link was put in its place")),
            Err(error) => Err(error),
        };
        self.root = held.map_err(|source| IndexError::Root { path, source })?;
        Ok(())
    }

    fn read_files(
        &mut self,
        only: Option<&[PathBuf]>,
        progress: &mut dyn FnMut(Progress),
        cancel: &Cancel<'_>,
    ) -> Result<Summary, IndexError> {
        self.stay_in_place()?;
        let found = walk(self.root.path(), only, cancel);
        let instant = self.embedder.clone().filter(|embedder| is_instant(&**embedder));
        let model = match &instant {
            Some(embedder) => self.agreed(&**embedder)?,
            None => None,
        };
        let probed = instant.as_deref().zip(model.as_ref());
        let model = probed.map(|(embedder, model)| ProbedEmbedder { embedder, model });
        let work = Work { root: &self.root, queue: &self.queue, model, cancel };
        update(&mut self.store, &work, &found, only, progress)
    }

    /// With `make_sure` it is asked whether the model is still the one behind its name, even
    /// if no file waits for it.
    fn make_vectors(
        &mut self,
        files_max: usize,
        make_sure: bool,
        progress: &mut dyn FnMut(Progress),
        cancel: &Cancel<'_>,
    ) -> Result<Summary, IndexError> {
        let Some(embedder) = self.embedder.clone() else { return Ok(Summary::default()) };
        self.problem = None;
        let mut done = Embedded::default();
        let has_work = self.waiting()? > 0 || (make_sure && !is_instant(&*embedder));
        if has_work && files_max > 0 && !cancel.is_cancelled() {
            if let Some(model) = self.agreed(&*embedder)? {
                let embedder = ProbedEmbedder { embedder: &*embedder, model: &model };
                let (root, queue) = (&self.root, &self.queue);
                let task = Task { root, queue, embedder, files_max, cancel };
                done = embed_waiting(&mut self.store, &task, progress)?;
            } else {
                let waiting = self.waiting()?;
                // Who only wanted to make sure goes on with the vectors that are there.
                self.problem = self.problem.take().filter(|_| waiting > 0);
                return Ok(Summary { waiting, ..Summary::default() });
            }
        }
        let waiting = self.waiting()?;
        if waiting == 0
            && let Some(model) = self.store.model(&embedder.identity())?
        {
            let chosen = self.chosen.as_ref().and_then(|chosen| chosen.embedder.as_deref());
            match self.store.keep_only(model.number, chosen) {
                // It takes room until it goes, and nothing else.
                Err(error) if error.is_busy() => {}
                kept => kept?,
            }
        }
        self.problem = done.problem;
        let Embedded { files: embedded, stopped, .. } = done;
        Ok(Summary { embedded, waiting, stopped, ..Summary::default() })
    }

    /// The model behind `embedder`; `None` if it cannot be asked.
    fn agreed(&mut self, embedder: &dyn Embedder) -> Result<Option<Model>, IndexError> {
        match agree(&self.store, embedder) {
            Err(IndexError::Embed(problem)) => {
                self.problem = Some(problem);
                Ok(None)
            }
            other => other.map(Some),
        }
    }
}
