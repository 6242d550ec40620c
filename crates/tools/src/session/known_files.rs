//! The files of a session: the version of each that the model last met, and the lines it has seen.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};

use foveal_engine::message_shape::ShapeKind;
use foveal_transcript::ContentHash;
use foveal_workspace::file_version::FileVersion;
use foveal_workspace::{PathKey, TextFile};

use crate::read_view::ReadView;

use super::deliveries::{CallVisibility, SettledCallIds};
use super::external_changes::ExternalChanges;
use super::found_lines::{HitExcerpt, SearchHitLines};
use super::known_file::KnownFile;
use super::line_range_set::LineRangeSet;
use super::partial_line_set::{PartialLine, PartialLineSet};
use super::pending_visibility::{FilePresentation, PendingVisibility, ShownLines};
use super::shaper::ShapedAnswer;

/// Bytes of file texts kept in memory for later comparison with the disk.
const BYTES_MAX: usize = 32 << 20;

/// Known files at once. A removed file counts as never met.
const FILES_MAX: usize = 10_000;

/// All files of a session, by the key that equal paths share.
#[derive(Debug, Default)]
pub(crate) struct KnownFiles(Mutex<KnownFileTable>);

#[derive(Debug, Default)]
struct KnownFileTable {
    files: HashMap<PathKey, KnownFileRow>,
    bytes: usize,
    insertion_count: u64,
    /// The files whose knowledge changed since the last [`KnownFiles::take_seen_changes`].
    changed_keys: BTreeSet<PathKey>,
    /// The lines that answers show and that are not yet visible to every call.
    pending: PendingVisibility,
    /// The lines that search answers show.
    found: SearchHitLines,
}

/// A file, the number of its insertion, and its byte count then.
#[derive(Debug)]
struct KnownFileRow {
    insertion: u64,
    bytes: usize,
    file: KnownFile,
}

/// The lines of a file that are seen from now on; without a version, none.
#[derive(Debug)]
pub(crate) struct SeenFileLines {
    pub(crate) key: PathKey,
    pub(crate) version: Option<FileVersion>,
    pub(crate) lines: LineRangeSet,
}

impl KnownFiles {
    /// Returns the file as it is visible to a call.
    fn get(&self, key: &PathKey, view: &CallVisibility) -> Option<KnownFile> {
        self.map_file(key, view, KnownFile::clone)
    }

    /// Maps the file as it is visible to a call, and copies it only if it has pending lines.
    fn map_file<T>(
        &self,
        key: &PathKey,
        view: &CallVisibility,
        part: impl FnOnce(&KnownFile) -> T,
    ) -> Option<T> {
        let table = self.lock_table();
        let known = &table.files.get(key)?.file;
        let mut shown = table.pending.lines_visible_to(key, known.version.hash, view).peekable();
        if shown.peek().is_none() {
            return Some(part(known));
        }
        let mut known = known.clone();
        shown.for_each(|shown| shown.apply_to(&mut known));
        Some(part(&known))
    }

    /// Returns whether the file was shown to any call.
    pub(crate) fn is_visible(&self, key: &PathKey) -> bool {
        let table = self.lock_table();
        let known = table.files.get(key).map(|row| &row.file);
        known.is_some_and(|known| known.shown.is_some()) || table.pending.presents_file(key)
    }

    /// Replaces the known version of a file by the result of `by`; `None` leaves it as it is. `by`
    /// receives what is visible to all calls.
    pub(crate) fn update(
        &self,
        key: &PathKey,
        by: impl FnOnce(Option<&KnownFile>) -> Option<KnownFile>,
    ) {
        let mut table = self.lock_table();
        if let Some(file) = by(table.files.get(key).map(|row| &row.file)) {
            table.put(key.clone(), file);
        }
    }

    /// Applies the shown lines of settled calls: visible to every call, or to none.
    pub(super) fn apply_settled(&self, settled: &SettledCallIds) {
        let mut table = self.lock_table();
        table.found.apply_settled(settled);
        drop(table.pending.extract_calls(&settled.lost));
        for (key, version, shown) in table.pending.extract_calls(&settled.delivered) {
            table.apply_shown_lines(&key, version, &shown);
        }
    }

    /// Records that the same content was found again under `version`.
    pub(crate) fn set_version(&self, key: &PathKey, version: FileVersion) {
        if let Some(row) = self.lock_table().files.get_mut(key) {
            row.file.version = version;
        }
    }

    /// Restores the files that an earlier process showed.
    pub(crate) fn restore(&self, files: impl IntoIterator<Item = (PathKey, KnownFile)>) {
        let mut table = self.lock_table();
        for (key, file) in files {
            table.put(key, file);
        }
        table.changed_keys.clear();
    }

    /// Forgets which lines were shown; the known versions remain.
    pub(crate) fn clear_visibility(&self) {
        self.lock_table().clear_visibility();
    }

    pub(crate) fn remove(&self, key: &PathKey) {
        self.lock_table().remove(key);
    }

    /// Returns the seen lines of the files that changed since the last call of this method.
    pub(crate) fn take_seen_changes(&self) -> Vec<SeenFileLines> {
        let mut table = self.lock_table();
        let touched = std::mem::take(&mut table.changed_keys);
        let seen = touched.into_iter().map(|key| {
            let known = table.files.get(&key).map(|row| &row.file);
            let version = known.map(|known| known.version);
            let lines = known.map(KnownFile::certain_lines).unwrap_or_default();
            SeenFileLines { key, version, lines }
        });
        seen.collect()
    }

    fn lock_table(&self) -> MutexGuard<'_, KnownFileTable> {
        self.0.lock().unwrap_or_else(|poisoned| {
            // A panic can leave only the shown lines inconsistent; they are forgotten.
            let mut table = poisoned.into_inner();
            self.0.clear_poison();
            table.clear_visibility();
            table
        })
    }
}

/// The files of a session as they are visible to one call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallFiles<'a> {
    pub(super) files: &'a KnownFiles,
    pub(super) visibility: &'a CallVisibility,
}

impl CallFiles<'_> {
    pub(crate) fn get(&self, key: &PathKey) -> Option<KnownFile> {
        self.files.get(key, self.visibility)
    }

    /// Maps the file with this key without a copy where that is possible.
    pub(crate) fn map_file<T>(
        &self,
        key: &PathKey,
        part: impl FnOnce(&KnownFile) -> T,
    ) -> Option<T> {
        self.files.map_file(key, self.visibility, part)
    }

    /// Records that the answer shows these lines, and parts of lines, of a version.
    pub(crate) fn record_shown_version(
        &self,
        key: &PathKey,
        version: FileVersion,
        text: TextFile,
        lines: &LineRangeSet,
        parts: &[PartialLine],
    ) {
        let text = Arc::new(text);
        self.files.update(key, |known| {
            Some(match known {
                Some(known) if known.version.hash == version.hash => known.with_text(&text),
                known => KnownFile::with_predecessor(known, version, Arc::clone(&text), None),
            })
        });
        let (lines, parts) = (lines.clone(), parts.to_vec());
        self.push_pending(key, version.hash, ShownLines { lines, parts, ..ShownLines::default() });
    }

    /// Records that the answer shows these lines, and parts of lines, of the version last met.
    pub(crate) fn record_shown_lines(
        &self,
        key: &PathKey,
        version: ContentHash,
        lines: LineRangeSet,
        parts: Vec<PartialLine>,
    ) {
        self.push_pending(key, version, ShownLines { lines, parts, ..ShownLines::default() });
    }

    /// Records that the answer shows these lines of a file that was searched.
    pub(crate) fn record_found_lines(&self, key: &PathKey, lines: Vec<HitExcerpt>) {
        self.files.lock_table().found.add(self.visibility.call_id(), key, lines);
    }

    /// Returns the lines of `text`, the content of a file, that search answers show, and the parts
    /// of its other lines.
    pub(crate) fn found_lines(
        &self,
        key: &PathKey,
        text: &str,
    ) -> (LineRangeSet, Vec<PartialLine>) {
        self.files.lock_table().found.lines_in(key, text, self.visibility)
    }

    /// Records that an answer shows the version last met in the form of `view`, with these `parts`
    /// of the lines that it cuts.
    pub(crate) fn record_shown_answer(
        &self,
        key: &PathKey,
        version: ContentHash,
        answer: &ShapedAnswer,
        view: &ReadView,
        parts: Vec<PartialLine>,
    ) {
        let all = answer.lines.all;
        let kind = answer.shape.as_ref().map(|shape| shape.kind);
        let lines = match view {
            _ if kind.is_none() => LineRangeSet::all(all),
            ReadView::Whole => LineRangeSet::all(all),
            ReadView::Lines(lines) => {
                let mut lines = LineRangeSet::from_ranges(lines.iter().copied());
                // Lines beyond the output budget.
                lines.remove_lines(&answer.left_out);
                lines
            }
            ReadView::Auto { .. } | ReadView::Curated => match kind {
                Some(ShapeKind::Curated) => answer.shown.clone(),
                // Other lines are shown, or they are visible in earlier answers.
                _ => LineRangeSet::all(all),
            },
        };
        // A curated view may leave out lines that earlier answers show; other answers leave out
        // only lines that are not visible elsewhere.
        let left_out = (kind != Some(ShapeKind::Curated)).then_some(&answer.left_out);
        let file = FilePresentation {
            line_count: all,
            is_beginning: false,
            can_be_pointed_at: answer.place.is_some(),
        };
        let shown = ShownLines { lines, parts, file: Some(file), ..ShownLines::default() };
        self.record_file_lines(key, version, shown, left_out);
    }

    /// Records that an answer shows the first lines of the version last met: the `lines`
    /// completely, and the `parts` of others. The file has `all` lines.
    pub(crate) fn record_shown_beginning(
        &self,
        key: &PathKey,
        version: ContentHash,
        answer: &ShapedAnswer,
        all: u32,
        lines: LineRangeSet,
        mut parts: Vec<PartialLine>,
    ) {
        let file = FilePresentation {
            line_count: all,
            is_beginning: true,
            can_be_pointed_at: answer.place.is_some(),
        };
        parts.retain(|part| !answer.left_out.contains(part.line));
        let shown = ShownLines { lines, parts, file: Some(file), ..ShownLines::default() };
        self.record_file_lines(key, version, shown, Some(&answer.left_out));
    }

    fn record_file_lines(
        &self,
        key: &PathKey,
        version: ContentHash,
        mut shown: ShownLines,
        left_out: Option<&LineRangeSet>,
    ) {
        shown.left_out = left_out.cloned().unwrap_or_default();
        shown.lines.remove_lines(&shown.left_out);
        self.push_pending(key, version, shown);
    }

    fn push_pending(&self, key: &PathKey, version: ContentHash, shown: ShownLines) {
        let mut table = self.files.lock_table();
        let known = table.files.get(key).map(|row| row.file.version.hash);
        // Another call may have changed the file meanwhile.
        if known == Some(version) {
            table.pending.push(self.visibility.call_id(), key, version, shown);
        }
    }
}

impl KnownFileTable {
    fn put(&mut self, key: PathKey, file: KnownFile) {
        self.insertion_count += 1;
        let (at, bytes) = (self.insertion_count, file.byte_count());
        self.bytes += bytes;
        self.changed_keys.insert(key.clone());
        let before = self.files.get(&key).map(|row| &row.file);
        self.pending.follow_version(&key, before, &file);
        if let Some(before) = self.files.insert(key, KnownFileRow { insertion: at, bytes, file }) {
            self.bytes -= before.bytes;
        }
        while self.bytes > BYTES_MAX && self.drop_oldest_text() {}
        if self.files.len() > FILES_MAX {
            let oldest = self.files.iter().min_by_key(|(_, row)| row.insertion);
            let oldest = oldest.map(|(key, _)| key.clone());
            oldest.into_iter().for_each(|key| self.remove(&key));
        }
    }

    fn remove(&mut self, key: &PathKey) {
        if let Some(row) = self.files.remove(key) {
            self.bytes -= row.bytes;
            self.changed_keys.insert(key.clone());
        }
        self.pending.remove_file(key);
    }

    fn drop_oldest_text(&mut self) -> bool {
        let with_text = self.files.values_mut().filter(|row| row.bytes > 0);
        let Some(oldest) = with_text.min_by_key(|row| row.insertion) else { return false };
        self.bytes -= std::mem::take(&mut oldest.bytes);
        let file = &mut oldest.file;
        if !file.external_changes.is_empty() {
            (file.seen, file.external_changes) = (file.certain_lines(), ExternalChanges::default());
        }
        file.text = None;
        true
    }

    fn apply_shown_lines(&mut self, key: &PathKey, version: ContentHash, shown: &ShownLines) {
        let Some(KnownFileRow { file, .. }) = self.files.get_mut(key) else { return };
        if file.version.hash == version {
            shown.apply_to(file);
            self.changed_keys.insert(key.clone());
        }
    }

    fn clear_visibility(&mut self) {
        for row in self.files.values_mut() {
            (row.file.shown, row.file.seen) = (None, LineRangeSet::default());
            row.file.seen_parts = PartialLineSet::default();
        }
        self.pending.remove_all();
        self.found.clear();
    }
}

#[cfg(test)]
mod tests;
