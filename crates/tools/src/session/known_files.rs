//! The files of a session: which version of each the model last met, and what it has seen of it.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};

use foveal_context::shape::ShapeKind;
use foveal_files::stamp::Version;
use foveal_files::{PathKey, TextFile};
use foveal_transcript::ContentHash;

use crate::read_view::ReadView;

use super::deliveries::{CallView, Settled};
use super::known_file::KnownFile;
use super::seen::{LinePart, Seen};
use super::shaper::ShapedAnswer;
use super::unsettled::{FileShown, ShownLines, Unsettled};
use super::unshown::Unshown;

/// Bytes of texts that are kept in memory to compare with what is on disk later.
const BYTES_MAX: usize = 32 << 20;

/// Files that are known at once. One that goes is as if it had never been met.
const FILES_MAX: usize = 10_000;

/// All files of a session, by the key that equal paths share.
#[derive(Debug, Default)]
pub(crate) struct KnownFiles(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    files: HashMap<PathKey, Row>,
    bytes: usize,
    count: u64,
    /// Those of which something new is known since that was last asked.
    touched: BTreeSet<PathKey>,
    /// What answers show of them that do not count for every call yet.
    unsettled: Unsettled,
}

/// A file, when it was put, and its bytes then.
#[derive(Debug)]
struct Row {
    at: u64,
    bytes: usize,
    file: KnownFile,
}

/// What is seen of a file from now on; without a version, nothing.
#[derive(Debug)]
pub(crate) struct SeenOfFile {
    pub(crate) key: PathKey,
    pub(crate) version: Option<Version>,
    pub(crate) lines: Seen,
}

impl KnownFiles {
    /// The file with this key, as far as the call knows it.
    fn get(&self, key: &PathKey, view: &CallView) -> Option<KnownFile> {
        self.part(key, view, KnownFile::clone)
    }

    /// The same, of which only a part is wanted.
    fn part<T>(
        &self,
        key: &PathKey,
        view: &CallView,
        part: impl FnOnce(&KnownFile) -> T,
    ) -> Option<T> {
        let table = self.table();
        let known = &table.files.get(key)?.file;
        let mut shown = table.unsettled.counting(key, known.version.hash, view).peekable();
        if shown.peek().is_none() {
            return Some(part(known));
        }
        let mut known = known.clone();
        shown.for_each(|shown| shown.apply(&mut known));
        Some(part(&known))
    }

    /// Whether the file was shown, to whichever call.
    pub(crate) fn is_shown(&self, key: &PathKey) -> bool {
        let table = self.table();
        let known = table.files.get(key).map(|row| &row.file);
        known.is_some_and(|known| known.shown.is_some()) || table.unsettled.is_about(key)
    }

    /// Takes a version over as the one last met; nothing: it stays as it is. What is asked for is
    /// made of what all calls know.
    pub(crate) fn change(
        &self,
        key: &PathKey,
        by: impl FnOnce(Option<&KnownFile>) -> Option<KnownFile>,
    ) {
        let mut table = self.table();
        if let Some(file) = by(table.files.get(key).map(|row| &row.file)) {
            table.put(key.clone(), file);
        }
    }

    /// The answers to calls have come to count, or never will.
    pub(super) fn settle(&self, settled: &Settled) {
        let mut table = self.table();
        drop(table.unsettled.take(&settled.lost));
        for (key, version, shown) in table.unsettled.take(&settled.delivered) {
            table.show(&key, version, &shown);
        }
    }

    /// The same content was found again under `version`.
    pub(crate) fn renew(&self, key: &PathKey, version: Version) {
        if let Some(row) = self.table().files.get_mut(key) {
            row.file.version = version;
        }
    }

    /// Remembers what an earlier process showed.
    pub(crate) fn recall(&self, files: impl IntoIterator<Item = (PathKey, KnownFile)>) {
        let mut table = self.table();
        for (key, file) in files {
            table.put(key, file);
        }
        table.touched.clear();
    }

    /// Forgets where files were shown; which versions were met stays known.
    pub(crate) fn forget_shown(&self) {
        self.table().forget_shown();
    }

    /// Forgets a file.
    pub(crate) fn remove(&self, key: &PathKey) {
        self.table().remove(key);
    }

    /// What is seen of the files of which something new is known since this was last asked.
    pub(crate) fn take_touched(&self) -> Vec<SeenOfFile> {
        let mut table = self.table();
        let touched = std::mem::take(&mut table.touched);
        let seen = touched.into_iter().map(|key| {
            let known = table.files.get(&key).map(|row| &row.file);
            let version = known.map(|known| known.version);
            let lines = known.map(KnownFile::seen_beside).unwrap_or_default();
            SeenOfFile { key, version, lines }
        });
        seen.collect()
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(|poisoned| {
            // What a panic left half done is only what was shown; that is forgotten.
            let mut table = poisoned.into_inner();
            self.0.clear_poison();
            table.forget_shown();
            table
        })
    }
}

/// The files of a session as one call knows them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FilesOfCall<'a> {
    pub(super) files: &'a KnownFiles,
    pub(super) view: &'a CallView,
}

impl FilesOfCall<'_> {
    /// The file with this key.
    pub(crate) fn get(&self, key: &PathKey) -> Option<KnownFile> {
        self.files.get(key, self.view)
    }

    /// The same, of which only a part is wanted.
    pub(crate) fn part<T>(&self, key: &PathKey, part: impl FnOnce(&KnownFile) -> T) -> Option<T> {
        self.files.part(key, self.view, part)
    }

    /// The answer shows these lines of a version.
    pub(crate) fn see(
        &self,
        key: &PathKey,
        version: Version,
        text: TextFile,
        (lines, parts): (&Seen, &[LinePart]),
    ) {
        let text = Arc::new(text);
        self.files.change(key, |known| {
            Some(match known {
                Some(known) if known.version.hash == version.hash => known.with_text(&text),
                known => KnownFile::after(known, version, Arc::clone(&text), None),
            })
        });
        let (lines, parts) = (lines.clone(), parts.to_vec());
        self.add(key, version.hash, ShownLines { lines, parts, ..ShownLines::default() });
    }

    /// The answer shows these lines of the version last met.
    pub(crate) fn see_lines(&self, key: &PathKey, version: ContentHash, lines: &Seen) {
        let lines = lines.clone();
        self.add(key, version, ShownLines { lines, ..ShownLines::default() });
    }

    /// Notes that the version last met stands in an answer, shown by this view.
    pub(crate) fn show(
        &self,
        (key, version): (&PathKey, ContentHash),
        answer: &ShapedAnswer,
        view: &ReadView,
    ) {
        let all = answer.lines.all;
        let kind = answer.shape.as_ref().map(|shape| shape.kind);
        let lines = match view {
            _ if kind.is_none() => Seen::all(all),
            ReadView::Whole => Seen::all(all),
            ReadView::Lines(lines) => {
                let mut lines = Seen::of(lines.iter().copied());
                // Those for which there was no room.
                lines.remove(&answer.left_out);
                lines
            }
            ReadView::Auto { .. } | ReadView::Curated => match kind {
                Some(ShapeKind::Curated) => answer.shown.clone(),
                // What is neither shown nor left out stands above.
                _ => Seen::all(all),
            },
        };
        // A view leaves out what may stand above; any other answer, what stands nowhere else.
        let left_out = (kind != Some(ShapeKind::Curated)).then_some(&answer.left_out);
        let file = FileShown { all, is_beginning: false, stays: answer.place.is_some() };
        self.add_of_file((key, version), lines, left_out, file);
    }

    /// Notes that the first lines of the version last met stand in an answer, `seen` to their
    /// end. The file has `all`.
    pub(crate) fn show_beginning(
        &self,
        of: (&PathKey, ContentHash),
        answer: &ShapedAnswer,
        all: u32,
        seen: &Seen,
    ) {
        let file = FileShown { all, is_beginning: true, stays: answer.place.is_some() };
        self.add_of_file(of, seen.clone(), Some(&answer.left_out), file);
    }

    fn add_of_file(
        &self,
        (key, version): (&PathKey, ContentHash),
        mut lines: Seen,
        left_out: Option<&Seen>,
        file: FileShown,
    ) {
        let left_out = left_out.cloned().unwrap_or_default();
        lines.remove(&left_out);
        let shown = ShownLines { lines, left_out, file: Some(file), ..ShownLines::default() };
        self.add(key, version, shown);
    }

    fn add(&self, key: &PathKey, version: ContentHash, shown: ShownLines) {
        let mut table = self.files.table();
        let known = table.files.get(key).map(|row| row.file.version.hash);
        // It may have been changed by another call meanwhile.
        if known == Some(version) {
            table.unsettled.add(self.view.call(), key, version, shown);
        }
    }
}

impl Table {
    fn put(&mut self, key: PathKey, file: KnownFile) {
        self.count += 1;
        let (at, bytes) = (self.count, file.bytes());
        self.bytes += bytes;
        self.touched.insert(key.clone());
        let before = self.files.get(&key).map(|row| &row.file);
        self.unsettled.follow(&key, before, &file);
        if let Some(before) = self.files.insert(key, Row { at, bytes, file }) {
            self.bytes -= before.bytes;
        }
        while self.bytes > BYTES_MAX && self.drop_oldest_text() {}
        if self.files.len() > FILES_MAX {
            let oldest = self.files.iter().min_by_key(|(_, row)| row.at);
            let oldest = oldest.map(|(key, _)| key.clone());
            oldest.into_iter().for_each(|key| self.remove(&key));
        }
    }

    fn remove(&mut self, key: &PathKey) {
        if let Some(row) = self.files.remove(key) {
            self.bytes -= row.bytes;
            self.touched.insert(key.clone());
        }
        self.unsettled.forget(key);
    }

    fn drop_oldest_text(&mut self) -> bool {
        let with_text = self.files.values_mut().filter(|row| row.bytes > 0);
        let Some(oldest) = with_text.min_by_key(|row| row.at) else { return false };
        self.bytes -= std::mem::take(&mut oldest.bytes);
        let file = &mut oldest.file;
        if !file.unshown.is_empty() {
            (file.seen, file.unshown) = (file.seen_beside(), Unshown::default());
        }
        file.text = None;
        true
    }

    fn show(&mut self, key: &PathKey, version: ContentHash, shown: &ShownLines) {
        let Some(Row { file, .. }) = self.files.get_mut(key) else { return };
        if file.version.hash == version {
            shown.apply(file);
            self.touched.insert(key.clone());
        }
    }

    fn forget_shown(&mut self) {
        for row in self.files.values_mut() {
            (row.file.shown, row.file.seen) = (None, Seen::default());
        }
        self.unsettled.clear();
    }
}

#[cfg(test)]
mod tests;
