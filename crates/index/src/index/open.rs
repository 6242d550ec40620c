//! One index: opened, told what to use, built anew.

use std::path::Path;
use std::sync::Arc;

use foveal_cancel::Cancel;
use foveal_code::embed::{EmbedError, Embedder};
use foveal_code::relations::Relations;
use foveal_files::bounded::HeldFolder;

use crate::error::IndexError;
use crate::queue::Queue;
use crate::said_parts::SaidParts;
use crate::segment::Segment;
use crate::store::{Change, Model, ModelNumber, RowId, Setting, Size, Store, Wait};

/// What a user chose to have vectors made by, in words of the user's program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Chosen {
    /// The embedder; `None` if nobody ever chose one.
    pub embedder: Option<String>,
    /// The one before it, as long as its vectors are there.
    pub before: Option<String>,
}

/// The index of one folder in one store.
///
/// Another process may have the same store open; each sees what the other has written at
/// its next update or search.
pub struct Index {
    pub(super) root: HeldFolder,
    pub(super) store: Store,
    pub(super) embedder: Option<Arc<dyn Embedder>>,
    /// One whose vectors are used as long as `embedder` has not made as many.
    pub(super) meanwhile: Option<Arc<dyn Embedder>>,
    /// What was chosen when this index was first asked, or what was chosen with it.
    pub(super) chosen: Option<Chosen>,
    /// What the last use of either failed with.
    pub(super) problem: Option<EmbedError>,
    pub(super) queue: Queue,
    /// By path; as of `loaded`.
    pub(super) segments: Vec<Segment>,
    /// The store's count of others' changes when the segments were loaded, and the model of
    /// their vectors; `None` if they have to be looked at again.
    pub(super) loaded: Option<(i64, Option<ModelNumber>)>,
    /// Models with vectors here, most vectors first, as of that count.
    pub(super) models: Option<(i64, Models)>,
    /// With the count as of which they are up to date.
    pub(super) relations: Option<(i64, Arc<Relations>)>,
    /// The same of what models say of files.
    pub(super) said: Option<(i64, Arc<SaidParts>)>,
    pub(super) rebuilt: bool,
    /// Whether it stands in for one in a file that another process holds.
    pub(super) stands_in: bool,
    /// Rows that were not what was written have been removed since this was last looked at.
    pub(super) lost_some: bool,
}

/// Models, and who makes their vectors.
pub(super) type Models = Vec<(Arc<dyn Embedder>, Model)>;

impl Index {
    /// Opens the index of the folder `root` in the file at `store`, which is made if it is
    /// not there, emptied if it is of another version, and set aside and made anew if it is
    /// damaged or another program's. Others that hold it are waited for as
    /// [who indexes](Wait::INDEXER) does.
    /// Without an embedder texts are found by their words alone.
    ///
    /// # Errors
    /// If `root` is no folder, or the store's folder cannot be written.
    pub fn open(
        root: &Path,
        store: &Path,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Result<Self, IndexError> {
        Self::open_within(root, store, embedder, Wait::INDEXER)
    }

    /// The same; `wait` says how long others are waited for that hold the file, then and until
    /// [`Self::wait_for_others`] says something else.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_within(
        root: &Path,
        store: &Path,
        embedder: Option<Arc<dyn Embedder>>,
        wait: Wait,
    ) -> Result<Self, IndexError> {
        let root = readable(root)?;
        let (store, rebuilt) = Store::open(store, wait)?;
        Ok(Self { rebuilt, ..Self::of(root, store, embedder) })
    }

    /// Says how long others that hold the file are waited for from now on. What they keep this one
    /// from is an error that says so, see [`IndexError::is_busy`].
    ///
    /// # Errors
    /// If there is no memory.
    pub fn wait_for_others(&mut self, wait: Wait) -> Result<(), IndexError> {
        self.store.wait(wait)
    }

    /// The index of the folder `root` in memory alone, for where no file can be written.
    ///
    /// # Errors
    /// If `root` is no folder.
    pub fn in_memory(root: &Path, embedder: Option<Arc<dyn Embedder>>) -> Result<Self, IndexError> {
        Ok(Self::of(readable(root)?, Store::in_memory()?, embedder))
    }

    /// The same for as long as another process holds the file of the index.
    ///
    /// # Errors
    /// If `root` is no folder.
    pub fn standing_in(
        root: &Path,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Result<Self, IndexError> {
        Ok(Self { stands_in: true, ..Self::in_memory(root, embedder)? })
    }

    /// Whether this one stands in for one in a file that another process held when it was to be
    /// opened. Try to open that one later.
    pub fn is_stand_in(&self) -> bool {
        self.stands_in
    }

    fn of(root: HeldFolder, store: Store, embedder: Option<Arc<dyn Embedder>>) -> Self {
        Self {
            root,
            store,
            embedder,
            meanwhile: None,
            chosen: None,
            problem: None,
            queue: Queue::default(),
            segments: Vec::new(),
            loaded: None,
            models: None,
            relations: None,
            said: None,
            rebuilt: false,
            stands_in: false,
            lost_some: false,
        }
    }

    /// What was last chosen with [`Self::choose`], by whatever process; a store that is
    /// rebuilt takes it over.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn chosen(&mut self) -> Result<Chosen, IndexError> {
        let chosen = self.mended(|store| {
            let embedder = store.setting(Setting::Embedder)?;
            Ok(Chosen { embedder, before: store.setting(Setting::EmbedderBefore)? })
        })?;
        self.chosen.get_or_insert_with(|| chosen.clone());
        Ok(chosen)
    }

    /// Whether another embedder has been chosen since this index was first asked what was
    /// chosen, or last told. It must be opened again then: vectors of other embedders are
    /// left alone from here.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn is_chosen_anew(&mut self) -> Result<bool, IndexError> {
        let embedder = self.chosen()?.embedder;
        Ok(self.chosen.as_ref().is_some_and(|known| known.embedder != embedder))
    }

    /// Remembers `embedder` as what the user chose instead of `current`. It is used only once
    /// [`Self::set_embedders`] gives it.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn choose(&mut self, embedder: &str, current: &str) -> Result<(), IndexError> {
        if embedder == current {
            return Ok(());
        }
        self.mended(|store| store.choose(embedder, current))?;
        self.chosen = Some(Chosen { embedder: Some(embedder.to_owned()), before: None });
        Ok(())
    }

    /// Goes on as one that [stands in](Self::is_stand_in): the next update reads all files anew.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn stand_in(&mut self) -> Result<(), IndexError> {
        self.stands_in = true;
        self.leave_file()
    }

    /// Goes on in memory alone, where the file refuses to be written: the next update reads all
    /// files anew. The file stays as it is.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn leave_file(&mut self) -> Result<(), IndexError> {
        self.store = Store::in_memory()?;
        self.segments.clear();
        self.unload();
        Ok(())
    }

    /// Does `work`, again if the store turns out to be damaged and is built anew.
    fn mended<T>(
        &mut self,
        work: impl Fn(&Store) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        match work(&self.store) {
            Err(error) if error.is_damage() => {
                self.rebuild()?;
                work(&self.store)
            }
            other => other,
        }
    }

    /// Has vectors made by `embedder` from now on. Those of `meanwhile` are used to search as
    /// long as they are more.
    pub fn set_embedders(
        &mut self,
        embedder: Option<Arc<dyn Embedder>>,
        meanwhile: Option<Arc<dyn Embedder>>,
    ) {
        (self.embedder, self.meanwhile) = (embedder, meanwhile);
        self.unload();
    }

    /// Why the last update or search had to do without an embedder, if it had to.
    pub fn problem(&self) -> Option<&EmbedError> {
        self.problem.as_ref()
    }

    /// The folder, with links resolved.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// Puts `path` (from the root on, or absolute) among the files to be looked at first.
    /// What lies outside the root is left out.
    pub fn touch(&self, path: &Path) {
        let root = self.root.path();
        let whole = root.join(path);
        let inside = whole.starts_with(root).then_some(whole.clone());
        let inside = inside.or_else(|| whole.canonicalize().ok());
        if let Some(path) = inside.filter(|path| path.starts_with(root)) {
            self.queue.push(&path);
        }
    }

    /// Whether the store was damaged or of another version and the index has been empty
    /// since: it needs an update.
    pub fn is_rebuilt(&self) -> bool {
        self.rebuilt
    }

    /// Takes rows out that are not to be trusted; the next update reads their files again.
    pub(super) fn forget(&mut self, rows: &[RowId]) -> Result<(), IndexError> {
        let changes: Vec<Change> = rows.iter().map(|row| Change::Forget { row: *row }).collect();
        self.take_out(&changes)
    }

    /// Carries out changes that take out what is not to be trusted.
    pub(super) fn take_out(&mut self, changes: &[Change]) -> Result<(), IndexError> {
        if !changes.is_empty() {
            match self.store.write(changes, &Cancel::NEVER) {
                // Another process writes. Nobody trusts them until somebody takes them out.
                Err(error) if error.is_busy() => {}
                written => written?,
            }
            self.unload();
        }
        Ok(())
    }

    /// How large the index is.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn size(&self) -> Result<Size, IndexError> {
        self.store.size()
    }

    /// Has everything that was loaded looked at again, since the store was written.
    pub(super) fn unload(&mut self) {
        (self.loaded, self.models, self.relations) = (None, None, None);
        self.said = None;
    }

    pub(super) fn rebuild(&mut self) -> Result<(), IndexError> {
        self.store.rebuild()?;
        self.segments.clear();
        self.unload();
        self.rebuilt = true;
        Ok(())
    }
}

/// `root` with links resolved, if it is a folder that can be read.
fn readable(root: &Path) -> Result<HeldFolder, IndexError> {
    let refuse = |source| IndexError::Root { path: root.to_owned(), source };
    let root = root.canonicalize().map_err(refuse)?;
    std::fs::read_dir(&root).map_err(refuse)?;
    HeldFolder::open(root).map_err(refuse)
}
