//! Completion of file names and symbols, on a thread beside the screen.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use foveal_tui::{ChatInput, CompletionCandidate};
use foveal_workspace::file_search::visible_files;

use super::chat_event::ChatEvent;
use super::symbols::{self, CompletionSymbol, CompletionSymbols};
use crate::environment::Environment;

/// Files of a folder that are listed.
const FILES_MAX: usize = 50_000;
/// Levels of folders that are listed.
const DEPTH_MAX: usize = 24;

/// Candidates for one word.
const CANDIDATES_MAX: usize = 40;

/// The time after which the list of files is read again.
const FILE_LIST_LIFETIME: Duration = Duration::from_secs(5);

/// Words that the queue holds at most. Only the last one is completed.
const WORDS_MAX: usize = 64;

/// Sends words to the completion thread.
pub(super) struct CompletionFinder(SyncSender<String>);

impl CompletionFinder {
    /// Starts the completion thread for `folder`. Candidates are sent to `arrived`.
    pub(super) fn start(
        folder: &Path,
        environment: &Environment,
        arrived: SyncSender<ChatEvent>,
    ) -> Self {
        let (sender, words) = sync_channel(WORDS_MAX);
        let folder = folder.to_owned();
        let symbols = CompletionSymbols::for_folder(&folder, environment);
        let find = move || run_completion_loop(&folder, symbols, &words, &arrived);
        // Without a thread there are no completions.
        drop(thread::Builder::new().name("find files".to_owned()).spawn(find));
        Self(sender)
    }

    /// Requests the candidates for a word. Ignored while the queue is full.
    pub(super) fn request_candidates(&self, word: String) {
        match self.0.try_send(word) {
            Ok(()) | Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {}
        }
    }
}

fn run_completion_loop(
    folder: &Path,
    mut symbols: CompletionSymbols,
    words: &Receiver<String>,
    arrived: &SyncSender<ChatEvent>,
) {
    let mut files: (Option<Instant>, Vec<String>) = (None, Vec::new());
    while let Ok(mut word) = words.recv() {
        while let Ok(later) = words.try_recv() {
            word = later;
        }
        if files.0.is_none_or(|at| at.elapsed() > FILE_LIST_LIFETIME) {
            files = (Some(Instant::now()), list_files(folder));
        }
        let tell = |found: Vec<CompletionCandidate>| {
            let input = ChatInput::Completions { prefix: word.clone(), candidates: found };
            arrived.send(ChatEvent::Input(input)).is_ok()
        };
        // Files are sent at once, even if the symbols have to be read first.
        if (symbols.is_stale() || !symbols::is_symbol_query(&word))
            && !tell(best_candidates(&files.1, &[], &word))
        {
            return;
        }
        if symbols::is_symbol_query(&word)
            && !tell(best_candidates(&files.1, symbols.refreshed_symbols(), &word))
        {
            return;
        }
    }
}

/// Returns the best candidates for a word. Of equally good ones files come before symbols.
fn best_candidates(
    files: &[String],
    symbols: &[CompletionSymbol],
    word: &str,
) -> Vec<CompletionCandidate> {
    let word_in_small = word.to_lowercase();
    let of_files = rank_files(files, word).map(|(rank, long, path)| {
        let text = match path.contains(' ') {
            true => format!("`{path}` "),
            false => format!("@{path} "),
        };
        ((rank, false, long), CompletionCandidate { replacement: text, description: String::new() })
    });
    let of_symbols = symbols.iter().filter_map(|symbol| {
        let (rank, long) = symbol.match_rank(&word_in_small)?;
        Some(((rank, true, long), symbol.to_candidate()))
    });
    let mut all: Vec<((u8, bool, usize), CompletionCandidate)> =
        of_files.chain(of_symbols).collect();
    all.sort_by(|one, other| {
        one.0.cmp(&other.0).then_with(|| one.1.replacement.cmp(&other.1.replacement))
    });
    all.into_iter().take(CANDIDATES_MAX).map(|(_, candidate)| candidate).collect()
}

fn list_files(folder: &Path) -> Vec<String> {
    let inside = |path: PathBuf| Some(path.strip_prefix(folder).ok()?.to_str()?.to_owned());
    visible_files(folder, None, DEPTH_MAX).take(FILES_MAX).filter_map(inside).collect()
}

/// Returns the files that match a word, with rank and length.
fn rank_files<'a>(
    files: &'a [String],
    word: &str,
) -> impl Iterator<Item = (u8, usize, &'a String)> {
    let word = word.to_lowercase();
    files
        .iter()
        .filter_map(move |path| Some((path_rank(&path.to_lowercase(), &word)?, path.len(), path)))
}

/// Returns the rank of a path for a word, 0 for the best match, or `None` without a match.
fn path_rank(path: &str, word: &str) -> Option<u8> {
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
            let symbols = [CompletionSymbol::new(
                "src/lib.rs",
                7,
                "library_of",
                "function",
                "Shelf.library_of",
            )];
            best_candidates(&files, &symbols, word).into_iter().map(|it| it.replacement).collect()
        };
        assert_eq!(
            best("lib"),
            ["@lib/a.rs ", "@src/lib.rs ", "@docs/library.md ", "@src/lib.rs:7 library_of "]
        );
        assert_eq!(best("SCAM"), ["@src/a/mod.rs "]);
        assert!(best("xyz").is_empty());
        assert_eq!(best("").len(), 5);
        assert!(
            !symbols::is_symbol_query("")
                && !symbols::is_symbol_query("src/a")
                && symbols::is_symbol_query("li")
        );
    }
}
