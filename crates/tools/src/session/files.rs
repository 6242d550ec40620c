//! What a session knows of files: which version the model was last shown, and where.

use std::collections::HashMap;
use std::sync::Arc;

use foveal_context::shape::ShapeKind;
use foveal_context::transcript::EntryIndex;
use foveal_files::stamp::{ContentHash, Version};
use foveal_files::{PathKey, TextFile};

use crate::answer::Size;
use crate::views::Wish;

use super::Given;
use super::seen::Seen;

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
    /// Lines that the model has seen, and those that changed since.
    pub seen: Seen,
    /// Whether it was written here since it was shown.
    pub is_written: bool,
    /// What the model wanted to know of it.
    pub question: Option<String>,
}

impl KnownFile {
    /// A version that comes after `before` and is about to be shown, for `question`: of it are
    /// seen the lines that were seen before, and those that are new beside them.
    pub fn after(
        before: Option<&KnownFile>,
        version: Version,
        text: Arc<TextFile>,
        question: Option<&str>,
    ) -> Self {
        let seen = before.map(|before| before.seen_in(&text)).unwrap_or_default();
        let question = question.map(str::to_owned);
        Self { version, text: Some(text), shown: None, seen, is_written: false, question }
    }

    fn seen_in(&self, text: &TextFile) -> Seen {
        match &self.text {
            Some(_) if self.seen.is_empty() => Seen::default(),
            Some(seen) => self.seen.moved(seen.text(), text.text()),
            None => Seen::default(),
        }
    }

    fn bytes(&self) -> usize {
        self.text.as_ref().map_or(0, |text| text.text().len())
    }
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
    files: HashMap<PathKey, (u64, KnownFile)>,
    bytes: usize,
    count: u64,
}

impl KnownFiles {
    /// The file with this key.
    pub fn get(&self, key: &PathKey) -> Option<&KnownFile> {
        self.files.get(key).map(|(_, file)| file)
    }

    /// The same content was found again under `version`.
    pub fn renew(&mut self, key: &PathKey, version: Version) {
        if let Some((_, file)) = self.files.get_mut(key) {
            file.version = version;
        }
    }

    /// Takes a version over as the one last met.
    pub fn put(&mut self, key: PathKey, file: KnownFile) {
        self.count += 1;
        self.bytes += file.bytes();
        if let Some((_, before)) = self.files.insert(key, (self.count, file)) {
            self.bytes -= before.bytes();
        }
        while self.bytes > BYTES_MAX && self.drop_oldest_text() {}
    }

    fn drop_oldest_text(&mut self) -> bool {
        let with_text = self.files.values_mut().filter(|(_, file)| file.text.is_some());
        let Some((_, oldest)) = with_text.min_by_key(|(count, _)| *count) else { return false };
        self.bytes -= oldest.bytes();
        oldest.text = None;
        true
    }

    /// Notes that the version last met stands in an answer, shown as wished.
    pub fn shown_at(
        &mut self,
        (key, version): (&PathKey, ContentHash),
        given: &Given,
        wish: Option<&Wish>,
    ) {
        let Some((_, file)) = self.files.get_mut(key) else { return };
        if file.version.hash != version {
            // It was changed by another call meanwhile.
            return;
        }
        let all = given.lines.all;
        let kind = given.shape.as_ref().map(|shape| shape.kind);
        match wish {
            None => file.seen.add(given.shown.ranges().iter().copied()),
            Some(_) if kind.is_none() => file.seen = Seen::all(all),
            Some(Wish::Whole) => file.seen = Seen::all(all),
            Some(Wish::Lines(lines)) => file.seen.add(lines.iter().copied()),
            Some(Wish::Auto { .. } | Wish::Curated) => {
                file.seen.add(given.shown.ranges().iter().copied());
                // What is neither shown nor left out stands above.
                if kind != Some(ShapeKind::Curated) {
                    file.seen = Seen::all(all);
                }
            }
        }
        // A view leaves out what may stand above; any other answer, what stands nowhere else.
        if kind != Some(ShapeKind::Curated) {
            file.seen.remove(&given.left_out);
        }
        let (is_view, question) = (!file.seen.covers(all), file.question.clone());
        file.is_written = false;
        let (entry, is_beginning) = (given.entry, false);
        file.shown = Some(ShownFile { entry, is_view, is_beginning, all, question });
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
        let Some((_, file)) = self.files.get_mut(key) else { return };
        let Size::Lines(all) = size else { return };
        if Some(file.version.hash) != version {
            return;
        }
        file.seen.add(seen.ranges().iter().copied());
        file.seen.remove(&given.left_out);
        file.is_written = false;
        let (is_view, question) = (!file.seen.covers(all), file.question.clone());
        let (entry, is_beginning) = (given.entry, true);
        file.shown = Some(ShownFile { entry, is_view, is_beginning, all, question });
    }

    /// Forgets where files were shown; which versions were met stays known.
    pub fn forget_shown(&mut self) {
        for (_, file) in self.files.values_mut() {
            (file.shown, file.seen) = (None, Seen::default());
        }
    }

    /// Forgets a file.
    pub fn remove(&mut self, key: &PathKey) {
        if let Some((_, file)) = self.files.remove(key) {
            self.bytes -= file.bytes();
        }
    }
}
