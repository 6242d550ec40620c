//! One index: opening, choice of the embedder, rebuilding.

use std::path::Path;
use std::sync::Arc;

use foveal_relevance::embedding::{Embedder, EmbeddingError};
use foveal_relevance::relations::Relations;
use foveal_transcript::CancelToken;
use foveal_workspace::regular_file::OpenFolder;

use crate::error::IndexError;
use crate::file_queue::FileQueue;
use crate::segment::Segment;
use crate::store::{
    IndexChange, IndexSetting, IndexSize, IndexStore, LockWait, ModelNumber, RowId, StoredModel,
};
use crate::summary_search::SearchableSummaries;

/// The user's choice of an embedder, in the names of the calling program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EmbedderSelection {
    /// The chosen embedder. `None` if there was never a choice.
    pub embedder: Option<String>,
    /// The previous embedder, as long as its vectors are stored.
    pub previous: Option<String>,
}

/// The index of one folder in one store.
///
/// Several processes can have the same store open. Each sees the writes of the others at its next
/// update or search.
pub struct Index {
    pub(super) root: OpenFolder,
    pub(super) store: IndexStore,
    pub(super) embedder: Option<Arc<dyn Embedder>>,
    /// A second embedder, whose vectors are used as long as it has more of them than `embedder`.
    pub(super) fallback_embedder: Option<Arc<dyn Embedder>>,
    /// The choice at the first query for it, or the last choice made through this index.
    pub(super) selection: Option<EmbedderSelection>,
    /// The last error of either embedder.
    pub(super) embedding_problem: Option<EmbeddingError>,
    pub(super) queue: FileQueue,
    /// The segments in the order of their paths, as of `loaded`.
    pub(super) segments: Vec<Segment>,
    /// The store's data version when the segments were loaded, and the model of their vectors.
    /// `None` if they must be compared with the store again.
    pub(super) loaded: Option<(i64, Option<ModelNumber>)>,
    /// The models with vectors in this index, most vectors first, as of this data version.
    pub(super) models: Option<(i64, EmbedderModels)>,
    /// The relations, as of this data version.
    pub(super) relations: Option<(i64, Arc<Relations>)>,
    /// The model summaries, as of this data version.
    pub(super) summaries: Option<(i64, Arc<SearchableSummaries>)>,
    pub(super) rebuilt: bool,
    /// Whether this index replaces one whose file another process locks.
    pub(super) is_substitute: bool,
    /// Whether damaged rows have been removed since this flag was last read.
    pub(super) removed_damaged_rows: bool,
}

/// Models with their embedders.
pub(super) type EmbedderModels = Vec<(Arc<dyn Embedder>, StoredModel)>;

impl Index {
    /// Opens the index of the folder `root` in the file at `store`. Creates a missing file, empties
    /// one of another version, and quarantines and replaces one that is damaged or belongs to
    /// another program. Waits for other processes as [`LockWait::INDEXER`] says. Without an
    /// embedder, texts are found by their words alone.
    ///
    /// # Errors
    /// If `root` is no folder, or the folder of the store cannot be written.
    pub fn open(
        root: &Path,
        store: &Path,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Result<Self, IndexError> {
        Self::open_within(root, store, embedder, LockWait::INDEXER)
    }

    /// Opens an index as [`Self::open`] does. `wait` limits the wait for other processes that lock
    /// the file, until [`Self::set_lock_wait`] changes it.
    ///
    /// # Errors
    /// Those of [`Self::open`].
    pub fn open_within(
        root: &Path,
        store: &Path,
        embedder: Option<Arc<dyn Embedder>>,
        wait: LockWait,
    ) -> Result<Self, IndexError> {
        let root = open_root(root)?;
        let (store, rebuilt) = IndexStore::open(store, wait)?;
        Ok(Self { rebuilt, ..Self::from_store(root, store, embedder) })
    }

    /// Sets the wait for other processes that lock the file. A time-out is an error with
    /// [`IndexError::is_busy`].
    ///
    /// # Errors
    /// If there is no memory.
    pub fn set_lock_wait(&mut self, wait: LockWait) -> Result<(), IndexError> {
        self.store.set_lock_wait(wait)
    }

    /// Creates the index of the folder `root` in memory, for systems where no file can be written.
    ///
    /// # Errors
    /// If `root` is no folder.
    pub fn in_memory(root: &Path, embedder: Option<Arc<dyn Embedder>>) -> Result<Self, IndexError> {
        Ok(Self::from_store(open_root(root)?, IndexStore::in_memory()?, embedder))
    }

    /// Creates an index in memory for the time during which another process locks the file.
    ///
    /// # Errors
    /// If `root` is no folder.
    pub fn in_memory_substitute(
        root: &Path,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Result<Self, IndexError> {
        Ok(Self { is_substitute: true, ..Self::in_memory(root, embedder)? })
    }

    /// Returns whether this index replaces one whose file another process locked during opening.
    /// Try to open that file later.
    pub fn is_substitute(&self) -> bool {
        self.is_substitute
    }

    fn from_store(
        root: OpenFolder,
        store: IndexStore,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Self {
        Self {
            root,
            store,
            embedder,
            fallback_embedder: None,
            selection: None,
            embedding_problem: None,
            queue: FileQueue::default(),
            segments: Vec::new(),
            loaded: None,
            models: None,
            relations: None,
            summaries: None,
            rebuilt: false,
            is_substitute: false,
            removed_damaged_rows: false,
        }
    }

    /// Returns the last choice made with [`Self::select_embedder`] in any process. A rebuilt store
    /// keeps it.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn embedder_selection(&mut self) -> Result<EmbedderSelection, IndexError> {
        let chosen = self.with_rebuild(|store| {
            let embedder = store.read_setting(IndexSetting::Embedder)?;
            Ok(EmbedderSelection {
                embedder,
                previous: store.read_setting(IndexSetting::EmbedderBefore)?,
            })
        })?;
        self.selection.get_or_insert_with(|| chosen.clone());
        Ok(chosen)
    }

    /// Returns whether another embedder has been chosen since this index first read the choice, or
    /// last made one. Open the index again in this case: this one leaves the vectors of other
    /// embedders alone.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn has_selection_changed(&mut self) -> Result<bool, IndexError> {
        let embedder = self.embedder_selection()?.embedder;
        Ok(self.selection.as_ref().is_some_and(|known| known.embedder != embedder))
    }

    /// Stores `embedder` as the user's choice in place of `current`. It is used only after
    /// [`Self::set_embedders`] provides it.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn select_embedder(&mut self, embedder: &str, current: &str) -> Result<(), IndexError> {
        if embedder == current {
            return Ok(());
        }
        self.with_rebuild(|store| store.select_embedder(embedder, current))?;
        self.selection =
            Some(EmbedderSelection { embedder: Some(embedder.to_owned()), previous: None });
        Ok(())
    }

    /// Continues as a [substitute](Self::is_substitute) in memory. The next update reads all files
    /// again.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn become_substitute(&mut self) -> Result<(), IndexError> {
        self.is_substitute = true;
        self.detach_from_file()
    }

    /// Continues in memory alone, after the file could not be written. The file stays unchanged,
    /// and the next update reads all files again.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn detach_from_file(&mut self) -> Result<(), IndexError> {
        self.store = IndexStore::in_memory()?;
        self.segments.clear();
        self.invalidate_loaded();
        Ok(())
    }

    /// Runs `work`, and again after a rebuild if the store is damaged.
    fn with_rebuild<T>(
        &mut self,
        work: impl Fn(&IndexStore) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        match work(&self.store) {
            Err(error) if error.is_corruption() => {
                self.rebuild()?;
                work(&self.store)
            }
            other => other,
        }
    }

    /// Sets the embedder for new vectors. The vectors of `meanwhile` are searched as long as there
    /// are more of them.
    pub fn set_embedders(
        &mut self,
        embedder: Option<Arc<dyn Embedder>>,
        meanwhile: Option<Arc<dyn Embedder>>,
    ) {
        (self.embedder, self.fallback_embedder) = (embedder, meanwhile);
        self.invalidate_loaded();
    }

    /// Returns the reason why the last update or search had to work without an embedder.
    pub fn embedding_problem(&self) -> Option<&EmbeddingError> {
        self.embedding_problem.as_ref()
    }

    /// Returns the path of the folder, with links resolved.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// Moves `path` (absolute, or relative to the root) to the front of the next update. Ignores
    /// paths outside of the root.
    pub fn prioritize_file(&self, path: &Path) {
        let root = self.root.path();
        let whole = root.join(path);
        let inside = whole.starts_with(root).then_some(whole.clone());
        let inside = inside.or_else(|| whole.canonicalize().ok());
        if let Some(path) = inside.filter(|path| path.starts_with(root)) {
            self.queue.push(&path);
        }
    }

    /// Returns whether the index has been empty since it was found damaged or of another version.
    /// It needs an update.
    pub fn is_rebuilt(&self) -> bool {
        self.rebuilt
    }

    /// Removes damaged rows. The next update reads their files again.
    pub(super) fn remove_damaged_rows(&mut self, rows: &[RowId]) -> Result<(), IndexError> {
        let changes: Vec<IndexChange> =
            rows.iter().map(|row| IndexChange::Forget { row: *row }).collect();
        self.remove_damaged_data(&changes)
    }

    /// Applies changes that remove damaged data.
    pub(super) fn remove_damaged_data(
        &mut self,
        changes: &[IndexChange],
    ) -> Result<(), IndexError> {
        if !changes.is_empty() {
            match self.store.apply_changes(changes, &CancelToken::NEVER) {
                // Another process writes. The damaged rows stay and are ignored until one process
                // removes them.
                Err(error) if error.is_busy() => {}
                written => written?,
            }
            self.invalidate_loaded();
        }
        Ok(())
    }

    /// Returns the size of the index.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn size(&self) -> Result<IndexSize, IndexError> {
        self.store.size()
    }

    /// Invalidates all loaded data after a write to the store.
    pub(super) fn invalidate_loaded(&mut self) {
        (self.loaded, self.models, self.relations) = (None, None, None);
        self.summaries = None;
    }

    pub(super) fn rebuild(&mut self) -> Result<(), IndexError> {
        self.store.rebuild()?;
        self.segments.clear();
        self.invalidate_loaded();
        self.rebuilt = true;
        Ok(())
    }
}

/// Opens `root` with links resolved, if it is a readable folder.
fn open_root(root: &Path) -> Result<OpenFolder, IndexError> {
    let refuse = |source| IndexError::Root { path: root.to_owned(), source };
    let root = root.canonicalize().map_err(refuse)?;
    std::fs::read_dir(&root).map_err(refuse)?;
    OpenFolder::open(root).map_err(refuse)
}
