//! What others append to a file while it is replaced.
//!
//! A program that opened the old file just before it lost its name writes into a file that nobody
//! finds any more. So the old file stays open for a while, longer where another program has it open
//! yet, and what comes to its end is put at the end of the file that has the name now. A lease says
//! that nobody has it open for writing: nobody can from then on, as it has no name.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use cap_std::fs::{Dir, MetadataExt as _, OpenOptions};
use foveal_lease::Lease;
use memchr::memmem;
use serde::{Deserialize, Serialize};

use super::extent::Extent;
use super::writers::{FileId, written_elsewhere};
use crate::bounded::open_in;

/// How long a file that was replaced is looked after; longer, up to the second, if another program
/// has it open for writing then.
const KEPT: Duration = Duration::from_secs(2);
const KEPT_MAX: Duration = Duration::from_secs(3600);

/// The same where a lease said that nobody had it open for writing when it lost its name. A program
/// that had found it by then may have been halted by the system before it had it open.
const KEPT_ALONE: Duration = Duration::from_millis(500);

/// The longest time between two looks whether one has.
const ASKED_MAX: Duration = Duration::from_secs(30);

/// Time between the first two looks; it doubles up to the longest.
const PAUSE: Duration = Duration::from_millis(2);
const PAUSE_MAX: Duration = Duration::from_millis(100);

/// Files that are looked after at once; beyond, the oldest are let go.
const FILES_MAX: usize = 64;

/// Bytes that are carried over at once.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Looks in a row that find something new.
const ROUNDS_MAX: usize = 16;

/// A file that lost its name or its place: what was known to be in it, and how far what was
/// appended since is carried over.
#[derive(Debug)]
pub(super) struct Tail {
    file: File,
    known: Extent,
    carried: u64,
    /// Whether nobody had it open for writing when it lost its name.
    is_alone: bool,
}

/// Bytes of a file that are put at the end of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Piece {
    from: u64,
    to: u64,
    /// The number of the other file, and how long it was before.
    into: u64,
    at: u64,
}

/// Is told of each piece before it is written.
pub(super) type OnPiece<'a> = &'a dyn Fn(Piece) -> io::Result<()>;

/// Of pieces that nobody will go on with.
pub(super) const UNNOTED: OnPiece<'static> = &|_| Ok(());

impl Tail {
    pub(super) fn new(file: File, known: Extent) -> Self {
        Self { file, known, carried: known.bytes, is_alone: false }
    }

    /// The same, if it is `leased`, which nobody had open for writing when it lost its name.
    pub(super) fn alone(self, leased: Option<&File>) -> Self {
        let is_alone = leased.and_then(id_of).is_some_and(|id| self.id() == Some(id));
        Self { is_alone, ..self }
    }

    /// Whether nobody can reach the file by a name, so that what comes to it would be lost.
    pub(super) fn is_nameless(&self) -> bool {
        self.file.metadata().is_ok_and(|metadata| metadata.nlink() == 0)
    }

    fn id(&self) -> Option<FileId> {
        id_of(&self.file)
    }

    /// Whether what was known to be in the file is there yet, so that all after it was appended.
    pub(super) fn is_appended_to(&self) -> bool {
        self.known.begins(&self.file).unwrap_or_default()
    }

    /// Puts what was appended at the end of the file `name`, until nothing more comes. Nothing of
    /// a file that was written anew is carried over.
    pub(super) fn carry(&mut self, dir: &Dir, name: &OsStr, note: OnPiece<'_>) -> io::Result<()> {
        self.carry_into((dir, name), None, note).map(drop)
    }

    /// The same, into no file but `only`, if there is one. False if another stands there.
    fn carry_into(
        &mut self,
        (dir, name): (&Dir, &OsStr),
        only: Option<FileId>,
        note: OnPiece<'_>,
    ) -> io::Result<bool> {
        for _ in 0..ROUNDS_MAX {
            let bytes = self.file.metadata()?.len().saturating_sub(self.carried).min(BYTES_MAX);
            if bytes == 0 {
                return Ok(true);
            }
            let (from, to) = (self.carried, self.carried + bytes);
            let tail = self.appended(from, to)?;
            match open_in(dir, Path::new(name), OpenOptions::new().append(true)) {
                Ok(mut target) => {
                    let there = target.metadata()?;
                    if only.is_some_and(|only| only != (there.dev(), there.ino())) {
                        return Ok(false);
                    }
                    note(Piece { from, to, into: there.ino(), at: there.len() })?;
                    // In one piece, as it came.
                    target.write_all(&tail)?;
                }
                // It was removed, and what was appended to it is gone with it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
            self.carried = to;
        }
        Ok(true)
    }

    /// Goes on where somebody was stopped who was about to carry over a piece: puts there what of
    /// it is missing.
    pub(super) fn resume(&mut self, dir: &Dir, name: &OsStr, piece: Piece) -> io::Result<()> {
        self.carried = self.carried.max(piece.from);
        let tail = self.appended(piece.from, piece.to)?;
        let options = |options: &mut OpenOptions| open_in(dir, Path::new(name), options);
        let there = options(OpenOptions::new().read(true));
        match there.and_then(|there| after(&there, piece)) {
            Ok(there) if memmem::find(&there, &tail).is_some() => {}
            Ok(there) => {
                let begun = (0..tail.len()).rev().find(|count| there.ends_with(&tail[..*count]));
                let missing = &tail[begun.unwrap_or_default()..];
                options(OpenOptions::new().append(true))?.write_all(missing)?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        self.carried = piece.to;
        Ok(())
    }

    /// Bytes that were appended.
    fn appended(&self, from: u64, to: u64) -> io::Result<Vec<u8>> {
        let mut tail = vec![0; usize::try_from(to.saturating_sub(from)).unwrap_or_default()];
        self.file.read_exact_at(&mut tail, from)?;
        // Asked after they were read: whoever writes the file anew begins at its start.
        if !self.is_appended_to() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(tail)
    }
}

fn id_of(file: &File) -> Option<FileId> {
    file.metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

/// What `file` has after the place where a piece was to be put; all, if it is another one.
fn after(file: &File, piece: Piece) -> io::Result<Vec<u8>> {
    let metadata = file.metadata()?;
    let from = if metadata.ino() == piece.into { piece.at.min(metadata.len()) } else { 0 };
    let mut there = vec![0; usize::try_from(metadata.len() - from).unwrap_or_default()];
    file.read_exact_at(&mut there, from)?;
    Ok(there)
}

/// The files that were replaced in the last moments.
#[derive(Debug, Default)]
pub(super) struct Tails(Arc<Mutex<Watched>>);

#[derive(Debug, Default)]
struct Watched {
    files: Vec<Kept>,
    is_looking: bool,
}

#[derive(Debug)]
struct Kept {
    tail: Tail,
    dir: Dir,
    name: OsString,
    /// The file that was put there, if it was there a moment later. It is held so that no other gets
    /// its number.
    put: Option<File>,
    since: Instant,
    until: Instant,
    /// Whether nobody can append to it any more.
    is_over: bool,
}

impl Tails {
    /// Looks after a file that was replaced by `put`, which is called `name` in `dir`.
    pub(super) fn keep(&self, tail: Tail, put: Option<File>, dir: Dir, name: &OsStr) {
        let since = Instant::now();
        let until = since + if tail.is_alone { KEPT_ALONE } else { KEPT };
        let mut watched = lock(&self.0);
        if watched.files.len() == FILES_MAX {
            let mut oldest = watched.files.remove(0);
            oldest.look(since);
        }
        // What was appended to files that this one had replaced goes on to the new one.
        let replaced = tail.id();
        for kept in &mut watched.files {
            if replaced.is_some() && kept.put.as_ref().and_then(id_of) == replaced {
                kept.put = put.as_ref().and_then(|put| put.try_clone().ok());
            }
        }
        let name = name.to_owned();
        watched.files.push(Kept { tail, dir, name, put, since, until, is_over: false });
        if watched.is_looking {
            return;
        }
        let shared = Arc::clone(&self.0);
        let spawned =
            thread::Builder::new().name("appended".to_owned()).spawn(move || look_after(&shared));
        watched.is_looking = spawned.is_ok();
    }
}

impl Kept {
    /// Carries over what came. False if somebody else's file has the name, and not by a change
    /// that was under way when the file was replaced.
    fn look(&mut self, now: Instant) -> bool {
        let at = (&self.dir, self.name.as_os_str());
        if now.duration_since(self.since) <= KEPT {
            // What cannot be carried over now may be the next time.
            let _ = self.tail.carry(at.0, at.1, UNNOTED);
            return true;
        }
        let Some(put) = self.put.as_ref().and_then(id_of) else { return false };
        let there = self.dir.symlink_metadata(&self.name);
        there.is_ok_and(|there| put == (there.dev(), there.ino()))
            && self.tail.carry_into(at, Some(put), UNNOTED).unwrap_or(true)
    }

    /// Asks whether anybody has it open for writing, where that can be known of it alone.
    fn ask(&mut self) {
        self.is_over = Lease::take(&self.tail.file).is_some();
    }

    /// Whether it is looked after any longer; so it is if it is one of those that are `written` yet.
    fn goes_on(&mut self, now: Instant, written: &HashSet<FileId>) -> bool {
        if self.until > now || self.is_over {
            return !self.is_over;
        }
        let age = now.duration_since(self.since);
        if age < KEPT {
            self.until = self.since + KEPT;
            return true;
        }
        self.until = now + age.min(ASKED_MAX);
        age < KEPT_MAX && self.tail.id().is_some_and(|id| written.contains(&id))
    }
}

fn look_after(watched: &Mutex<Watched>) {
    let mut pause = PAUSE;
    loop {
        thread::sleep(pause);
        pause = (pause * 2).min(PAUSE_MAX);
        let now = Instant::now();
        let unknown = ask_about(&mut lock(watched).files, now);
        // Nobody who writes waits while all processes are looked through.
        let written = if unknown.is_empty() { unknown } else { written_elsewhere(&unknown) };
        let mut watched = lock(watched);
        // What came before they were asked about is there by now.
        watched.files.retain_mut(|kept| kept.look(now) && kept.goes_on(now, &written));
        if watched.files.is_empty() {
            watched.is_looking = false;
            return;
        }
    }
}

/// Asks about the files whose time is over. Those that somebody may have open for writing yet.
fn ask_about(files: &mut [Kept], now: Instant) -> HashSet<FileId> {
    let over = files.iter_mut().filter(|kept| kept.until <= now);
    let unknown = over.filter_map(|kept| {
        kept.ask();
        let is_late = now.duration_since(kept.since) >= KEPT;
        (is_late && !kept.is_over).then(|| kept.tail.id()).flatten()
    });
    unknown.collect()
}

fn lock(watched: &Mutex<Watched>) -> MutexGuard<'_, Watched> {
    watched.lock().unwrap_or_else(PoisonError::into_inner)
}
