//! A store that fails or is slow.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use foveal_live::recorder::{
    Content, InMemory, Noted, Original, Planned, Recorder, Turn, Unrecorded,
};
use foveal_transcript::{ContentHash, Handle, Timestamp};

/// Keeps everything in memory, as well as it can.
#[derive(Default)]
pub(crate) struct Rough {
    pub(crate) kept: InMemory,
    /// Does not say what was noted until it is quick again.
    pub(crate) is_slow: AtomicBool,
    /// Does not say that something is noted until it is quick again: it is.
    pub(crate) writes_slowly: AtomicBool,
    /// Cannot say what was noted, or note anything.
    pub(crate) fails: AtomicBool,
    /// Cannot read contents.
    pub(crate) is_unread: AtomicBool,
}

fn failed() -> Unrecorded {
    Unrecorded("it fails".to_owned())
}

fn wait(flag: &AtomicBool) {
    while flag.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

impl Recorder for Rough {
    fn find(&self, root: ContentHash, ends: &[ContentHash]) -> Result<Vec<Planned>, Unrecorded> {
        self.kept.find(root, ends)
    }

    fn knows(&self, ends: &[ContentHash]) -> Result<bool, Unrecorded> {
        self.kept.knows(ends)
    }

    fn record(&self, turn: &Turn, contents: &[Original<'_>]) -> Result<(), Unrecorded> {
        self.kept.record(turn, contents)
    }

    fn content(&self, handle: Handle) -> Result<Option<Content>, Unrecorded> {
        match self.is_unread.load(Ordering::SeqCst) {
            true => Err(failed()),
            false => self.kept.content(handle),
        }
    }

    fn noted(&self, root: ContentHash, ends: &[ContentHash]) -> Result<Vec<Noted>, Unrecorded> {
        wait(&self.is_slow);
        match self.fails.load(Ordering::SeqCst) {
            true => Err(failed()),
            false => self.kept.noted(root, ends),
        }
    }

    fn note(&self, name: &str, note: &Noted, now: Timestamp) -> Result<(), Unrecorded> {
        if self.fails.load(Ordering::SeqCst) {
            return Err(failed());
        }
        let noted = self.kept.note(name, note, now);
        wait(&self.writes_slowly);
        noted
    }
}
