//! One reader's session: carries calls out, and remembers what was shown for them.

mod call;
mod check;
mod duplicates;
mod edit;
mod files;
mod keep;
mod lines;
mod long;
mod place;
mod read;
mod readers;
mod reads;
mod seen;
mod shown;
mod undo;
mod unshown;
mod work;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use foveal_files::stamp::Version;
use foveal_files::tree::name_of;
use foveal_files::{PathError, PathKey, Roots, TextFile};
use foveal_processes::{TerminalLimits, Terminals};
use foveal_store::SessionId;

use crate::permission::{Access, Grants, Verdict};
use crate::settings;
use crate::tool::read_file::Mode;
use crate::toolbox::Toolbox;
use crate::views::SessionViews;

pub use self::duplicates::{Calls, Recorded};
pub(crate) use self::edit::EditAt;
pub use self::files::{KnownFile, KnownFiles, ShownFile};
use self::keep::Event;
pub(crate) use self::lines::Asked as AskedLines;
use self::lines::Chunk;
pub(crate) use self::long::{ANSWER_BYTES_MAX, room_for, within_room};
pub(crate) use self::place::{Place, searched};
use self::readers::Readers;
pub use self::readers::{is_note, note_reader};
use self::reads::Reads;
pub use self::seen::Seen;
pub use self::shown::{Asked, Before, Counts, Given, Shown};
use self::undo::UndoBuffer;
pub use self::unshown::Unshown;
pub use self::work::Work;

/// A call that a model made.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The tool's name.
    pub tool: String,
    /// Its arguments: an object.
    pub arguments: Value,
    /// Whether it may be answered from an earlier call like it.
    pub detect_duplicates: bool,
}

impl Request {
    /// A call that may be answered from an earlier one.
    pub fn new(tool: impl Into<String>, arguments: Value) -> Self {
        Self { tool: tool.into(), arguments, detect_duplicates: true }
    }
}

/// One reader's session. Calls may come from many threads; answers count as shown in the order
/// in which they are given.
pub struct Session {
    id: String,
    /// The same for the store.
    stored: SessionId,
    toolbox: Arc<Toolbox>,
    views: Arc<SessionViews>,
    state: Mutex<State>,
    reads: Mutex<Reads>,
    /// Held by who writes a file, until it is known what was written.
    writing: Mutex<()>,
    terminals: Terminals,
    /// Whether what is kept does not tell all that was shown.
    has_lost_thread: AtomicBool,
}

/// What makes two reads the same: the file's key, mode and question.
pub(crate) type AskedRead = (String, Mode, Option<String>);

/// Reads that sent the reader to what stands above.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pointed {
    /// The paths of the call where it was for several.
    pub(crate) together: Vec<String>,
    /// The reads.
    pub(crate) reads: Vec<AskedRead>,
}

/// What a session remembers.
#[derive(Debug)]
struct State {
    shown: Shown,
    files: KnownFiles,
    /// What the last read was answered for with what stands above.
    pointed: Pointed,
    /// Files that are shown whole.
    focus: BTreeMap<PathKey, PathBuf>,
    grants: Grants,
    roots: Roots,
    told_unconfined: bool,
    /// What files held before a change, where it cannot be kept for longer.
    undo_buffer: UndoBuffer,
    /// As of the last call.
    readers: Readers,
}

impl Session {
    /// The session called `id`: one in which nothing was shown yet, or, if the store knows it,
    /// one that goes on where it ended.
    pub fn new(toolbox: &Arc<Toolbox>, id: impl Into<String>) -> Self {
        let views = Arc::new(SessionViews::new(Arc::clone(&toolbox.curations)));
        let directory = toolbox.roots.working_directory().display().to_string();
        let shown = Shown::new(settings::shaping(), views.clone(), directory);
        let state = State {
            shown,
            files: KnownFiles::default(),
            pointed: Pointed::default(),
            focus: BTreeMap::new(),
            grants: Grants::default(),
            roots: toolbox.roots.clone(),
            told_unconfined: false,
            undo_buffer: UndoBuffer::default(),
            readers: Readers::default(),
        };
        let id = id.into();
        let stored = SessionId(id.clone());
        let limits = TerminalLimits {
            sessions_max: toolbox.settings.terminals_max,
            ..TerminalLimits::default()
        };
        let session = Self {
            id,
            stored,
            toolbox: Arc::clone(toolbox),
            views,
            state: Mutex::new(state),
            reads: Mutex::default(),
            writing: Mutex::new(()),
            terminals: Terminals::new(limits),
            has_lost_thread: AtomicBool::new(false),
        };
        // Without a store nothing is kept; what is asked for is answered all the same.
        let opened = session.open_stored();
        if opened.is_ok_and(|is_known| is_known) {
            session.recall();
        }
        let readers = session.readers();
        session.state().readers = readers;
        session
    }

    /// What it is called.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Forgets all that was shown, as after a compaction: nothing is pointed at any more, and
    /// every read is a first one again.
    pub fn forget(&self) {
        self.forget_all(&mut self.state());
    }

    fn forget_all(&self, state: &mut State) {
        state.shown.forget();
        state.files.forget_shown();
        state.undo_buffer.forget_seen();
        state.pointed = Pointed::default();
        self.append(&Event::Forgot, self.toolbox.clock.now());
    }

    /// Whether it is to be told that commands are not confined: once.
    pub(crate) fn tells_unconfined(&self) -> bool {
        !std::mem::replace(&mut self.state().told_unconfined, true)
    }

    pub(crate) fn terminals(&self) -> &Terminals {
        &self.terminals
    }

    /// The roots, relative paths taken from where the session's commands are.
    pub fn roots(&self) -> Roots {
        self.state().roots.clone()
    }

    /// Whether rules and grants let a tool touch `subject` without asking anybody.
    pub fn may(&self, tool: &'static str, subject: &str) -> bool {
        self.verdict(&Access::of(tool, subject)) == Verdict::Allow
    }

    /// What the rules say, where a grant answers what they would have asked.
    pub(crate) fn verdict(&self, access: &Access<'_>) -> Verdict {
        match self.toolbox.policy.verdict(access) {
            Verdict::Ask if self.is_granted(access) || self.toolbox.is_granted(access) => {
                Verdict::Allow
            }
            verdict => verdict,
        }
    }

    fn is_granted(&self, access: &Access<'_>) -> bool {
        self.state().grants.hold(access)
    }

    pub(crate) fn grant(&self, access: &Access<'_>) {
        self.state().grants.add(access);
    }

    /// The files that are shown whole, by their absolute paths.
    pub fn focus(&self) -> BTreeMap<PathKey, PathBuf> {
        self.state().focus.clone()
    }

    pub(crate) fn set_focus(&self, focus: BTreeMap<PathKey, PathBuf>) {
        self.state().focus = focus;
    }

    pub(crate) fn is_in_focus(&self, key: &PathKey) -> bool {
        self.state().focus.contains_key(key)
    }

    /// Has commands, and relative paths, start in `folder` from now on.
    fn work_in(&self, folder: &Path) -> Result<(), PathError> {
        let roots = self.roots().with_working_directory(&name_of(folder))?;
        self.state().roots = roots;
        Ok(())
    }

    /// The reads of the last call, if that was for these paths together, which sent the reader
    /// to what stands above; they are asked for once.
    pub(crate) fn take_pointed(&self, together: &[String]) -> Vec<AskedRead> {
        let pointed = std::mem::take(&mut self.state().pointed);
        if pointed.together == together { pointed.reads } else { Vec::new() }
    }

    pub(crate) fn set_pointed(&self, together: &[String], reads: Vec<AskedRead>) {
        self.state().pointed = Pointed { together: together.to_vec(), reads };
    }

    /// The version of a file that the model was last shown, and where.
    fn shown_file(&self, key: &PathKey) -> Option<(Version, ShownFile, Seen)> {
        let state = self.state();
        let file = state.files.get(key)?;
        Some((file.version, file.shown.clone()?, file.seen.clone()))
    }

    /// Notes that the model sees these lines of a version.
    fn see(
        &self,
        key: &PathKey,
        version: Version,
        text: TextFile,
        (lines, chunks): (&Seen, &[Chunk]),
    ) {
        let mut state = self.state();
        let text = Arc::new(text);
        let mut file = match state.files.get(key) {
            Some(known) if known.version.hash == version.hash => {
                KnownFile { text: Some(Arc::clone(&text)), ..known.clone() }
            }
            known => KnownFile::after(known, version, Arc::clone(&text), None),
        };
        file.show(lines);
        chunks.iter().for_each(|chunk| file.show_chunk(*chunk));
        state.files.put(key.clone(), file);
    }

    /// The version of a file that was last met.
    pub(crate) fn known_file(&self, key: &PathKey) -> Option<KnownFile> {
        self.of_known(key, KnownFile::clone)
    }

    /// The same, of which only a part is wanted.
    fn of_known<T>(&self, key: &PathKey, part: impl FnOnce(&KnownFile) -> T) -> Option<T> {
        self.state().files.get(key).map(part)
    }

    pub(crate) fn know(&self, key: PathKey, file: KnownFile) {
        self.state().files.put(key, file);
    }

    /// Waits until no other call of this session writes files.
    fn turn_to_write(&self) -> MutexGuard<'_, ()> {
        // It guards nothing that a panic could leave half done.
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forget_file(&self, key: &PathKey) {
        self.state().files.remove(key);
    }

    fn renew(&self, key: &PathKey, version: Version) {
        self.state().files.renew(key, version);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // What a panic left half done is only what was shown; that is forgotten.
        self.state.lock().unwrap_or_else(|poisoned| {
            let mut state = poisoned.into_inner();
            state.shown.forget();
            state.files.forget_shown();
            state.undo_buffer.forget_seen();
            state
        })
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("id", &self.id).finish_non_exhaustive()
    }
}
