//! The session of one reader: the objects that together hold its state.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foveal_engine::output_budget::OutputBudget;
use foveal_sandbox::{TerminalLimits, TerminalPool};
use foveal_transcript::{CancelToken, Handle};
use foveal_workspace::WorkspaceRoots;
use foveal_workspace::file_content::{FileContent, FileSnapshot, ReadLimits, read_file};

use crate::answer_budget::BUDGET_MAX;
use crate::permission::Permissions;
use crate::settings;
use crate::toolbox::Toolbox;

use super::client_tool_edits::apply_edit;
use super::deliveries::{CallArrival, CallVisibility, Deliveries, LogicalClock, PendingDelivery};
use super::duplicate_detector::DuplicateDetector;
use super::forbidden_files::ForbiddenFilesWatch;
use super::known_file::KnownFile;
use super::known_files::KnownFiles;
use super::pointer_answered_reads::PointerAnsweredReads;
use super::read_counts::ReadCounts;
use super::readers::ReaderWatch;
use super::session_recorder::{SessionEvent, SessionRecorder};
use super::session_restore::RestoredSession;
use super::shaper::AnswerShaper;
use super::stateless_shaper::StatelessShaper;
use super::transcript_shaper::TranscriptShaper;
use super::undo_buffer::UndoBuffer;
use super::workspace::SessionWorkspace;

/// The most hits of one search for a model.
const HIT_LIMIT: usize = 2_000;

/// The session of one reader. Threads may call it concurrently; answers count as shown in the order
/// in which they are returned.
///
/// Lock order: the write lock, the reader watch, the shaper. Each of the other objects, and the
/// calls and grants of the toolbox, has its own lock, holds it for one method only, and takes no
/// other lock under it.
pub struct ToolSession {
    id: String,
    toolbox: Arc<Toolbox>,
    /// Held from a call's first write until the session has recorded what it wrote.
    write_lock: Mutex<()>,
    readers: ReaderWatch,
    shaper: Mutex<Box<dyn AnswerShaper>>,
    /// The order of call arrivals and answer deliveries.
    deliveries: Arc<Deliveries>,
    /// The size limit of each answer.
    output_budget: OutputBudget,
    /// The most hits of one search.
    pub(crate) hit_limit: usize,
    /// The version of each file that the model last met, and the lines of it that it has seen.
    pub(crate) files: KnownFiles,
    /// The contents for undoing writes that must not be in a store.
    pub(crate) undo: UndoBuffer,
    /// The reads that were answered with a pointer.
    pub(crate) pointer_answered_reads: PointerAnsweredReads,
    /// The read count of each file.
    pub reads: ReadCounts,
    /// The roots, the working directory, and the files in focus.
    pub(crate) workspace: SessionWorkspace,
    /// The rules and grants of the session.
    pub permissions: Permissions,
    /// The calls that may answer later ones.
    pub duplicates: DuplicateDetector,
    /// The part of the session that later processes can restore.
    pub(crate) recorder: Arc<SessionRecorder>,
    /// The files that rules forbid to write, watched while terminals run.
    pub(crate) forbidden_files: ForbiddenFilesWatch,
    /// The running terminals.
    pub(crate) terminals: TerminalPool,
}

impl ToolSession {
    /// Creates the session `id`, which shapes its answers itself. If the store knows the session,
    /// it is restored; else nothing counts as shown yet.
    pub fn new(toolbox: &Arc<Toolbox>, id: impl Into<String>) -> Self {
        let directory = toolbox.roots.working_directory().display().to_string();
        let shown = TranscriptShaper::new(
            settings::shaping_settings(),
            toolbox.curations.clone(),
            directory,
        );
        Self::with_shaper(toolbox, id, Box::new(shown))
    }

    /// Creates a session whose answers `shaper` shapes. For callers that hold the conversation.
    pub fn with_shaper(
        toolbox: &Arc<Toolbox>,
        id: impl Into<String>,
        shaper: Box<dyn AnswerShaper>,
    ) -> Self {
        let id = id.into();
        let journal = Arc::new(SessionRecorder::new(toolbox, &id));
        let limits = TerminalLimits {
            sessions_max: toolbox.settings.terminals_max,
            ..TerminalLimits::default()
        };
        let session = Self {
            toolbox: Arc::clone(toolbox),
            write_lock: Mutex::new(()),
            readers: ReaderWatch::default(),
            shaper: Mutex::new(shaper),
            deliveries: Deliveries::new(Arc::default()),
            hit_limit: HIT_LIMIT,
            output_budget: if toolbox.keeps_content { BUDGET_MAX } else { OutputBudget::UNBOUNDED },
            files: KnownFiles::default(),
            undo: UndoBuffer::default(),
            pointer_answered_reads: PointerAnsweredReads::default(),
            reads: ReadCounts::default(),
            workspace: SessionWorkspace::new(toolbox.roots.clone()),
            permissions: Permissions::new(toolbox),
            duplicates: DuplicateDetector::new(toolbox, &id, &journal),
            recorder: journal,
            forbidden_files: ForbiddenFilesWatch::default(),
            terminals: TerminalPool::new(limits),
            id,
        };
        // Calls are answered even if the store is not available.
        if session.recorder.open().is_ok_and(|is_known| is_known) {
            session.restore();
        }
        Self { readers: ReaderWatch::new(toolbox), ..session }
    }

    /// Limits each answer to `room`, the size that the client passes to its model uncut.
    #[must_use]
    pub fn with_output_budget(self, room: OutputBudget) -> Self {
        Self { output_budget: room.intersect(BUDGET_MAX), ..self }
    }

    /// Lets one search find up to `hits_max` hits.
    #[must_use]
    pub fn with_hit_limit(self, hits_max: usize) -> Self {
        Self { hit_limit: hits_max.max(1), ..self }
    }

    /// Counts the calls with the clock that the server's other sessions use.
    #[must_use]
    pub fn with_logical_clock(self, arrivals: &Arc<LogicalClock>) -> Self {
        Self { deliveries: Deliveries::new(Arc::clone(arrivals)), ..self }
    }

    /// Registers the arrival of a call.
    pub fn register_arrival(&self) -> CallArrival {
        self.deliveries.register_arrival()
    }

    /// Starts a registered call; returns its delivery and the earlier answers that are visible to
    /// it.
    pub(crate) fn begin_call(
        &self,
        arrival: CallArrival,
        awaits_delivery: bool,
    ) -> (PendingDelivery, CallVisibility) {
        let mut shown = self.lock_shaper();
        self.settle_deliveries_in(&mut **shown);
        self.deliveries.begin_call(arrival, awaits_delivery)
    }

    /// Makes answers visible to all calls if they were delivered before every running call arrived.
    pub(crate) fn settle_deliveries(&self) {
        self.settle_deliveries_in(&mut **self.lock_shaper());
    }

    /// Stores which answers are delivered so far. Otherwise this is stored with the next answer,
    /// and a later process takes the last ones for lost.
    pub fn record_deliveries(&self) {
        self.settle_deliveries();
        let places = self.recorder.take_delivered();
        if !places.is_empty() {
            self.recorder.append_event(&SessionEvent::Delivered { places });
        }
        self.record_seen_lines();
    }

    /// Does the work of [`Self::settle_deliveries`] while the caller holds the shaper's lock.
    fn settle_deliveries_in(&self, shown: &mut dyn AnswerShaper) {
        let settled = self.deliveries.take_settled_ids();
        if !settled.is_empty() {
            self.recorder.queue_delivered(shown.apply_settled(&settled));
            self.files.apply_settled(&settled);
        }
    }

    /// Returns the size limit of each answer.
    pub(crate) fn output_budget(&self) -> OutputBudget {
        self.output_budget
    }

    /// Creates a session for callers whose prompts cannot be told apart: no answer points at an
    /// earlier one.
    pub fn new_stateless(toolbox: &Arc<Toolbox>, id: impl Into<String>) -> Self {
        let directory = toolbox.roots.working_directory().display().to_string();
        let shown = TranscriptShaper::new(
            settings::shaping_settings(),
            toolbox.curations.clone(),
            directory,
        );
        Self::with_shaper(toolbox, id, Box::new(StatelessShaper(shown)))
    }

    /// Binds the session to `reader`, whichever other agents work in its folder.
    #[must_use]
    pub fn with_reader(self, reader: impl Into<String>) -> Self {
        Self { readers: self.readers.with_reader(reader.into()), ..self }
    }

    /// Restores what an earlier process showed, as far as the store has all of it.
    fn restore(&self) {
        self.duplicates.restore();
        let recalled = RestoredSession::load(&*self.toolbox.store, self.recorder.session_id());
        let roots = self.roots();
        let files = recalled.known_files(&roots);
        let RestoredSession { calls, is_incomplete: is_lost, reads, .. } = recalled;
        self.reads.restore(&roots, reads);
        if !is_lost && (calls.is_empty() || self.lock_shaper().restore(calls)) {
            self.files.restore(files);
        } else {
            self.recorder.append_event(&SessionEvent::Forgot);
        }
    }

    /// Returns the session's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the state that all sessions share.
    pub fn toolbox(&self) -> &Arc<Toolbox> {
        &self.toolbox
    }

    /// Returns the roots. Relative paths start at the session's working directory.
    pub fn roots(&self) -> WorkspaceRoots {
        self.workspace.roots()
    }

    /// Records that the system prompt of each request shows these files whole, given by path and
    /// content. A file that has other content now, or that an answer showed in another version, is
    /// left out.
    pub fn show_base_files<'a>(&self, files: impl IntoIterator<Item = (&'a str, &'a str)>) {
        let roots = self.roots();
        for (path, content) in files {
            let Ok(located) = roots.resolve(path) else { continue };
            let found = read_file(&located, &ReadLimits::default(), &CancelToken::NEVER);
            let Ok(FileSnapshot {
                content: FileContent::Text(text), version: Some(version), ..
            }) = found
            else {
                continue;
            };
            if text.text() != content {
                continue;
            }
            let text = Arc::new(text);
            self.files.update(&located.path_key(), |known| {
                let is_other = known.is_some_and(|known| known.version.hash != version.hash);
                (!is_other).then(|| KnownFile::from_system_prompt(version, text))
            });
        }
    }

    /// Forgets all shown content, as after a compaction: no answer points at it any more, and every
    /// read counts as a first read.
    pub fn clear_visibility(&self) {
        self.clear_visibility_in(&mut **self.lock_shaper());
    }

    /// Does the work of [`Self::clear_visibility`] while the caller holds the shaper's lock.
    fn clear_visibility_in(&self, shown: &mut dyn AnswerShaper) {
        // Delivered answers were seen, even if no call followed: external changes before them are
        // no news.
        self.settle_deliveries_in(shown);
        shown.clear_visibility();
        self.files.clear_visibility();
        self.workspace.forget_reported_files();
        // The event below covers them.
        drop(self.files.take_seen_changes());
        self.undo.remove_full_views();
        self.pointer_answered_reads.remove_all();
        // The places refer to forgotten content.
        drop(self.recorder.take_delivered());
        self.recorder.append_event(&SessionEvent::Forgot);
    }

    /// Forgets the shown content if another reader received it or it left the prompt, and applies
    /// the edits that the reader made with its client's own tools.
    pub(crate) fn sync_reader(&self) {
        self.readers.detect_reader_change(&self.toolbox, || self.clear_visibility());
        self.readers.for_each_new_edit(&self.toolbox, |edit| {
            apply_edit(edit, &self.roots(), &self.files, &self.reads);
        });
    }

    /// Locks the shaper. If `bytes` more would exceed its capacity, or the stored events are
    /// incomplete, forgets all shown content first, so that a later process can continue from here.
    pub(crate) fn shaper_with_capacity(
        &self,
        bytes: usize,
    ) -> MutexGuard<'_, Box<dyn AnswerShaper>> {
        let mut shown = self.lock_shaper();
        if self.recorder.take_incomplete() || shown.would_overflow(bytes) {
            self.clear_visibility_in(&mut **shown);
        }
        shown
    }

    /// Stores the changes of the seen lines.
    pub(crate) fn record_seen_lines(&self) {
        // The lock keeps other calls from forgetting lines between reading and storing them.
        let _shown = self.lock_shaper();
        self.recorder.append_seen_lines(self.files.take_seen_changes());
    }

    fn lock_shaper(&self) -> MutexGuard<'_, Box<dyn AnswerShaper>> {
        self.shaper.lock().unwrap_or_else(|poisoned| {
            // A panic can leave only the shown content inconsistent; it is forgotten.
            let mut shown = poisoned.into_inner();
            self.shaper.clear_poison();
            shown.clear_visibility();
            self.files.clear_visibility();
            self.undo.remove_full_views();
            shown
        })
    }

    /// Waits until no other call of this session writes files.
    pub(crate) fn lock_writes(&self) -> MutexGuard<'_, ()> {
        // The lock guards no data, so a panic cannot leave any inconsistent.
        self.write_lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the whole content of an answer of this or an earlier session. Content from the store
    /// has its secrets removed.
    pub fn content(&self, handle: Handle) -> Option<String> {
        self.find_content(handle).map(|(content, _)| content)
    }

    /// Returns the content if it is exactly what was answered, with no secrets removed.
    pub(crate) fn unredacted_content(&self, handle: Handle) -> Option<String> {
        self.find_content(handle).filter(|(_, secrets)| *secrets == 0).map(|(content, _)| content)
    }

    /// Returns the content of a handle, and the number of secrets removed from it.
    fn find_content(&self, handle: Handle) -> Option<(String, u32)> {
        if let Some(content) = self.lock_shaper().find_whole_content(handle) {
            return Some((content.to_owned(), 0));
        }
        if let Some(content) = self.recorder.buffered_content(handle) {
            return Some((String::from_utf8_lossy(&content).into_owned(), 0));
        }
        let content = self.toolbox.store.content(handle).ok().flatten()?;
        Some((String::from_utf8_lossy(&content.bytes).into_owned(), content.secrets))
    }

    /// Marks a file as unread: its next read returns all of it, whatever was shown before.
    pub fn mark_unread(&self, path: &str) {
        let Ok(located) = self.roots().resolve(path) else { return };
        self.reads.mark_unread(&located, self.files.is_visible(&located.path_key()));
    }

    /// Returns the number of reads of a file since its last change by the session or others.
    pub fn read_count(&self, path: &str) -> u32 {
        self.roots().resolve(path).map_or(0, |located| self.reads.read_count(&located))
    }
}

impl fmt::Debug for ToolSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolSession").field("id", &self.id).finish_non_exhaustive()
    }
}
