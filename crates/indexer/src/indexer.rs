//! The index of one folder: opened, brought up to date, searched.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foveal_index::Parsed;
use foveal_index::embed::{Embedder, QuantizedVector};

use crate::error::IndexerError;
use crate::queue::Queue;
use crate::search::{Hit, Question, SearchOptions, hit, search};
use crate::segment::Segment;
use crate::store::{Change, ModelNumber, RowId, Store};
use crate::structure;
use crate::update::{Progress, Summary, Work, update};
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

/// The index of one folder in one store.
///
/// Another process may have the same store open; each sees what the other has written at
/// its next update or search.
pub struct Indexer {
    root: PathBuf,
    store: Store,
    embedder: Option<Arc<dyn Embedder>>,
    queue: Queue,
    /// By path; up to date as of `seen`.
    segments: Vec<Segment>,
    /// The store's count of others' changes when the segments were loaded; `None` if they
    /// have to be looked at again.
    seen: Option<i64>,
    rebuilt: bool,
}

impl Indexer {
    /// Opens the index of the folder `root` in the file at `store`, which is made if it is
    /// not there, and set aside and made anew if it is damaged or of another version.
    /// Without an embedder texts are found by their words alone.
    ///
    /// # Errors
    /// If `root` is no folder, or the store's folder cannot be written.
    pub fn open(
        root: &Path,
        store: &Path,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Result<Self, IndexerError> {
        let refuse = |source| IndexerError::Root { path: root.to_owned(), source };
        let root = root.canonicalize().map_err(refuse)?;
        std::fs::read_dir(&root).map_err(refuse)?;
        let (store, rebuilt) = Store::open(store)?;
        let queue = Queue::default();
        Ok(Self { root, store, embedder, queue, segments: Vec::new(), seen: None, rebuilt })
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

    /// Brings the index up to date: looks at all files, reads those that have changed.
    /// Those in the queue come first, also if they are put there meanwhile.
    ///
    /// Stops soon after `interrupt` says so; what was done is kept, and the next update goes
    /// on from there.
    ///
    /// # Errors
    /// If the store cannot be written, or the embedder fails; what was done is kept.
    pub fn update(
        &mut self,
        progress: &mut dyn FnMut(Progress),
        interrupt: &(dyn Fn() -> bool + Sync),
    ) -> Result<Summary, IndexerError> {
        self.update_files(None, progress, interrupt)
    }

    /// Brings the files in the queue up to date, and no others.
    ///
    /// # Errors
    /// As [`Self::update`].
    pub fn update_queued(
        &mut self,
        interrupt: &(dyn Fn() -> bool + Sync),
    ) -> Result<Summary, IndexerError> {
        let files = self.queue.take();
        if files.is_empty() {
            return Ok(Summary::default());
        }
        self.update_files(Some(&files), &mut |_| {}, interrupt)
    }

    fn update_files(
        &mut self,
        only: Option<&[PathBuf]>,
        progress: &mut dyn FnMut(Progress),
        interrupt: &(dyn Fn() -> bool + Sync),
    ) -> Result<Summary, IndexerError> {
        self.seen = None;
        let found = walk(&self.root, only, &|| interrupt());
        let mut rebuilds = 0;
        loop {
            let result = self.model().and_then(|model| {
                let embedder = self.embedder.as_deref();
                let (root, queue) = (self.root.as_path(), &self.queue);
                let work = Work { root, queue, embedder, model, interrupt };
                update(&mut self.store, &work, &found, only, progress)
            });
            match result {
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

    /// The best parts for `query`, best first. Asks the store whether anything has changed,
    /// but does not look at the files: see [`Self::update`].
    ///
    /// # Errors
    /// If the store cannot be read, or the embedder fails. A store that is damaged is set
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
        self.refresh()?;
        let vector = match &self.embedder {
            Some(embedder) => embedder.embed(&[query])?.first().map(QuantizedVector::of),
            None => None,
        };
        let question = Question::of(query, vector);
        let mut parsed: HashMap<RowId, Parsed> = HashMap::new();
        let mut hits = Vec::new();
        let mut broken = Vec::new();
        for found in search(&self.segments, &question, options) {
            let segment = &self.segments[found.segment];
            if let Entry::Vacant(place) = parsed.entry(segment.row) {
                // Another process may have indexed the file again; its next search finds it.
                let structure = self.store.structure(segment.row)?;
                let read = structure.and_then(|bytes| structure::decode_entities(&bytes.entities));
                let Some(read) = read else {
                    broken.push(segment.row);
                    continue;
                };
                place.insert(read);
            }
            if let Some(parsed) = parsed.get(&segment.row) {
                hits.push(hit(found, segment, parsed, query, options));
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
            self.seen = None;
        }
        Ok(())
    }

    /// What every file consists of that has parts, without its statements, in the order of
    /// their paths.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn structures(&mut self, take: &mut dyn FnMut(&str, Parsed)) -> Result<(), IndexerError> {
        let mut broken = Vec::new();
        for (row, path, chunks) in self.store.rows()? {
            if chunks == 0 {
                continue;
            }
            let bytes = self.store.structure(row)?;
            match bytes.and_then(|bytes| structure::decode(&bytes)) {
                Some(parsed) => take(&path, parsed),
                None => broken.push(row),
            }
        }
        self.forget(&broken)
    }

    /// How large the index is.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn size(&self) -> Result<Size, IndexerError> {
        self.store.size()
    }

    /// Loads what has been written since the last time.
    fn refresh(&mut self) -> Result<(), IndexerError> {
        let now = self.store.others_wrote()?;
        if self.seen == Some(now) {
            return Ok(());
        }
        let model = self.model()?;
        let before = std::mem::take(&mut self.segments);
        let mut before: HashMap<RowId, Segment> =
            before.into_iter().map(|segment| (segment.row, segment)).collect();
        let mut broken = Vec::new();
        for (row, path, chunks) in self.store.rows()? {
            let segment = match before.remove(&row) {
                Some(segment) => Some(segment),
                None => self.load(row, path, chunks, model)?,
            };
            match segment {
                Some(segment) => self.segments.push(segment),
                None => broken.push(row),
            }
        }
        self.forget(&broken)?;
        self.seen = Some(now);
        Ok(())
    }

    fn load(
        &self,
        row: RowId,
        path: String,
        chunks: usize,
        asked: Option<ModelNumber>,
    ) -> Result<Option<Segment>, IndexerError> {
        let Some((content, model)) = self.store.content(row)? else { return Ok(None) };
        let embedder = self.embedder.as_deref().filter(|_| model == asked);
        Ok(Segment::read(row, path, chunks, &content, embedder.map(Embedder::dimensions)))
    }

    fn model(&self) -> Result<Option<ModelNumber>, IndexerError> {
        let identity = self.embedder.as_deref().map(Embedder::identity);
        identity.map(|identity| self.store.model(&identity)).transpose()
    }

    fn rebuild(&mut self) -> Result<(), IndexerError> {
        self.store.rebuild()?;
        self.segments.clear();
        self.seen = None;
        self.rebuilt = true;
        Ok(())
    }
}
