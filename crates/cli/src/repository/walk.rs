//! The files of a repository that are read.

use std::path::{Path, PathBuf};

use foveal_indexer::{FILE_BYTES_MAX, FILES_MAX, may_hold_secrets};
use ignore::WalkBuilder;

use crate::interrupt::Interrupt;

/// Endings of files that are no text or whose text says nothing.
const SKIPPED: &[&str] = &[
    "avi", "bin", "bmp", "bz2", "class", "csv", "dll", "dylib", "eot", "exe", "gif", "gz", "ico",
    "jar", "jpeg", "jpg", "jsonl", "lock", "log", "map", "mov", "mp3", "mp4", "o", "otf",
    "parquet", "pdf", "png", "pyc", "so", "sqlite", "svg", "tar", "tgz", "tsv", "ttf", "wasm",
    "wav", "webp", "woff", "woff2", "xz", "zip", "zst",
];

/// The files at and below `root`, sorted; without what git ignores, links, large files, those
/// that may hold secrets, and those that are no text by their ending.
pub(super) fn files(root: &Path, interrupt: &Interrupt) -> Vec<PathBuf> {
    let walk = WalkBuilder::new(root)
        .hidden(false)
        .require_git(false)
        .follow_links(false)
        .max_filesize(Some(FILE_BYTES_MAX))
        .filter_entry(|entry| entry.file_name() != ".git" && entry.file_name() != ".jj")
        .build();
    let mut found = Vec::new();
    // What cannot be listed is left out, as if it were not there.
    for entry in walk.flatten() {
        if interrupt.requested() || found.len() >= FILES_MAX {
            break;
        }
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        if is_file && !may_hold_secrets(entry.path()) && !is_skipped(entry.path()) {
            found.push(entry.into_path());
        }
    }
    found.sort();
    found
}

fn is_skipped(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    SKIPPED.contains(&ending.to_ascii_lowercase().as_str())
}

/// The path of a file relative to `root`, with `/` between folders.
pub(super) fn name_below(root: &Path, path: &Path) -> String {
    let below = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}
