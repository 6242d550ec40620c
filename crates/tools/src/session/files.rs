//! What a session knows of files: which version the model was last shown, and where.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use foveal_context::shape::ShapeKind;
use foveal_files::edit::{Run, differing_lines};
use foveal_files::stamp::Version;
use foveal_files::{PathKey, TextFile};
use foveal_transcript::{ContentHash, EntryIndex};

use crate::answer::Size;
use crate::views::ReadView;

use super::Given;
use super::lines::Chunk;
use super::seen::Seen;
use super::unshown::Unshown;

/// Bytes of texts that are kept in memory to compare with what is on disk later.
const BYTES_MAX: usize = 32 << 20;

/// One file as the model last met it.
#[derive(Debug, Clone)]
pub struct KnownFile {
    /// The version of the file then.
    pub version: Version,
    /// Its text, while that is kept.
    pub text: Option<Arc<TextFile>>,
    /// The answer that shows this version.
    pub shown: Option<ShownFile>,
    /// Lines of this version that the model has seen.
    pub seen: Seen,
    /// What others changed since it saw it.
    pub unshown: Unshown,
    /// Whether it was written here since it was shown.
    pub is_written: bool,
    /// What the model wanted to know of it.
    pub question: Option<String>,
    /// A long line that is being shown in parts, and where the last of them ended.
    pub(super) begun: Option<(u32, u64)>,
}

impl KnownFile {
    /// A version that was found where `before` was met last, and is about to be shown, for
    /// `question`: of it are seen the lines that were seen before and are the same. Whoever
    /// wrote the others, the model has not seen them.
    pub fn after(
        before: Option<&KnownFile>,
        version: Version,
        text: Arc<TextFile>,
        question: Option<&str>,
    ) -> Self {
        let (seen, unshown) = match before {
            None => (Seen::default(), Unshown::default()),
            Some(before) if before.version.hash == version.hash => {
                (before.seen.clone(), before.unshown.clone())
            }
            Some(before) => before.carried_to(text.text()),
        };
        let question = question.map(str::to_owned);
        let text = Some(text);
        Self { version, text, shown: None, seen, unshown, is_written: false, question, begun: None }
    }

    /// A version of which an earlier process showed these lines.
    pub fn recalled(version: Version, seen: Seen) -> Self {
        let (shown, unshown) = (None, Unshown::default());
        Self {
            version,
            text: None,
            shown,
            seen,
            unshown,
            is_written: false,
            question: None,
            begun: None,
        }
    }

    /// What was seen of this version where it stands in another that others wrote, and what
    /// they changed.
    fn carried_to(&self, text: &str) -> (Seen, Unshown) {
        // What the model saw is not known any more: all of it may have been changed.
        let Some(own) = &self.text else {
            return (Seen::default(), Unshown::between("", text));
        };
        let runs = differing_lines(own.text(), text);
        let believed = match self.unshown.is_empty() {
            true => Unshown::between(own.text(), text),
            false => Unshown::between(&self.unshown.believed(own.text()), text),
        };
        (self.seen.moved(&runs), believed)
    }

    /// The version that the model wrote over this one, in which it wrote the lines in `runs`.
    pub fn written(&self, version: Version, text: Arc<TextFile>, runs: &[Run]) -> Self {
        let mut seen = self.seen.moved(runs);
        seen.add(written_lines(runs).ranges().iter().copied());
        let unshown = self.unshown.moved(runs);
        let (text, question) = (Some(text), self.question.clone());
        Self { version, text, shown: None, seen, unshown, is_written: true, question, begun: None }
    }

    /// The same, all of which the model wrote.
    pub fn all_written(mut self) -> Self {
        self.seen = Seen::all(if self.text.is_some() { self.count() } else { 0 });
        (self.unshown, self.is_written) = (Unshown::default(), true);
        self
    }

    /// Lines in all; of a text that is not kept, more than there are.
    pub fn count(&self) -> u32 {
        let count = self.text.as_ref().map(|text| text.text().lines().count());
        count.and_then(|count| u32::try_from(count).ok()).unwrap_or(u32::MAX)
    }

    /// The model is shown these lines.
    pub fn show(&mut self, lines: &Seen) {
        self.unshown.show(lines, self.count());
        self.seen.add(lines.ranges().iter().copied());
    }

    /// The model is shown a part of a line: it has seen the line when it was shown all of it, one
    /// part after the other.
    pub(super) fn show_chunk(&mut self, Chunk { line, from, to }: Chunk) {
        let goes_on = from == 0 || self.begun.is_some_and(|(of, end)| of == line && from <= end);
        match (goes_on, to) {
            (true, Some(end)) => self.begun = Some((line, end)),
            (true, None) => self.show(&Seen::of([(line, line)])),
            (false, _) => {}
        }
    }

    /// The lines that a reader of what was seen, and of what changed since, wants to see.
    pub fn wanted(&self) -> Seen {
        let mut wanted = self.seen.clone();
        wanted.add(self.unshown.ranges());
        wanted
    }

    /// The lines that were seen, without those beside which something is gone unseen: what is
    /// left to say where it is not known any more what others changed.
    pub fn seen_beside(&self) -> Seen {
        let mut seen = self.seen.clone();
        seen.remove(&Seen::of(self.unshown.beside()));
        seen
    }

    fn bytes(&self) -> usize {
        self.text.as_ref().map_or(0, |text| text.text().len()) + self.unshown.bytes()
    }
}

/// The lines that stand in the place of others after `runs` were changed.
pub(super) fn written_lines(runs: &[Run]) -> Seen {
    Seen::of(runs.iter().map(|Run { after, .. }| (after.first.0, after.first.0 + after.lines - 1)))
}

/// The answer in which a version of a file stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownFile {
    /// The entry.
    pub entry: EntryIndex,
    /// Whether there are lines that stand nowhere.
    pub is_view: bool,
    /// Whether those that stand somewhere are the first ones, which nobody chose.
    pub is_beginning: bool,
    /// Lines in all.
    pub all: u32,
    /// What it was shown for.
    pub question: Option<String>,
}

/// All files of a session, by the key that equal paths share.
#[derive(Debug, Default)]
pub struct KnownFiles {
    files: HashMap<PathKey, Kept>,
    bytes: usize,
    count: u64,
    /// Those of which something new is known since that was last asked.
    touched: BTreeSet<PathKey>,
}

/// A file, when it was put, and its bytes then.
#[derive(Debug)]
struct Kept {
    at: u64,
    bytes: usize,
    file: KnownFile,
}

impl KnownFiles {
    /// The file with this key.
    pub fn get(&self, key: &PathKey) -> Option<&KnownFile> {
        self.files.get(key).map(|kept| &kept.file)
    }

    /// The same content was found again under `version`.
    pub fn renew(&mut self, key: &PathKey, version: Version) {
        if let Some(kept) = self.files.get_mut(key) {
            kept.file.version = version;
        }
    }

    /// Takes a version over as the one last met.
    pub fn put(&mut self, key: PathKey, file: KnownFile) {
        self.count += 1;
        let (at, bytes) = (self.count, file.bytes());
        self.bytes += bytes;
        self.touched.insert(key.clone());
        if let Some(before) = self.files.insert(key, Kept { at, bytes, file }) {
            self.bytes -= before.bytes;
        }
        while self.bytes > BYTES_MAX && self.drop_oldest_text() {}
    }

    fn drop_oldest_text(&mut self) -> bool {
        let with_text = self.files.values_mut().filter(|kept| kept.bytes > 0);
        let Some(oldest) = with_text.min_by_key(|kept| kept.at) else { return false };
        self.bytes -= std::mem::take(&mut oldest.bytes);
        let file = &mut oldest.file;
        if !file.unshown.is_empty() {
            (file.seen, file.unshown) = (file.seen_beside(), Unshown::default());
        }
        file.text = None;
        true
    }

    /// Notes that the version last met stands in an answer, shown as wished.
    pub fn shown_at(
        &mut self,
        (key, version): (&PathKey, ContentHash),
        given: &Given,
        read_view: Option<&ReadView>,
    ) {
        let Some(Kept { file, .. }) = self.files.get_mut(key) else { return };
        if file.version.hash != version {
            // It was changed by another call meanwhile.
            return;
        }
        let all = given.lines.all;
        let kind = given.shape.as_ref().map(|shape| shape.kind);
        let mut lines = match read_view {
            None => given.shown.clone(),
            Some(_) if kind.is_none() => Seen::all(all),
            Some(ReadView::Whole) => Seen::all(all),
            Some(ReadView::Lines(lines)) => Seen::of(lines.iter().copied()),
            Some(ReadView::Auto { .. } | ReadView::Curated) => match kind {
                Some(ShapeKind::Curated) => given.shown.clone(),
                // What is neither shown nor left out stands above.
                _ => Seen::all(all),
            },
        };
        // A view leaves out what may stand above; any other answer, what stands nowhere else.
        if kind != Some(ShapeKind::Curated) {
            lines.remove(&given.left_out);
            file.seen.remove(&given.left_out);
        }
        file.show(&lines);
        let (is_view, question) = (!file.seen.covers(all), file.question.clone());
        file.is_written = false;
        let (entry, is_beginning) = (given.entry, false);
        file.shown = Some(ShownFile { entry, is_view, is_beginning, all, question });
        self.touched.insert(key.clone());
    }

    /// Notes that the first lines of the version last met stand in an answer, `seen` to their
    /// end.
    pub fn begun_at(
        &mut self,
        (key, version): (&PathKey, Option<ContentHash>),
        given: &Given,
        size: Size,
        seen: &Seen,
    ) {
        let Some(Kept { file, .. }) = self.files.get_mut(key) else { return };
        let Size::Lines(all) = size else { return };
        if Some(file.version.hash) != version {
            return;
        }
        let mut lines = seen.clone();
        lines.remove(&given.left_out);
        file.seen.remove(&given.left_out);
        file.show(&lines);
        file.is_written = false;
        let (is_view, question) = (!file.seen.covers(all), file.question.clone());
        let (entry, is_beginning) = (given.entry, true);
        file.shown = Some(ShownFile { entry, is_view, is_beginning, all, question });
        self.touched.insert(key.clone());
    }

    /// Forgets where files were shown; which versions were met stays known.
    pub fn forget_shown(&mut self) {
        for kept in self.files.values_mut() {
            (kept.file.shown, kept.file.seen) = (None, Seen::default());
        }
    }

    /// Forgets a file.
    pub fn remove(&mut self, key: &PathKey) {
        if let Some(kept) = self.files.remove(key) {
            self.bytes -= kept.bytes;
            self.touched.insert(key.clone());
        }
    }

    /// The files of which something new is known since this was last asked.
    pub fn take_touched(&mut self) -> BTreeSet<PathKey> {
        std::mem::take(&mut self.touched)
    }
}
