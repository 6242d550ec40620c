//! What others append to a file while it is replaced.
//!
//! A program that opened the old file just before it lost its name writes into a file that nobody
//! finds any more. So the old file stays open for a while, and what comes to its end is put at
//! the end of the file that has the name now.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use cap_std::fs::{Dir, OpenOptions};

use crate::bounded::open_in;

/// How long a file that was replaced is looked after.
const KEPT: Duration = Duration::from_secs(2);

/// Time between the first two looks; it doubles up to the longest.
const PAUSE: Duration = Duration::from_millis(2);
const PAUSE_MAX: Duration = Duration::from_millis(100);

/// Files that are looked after at once; beyond, the oldest are let go.
const FILES_MAX: usize = 64;

/// Bytes that are carried over at once.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Looks in a row that find something new.
const ROUNDS_MAX: usize = 16;

/// A file that lost its name, and how much of it is known.
#[derive(Debug)]
pub(super) struct Tail {
    file: File,
    known: u64,
}

impl Tail {
    pub(super) fn new(file: File, known: u64) -> Self {
        Self { file, known }
    }

    /// Whether nobody can reach the file by a name, so that what comes to it would be lost.
    pub(super) fn is_nameless(&self) -> bool {
        self.file.metadata().is_ok_and(|metadata| metadata.nlink() == 0)
    }

    /// Puts what was appended at the end of the file `name`, until nothing more comes.
    pub(super) fn carry(&mut self, dir: &Dir, name: &OsStr) -> io::Result<()> {
        for _ in 0..ROUNDS_MAX {
            let bytes = self.file.metadata()?.len().saturating_sub(self.known).min(BYTES_MAX);
            if bytes == 0 {
                return Ok(());
            }
            let mut tail = vec![0; usize::try_from(bytes).unwrap_or_default()];
            self.file.read_exact_at(&mut tail, self.known)?;
            match open_in(dir, Path::new(name), OpenOptions::new().append(true)) {
                // In one piece, as it came.
                Ok(mut target) => target.write_all(&tail)?,
                // It was removed, and what was appended to it is gone with it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
            self.known += bytes;
        }
        Ok(())
    }
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
    until: Instant,
}

impl Tails {
    /// Looks after a file that was replaced by the one that is called `name` in `dir`.
    pub(super) fn keep(&self, tail: Tail, dir: Dir, name: &OsStr) {
        let until = Instant::now() + KEPT;
        let mut watched = lock(&self.0);
        if watched.files.len() == FILES_MAX {
            let mut oldest = watched.files.remove(0);
            oldest.look();
        }
        watched.files.push(Kept { tail, dir, name: name.to_owned(), until });
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
    fn look(&mut self) {
        // What cannot be carried over now may be the next time.
        let _ = self.tail.carry(&self.dir, &self.name);
    }
}

fn look_after(watched: &Mutex<Watched>) {
    let mut pause = PAUSE;
    loop {
        thread::sleep(pause);
        pause = (pause * 2).min(PAUSE_MAX);
        let mut watched = lock(watched);
        watched.files.iter_mut().for_each(Kept::look);
        let now = Instant::now();
        watched.files.retain(|kept| kept.until > now);
        if watched.files.is_empty() {
            watched.is_looking = false;
            return;
        }
    }
}

fn lock(watched: &Mutex<Watched>) -> MutexGuard<'_, Watched> {
    watched.lock().unwrap_or_else(PoisonError::into_inner)
}
