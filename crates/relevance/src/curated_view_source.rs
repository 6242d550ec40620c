//! The engine's source of views of files that were read: curated by the conversation, or summarised
//! for history.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use foveal_engine::views::{
    CurationAmount, LineLabel, LineSelection, ReadContext, ViewRequest, ViewSource,
};
use foveal_pricing::tokens::Tokens;
use foveal_syntax::{Entity, EntityIndex, LineRange, OmittedLines, ParsedFile, parse_file};
use foveal_transcript::{ContentHash, LineNumber};

use crate::curation::{CurationQuery, Curator, MentionedLine, SourceFile, ViewBudget};
use crate::parsed_file_cache::{CachedFile, ParsedFileCache, SummaryInputs};
use crate::summary::{ConversationNames, TouchedEntities, summarise_file};

/// The longest text, in lines, that is curated. Curation holds a few hundred bytes per line.
pub const LINES_CURATED_MAX: usize = 100_000;

/// A [`ViewSource`] that uses the built-in curator, built at first use, and caches parsed files.
#[derive(Debug, Default)]
pub struct CuratedViewSource {
    curator: OnceLock<Curator>,
    files: Mutex<ParsedFileCache>,
}

/// The view is not cached; making it takes time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ViewNotCached;

/// The query of a conversation at one response, shared by all reads of that response.
#[derive(Debug)]
pub struct ViewQuery {
    question: CurationQuery,
    /// The mentioned names; only summaries need them.
    names: OnceLock<ConversationNames>,
}

impl ViewQuery {
    /// Returns the query of the conversation in which `read` is viewed.
    pub fn from_read(read: &ReadContext<'_>) -> Self {
        let question = CurationQuery::from_conversation(read.record, read.upto);
        Self { question, names: OnceLock::new() }
    }

    fn conversation_names(&self) -> &ConversationNames {
        self.names.get_or_init(|| ConversationNames::from_query(&self.question))
    }
}

impl ViewSource for CuratedViewSource {
    fn choose_view(&self, read: &ReadContext<'_>, wanted: ViewRequest) -> Option<LineSelection> {
        self.view_with_query(read, wanted, &ViewQuery::from_read(read))
    }
}

impl From<Curator> for CuratedViewSource {
    /// Creates a source that uses `curator`.
    fn from(curator: Curator) -> Self {
        Self { curator: OnceLock::from(curator), files: Mutex::default() }
    }
}

impl CuratedViewSource {
    /// Returns a view as [`ViewSource::choose_view`] does, with a query that was already built.
    pub fn view_with_query(
        &self,
        read: &ReadContext<'_>,
        wanted: ViewRequest,
        asked: &ViewQuery,
    ) -> Option<LineSelection> {
        if read.text.line_count() > LINES_CURATED_MAX {
            return None;
        }
        let known = self.get_or_parse_file(read);
        let before = read.first.0.saturating_sub(1);
        let told = mentioned_lines(&asked.question, read.path, before);
        let view = match wanted {
            ViewRequest::Curated(amount) => {
                let CurationQuery { phrases, edited, .. } = &asked.question;
                let (phrases, edited) = (phrases.clone(), edited.clone());
                let question = CurationQuery { phrases, told, edited };
                self.curated_view(&read_source_file(read, known.parsed()), &question, amount)
            }
            ViewRequest::Summary(tokens) => {
                let (wanted, touched) =
                    summary_inputs(read, &known, tokens, asked.conversation_names(), &told);
                known.get_or_build_summary(wanted, || {
                    build_summary_view(read, &known, tokens, &touched)
                })?
            }
        };
        Some(shift_lines(view, before))
    }

    /// Returns the view if it is the cached summary of a cached file and its inputs are unchanged.
    ///
    /// # Errors
    ///
    /// [`ViewNotCached`] otherwise.
    pub fn cached_view(
        &self,
        read: &ReadContext<'_>,
        wanted: ViewRequest,
        asked: &ViewQuery,
    ) -> Result<Option<LineSelection>, ViewNotCached> {
        let ViewRequest::Summary(tokens) = wanted else { return Err(ViewNotCached) };
        let known =
            self.cached_file(read).filter(|known| known.has_relations()).ok_or(ViewNotCached)?;
        let before = read.first.0.saturating_sub(1);
        let told = mentioned_lines(&asked.question, read.path, before);
        let (wanted, _) = summary_inputs(read, &known, tokens, asked.conversation_names(), &told);
        let view = known.cached_summary(&wanted).ok_or(ViewNotCached)?;
        Ok(view.map(|view| shift_lines(view, before)))
    }

    /// Returns whether the file of a read is cached.
    pub fn is_file_cached(&self, read: &ReadContext<'_>) -> bool {
        self.cached_file(read).is_some()
    }

    /// Enables the cache of parsed files that were read or [prefetched](Self::prefetch_file), up to
    /// `bytes_max` bytes of text together.
    #[must_use]
    pub fn with_cache_limit(mut self, bytes_max: usize) -> Self {
        self.files = Mutex::new(ParsedFileCache::new(bytes_max));
        self
    }

    /// Parses the file at `path` and computes its relations, the slowest parts of a view, and
    /// caches a compact copy. `identity` is the hash of `text`.
    pub fn prefetch_file(&self, path: &str, text: &str, identity: ContentHash) {
        let Some(key) = self.lock_cache().cache_key(path, identity, text.len()) else { return };
        let known = self.lock_cache().get(key);
        let known = known.unwrap_or_else(|| Arc::new(CachedFile::parse(path, text)));
        if !known.is_compact() {
            let lean = Arc::new(known.to_compact(path, text));
            self.lock_cache().insert(key, lean, text.len());
        }
    }

    /// Returns the number of cached files.
    pub fn cached_file_count(&self) -> usize {
        self.lock_cache().len()
    }

    fn lock_cache(&self) -> MutexGuard<'_, ParsedFileCache> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the file of a read if it is cached.
    fn cached_file(&self, read: &ReadContext<'_>) -> Option<Arc<CachedFile>> {
        let mut files = self.lock_cache();
        let key = files.cache_key(read.path, read.text.identity(), read.text.byte_len())?;
        files.get(key)
    }

    /// Returns the file of a read from the cache, else parses it and adds it. The cache is not
    /// locked while it parses.
    fn get_or_parse_file(&self, read: &ReadContext<'_>) -> Arc<CachedFile> {
        if let Some(known) = self.cached_file(read) {
            return known;
        }
        let found = Arc::new(CachedFile::parse(read.path, read.text));
        let (mut files, bytes) = (self.lock_cache(), read.text.byte_len());
        if let Some(key) = files.cache_key(read.path, read.text.identity(), bytes) {
            files.insert(key, Arc::clone(&found), bytes);
        }
        found
    }

    fn curated_view(
        &self,
        file: &SourceFile<'_>,
        question: &CurationQuery,
        amount: CurationAmount,
    ) -> LineSelection {
        let budget = match amount {
            CurationAmount::Adaptive => ViewBudget::Adaptive,
            CurationAmount::Share(share) => ViewBudget::Share(share),
        };
        let curator = self.curator.get_or_init(Curator::built_in);
        let view = curator.curate(file, question, budget);
        LineSelection {
            lines: view.parts.iter().map(|part| range_endpoints(part.lines)).collect(),
            names: hidden_entity_labels(&view.gaps, file.parsed),
            remarks: Vec::new(),
            sort: view.sort,
            by: None,
            is_exact: false,
        }
    }
}

fn read_source_file<'r>(read: &ReadContext<'r>, parsed: &'r ParsedFile) -> SourceFile<'r> {
    SourceFile { path: read.path, text: read.text, parsed }
}

/// Returns the inputs of a summary for a conversation that mentions the names `named` and the lines
/// `told`, and the entities that it touched. The text of the file is used only if its relations are
/// not computed yet.
fn summary_inputs<'q>(
    read: &ReadContext<'_>,
    known: &CachedFile,
    tokens: Tokens,
    named: &'q ConversationNames,
    told: &[MentionedLine],
) -> (SummaryInputs, TouchedEntities<'q>) {
    let touched = TouchedEntities::find(read.path, known.parsed(), named, told);
    let named = touched.named_nodes(known.relations(read.path, || read.text as &str));
    let (tokenizer, entities) = (read.record.tokenizer(), touched.touched_flags().to_vec());
    (SummaryInputs { tokens, tokenizer, touched: entities, named }, touched)
}

fn build_summary_view(
    read: &ReadContext<'_>,
    known: &CachedFile,
    tokens: Tokens,
    touched: &TouchedEntities<'_>,
) -> Option<LineSelection> {
    let (parsed, tokenizer) = (known.parsed(), read.record.tokenizer());
    let relations = known.relations(read.path, || read.text as &str);
    match summarise_file(&read_source_file(read, parsed), touched, relations, tokens, tokenizer) {
        Some(found) => Some(summary_view(&found, parsed)),
        // Not even the names fit; the range of all lines is the shortest view.
        None if tokenizer.count(read.text) > tokens => Some(LineSelection::default()),
        None => None,
    }
}

/// Returns the lines that the conversation mentions; lines of the file at `path` are renumbered to
/// count from the first line of a read that begins after `before` lines.
fn mentioned_lines(question: &CurationQuery, path: &str, before: u32) -> Vec<MentionedLine> {
    let mut all = question.told.clone();
    all.retain_mut(|told| {
        let is_here = told.may_be_in_file(path);
        let line = if is_here { told.line.0.checked_sub(before) } else { Some(told.line.0) };
        told.line = LineNumber(line.unwrap_or(0));
        told.line.0 > 0
    });
    all
}

fn summary_view(summary: &crate::summary::FileSummary, parsed: &ParsedFile) -> LineSelection {
    let remark = |related: &crate::summary::RelationRemark| {
        let name = &parsed.entity(related.of)?.name;
        Some(LineLabel { line: related.line, text: format!("{name}: {}", related.words).into() })
    };
    LineSelection {
        lines: summary.parts.iter().map(|part| range_endpoints(part.lines)).collect(),
        names: hidden_entity_labels(&summary.gaps, parsed),
        remarks: summary.related.iter().filter_map(remark).collect(),
        sort: None,
        by: None,
        is_exact: false,
    }
}

fn range_endpoints(lines: LineRange) -> (LineNumber, LineNumber) {
    (lines.first, lines.last)
}

/// Returns the names of the entities that gaps hide, each at the first line of its signature.
fn hidden_entity_labels(gaps: &[OmittedLines], parsed: &ParsedFile) -> Vec<LineLabel> {
    let label = |at: &EntityIndex| {
        let entity = parsed.entity(*at)?;
        Some(LineLabel { line: entity.signature.first, text: entity.name.clone() })
    };
    gaps.iter().flat_map(|gap| &gap.hides).filter_map(label).collect()
}

/// Returns the names of all entities of the file at `path`, each at the first line of its signature,
/// so that notes name those of omitted lines. `first` is the number of the first line of `text`.
pub fn entity_labels(path: &str, text: &str, first: LineNumber) -> Vec<LineLabel> {
    let before = first.0.saturating_sub(1);
    let parsed = parse_file(path, text);
    let label = |entity: &Entity| LineLabel {
        line: LineNumber(entity.signature.first.0.saturating_add(before)),
        text: entity.name.clone(),
    };
    parsed.entities.iter().map(label).collect()
}

/// Adds `by` to all lines of a view, which turns lines of a read into lines of the file.
fn shift_lines(mut view: LineSelection, by: u32) -> LineSelection {
    let ends = view.lines.iter_mut().flat_map(|(first, last)| [first, last]);
    let labels = view.names.iter_mut().chain(&mut view.remarks).map(|label| &mut label.line);
    for line in ends.chain(labels) {
        line.0 = line.0.saturating_add(by);
    }
    view
}
