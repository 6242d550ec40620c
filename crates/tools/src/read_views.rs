//! The view of a file that a read shows: the whole file if it is short, else the lines that matter
//! to the question, or the structure, as the call asks.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use foveal_engine::output_budget::OutputBudget;
use foveal_engine::views::{
    CurationRecord, LineSelection, ProgressListener, ReadContext, ViewRequest, ViewSource,
};
use foveal_relevance::curated_view_source::entity_labels;
use foveal_relevance::curation::{CurationQuery, last_uncut_line_of_text};
use foveal_store::{CacheStore, CurationKey};
use foveal_syntax::LineRange;
use foveal_transcript::{Handle, LineNumber};

use crate::answer_budget::{choose_view, fit_view};
use crate::clock::Clock;
use crate::read_view::ReadView;

/// The views of one read, as its [`ReadView`] demands.
#[derive(Debug)]
pub(crate) struct ReadViewSelector<'a> {
    curator: Arc<dyn ViewSource>,
    view: ReadView,
    output_budget: OutputBudget,
    watch: ProgressListener<'a>,
    chosen_by: Mutex<Option<Box<CurationRecord>>>,
}

impl<'a> ReadViewSelector<'a> {
    /// Creates a selector that asks `curator` where the view needs a choice of lines, within the
    /// budget `room` and as long as `watch` waits.
    pub(crate) fn new(
        curator: Arc<dyn ViewSource>,
        view: ReadView,
        output_budget: OutputBudget,
        watch: ProgressListener<'a>,
    ) -> Self {
        Self { curator, view, output_budget, watch, chosen_by: Mutex::default() }
    }

    /// Returns the model that chose the view, if one did.
    pub(crate) fn into_choosing_model(self) -> Option<Box<CurationRecord>> {
        self.chosen_by.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ViewSource for ReadViewSelector<'_> {
    fn choose_view(&self, read: &ReadContext<'_>, wanted: ViewRequest) -> Option<LineSelection> {
        let view = match &self.view {
            view if view.is_short(read.text) => return None,
            ReadView::Whole => return None,
            ReadView::Lines(ranges) => Some(lines_view(read, ranges)),
            ReadView::Auto { .. } | ReadView::Curated => {
                let wanted = self.view.selection_target(read.text, wanted);
                choose_view(&*self.curator, self.watch, read, wanted, self.output_budget)
            }
        };
        let by = view.as_ref().and_then(|view| view.by.clone());
        *self.chosen_by.lock().unwrap_or_else(PoisonError::into_inner) = by;
        fit_view(view, read.path, read.text, &self.view, self.output_budget)
    }

    fn last_complete_line(
        &self,
        path: &str,
        text: &str,
        first: LineNumber,
        last: LineNumber,
    ) -> Option<LineNumber> {
        last_uncut_line_of_text(path, text, LineRange::new(first, last))
    }
}

/// Returns a view of the lines in `ranges`, with the names of the entities in all others.
fn lines_view(read: &ReadContext<'_>, ranges: &[(u32, u32)]) -> LineSelection {
    LineSelection {
        lines: ranges.iter().map(|(from, to)| (LineNumber(*from), LineNumber(*to))).collect(),
        names: entity_labels(read.path, read.text, read.first),
        is_exact: true,
        ..LineSelection::default()
    }
}

/// Most curations kept in memory.
const CURATIONS_MAX: usize = 256;

/// A curator that asks another one only once about the same content and question.
pub struct CurationCache {
    curator: Arc<dyn ViewSource>,
    /// The version of the curator. A new version does not use the choices of another.
    version: String,
    /// Whether the curator asks a model. Choices without the model are not stored then.
    by_model: bool,
    store: Arc<dyn CacheStore>,
    clock: Arc<dyn Clock>,
    recent: Mutex<RecentCurations>,
}

impl fmt::Debug for CurationCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { curator, version, .. } = self;
        let mut curations = f.debug_struct("CurationCache");
        curations.field("curator", curator).field("version", version).finish_non_exhaustive()
    }
}

/// The content and the question of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct CurationMemoryKey {
    content: Handle,
    question: Handle,
}

/// Views by the hashes of content and question, with the time of their last use.
#[derive(Debug, Default)]
struct RecentCurations {
    views: HashMap<CurationMemoryKey, (u64, Option<LineSelection>)>,
    use_count: u64,
}

impl CurationCache {
    /// Creates a cache for `curator` of this version: the most recent choices in memory, all in
    /// `store`.
    pub fn new(
        curator: Arc<dyn ViewSource>,
        version: String,
        store: Arc<dyn CacheStore>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { curator, version, by_model: false, store, clock, recent: Mutex::default() }
    }

    /// Returns the cache for a curator that asks a model and names it in its views. Choices of
    /// another curator in its place are not stored.
    #[must_use]
    pub fn with_model(self) -> Self {
        Self { by_model: true, ..self }
    }
}

impl ViewSource for CurationCache {
    fn choose_view(&self, read: &ReadContext<'_>, wanted: ViewRequest) -> Option<LineSelection> {
        self.choose_view_with_progress(read, wanted, ProgressListener::IGNORED)
    }

    fn choose_view_with_progress(
        &self,
        read: &ReadContext<'_>,
        wanted: ViewRequest,
        watch: ProgressListener<'_>,
    ) -> Option<LineSelection> {
        let question = CurationQuery::from_conversation(read.record, read.upto);
        let asked = (read.path, read.first, wanted, &self.version, &question);
        let Ok(asked) = serde_json::to_vec(&asked) else {
            return self.curator.choose_view_with_progress(read, wanted, watch);
        };
        let key = CurationMemoryKey {
            content: Handle::from_content(read.text.as_bytes()),
            question: Handle::from_content(&asked),
        };
        if let Some(known) = self.recent.lock().expect("no holder of this lock panics").get(key) {
            return known;
        }
        let question = String::from_utf8_lossy(&asked);
        let kept = CurationKey::new(read.text.as_bytes(), &question, &self.version);
        let now = self.clock.now();
        let stored = self.store.curation(kept, now).ok().flatten();
        let view = match stored.and_then(|stored| serde_json::from_value(stored).ok()) {
            Some(view) => view,
            None => {
                let view = self.curator.choose_view_with_progress(read, wanted, watch);
                if self.by_model && view.as_ref().is_none_or(|view| view.by.is_none()) {
                    // The model may answer the next time.
                    return view;
                }
                if let Ok(view) = serde_json::to_value(&view) {
                    // A choice that cannot be stored is made again.
                    drop(self.store.put_curation(kept, &view, now));
                }
                view
            }
        };
        self.recent.lock().expect("no holder of this lock panics").put(key, view.clone());
        view
    }
}

impl RecentCurations {
    fn get(&mut self, key: CurationMemoryKey) -> Option<Option<LineSelection>> {
        self.use_count += 1;
        let (last, view) = self.views.get_mut(&key)?;
        *last = self.use_count;
        Some(view.clone())
    }

    fn put(&mut self, key: CurationMemoryKey, view: Option<LineSelection>) {
        if self.views.len() >= CURATIONS_MAX {
            let oldest = self.views.iter().min_by_key(|(_, (asked, _))| *asked);
            if let Some(oldest) = oldest.map(|(key, _)| *key) {
                self.views.remove(&oldest);
            }
        }
        self.views.insert(key, (self.use_count, view));
    }
}
