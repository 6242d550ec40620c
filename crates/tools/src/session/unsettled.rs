//! What answers show of files while it is not yet certain for which calls they count.

use foveal_files::PathKey;
use foveal_files::edit::{Run, differing_lines};
use foveal_transcript::ContentHash;

use super::deliveries::{CallNumber, CallView};
use super::known_file::{KnownFile, ShownFile};
use super::seen::{LinePart, Seen};

/// Lines of one version of a file that stand in an answer.
#[derive(Debug, Clone, Default)]
pub(super) struct ShownLines {
    /// Those that are there to their end.
    pub(super) lines: Seen,
    /// Those of which something stands nowhere.
    pub(super) left_out: Seen,
    /// Parts of long lines.
    pub(super) parts: Vec<LinePart>,
    /// How the file as such is shown, where the answer is about it.
    pub(super) file: Option<FileShown>,
}

/// How an answer shows a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileShown {
    /// Lines in all.
    pub(super) all: u32,
    /// Whether those that stand in it are the first ones, which nobody chose.
    pub(super) is_beginning: bool,
    /// Whether a later note may point at them.
    pub(super) stays: bool,
}

impl ShownLines {
    /// What is known of the file once this was shown.
    pub(super) fn apply(&self, file: &mut KnownFile) {
        file.seen.remove(&self.left_out);
        file.show(&self.lines);
        self.parts.iter().for_each(|part| file.show_part(*part));
        let Some(FileShown { all, is_beginning, stays }) = self.file else { return };
        file.is_written = false;
        let (is_view, question) = (!file.seen.covers(all), file.question.clone());
        file.shown = stays.then_some(ShownFile { is_view, is_beginning, all, question });
    }

    /// The same lines in a version of which `runs` are others. As such, it is not shown.
    fn moved(&self, runs: &[Run]) -> Self {
        Self {
            lines: self.lines.moved(runs),
            left_out: self.left_out.moved(runs),
            parts: Vec::new(),
            file: None,
        }
    }
}

/// What one call's answer shows of one file.
#[derive(Debug)]
struct Row {
    call: CallNumber,
    key: PathKey,
    version: ContentHash,
    shown: ShownLines,
}

/// What answers show of files, in the order in which they were given.
#[derive(Debug, Default)]
pub(super) struct Unsettled(Vec<Row>);

impl Unsettled {
    pub(super) fn add(
        &mut self,
        call: CallNumber,
        key: &PathKey,
        version: ContentHash,
        shown: ShownLines,
    ) {
        self.0.push(Row { call, key: key.clone(), version, shown });
    }

    /// What counts for a call of what was shown of a file.
    pub(super) fn counting<'a>(
        &'a self,
        key: &'a PathKey,
        version: ContentHash,
        view: &'a CallView,
    ) -> impl Iterator<Item = &'a ShownLines> {
        let of_file = self.0.iter().filter(move |row| row.key == *key && row.version == version);
        of_file.filter(|row| view.counts(row.call)).map(|row| &row.shown)
    }

    /// Another version of a file takes the place of the one that was shown.
    pub(super) fn follow(&mut self, key: &PathKey, before: Option<&KnownFile>, after: &KnownFile) {
        let is_same = before.is_some_and(|before| before.version.hash == after.version.hash);
        if is_same || !self.0.iter().any(|row| row.key == *key) {
            return;
        }
        let texts = before.and_then(|before| before.text.as_ref()).zip(after.text.as_ref());
        let Some((before, now)) = texts else { return self.forget(key) };
        let runs = differing_lines(before.text(), now.text());
        for row in self.0.iter_mut().filter(|row| row.key == *key) {
            (row.shown, row.version) = (row.shown.moved(&runs), after.version.hash);
        }
    }

    /// Forgets what was shown of a file.
    pub(super) fn forget(&mut self, key: &PathKey) {
        self.0.retain(|row| row.key != *key);
    }

    /// Whether an answer shows the file as such.
    pub(super) fn is_about(&self, key: &PathKey) -> bool {
        self.0.iter().any(|row| row.key == *key && row.shown.file.is_some())
    }

    /// Takes out what was shown by these calls, in order.
    pub(super) fn take(&mut self, calls: &[CallNumber]) -> Vec<(PathKey, ContentHash, ShownLines)> {
        if calls.is_empty() {
            return Vec::new();
        }
        let taken = self.0.extract_if(.., |row| calls.contains(&row.call));
        taken.map(|row| (row.key, row.version, row.shown)).collect()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
