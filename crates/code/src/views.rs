//! Views of read files for the engine: curated by the conversation, or summarised for history.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use foveal_context::views::{Amount, Label, Read, View, Views, Wanted};

use crate::bounds::LINES_CURATED_MAX;
use crate::curate::{Budget, Curator, Question, SourceFile, ToldLine};
use crate::entity::{EntityIndex, Parsed};
use crate::lines::LineRange;
use crate::outline::Gap;
use crate::read_files::{ReadFile, ReadFiles, SummaryFor};
use crate::summary::{Named, Touched, summarise};
use foveal_transcript::LineNumber;

/// Chooses with the built-in curator, which is built when it is first asked.
#[derive(Debug, Default)]
pub struct CuratedViews {
    curator: OnceLock<Curator>,
    files: Mutex<ReadFiles>,
}

/// What a conversation asks before a response: the same for all reads that are asked about then.
#[derive(Debug)]
pub struct Asked {
    question: Question,
    /// Summaries alone ask for it.
    named: OnceLock<Named>,
}

impl Asked {
    /// What is asked where a view of `read` is to be chosen.
    pub fn of(read: &Read<'_>) -> Self {
        let question = Question::of_conversation(read.record, read.upto);
        Self { question, named: OnceLock::new() }
    }

    fn named(&self) -> &Named {
        self.named.get_or_init(|| Named::of(&self.question))
    }
}

impl Views for CuratedViews {
    fn view(&self, read: &Read<'_>, wanted: Wanted) -> Option<View> {
        self.view_for(read, wanted, &Asked::of(read))
    }
}

impl From<Curator> for CuratedViews {
    /// Chooses with `curator`.
    fn from(curator: Curator) -> Self {
        Self { curator: OnceLock::from(curator), files: Mutex::default() }
    }
}

impl CuratedViews {
    /// A view as [`Views::view`] says, for who knows what is asked.
    pub fn view_for(&self, read: &Read<'_>, wanted: Wanted, asked: &Asked) -> Option<View> {
        if read.text.lines().nth(LINES_CURATED_MAX).is_some() {
            return None;
        }
        let known = self.file(read.path, read.text);
        let parsed = known.parsed();
        let file = SourceFile { path: read.path, text: read.text, parsed };
        let before = read.first.0.saturating_sub(1);
        let told = told(&asked.question, read.path, before);
        let view = match wanted {
            Wanted::Curated(amount) => {
                let Question { phrases, edited, .. } = &asked.question;
                let (phrases, edited) = (phrases.clone(), edited.clone());
                let question = Question { phrases, told, edited };
                self.curated(&file, &question, amount)
            }
            Wanted::Summary(tokens) => {
                let tokenizer = read.record.tokenizer();
                let relations = known.relations(read.path, read.text);
                let touched = Touched::of(&file, asked.named(), &told);
                let (named, entities) = (touched.names_in(relations), touched.entities().to_vec());
                let asked = SummaryFor { tokens, tokenizer, touched: entities, named };
                known.summary(asked, || {
                    match summarise(&file, &touched, relations, tokens, tokenizer) {
                        Some(found) => Some(summary(&found, parsed)),
                        // Not even names fit: the range of all lines says the least.
                        None if tokenizer.count(read.text) > tokens => Some(View::default()),
                        None => None,
                    }
                })?
            }
        };
        Some(moved(view, before))
    }

    /// Whether it is remembered what the file at `path` consists of.
    pub fn is_ready(&self, path: &str, text: &str) -> bool {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.key(path, text).is_some_and(|key| files.get(key).is_some())
    }

    /// The same, which remembers what the files consist of that were read or
    /// [got ready](Self::get_ready), as long as their texts have `bytes_max` bytes together.
    #[must_use]
    pub fn remembering(mut self, bytes_max: usize) -> Self {
        self.files = Mutex::new(ReadFiles::new(bytes_max));
        self
    }

    /// Finds out what takes longest about a file, so that it is known when a view is asked for, in as
    /// little memory as views need.
    pub fn get_ready(&self, path: &str, text: &str) {
        let known = self.file(path, text);
        if known.is_lean() {
            return;
        }
        let lean = Arc::new(known.lean(path, text));
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(key) = files.key(path, text) {
            files.insert(key, lean, text.len());
        }
    }

    /// How many files are remembered.
    pub fn remembered(&self) -> usize {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// What a file consists of. Nobody waits for another while that is found out.
    fn file(&self, path: &str, text: &str) -> Arc<ReadFile> {
        let files = || self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(key) = files().key(path, text) else { return Arc::new(ReadFile::of(path, text)) };
        if let Some(known) = files().get(key) {
            return known;
        }
        let found = Arc::new(ReadFile::of(path, text));
        files().insert(key, Arc::clone(&found), text.len());
        found
    }

    fn curated(&self, file: &SourceFile<'_>, question: &Question, amount: Amount) -> View {
        let budget = match amount {
            Amount::Adaptive => Budget::Adaptive,
            Amount::Share(share) => Budget::Share(share),
        };
        let curator = self.curator.get_or_init(Curator::built_in);
        let view = curator.curate(file, question, budget);
        View {
            lines: view.parts.iter().map(|part| ends(part.lines)).collect(),
            names: names(&view.gaps, file.parsed),
            remarks: Vec::new(),
            sort: view.sort,
            by: None,
            is_exact: false,
        }
    }
}

/// The lines that were told, those of the file at `path` as counted from the first of a read
/// behind `before` lines.
fn told(question: &Question, path: &str, before: u32) -> Vec<ToldLine> {
    let mut all = question.told.clone();
    all.retain_mut(|told| {
        let is_here = told.may_be_of(path);
        let line = if is_here { told.line.0.checked_sub(before) } else { Some(told.line.0) };
        told.line = LineNumber(line.unwrap_or(0));
        told.line.0 > 0
    });
    all
}

fn summary(summary: &crate::summary::Summary, parsed: &Parsed) -> View {
    let remark = |related: &crate::summary::Related| {
        let name = &parsed.entity(related.of)?.name;
        Some(Label { line: related.line, text: format!("{name}: {}", related.words).into() })
    };
    View {
        lines: summary.parts.iter().map(|part| ends(part.lines)).collect(),
        names: names(&summary.gaps, parsed),
        remarks: summary.related.iter().filter_map(remark).collect(),
        sort: None,
        by: None,
        is_exact: false,
    }
}

fn ends(lines: LineRange) -> (LineNumber, LineNumber) {
    (lines.first, lines.last)
}

/// The names of the entities that gaps hide, each where its signature begins.
fn names(gaps: &[Gap], parsed: &Parsed) -> Vec<Label> {
    let label = |at: &EntityIndex| {
        let entity = parsed.entity(*at)?;
        Some(Label { line: entity.signature.first, text: entity.name.clone() })
    };
    gaps.iter().flat_map(|gap| &gap.hides).filter_map(label).collect()
}

/// A view of lines counted from the first of a read, by their numbers in the file.
fn moved(mut view: View, by: u32) -> View {
    let ends = view.lines.iter_mut().flat_map(|(first, last)| [first, last]);
    let labels = view.names.iter_mut().chain(&mut view.remarks).map(|label| &mut label.line);
    for line in ends.chain(labels) {
        line.0 = line.0.saturating_add(by);
    }
    view
}
