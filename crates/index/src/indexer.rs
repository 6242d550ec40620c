//! The index of one folder: opened, brought up to date, searched.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foveal_cancel::Cancel;
use foveal_code::embed::{EmbedError, Embedder, QuantizedVector, Vectors};
use foveal_code::relations::{FileSymbols, Relations};

use crate::embedding::{Embedded, Task, embed_waiting, is_instant};
use crate::error::IndexerError;
use crate::load::load;
use crate::model::{Asked, Model, agree};
use crate::queue::Queue;
use crate::search::{Hit, Question, SearchOptions, hit, search};
use crate::segment::Segment;
use crate::store::{Change, ModelNumber, Row, RowId, Store};
use crate::symbols;
use crate::update::{Progress, Summary, Work, update};
use crate::vector_store::{Setting, VectorsId};
use crate::vectors;
use crate::walk::walk;

/// How often a store that is damaged is built anew before that is an error.
const REBUILDS_MAX: u32 = 1;

/// How large an index is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Size {
    /// Files in it that have parts.
    pub files: u64,
    /// Parts that can be found.
    pub chunks: u64,
}

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
pub struct Indexer {
    root: PathBuf,
    store: Store,
    embedder: Option<Arc<dyn Embedder>>,
    /// One whose vectors are used as long as `embedder` has not made as many.
    meanwhile: Option<Arc<dyn Embedder>>,
    /// What was chosen when this index was first asked, or what was chosen with it.
    chosen: Option<Chosen>,
    /// What the last use of either failed with.
    problem: Option<EmbedError>,
    queue: Queue,
    /// By path; as of `loaded`.
    segments: Vec<Segment>,
    /// The store's count of others' changes when the segments were loaded, and the model of
    /// their vectors; `None` if they have to be looked at again.
    loaded: Option<(i64, Option<ModelNumber>)>,
    /// Models with vectors here, most vectors first, as of that count.
    models: Option<(i64, Models)>,
    /// With the count as of which they are up to date.
    relations: Option<(i64, Arc<Relations>)>,
    rebuilt: bool,
}

/// Models, and who makes their vectors.
type Models = Vec<(Arc<dyn Embedder>, Model)>;

impl Indexer {
    /// Opens the index of the folder `root` in the file at `store`, which is made if it is
    /// not there, emptied if it is of another version, and set aside and made anew if it is
    /// damaged or another program's.
    /// Without an embedder texts are found by their words alone.
    ///
    /// # Errors
    /// If `root` is no folder, or the store's folder cannot be written.
    pub fn open(
        root: &Path,
        store: &Path,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Result<Self, IndexerError> {
        let root = readable(root)?;
        let (store, rebuilt) = Store::open(store)?;
        Ok(Self { rebuilt, ..Self::of(root, store, embedder) })
    }

    /// The index of the folder `root` in memory alone, for where no file can be written.
    ///
    /// # Errors
    /// If `root` is no folder.
    pub fn in_memory(
        root: &Path,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Result<Self, IndexerError> {
        Ok(Self::of(readable(root)?, Store::in_memory()?, embedder))
    }

    fn of(root: PathBuf, store: Store, embedder: Option<Arc<dyn Embedder>>) -> Self {
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
            rebuilt: false,
        }
    }

    /// What was last chosen with [`Self::choose`], by whatever process; a store that is
    /// rebuilt takes it over.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn chosen(&mut self) -> Result<Chosen, IndexerError> {
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
    pub fn is_chosen_anew(&mut self) -> Result<bool, IndexerError> {
        let embedder = self.chosen()?.embedder;
        Ok(self.chosen.as_ref().is_some_and(|known| known.embedder != embedder))
    }

    /// Remembers `embedder` as what the user chose instead of `current`. It is used only once
    /// [`Self::set_embedders`] gives it.
    ///
    /// # Errors
    /// If the store cannot be written.
    pub fn choose(&mut self, embedder: &str, current: &str) -> Result<(), IndexerError> {
        if embedder == current {
            return Ok(());
        }
        self.mended(|store| store.choose(embedder, current))?;
        self.chosen = Some(Chosen { embedder: Some(embedder.to_owned()), before: None });
        Ok(())
    }

    /// Does `work`, again if the store turns out to be damaged and is built anew.
    fn mended<T>(
        &mut self,
        work: impl Fn(&Store) -> Result<T, IndexerError>,
    ) -> Result<T, IndexerError> {
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
        &self.root
    }

    /// Files to be looked at first, for others to fill while an update runs.
    pub fn queue(&self) -> Queue {
        self.queue.clone()
    }

    /// Puts `path` (from the root on, or absolute) among the files to be looked at first.
    /// What lies outside the root is left out.
    pub fn touch(&self, path: &Path) {
        let whole = self.root.join(path);
        let inside = whole.starts_with(&self.root).then_some(whole.clone());
        let inside = inside.or_else(|| whole.canonicalize().ok());
        if let Some(path) = inside.filter(|path| path.starts_with(&self.root)) {
            self.queue.push(&path);
        }
    }

    /// Brings the index up to date: looks at all files, reads those that have changed, and
    /// then has vectors made for those that have none. Files in the queue come first, also if
    /// they are put there meanwhile. An embedder that fails leaves files without vectors: see
    /// [`Self::problem`].
    ///
    /// Stops soon after it is cancelled; what was done is kept, and the next update goes
    /// on from there. Other indexers search what is there meanwhile.
    ///
    /// # Errors
    /// If the store cannot be written; what was done is kept.
    pub fn update(
        &mut self,
        progress: &mut dyn FnMut(Progress),
        cancel: &Cancel<'_>,
    ) -> Result<Summary, IndexerError> {
        let queued: HashSet<PathBuf> = self.queue.paths().into_iter().collect();
        let summary = self.mending(&mut |this| {
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
    ) -> Result<Summary, IndexerError> {
        self.mending(&mut |this| this.read_files(None, progress, cancel))
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
    ) -> Result<Summary, IndexerError> {
        self.mending(&mut |this| this.make_vectors(files_max, false, progress, cancel))
    }

    /// Brings the files in the queue up to date, and no others; vectors as
    /// [`Self::update_texts`] does.
    ///
    /// # Errors
    /// As [`Self::update`].
    pub fn update_queued(&mut self, cancel: &Cancel<'_>) -> Result<Summary, IndexerError> {
        let files = self.queue.take();
        if files.is_empty() {
            return Ok(Summary::default());
        }
        self.mending(&mut |this| this.read_files(Some(&files), &mut |_| {}, cancel))
    }

    /// How many files have parts but no vectors of the embedder, if there is one.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn waiting(&self) -> Result<u64, IndexerError> {
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
    pub fn waiting_parts(&self) -> Result<u64, IndexerError> {
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
        work: &mut dyn FnMut(&mut Self) -> Result<Summary, IndexerError>,
    ) -> Result<Summary, IndexerError> {
        self.unload();
        let mut rebuilds = 0;
        loop {
            match work(self) {
                Ok(summary) => {
                    let rebuilt = std::mem::take(&mut self.rebuilt);
                    return Ok(Summary { rebuilt, ..summary });
                }
                Err(error) if error.is_damage() && rebuilds < REBUILDS_MAX => {
                    rebuilds += 1;
                    self.rebuild()?;
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn read_files(
        &mut self,
        only: Option<&[PathBuf]>,
        progress: &mut dyn FnMut(Progress),
        cancel: &Cancel<'_>,
    ) -> Result<Summary, IndexerError> {
        let found = walk(&self.root, only, cancel);
        let instant = self.embedder.clone().filter(|embedder| is_instant(&**embedder));
        let model = match &instant {
            Some(embedder) => self.agreed(&**embedder)?,
            None => None,
        };
        let asked = instant.as_deref().zip(model.as_ref());
        let model = asked.map(|(embedder, model)| Asked { embedder, model });
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
    ) -> Result<Summary, IndexerError> {
        let Some(embedder) = self.embedder.clone() else { return Ok(Summary::default()) };
        self.problem = None;
        let mut done = Embedded::default();
        let has_work = self.waiting()? > 0 || (make_sure && !is_instant(&*embedder));
        if has_work && files_max > 0 && !cancel.is_cancelled() {
            if let Some(model) = self.agreed(&*embedder)? {
                let asked = Asked { embedder: &*embedder, model: &model };
                let (root, queue) = (self.root.as_path(), &self.queue);
                let task = Task { root, queue, asked, files_max, cancel };
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
            self.store.keep_only(model.number, chosen)?;
        }
        self.problem = done.problem;
        let Embedded { files: embedded, stopped, .. } = done;
        Ok(Summary { embedded, waiting, stopped, ..Summary::default() })
    }

    /// The model behind `embedder`; `None` if it cannot be asked.
    fn agreed(&mut self, embedder: &dyn Embedder) -> Result<Option<Model>, IndexerError> {
        match agree(&self.store, embedder) {
            Err(IndexerError::Embed(problem)) => {
                self.problem = Some(problem);
                Ok(None)
            }
            other => other.map(Some),
        }
    }

    /// The best parts for `query`, best first. Asks the store whether anything has changed,
    /// but does not look at the files: see [`Self::update`]. If the embedder fails, words
    /// alone count: see [`Self::problem`].
    ///
    /// # Errors
    /// If the store cannot be read. A store that is damaged is set
    /// aside; there are no hits then until the next update.
    pub fn search(
        &mut self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<Vec<Hit>, IndexerError> {
        match self.search_store(query, options) {
            Err(error) if error.is_damage() => {
                self.rebuild()?;
                Ok(Vec::new())
            }
            other => other,
        }
    }

    /// Whether the store was damaged or of another version and the index has been empty
    /// since: it needs an update.
    pub fn is_rebuilt(&self) -> bool {
        self.rebuilt
    }

    fn search_store(
        &mut self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<Vec<Hit>, IndexerError> {
        let (model, vector) = match self.question_vector(query)? {
            Some((model, vector)) => (Some(model), Some(vector)),
            None => (None, None),
        };
        self.refresh(model.as_ref())?;
        let question = Question::of(query, vector);
        let mut known: HashMap<RowId, FileSymbols> = HashMap::new();
        let mut hits = Vec::new();
        let mut broken = Vec::new();
        for found in search(&self.segments, &question, options) {
            let segment = &self.segments[found.segment];
            if let Entry::Vacant(place) = known.entry(segment.row) {
                // Another process may have indexed the file again; its next search finds it.
                let bytes = self.store.symbols(segment.row)?;
                let read = bytes.and_then(|all| symbols::decode_definitions(&segment.path, &all));
                let Some(read) = read else {
                    broken.push(segment.row);
                    continue;
                };
                place.insert(read);
            }
            if let Some(symbols) = known.get(&segment.row) {
                hits.push(hit(found, segment, symbols, query, options));
            }
        }
        self.forget(&broken)?;
        Ok(hits)
    }

    /// Takes rows out that are not to be trusted; the next update reads their files again.
    fn forget(&mut self, rows: &[RowId]) -> Result<(), IndexerError> {
        if !rows.is_empty() {
            let changes: Vec<Change> =
                rows.iter().map(|row| Change::Forget { row: *row }).collect();
            self.store.write(&changes)?;
            self.unload();
        }
        Ok(())
    }

    /// What every file defines and names, in the order of their paths; without files that
    /// are no text, minified or lists of locked versions.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn symbols(&mut self) -> Result<Vec<FileSymbols>, IndexerError> {
        let mut broken = Vec::new();
        let mut all = Vec::new();
        for row in self.store.rows(None)?.into_iter().filter(|row| row.has_symbols) {
            let bytes = self.store.symbols(row.id)?;
            match bytes.and_then(|bytes| symbols::decode(&row.path, &bytes)) {
                Some(symbols) => all.push(symbols),
                None => broken.push(row.id),
            }
        }
        self.forget(&broken)?;
        Ok(all)
    }

    /// How everything in the index is related. Made of all rows at the first time, half a
    /// second for half a million lines, and again only after something has changed. Does not
    /// look at the files: see [`Self::update`].
    ///
    /// # Errors
    /// If the store cannot be read. One that is damaged is set aside; nothing is related
    /// then until the next update.
    pub fn relations(&mut self) -> Result<Arc<Relations>, IndexerError> {
        match self.relations_of_store() {
            Err(error) if error.is_damage() => {
                self.rebuild()?;
                Ok(Arc::default())
            }
            other => other,
        }
    }

    fn relations_of_store(&mut self) -> Result<Arc<Relations>, IndexerError> {
        let now = self.store.others_wrote()?;
        if let Some((_, known)) = self.relations.as_ref().filter(|(seen, _)| *seen == now) {
            return Ok(Arc::clone(known));
        }
        let relations = Arc::new(Relations::of(self.symbols()?));
        self.relations = Some((now, Arc::clone(&relations)));
        Ok(relations)
    }

    /// How large the index is.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn size(&self) -> Result<Size, IndexerError> {
        self.store.size()
    }

    /// The vector of a question by the model that has the most vectors here; by another one
    /// if that cannot be asked.
    fn question_vector(
        &mut self,
        query: &str,
    ) -> Result<Option<(Model, QuantizedVector)>, IndexerError> {
        self.problem = None;
        let now = self.store.others_wrote()?;
        let models = match self.models.take().filter(|(seen, _)| *seen == now) {
            Some((_, models)) => models,
            None => self.models_here()?,
        };
        let mut given = None;
        for (embedder, model) in &models {
            match (Asked { embedder: &**embedder, model }).embed(&[query]) {
                Ok(mut vectors) => {
                    given = vectors.pop().map(|vector| (model.clone(), vector));
                    break;
                }
                // One odd answer is no reason to make all vectors anew: an update asks again.
                Err(problem) => drop(self.problem.get_or_insert(problem)),
            }
        }
        self.models = Some((now, models));
        Ok(given)
    }

    fn models_here(&self) -> Result<Models, IndexerError> {
        let mut counted = Vec::new();
        for embedder in self.embedder.iter().chain(&self.meanwhile) {
            if let Some(model) = self.store.model(&embedder.identity())? {
                let count = self.store.covered(model.number)?;
                counted.extend((count > 0).then(|| (count, (Arc::clone(embedder), model))));
            }
        }
        // Of as many, those of the embedder itself, which comes first.
        counted.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        Ok(counted.into_iter().map(|(_, model)| model).collect())
    }

    /// Loads what has been written since the last time, with vectors of `model`.
    fn refresh(&mut self, model: Option<&Model>) -> Result<(), IndexerError> {
        let now = (self.store.others_wrote()?, model.map(|model| model.number));
        if self.loaded == Some(now) {
            return Ok(());
        }
        let before = std::mem::take(&mut self.segments);
        let mut before: HashMap<RowId, Segment> =
            before.into_iter().map(|segment| (segment.row, segment)).collect();
        let rows = self.store.rows(now.1)?;
        let missing: Vec<Row> =
            rows.iter().filter(|row| !before.contains_key(&row.id)).cloned().collect();
        before.extend(load(&self.store, missing, model.map(|model| model.dimensions))?);
        let mut broken = Vec::new();
        let mut changes = Vec::new();
        for row in rows {
            let Some(mut segment) = before.remove(&row.id) else {
                broken.push(row.id);
                continue;
            };
            if segment.vectors_id != row.vectors {
                segment.vectors_id = row.vectors;
                segment.vectors = match (row.vectors, model) {
                    (Some(vectors), Some(model)) => self.load(vectors, model, row.chunks)?,
                    _ => None,
                };
            }
            if let (Some(vectors), None) = (row.vectors, &segment.vectors) {
                changes.push(Change::ForgetVectors { vectors });
            }
            self.segments.push(segment);
        }
        self.loaded = Some(now);
        self.forget(&broken)?;
        if !changes.is_empty() {
            self.store.write(&changes)?;
            self.unload();
        }
        Ok(())
    }

    fn load(
        &self,
        vectors: VectorsId,
        model: &Model,
        chunks: usize,
    ) -> Result<Option<Vectors>, IndexerError> {
        let bytes = self.store.vectors(vectors)?;
        Ok(bytes.and_then(|bytes| vectors::decode(&bytes, model.dimensions, chunks)))
    }

    /// Has everything that was loaded looked at again, since the store was written.
    fn unload(&mut self) {
        (self.loaded, self.models, self.relations) = (None, None, None);
    }

    fn rebuild(&mut self) -> Result<(), IndexerError> {
        self.store.rebuild()?;
        self.segments.clear();
        self.unload();
        self.rebuilt = true;
        Ok(())
    }
}

/// `root` with links resolved, if it is a folder that can be read.
fn readable(root: &Path) -> Result<PathBuf, IndexerError> {
    let refuse = |source| IndexerError::Root { path: root.to_owned(), source };
    let root = root.canonicalize().map_err(refuse)?;
    std::fs::read_dir(&root).map_err(refuse)?;
    Ok(root)
}
