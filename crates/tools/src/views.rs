//! What of a file a read shows: in full where it is short, else what matters to the question,
//! or its structure, as the call wants it.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use foveal_code::curate::{Question, whole_until_in};
use foveal_code::{Entity, LineRange, parse};
use foveal_context::room::Room;
use foveal_context::views::{ChosenBy, Label, Read, View, Views, Wanted, Watch};
use foveal_store::{CurationKey, Store};
use foveal_transcript::{Handle, LineNumber};

use crate::clock::Clock;
use crate::read_view::ReadView;
use crate::room::{curated, within_room};

/// Which lines of one read are shown, as its [`ReadView`] says.
#[derive(Debug)]
pub(crate) struct ViewsOfRead<'a> {
    curator: Arc<dyn Views>,
    view: ReadView,
    room: Room,
    watch: Watch<'a>,
    chosen_by: Mutex<Option<Box<ChosenBy>>>,
}

impl<'a> ViewsOfRead<'a> {
    /// `curator` chooses where the view wants lines chosen, as many as there is room for, while
    /// `watch` waits.
    pub(crate) fn new(
        curator: Arc<dyn Views>,
        view: ReadView,
        room: Room,
        watch: Watch<'a>,
    ) -> Self {
        Self { curator, view, room, watch, chosen_by: Mutex::default() }
    }

    /// The model that chose the view, if one did.
    pub(crate) fn into_chosen_by(self) -> Option<Box<ChosenBy>> {
        self.chosen_by.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Views for ViewsOfRead<'_> {
    fn view(&self, read: &Read<'_>, wanted: Wanted) -> Option<View> {
        let view = match &self.view {
            view if view.is_short(read.text) => return None,
            ReadView::Whole => return None,
            ReadView::Lines(ranges) => Some(lines(read, ranges)),
            ReadView::Auto { .. } | ReadView::Curated => {
                let wanted = self.view.wanted_of(read.text, wanted);
                curated((&*self.curator, self.watch), read, wanted, self.room)
            }
        };
        let by = view.as_ref().and_then(|view| view.by.clone());
        *self.chosen_by.lock().unwrap_or_else(PoisonError::into_inner) = by;
        within_room(view, (read.path, read.text), &self.view, self.room)
    }

    fn whole_until(
        &self,
        path: &str,
        text: &str,
        (first, last): (LineNumber, LineNumber),
    ) -> Option<LineNumber> {
        whole_until_in(path, text, LineRange::new(first, last))
    }
}

/// The lines in `ranges`, with the names of all that the others hold.
fn lines(read: &Read<'_>, ranges: &[(u32, u32)]) -> View {
    let parsed = parse(read.path, read.text);
    let label = |entity: &Entity| Label { line: entity.signature.first, text: entity.name.clone() };
    View {
        lines: ranges.iter().map(|(from, to)| (LineNumber(*from), LineNumber(*to))).collect(),
        names: parsed.entities.iter().map(label).collect(),
        is_exact: true,
        ..View::default()
    }
}

/// Curations kept in memory.
const CURATIONS_MAX: usize = 256;

/// A curator that is asked once for the same content and question.
pub struct Curations {
    curator: Arc<dyn Views>,
    /// What the curator is called; another version chooses anew.
    version: String,
    /// Whether the curator asks a model: what was chosen without it is not kept.
    by_model: bool,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    known: Mutex<Known>,
}

impl fmt::Debug for Curations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { curator, version, .. } = self;
        let mut curations = f.debug_struct("Curations");
        curations.field("curator", curator).field("version", version).finish_non_exhaustive()
    }
}

/// By hash of the content and of the question; when each was last asked for.
#[derive(Debug, Default)]
struct Known {
    views: HashMap<(Handle, Handle), (u64, Option<View>)>,
    asked: u64,
}

impl Curations {
    /// Keeps what `curator` chooses, which is of version `version`: the latest in memory, all
    /// in `store`.
    pub fn new(
        curator: Arc<dyn Views>,
        version: String,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { curator, version, by_model: false, store, clock, known: Mutex::default() }
    }

    /// The same for a curator that asks a model and says so of what it chose: what another chose in
    /// its place is not kept.
    #[must_use]
    pub fn by_model(self) -> Self {
        Self { by_model: true, ..self }
    }
}

impl Views for Curations {
    fn view(&self, read: &Read<'_>, wanted: Wanted) -> Option<View> {
        self.view_watched(read, wanted, Watch::NOBODY)
    }

    fn view_watched(&self, read: &Read<'_>, wanted: Wanted, watch: Watch<'_>) -> Option<View> {
        let question = Question::of_conversation(read.record, read.upto);
        let asked = (read.path, read.first, wanted, &self.version, &question);
        let Ok(asked) = serde_json::to_vec(&asked) else {
            return self.curator.view_watched(read, wanted, watch);
        };
        let key = (Handle::of(read.text.as_bytes()), Handle::of(&asked));
        if let Some(known) = self.known.lock().expect("no holder of this lock panics").get(key) {
            return known;
        }
        let question = String::from_utf8_lossy(&asked);
        let kept = CurationKey::of(read.text.as_bytes(), &question, &self.version);
        let now = self.clock.now();
        let stored = self.store.curation(kept, now).ok().flatten();
        let view = match stored.and_then(|stored| serde_json::from_value(stored).ok()) {
            Some(view) => view,
            None => {
                let view = self.curator.view_watched(read, wanted, watch);
                if self.by_model && view.as_ref().is_none_or(|view| view.by.is_none()) {
                    // The next time the model may answer.
                    return view;
                }
                if let Ok(view) = serde_json::to_value(&view) {
                    // Where it cannot be kept it is worked out again.
                    drop(self.store.put_curation(kept, &view, now));
                }
                view
            }
        };
        self.known.lock().expect("no holder of this lock panics").put(key, view.clone());
        view
    }
}

impl Known {
    fn get(&mut self, key: (Handle, Handle)) -> Option<Option<View>> {
        self.asked += 1;
        let (last, view) = self.views.get_mut(&key)?;
        *last = self.asked;
        Some(view.clone())
    }

    fn put(&mut self, key: (Handle, Handle), view: Option<View>) {
        if self.views.len() >= CURATIONS_MAX {
            let oldest = self.views.iter().min_by_key(|(_, (asked, _))| *asked);
            if let Some(oldest) = oldest.map(|(key, _)| *key) {
                self.views.remove(&oldest);
            }
        }
        self.views.insert(key, (self.asked, view));
    }
}
