//! What tells whether a file changed in a way that matters.

use std::io::Read as _;
use std::path::Path;

use cap_std::fs::{Dir, Metadata, OpenOptions};
use foveal_transcript::ContentHash;

use super::settings;
use crate::bounded::open_in;
use crate::obeyed::{may_hold_version, obeyed_by_content};
use crate::stamp::Stamp;

/// Bytes of the settings of a repository that are read.
const SETTINGS_BYTES_MAX: u64 = 256 * 1024;

/// Bytes of a file with a version that are read.
const VERSION_BYTES_MAX: u64 = 4 * 1024;

/// What tells whether a file changed. A file that has none is as good as absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Size and times; of a link, also those of the file that it leads to in the root.
    Stamp(Stamp, Option<Stamp>),
    /// Of a file that commands change all the time, what in it may have something run.
    Said(ContentHash),
}

/// What of a file matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Matters {
    All,
    Settings,
    /// Commands among what is left to do.
    Todo,
    /// Whatever is no version.
    NoVersion,
    /// Where a working copy of its own has its repository, if it is not the usual place.
    Place,
}

impl Matters {
    fn of(path: &Path) -> Self {
        let is_in = |folder: &str| path.iter().any(|part| part == folder);
        let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        match &*name {
            "config" | "config.worktree" if is_in(".git") => Self::Settings,
            "git-rebase-todo" if is_in(".git") => Self::Todo,
            "commondir" if is_in("worktrees") => Self::Place,
            _ if may_hold_version(path) => Self::NoVersion,
            _ => Self::All,
        }
    }
}

impl State {
    /// Of the file at `path` below `root`, which says `metadata` of itself.
    pub(super) fn of(root: &Dir, path: &Path, metadata: &Metadata) -> Option<Self> {
        let led_to = || root.metadata(path).ok().as_ref().map(Stamp::of);
        let led_to = metadata.is_symlink().then(led_to).flatten();
        let stamp = Self::Stamp(Stamp::of(metadata), led_to);
        let matters = Matters::of(path);
        if matters == Matters::All || !metadata.is_file() {
            return Some(stamp);
        }
        let bytes_max =
            if matters == Matters::NoVersion { VERSION_BYTES_MAX } else { SETTINGS_BYTES_MAX };
        // What cannot be read, or is too large, changes with its size and times.
        let Some(bytes) = read(root, path, bytes_max) else { return Some(stamp) };
        let said = match matters {
            Matters::Settings => match settings::may_run(&bytes) {
                Some(may_run) => may_run.into_bytes(),
                None => bytes,
            },
            Matters::Todo => commands(&bytes),
            Matters::NoVersion if obeyed_by_content(path, &bytes).is_none() => Vec::new(),
            Matters::Place if bytes.trim_ascii() == b"../.." => Vec::new(),
            Matters::NoVersion | Matters::Place | Matters::All => bytes,
        };
        (!said.is_empty()).then(|| Self::Said(ContentHash::of(&said)))
    }
}

fn read(root: &Dir, path: &Path, bytes_max: u64) -> Option<Vec<u8>> {
    let file = open_in(root, path, OpenOptions::new().read(true)).ok()?;
    let mut bytes = Vec::new();
    file.take(bytes_max + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= bytes_max).then_some(bytes)
}

/// The lines of what a rebase has left to do that are commands.
fn commands(todo: &[u8]) -> Vec<u8> {
    let is_command = |line: &&[u8]| {
        let line = line.trim_ascii_start();
        let word = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        matches!(word, b"exec" | b"x")
    };
    todo.split(|byte| *byte == b'\n').filter(is_command).collect::<Vec<_>>().join(&b'\n')
}
