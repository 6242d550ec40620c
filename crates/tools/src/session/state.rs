//! One reader's session: the objects that together remember what happened in it.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foveal_context::room::Room;
use foveal_files::Roots;
use foveal_processes::{TerminalLimits, Terminals};
use foveal_transcript::Handle;

use crate::permission::Permissions;
use crate::room::WIDEST;
use crate::settings;
use crate::toolbox::Toolbox;

use super::deliveries::{Arrival, Arrivals, CallView, Deliveries, Delivery};
use super::duplicates::Duplicates;
use super::each_alone::EachAlone;
use super::forbidden::ForbiddenWatch;
use super::journal::{Event, Journal};
use super::known_files::KnownFiles;
use super::own_edits::take_over;
use super::pointed::PointedReads;
use super::readers::ReaderWatch;
use super::reads::ReadCounts;
use super::recall::Recalled;
use super::shaper::Shaper;
use super::shown::Shown;
use super::undo_buffer::UndoBuffer;
use super::workspace::Workspace;

/// One reader's session. Calls may come from many threads; answers count as shown in the order
/// in which they are given.
///
/// Locks are taken in this order: the turn to write, the readers, what was shown. Each of the
/// other objects, and the calls and grants of the toolbox, has a lock of its own, which it holds
/// for one of its methods and under which it takes no other lock.
pub struct Session {
    id: String,
    toolbox: Arc<Toolbox>,
    /// Held while a call writes a file, until what it wrote is remembered.
    writing: Mutex<()>,
    readers: ReaderWatch,
    shown: Mutex<Box<dyn Shaper>>,
    /// Which answers were delivered before which calls.
    deliveries: Arc<Deliveries>,
    /// How large each answer may be.
    room: Room,
    /// Which version of each file the model met, and which of its lines it has seen.
    pub(crate) files: KnownFiles,
    /// The way back from writes, where no store may hold it.
    pub(crate) undo: UndoBuffer,
    /// Reads that were answered with a pointer.
    pub(crate) pointed: PointedReads,
    /// How often files were read.
    pub reads: ReadCounts,
    /// Where it works.
    pub(crate) workspace: Workspace,
    /// What it may do.
    pub permissions: Permissions,
    /// Calls that may answer later ones.
    pub duplicates: Duplicates,
    /// What is kept of it for a later process.
    pub(crate) journal: Arc<Journal>,
    /// What rules forbid to write, while terminals run.
    pub(crate) forbidden: ForbiddenWatch,
    /// Its programs.
    pub(crate) terminals: Terminals,
}

impl Session {
    /// The session called `id`, which shapes its answers itself: one in which nothing was shown
    /// yet, or, if the store knows it, one that goes on where it ended.
    pub fn new(toolbox: &Arc<Toolbox>, id: impl Into<String>) -> Self {
        let directory = toolbox.roots.working_directory().display().to_string();
        let shown = Shown::new(settings::shaping(), toolbox.curations.clone(), directory);
        Self::with_shaper(toolbox, id, Box::new(shown))
    }

    /// The same for a caller that holds the conversation, and gives the `shaper`.
    pub fn with_shaper(
        toolbox: &Arc<Toolbox>,
        id: impl Into<String>,
        shaper: Box<dyn Shaper>,
    ) -> Self {
        let id = id.into();
        let journal = Arc::new(Journal::new(toolbox, &id));
        let limits = TerminalLimits {
            sessions_max: toolbox.settings.terminals_max,
            ..TerminalLimits::default()
        };
        let session = Self {
            toolbox: Arc::clone(toolbox),
            writing: Mutex::new(()),
            readers: ReaderWatch::default(),
            shown: Mutex::new(shaper),
            deliveries: Deliveries::new(Arc::default()),
            room: if toolbox.keeps_content { WIDEST } else { Room::UNBOUNDED },
            files: KnownFiles::default(),
            undo: UndoBuffer::default(),
            pointed: PointedReads::default(),
            reads: ReadCounts::default(),
            workspace: Workspace::new(toolbox.roots.clone()),
            permissions: Permissions::new(toolbox),
            duplicates: Duplicates::new(toolbox, &id, &journal),
            journal,
            forbidden: ForbiddenWatch::default(),
            terminals: Terminals::new(limits),
            id,
        };
        // Without a store nothing is kept; what is asked for is answered all the same.
        if session.journal.open().is_ok_and(|is_known| is_known) {
            session.recall();
        }
        Self { readers: ReaderWatch::new(toolbox), ..session }
    }

    /// The same session with so much room for each answer: as much as the client shows its model
    /// uncut.
    #[must_use]
    pub fn with_room(self, room: Room) -> Self {
        Self { room: room.within(WIDEST), ..self }
    }

    /// The same session, whose calls arrive where those of others do.
    #[must_use]
    pub fn with_arrivals(self, arrivals: &Arc<Arrivals>) -> Self {
        Self { deliveries: Deliveries::new(Arc::clone(arrivals)), ..self }
    }

    /// A call arrives now.
    pub fn arrive(&self) -> Arrival {
        self.deliveries.arrive()
    }

    /// Takes a call up, with what it may rest on.
    pub(crate) fn begin(&self, arrival: Arrival, awaits_delivery: bool) -> (Delivery, CallView) {
        let mut shown = self.shown();
        self.settle_shown(&mut **shown);
        self.deliveries.begin(arrival, awaits_delivery)
    }

    /// Has the answers count for every call that were delivered before all that run arrived.
    pub(crate) fn settle(&self) {
        self.settle_shown(&mut **self.shown());
    }

    /// Keeps which answers were delivered by now. Otherwise that is kept with the answer after
    /// them, and a later process takes the last ones for lost.
    pub fn keep_delivered(&self) {
        self.settle();
        let places = self.journal.take_delivered();
        if !places.is_empty() {
            self.journal.append(&Event::Delivered { places });
        }
        self.keep_seen();
    }

    /// The same while what was shown is held.
    fn settle_shown(&self, shown: &mut dyn Shaper) {
        let settled = self.deliveries.settle();
        if !settled.is_empty() {
            self.journal.note_delivered(shown.settle(&settled));
            self.files.settle(&settled);
        }
    }

    /// How large each answer may be.
    pub(crate) fn room(&self) -> Room {
        self.room
    }

    /// The same for callers of whom it is not known which prompt is whose: no answer points at
    /// an earlier one.
    pub fn of_unknown_readers(toolbox: &Arc<Toolbox>, id: impl Into<String>) -> Self {
        let directory = toolbox.roots.working_directory().display().to_string();
        let shown = Shown::new(settings::shaping(), toolbox.curations.clone(), directory);
        Self::with_shaper(toolbox, id, Box::new(EachAlone(shown)))
    }

    /// The same where all calls are of `reader`, whoever else asks in its folder.
    #[must_use]
    pub fn of_one_reader(self, reader: impl Into<String>) -> Self {
        Self { readers: self.readers.of_one(reader.into()), ..self }
    }

    /// Takes up what an earlier process showed, as far as the store tells all of it.
    fn recall(&self) {
        self.duplicates.recall();
        let recalled = Recalled::read(&*self.toolbox.store, self.journal.id());
        let roots = self.roots();
        let files = recalled.files(&roots);
        let Recalled { calls, is_lost, reads, .. } = recalled;
        self.reads.restore(&roots, reads);
        if !is_lost && (calls.is_empty() || self.shown().resume(calls)) {
            self.files.recall(files);
        } else {
            self.journal.append(&Event::Forgot);
        }
    }

    /// What it is called.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What it shares with all sessions.
    pub fn toolbox(&self) -> &Arc<Toolbox> {
        &self.toolbox
    }

    /// The roots, relative paths taken from where the session's commands are.
    pub fn roots(&self) -> Roots {
        self.workspace.roots()
    }

    /// Forgets all that was shown, as after a compaction: nothing is pointed at any more, and
    /// every read is a first one again.
    pub fn forget(&self) {
        self.forget_all(&mut **self.shown());
    }

    /// The same while what was shown is held.
    fn forget_all(&self, shown: &mut dyn Shaper) {
        // What was delivered was seen, also if no call came since: what others changed before
        // that is no news.
        self.settle_shown(shown);
        shown.forget();
        self.files.forget_shown();
        // Nothing is seen of them any more, which is kept by itself.
        drop(self.files.take_touched());
        self.undo.forget_seen();
        self.pointed.clear();
        // Their places mean nothing any more.
        drop(self.journal.take_delivered());
        self.journal.append(&Event::Forgot);
    }

    /// Forgets what was shown if it was shown to somebody else, or left the prompt; learns what
    /// the reader edited itself since.
    pub(crate) fn follow_reader(&self) {
        self.readers.follow(&self.toolbox, || self.forget());
        let known = (&self.files, &self.reads);
        self.readers.follow_edits(&self.toolbox, |edit| take_over(edit, &self.roots(), known));
    }

    /// What was shown, with room for so many bytes more, from which a later process can go on.
    pub(crate) fn shown_with_room(&self, bytes: usize) -> MutexGuard<'_, Box<dyn Shaper>> {
        let mut shown = self.shown();
        if self.journal.takes_lost_thread() || shown.is_full(bytes) {
            self.forget_all(&mut **shown);
        }
        shown
    }

    /// Keeps what is seen of files, where that changed.
    pub(crate) fn keep_seen(&self) {
        // Nothing is forgotten between what is seen and what is kept of it.
        let _shown = self.shown();
        self.journal.append_seen(self.files.take_touched());
    }

    fn shown(&self) -> MutexGuard<'_, Box<dyn Shaper>> {
        self.shown.lock().unwrap_or_else(|poisoned| {
            // What a panic left half done is only what was shown; that is forgotten.
            let mut shown = poisoned.into_inner();
            self.shown.clear_poison();
            shown.forget();
            self.files.forget_shown();
            self.undo.forget_seen();
            shown
        })
    }

    /// Waits until no other call of this session writes files.
    pub(crate) fn turn_to_write(&self) -> MutexGuard<'_, ()> {
        // It guards nothing that a panic could leave half done.
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The whole of an answer of this session, or of an earlier one. Of one that is not in
    /// memory any more, secrets are left out.
    pub fn content(&self, handle: Handle) -> Option<String> {
        self.found(handle).map(|(content, _)| content)
    }

    /// The same where it is what was answered, word for word.
    pub(crate) fn whole_content(&self, handle: Handle) -> Option<String> {
        self.found(handle).filter(|(_, secrets)| *secrets == 0).map(|(content, _)| content)
    }

    /// What stands behind a handle, and how many secrets are left out of it.
    fn found(&self, handle: Handle) -> Option<(String, u32)> {
        if let Some(content) = self.shown().whole(handle) {
            return Some((content.to_owned(), 0));
        }
        if let Some(content) = self.journal.held(handle) {
            return Some((String::from_utf8_lossy(&content).into_owned(), 0));
        }
        let content = self.toolbox.store.get(handle).ok().flatten()?;
        Some((String::from_utf8_lossy(&content.bytes).into_owned(), content.secrets))
    }

    /// Takes a file for unread: the next read gives all of it, whatever was shown before.
    pub fn invalidate(&self, path: &str) {
        let Ok(located) = self.roots().resolve(path) else { return };
        self.reads.invalidate(&located, self.files.is_shown(&located.key()));
    }

    /// How often a file was read since it was last changed, here or by anybody.
    pub fn read_count(&self, path: &str) -> u32 {
        self.roots().resolve(path).map_or(0, |located| self.reads.of(&located))
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("id", &self.id).finish_non_exhaustive()
    }
}
