//! Finds the files, functions and types that a word may mean, beside the screen.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use foveal_chat::{Candidate, Input};
use foveal_files::tree::visible_files;

use super::arrived::Arrived;
use super::symbols::{self, Symbol, Symbols};
use crate::environment::Environment;

/// Files of a folder that are known, and how deep.
const FILES_MAX: usize = 50_000;
const DEPTH_MAX: usize = 24;

/// Candidates for one word.
const FOUND_MAX: usize = 40;

/// How long the list of files is good for.
const LIST_TIME: Duration = Duration::from_secs(5);

/// Words that wait to be looked for: only the last one counts.
const WAITING_MAX: usize = 64;

/// Finds files.
pub(super) struct Finder(SyncSender<String>);

impl Finder {
    /// Finds files in `folder`, and tells of them by way of `arrived`.
    pub(super) fn start(
        folder: &Path,
        environment: &Environment,
        arrived: SyncSender<Arrived>,
    ) -> Self {
        let (sender, words) = sync_channel(WAITING_MAX);
        let folder = folder.to_owned();
        let symbols = Symbols::of(&folder, environment);
        let find = move || find_all(&folder, symbols, &words, &arrived);
        // Where there are no more threads, nothing is found.
        drop(thread::Builder::new().name("find files".to_owned()).spawn(find));
        Self(sender)
    }

    /// Looks for a word, if not too many wait already.
    pub(super) fn find(&self, word: String) {
        match self.0.try_send(word) {
            Ok(()) | Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {}
        }
    }
}

fn find_all(
    folder: &Path,
    mut symbols: Symbols,
    words: &Receiver<String>,
    arrived: &SyncSender<Arrived>,
) {
    let mut files: (Option<Instant>, Vec<String>) = (None, Vec::new());
    while let Ok(mut word) = words.recv() {
        while let Ok(later) = words.try_recv() {
            word = later;
        }
        if files.0.is_none_or(|at| at.elapsed() > LIST_TIME) {
            files = (Some(Instant::now()), listed(folder));
        }
        let tell = |found: Vec<Candidate>| {
            let input = Input::Candidates { prefix: word.clone(), found };
            arrived.send(Arrived::Input(input)).is_ok()
        };
        // Files are there at once, also where symbols have to be read first.
        if (symbols.is_stale() || !symbols::is_asked(&word)) && !tell(found(&files.1, &[], &word)) {
            return;
        }
        if symbols::is_asked(&word) && !tell(found(&files.1, symbols.all(), &word)) {
            return;
        }
    }
}

/// What fits a word best: files before symbols that fit as well.
fn found(files: &[String], symbols: &[Symbol], word: &str) -> Vec<Candidate> {
    let word_in_small = word.to_lowercase();
    let of_files = ranked(files, word).map(|(rank, long, path)| {
        let text = match path.contains(' ') {
            true => format!("`{path}` "),
            false => format!("@{path} "),
        };
        ((rank, false, long), Candidate { text, about: String::new() })
    });
    let of_symbols = symbols.iter().filter_map(|symbol| {
        let (rank, long) = symbol.rank(&word_in_small)?;
        Some(((rank, true, long), symbol.candidate()))
    });
    let mut all: Vec<((u8, bool, usize), Candidate)> = of_files.chain(of_symbols).collect();
    all.sort_by(|one, other| one.0.cmp(&other.0).then_with(|| one.1.text.cmp(&other.1.text)));
    all.into_iter().take(FOUND_MAX).map(|(_, candidate)| candidate).collect()
}

fn listed(folder: &Path) -> Vec<String> {
    let inside = |path: PathBuf| Some(path.strip_prefix(folder).ok()?.to_str()?.to_owned());
    visible_files(folder, None, DEPTH_MAX).take(FILES_MAX).filter_map(inside).collect()
}

/// The files that fit a word, with how well and how long they are.
fn ranked<'a>(files: &'a [String], word: &str) -> impl Iterator<Item = (u8, usize, &'a String)> {
    let word = word.to_lowercase();
    files
        .iter()
        .filter_map(move |path| Some((rank(&path.to_lowercase(), &word)?, path.len(), path)))
}

/// How well a path fits a word, 0 the best; `None`: not at all.
fn rank(path: &str, word: &str) -> Option<u8> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut signs = path.chars();
    if path.starts_with(word) {
        Some(0)
    } else if name.starts_with(word) {
        Some(1)
    } else if name.contains(word) {
        Some(2)
    } else if path.contains(word) {
        Some(3)
    } else if word.chars().all(|sign| signs.any(|other| other == sign)) {
        Some(4)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_come_first() {
        let files = ["src/lib.rs", "lib/a.rs", "src/a/mod.rs", "docs/library.md"];
        let files = files.map(str::to_owned);
        let best = |word: &str| -> Vec<String> {
            let symbols =
                [Symbol::new("src/lib.rs", 7, "library_of", "function", "Shelf.library_of")];
            found(&files, &symbols, word).into_iter().map(|it| it.text).collect()
        };
        assert_eq!(
            best("lib"),
            ["@lib/a.rs ", "@src/lib.rs ", "@docs/library.md ", "@src/lib.rs:7 library_of "]
        );
        assert_eq!(best("SCAM"), ["@src/a/mod.rs "]);
        assert!(best("xyz").is_empty());
        assert_eq!(best("").len(), 5);
        assert!(!symbols::is_asked("") && !symbols::is_asked("src/a") && symbols::is_asked("li"));
    }
}
