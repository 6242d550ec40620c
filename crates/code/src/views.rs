//! Views of read files for the engine: curated by the conversation, or summarised for history.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use foveal_context::tokens::Tokens;
use foveal_context::views::{Amount, Label, Read, View, Views, Wanted};

use crate::bounds::LINES_CURATED_MAX;
use crate::curate::{Budget, Curator, Question, SourceFile, ToldLine};
use crate::entity::{EntityIndex, Parsed};
use crate::lines::LineRange;
use crate::outline::Gap;
use crate::read_files::{ReadFile, ReadFiles, SummaryFor};
use crate::summary::{Named, Touched, summarise};
use foveal_transcript::{ContentHash, LineNumber};

/// Chooses with the built-in curator, which is built when it is first asked.
#[derive(Debug, Default)]
pub struct CuratedViews {
    curator: OnceLock<Curator>,
    files: Mutex<ReadFiles>,
}

/// It takes time to say what a view shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unknown;

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
        if read.text.count() > LINES_CURATED_MAX {
            return None;
        }
        let known = self.file(read);
        let before = read.first.0.saturating_sub(1);
        let told = told(&asked.question, read.path, before);
        let view = match wanted {
            Wanted::Curated(amount) => {
                let Question { phrases, edited, .. } = &asked.question;
                let (phrases, edited) = (phrases.clone(), edited.clone());
                let question = Question { phrases, told, edited };
                self.curated(&file_of(read, known.parsed()), &question, amount)
            }
            Wanted::Summary(tokens) => {
                let (wanted, touched) = summary_for(read, &known, tokens, (asked.named(), &told));
                known.summary(wanted, || made(read, &known, tokens, &touched))?
            }
        };
        Some(moved(view, before))
    }

    /// The same where that takes no time, since the file is known and the same was asked of it last.
    ///
    /// # Errors
    /// [`Unknown`] where it is not.
    pub fn known_view(
        &self,
        read: &Read<'_>,
        wanted: Wanted,
        asked: &Asked,
    ) -> Result<Option<View>, Unknown> {
        let Wanted::Summary(tokens) = wanted else { return Err(Unknown) };
        let known = self.known_file(read).filter(|known| known.is_related()).ok_or(Unknown)?;
        let before = read.first.0.saturating_sub(1);
        let told = told(&asked.question, read.path, before);
        let (wanted, _) = summary_for(read, &known, tokens, (asked.named(), &told));
        let view = known.last_summary(&wanted).ok_or(Unknown)?;
        Ok(view.map(|view| moved(view, before)))
    }

    /// Whether it is remembered what the file of a read consists of.
    pub fn is_ready(&self, read: &Read<'_>) -> bool {
        self.known_file(read).is_some()
    }

    /// The same, which remembers what the files consist of that were read or
    /// [got ready](Self::get_ready), as long as their texts have `bytes_max` bytes together.
    #[must_use]
    pub fn remembering(mut self, bytes_max: usize) -> Self {
        self.files = Mutex::new(ReadFiles::new(bytes_max));
        self
    }

    /// Finds out what takes longest about the file at `path`, whose text has this identity, so that it
    /// is known when a view is asked for, in as little memory as views need.
    pub fn get_ready(&self, path: &str, text: &str, identity: ContentHash) {
        let Some(key) = self.files().key(path, (identity, text.len())) else { return };
        let known = self.files().get(key);
        let known = known.unwrap_or_else(|| Arc::new(ReadFile::of(path, text)));
        if !known.is_lean() {
            let lean = Arc::new(known.lean(path, text));
            self.files().insert(key, lean, text.len());
        }
    }

    /// How many files are remembered.
    pub fn remembered(&self) -> usize {
        self.files().len()
    }

    fn files(&self) -> MutexGuard<'_, ReadFiles> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the file of a read consists of, where that is remembered.
    fn known_file(&self, read: &Read<'_>) -> Option<Arc<ReadFile>> {
        let mut files = self.files();
        let key = files.key(read.path, (read.text.identity(), read.text.bytes()))?;
        files.get(key)
    }

    /// What the file of a read consists of. Nobody waits for another while that is found out.
    fn file(&self, read: &Read<'_>) -> Arc<ReadFile> {
        if let Some(known) = self.known_file(read) {
            return known;
        }
        let found = Arc::new(ReadFile::of(read.path, read.text));
        let (mut files, bytes) = (self.files(), read.text.bytes());
        if let Some(key) = files.key(read.path, (read.text.identity(), bytes)) {
            files.insert(key, Arc::clone(&found), bytes);
        }
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

fn file_of<'r>(read: &Read<'r>, parsed: &'r Parsed) -> SourceFile<'r> {
    SourceFile { path: read.path, text: read.text, parsed }
}

/// What a summary of a file depends on, for a conversation that named this and told these lines of it,
/// and what it touched. The file's text is looked at only where its relations are not known yet.
fn summary_for<'q>(
    read: &Read<'_>,
    known: &ReadFile,
    tokens: Tokens,
    (named, told): (&'q Named, &[ToldLine]),
) -> (SummaryFor, Touched<'q>) {
    let touched = Touched::of((read.path, known.parsed()), named, told);
    let named = touched.names_in(known.relations(read.path, || read.text as &str));
    let (tokenizer, entities) = (read.record.tokenizer(), touched.entities().to_vec());
    (SummaryFor { tokens, tokenizer, touched: entities, named }, touched)
}

/// A summary that is made now.
fn made(read: &Read<'_>, known: &ReadFile, tokens: Tokens, touched: &Touched<'_>) -> Option<View> {
    let (parsed, tokenizer) = (known.parsed(), read.record.tokenizer());
    let relations = known.relations(read.path, || read.text as &str);
    match summarise(&file_of(read, parsed), touched, relations, tokens, tokenizer) {
        Some(found) => Some(summary(&found, parsed)),
        // Not even names fit: the range of all lines says the least.
        None if tokenizer.count(read.text) > tokens => Some(View::default()),
        None => None,
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
