//! What the model knows of one file: the version it last met, and which of its lines.

use std::sync::Arc;

use foveal_files::TextFile;
use foveal_files::edit::{Run, differing_lines};
use foveal_files::stamp::Version;

use super::seen::{LinePart, Seen};
use super::unshown::Unshown;

/// One file as the model last met it.
#[derive(Debug, Clone)]
pub(crate) struct KnownFile {
    /// The version of the file then.
    pub(crate) version: Version,
    /// Its text, while that is kept.
    pub(crate) text: Option<Arc<TextFile>>,
    /// The answer that shows this version.
    pub(crate) shown: Option<ShownFile>,
    /// Lines of this version that the model has seen.
    pub(crate) seen: Seen,
    /// What others changed since it saw it.
    pub(crate) unshown: Unshown,
    /// Whether it was written here since it was shown.
    pub(crate) is_written: bool,
    /// What the model wanted to know of it.
    pub(crate) question: Option<String>,
    /// A long line that is being shown in parts, and where the last of them ended.
    begun: Option<(u32, u64)>,
}

impl KnownFile {
    /// A version that was found where `before` was met last, and is about to be shown, for
    /// `question`: of it are seen the lines that were seen before and are the same. Whoever
    /// wrote the others, the model has not seen them.
    pub(crate) fn after(
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
    pub(crate) fn recalled(version: Version, seen: Seen) -> Self {
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

    /// The same with its text, which may not be kept any more.
    pub(crate) fn with_text(&self, text: &Arc<TextFile>) -> Self {
        Self { text: Some(Arc::clone(text)), ..self.clone() }
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
    pub(crate) fn written(&self, version: Version, text: Arc<TextFile>, runs: &[Run]) -> Self {
        let mut seen = self.seen.moved(runs);
        seen.add(written_lines(runs).ranges().iter().copied());
        let unshown = self.unshown.moved(runs);
        let (text, question) = (Some(text), self.question.clone());
        Self { version, text, shown: None, seen, unshown, is_written: true, question, begun: None }
    }

    /// The version that the model made of this one with a tool that is not ours: of what it
    /// changed, it knows `lines`, and those that stand in the place of lines that it had seen.
    pub(super) fn edited_elsewhere(
        &self,
        version: Version,
        text: Arc<TextFile>,
        lines: &Seen,
    ) -> Self {
        // Where this version is not kept, nobody can say what of it is still there.
        let runs = match &self.text {
            Some(own) => differing_lines(own.text(), text.text()),
            None => {
                let mut file = Self::after(None, version, text, self.question.as_deref());
                file.show(lines);
                return file;
            }
        };
        let mut file = self.written(version, text, &runs);
        let is_unseen = |run: &&Run| {
            let (first, count) = (run.before.first.0, run.before.lines);
            count == 0 || !self.seen.holds_all(first, first + count - 1)
        };
        let unknown: Vec<Run> = runs.iter().filter(is_unseen).copied().collect();
        file.seen.remove(&written_lines(&unknown));
        file.show(lines);
        file
    }

    /// The same, all of which the model wrote.
    pub(crate) fn all_written(mut self) -> Self {
        self.seen = Seen::all(if self.text.is_some() { self.count() } else { 0 });
        (self.unshown, self.is_written) = (Unshown::default(), true);
        self
    }

    /// Lines in all; of a text that is not kept, more than there are.
    pub(crate) fn count(&self) -> u32 {
        let count = self.text.as_ref().map(|text| text.text().lines().count());
        count.and_then(|count| u32::try_from(count).ok()).unwrap_or(u32::MAX)
    }

    /// The model is shown these lines.
    pub(crate) fn show(&mut self, lines: &Seen) {
        self.unshown.show(lines, self.count());
        self.seen.add(lines.ranges().iter().copied());
    }

    /// The model is shown a part of a line: it has seen the line when it was shown all of it, one
    /// part after the other.
    pub(crate) fn show_part(&mut self, LinePart { line, from, to }: LinePart) {
        let goes_on = from == 0 || self.begun.is_some_and(|(of, end)| of == line && from <= end);
        match (goes_on, to) {
            (true, Some(end)) => self.begun = Some((line, end)),
            (true, None) => self.show(&Seen::of([(line, line)])),
            (false, _) => {}
        }
    }

    /// The lines that a reader of what was seen, and of what changed since, wants to see.
    pub(crate) fn wanted(&self) -> Seen {
        let mut wanted = self.seen.clone();
        wanted.add(self.unshown.ranges());
        wanted
    }

    /// The lines that were seen, without those beside which something is gone unseen: what is
    /// left to say where it is not known any more what others changed.
    pub(crate) fn seen_beside(&self) -> Seen {
        let mut seen = self.seen.clone();
        seen.remove(&Seen::of(self.unshown.beside()));
        seen
    }

    /// Bytes of what is kept of it.
    pub(super) fn bytes(&self) -> usize {
        self.text.as_ref().map_or(0, |text| text.text().len()) + self.unshown.bytes()
    }
}

/// The lines that stand in the place of others after `runs` were changed.
pub(crate) fn written_lines(runs: &[Run]) -> Seen {
    Seen::of(runs.iter().map(|Run { after, .. }| (after.first.0, after.first.0 + after.lines - 1)))
}

/// How much of a version of a file stands in answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShownFile {
    /// Whether there are lines that stand nowhere.
    pub(crate) is_view: bool,
    /// Whether those that stand somewhere are the first ones, which nobody chose.
    pub(crate) is_beginning: bool,
    /// Lines in all.
    pub(crate) all: u32,
    /// What it was shown for.
    pub(crate) question: Option<String>,
}
