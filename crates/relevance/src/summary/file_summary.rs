//! The summary of one file.

use std::cell::LazyCell;

use foveal_engine::note::{Note, NoteKind};
use foveal_engine::views;
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_syntax::{
    Entity, EntityIndex, EntityKind, LineRange, OmittedLines, Outline, OutlinePart, ParsedFile,
    Visibility, is_in_outline, keep_short_gaps, mark_lines,
};
use foveal_transcript::LineNumber;
use serde::{Deserialize, Serialize};

use super::relation_texts::{EntityRelationTexts, file_relations};
use super::touched_entities::{ConversationNames, TouchedEntities};
use crate::curation::{CurationQuery, SourceFile};
use crate::numbered_listing::{ListingRow, render_rows};
use crate::outline_listing::{GapNameLimits, gap_row};
use crate::relations::{FileSymbols, Relations};

/// The largest number of lines of a signature that are shown.
const SIGNATURE_LINES_MAX: u32 = 6;
/// The names that a gap states, as many as in a note that stands for a read.
const GAP_NAME_LIMITS: GapNameLimits =
    GapNameLimits { count_max: views::GAP_NAMES_MAX, bytes_max: views::NAME_BYTES_MAX };
/// The least number of tokens of one entity, which bounds the search.
const ENTITY_TOKENS_MIN: u64 = 3;

/// The entities of a file that matter most. Parts and gaps together cover the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSummary {
    /// The shown lines, in order; parts do not overlap.
    pub parts: Vec<OutlinePart>,
    /// The relations of some of the shown entities, in the order of these.
    pub related: Vec<RelationRemark>,
    /// The omitted lines, in order.
    pub gaps: Vec<OmittedLines>,
    /// The number of lines of the file.
    pub line_count: u32,
    /// The summary as text: lines with their numbers as `12→`, relations and gaps as lines in
    /// brackets.
    pub text: String,
    /// The number of tokens of the text; at most the budget, and less than the file's.
    pub tokens: Tokens,
}

/// The relations of an entity, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelationRemark {
    /// The entity.
    pub of: EntityIndex,
    /// The first line of its signature, before which the remark stands.
    pub line: LineNumber,
    /// The text: `calls read, write; used by main (src/main.rs:3)`.
    pub words: Box<str>,
}

/// An item that a summary may show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SummaryItem {
    Signature(EntityIndex),
    Relations(EntityIndex),
}

/// Returns the summary of `file` in at most `budget` tokens, for a conversation with the query
/// `question`. `known` are other files that relations may lead to; those of the same path are
/// ignored. Returns `None` if even the range of all lines exceeds the budget or is no smaller than
/// the file.
pub fn summarise_for_history(
    file: &SourceFile<'_>,
    question: &CurationQuery,
    known: &[FileSymbols],
    budget: Tokens,
    tokenizer: Tokenizer,
) -> Option<FileSummary> {
    let named = ConversationNames::from_query(question);
    let touched = TouchedEntities::find(file.path, file.parsed, &named, &question.told);
    summarise_file(file, &touched, &file_relations(file, known), budget, tokenizer)
}

/// Returns the summary of a file whose relations and touched entities are known.
pub(crate) fn summarise_file(
    file: &SourceFile<'_>,
    touched: &TouchedEntities<'_>,
    relations: &Relations,
    budget: Tokens,
    tokenizer: Tokenizer,
) -> Option<FileSummary> {
    let web = EntityRelationTexts::describe(file.path, relations, touched);
    let offers = rank_items(file.parsed, touched, &web);
    let lines: Vec<&str> = file.text.lines().collect();
    let at_least = tokenizer.lower_bound(file.text);
    let whole = LazyCell::new(|| tokenizer.count(file.text));
    let is_less = |tokens: Tokens| tokens < at_least || tokens < *whole;
    let fits = |summary: &FileSummary| summary.tokens <= budget && is_less(summary.tokens);
    let told = |mut summary: FileSummary| {
        summary.text = render_rows(&listing_rows(file.parsed, &lines, &summary));
        summary.tokens = tokenizer.count(&summary.text);
        summary
    };
    let make = |count: usize| told(assemble_summary(file, &offers[..count], &web));
    let mut best = Some(make(0)).filter(fits);
    let most = usize::try_from(budget.0 / ENTITY_TOKENS_MIN).unwrap_or(usize::MAX);
    let (mut low, mut high) = (0, most.min(offers.len()));
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        let tried = make(middle);
        if fits(&tried) {
            low = middle;
            best = Some(tried);
        } else {
            high = middle - 1;
        }
    }
    best.or_else(|| Some(told(range_only_summary(file.parsed)?)).filter(fits))
}

/// Returns the summary that names only the range of all lines.
fn range_only_summary(parsed: &ParsedFile) -> Option<FileSummary> {
    let lines = LineRange::from_rows(0, parsed.line_count.checked_sub(1)?);
    let gap = OmittedLines { lines, inside: None, hides: Vec::new() };
    let (parts, related, text) = (Vec::new(), Vec::new(), String::new());
    let (line_count, tokens) = (parsed.line_count, Tokens(0));
    Some(FileSummary { parts, related, gaps: vec![gap], line_count, text, tokens })
}

/// Returns all items that may be shown, by descending score.
fn rank_items(
    parsed: &ParsedFile,
    touched: &TouchedEntities<'_>,
    web: &EntityRelationTexts,
) -> Vec<SummaryItem> {
    let mut ranked: Vec<(u32, EntityIndex, bool)> = Vec::new();
    for (at, entity) in parsed.indexed_entities() {
        let is_touched = touched.is_entity_touched(at);
        let Some(worth) = signature_score(parsed, at, entity, is_touched) else { continue };
        ranked.push((worth, at, false));
        if !web.entity_text(at).is_empty() {
            let later = if is_touched { 1 } else { RELATIONS_SCORE_DEDUCTION };
            ranked.push((worth.saturating_sub(later), at, true));
        }
    }
    ranked.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
    let offer = |(_, at, related)| {
        if related { SummaryItem::Relations(at) } else { SummaryItem::Signature(at) }
    };
    ranked.into_iter().map(offer).collect()
}

/// The addend to the score of touched entities, which puts them first.
const TOUCHED_ENTITY_SCORE: u32 = 100;
/// The difference in score between the signature and the relations of an untouched entity.
const RELATIONS_SCORE_DEDUCTION: u32 = 15;

/// Returns the score of an entity's signature; `None` if it is never shown.
fn signature_score(
    parsed: &ParsedFile,
    at: EntityIndex,
    entity: &Entity,
    touched: bool,
) -> Option<u32> {
    let mut outer = parsed.ancestry(at).skip(1);
    let is_local = outer.any(|(_, of)| of.kind.has_statements());
    if !touched && (is_local || !is_in_outline(parsed, at)) {
        return None;
    }
    let kind = match entity.kind {
        EntityKind::Type | EntityKind::Trait | EntityKind::Enum => 9,
        EntityKind::Function => 8,
        EntityKind::Method | EntityKind::Section => 7,
        EntityKind::Impl | EntityKind::Module => 6,
        EntityKind::Constant | EntityKind::Key => 5,
        EntityKind::Imports => 4,
        EntityKind::Test => 3,
        EntityKind::Field => 2,
    };
    let visible = match entity.visibility {
        Visibility::Public => 20,
        Visibility::Restricted => 10,
        Visibility::Private => 0,
    };
    Some(kind + visible + if touched { TOUCHED_ENTITY_SCORE } else { 0 })
}

/// Returns the summary with these items, without text and tokens.
fn assemble_summary(
    file: &SourceFile<'_>,
    offers: &[SummaryItem],
    web: &EntityRelationTexts,
) -> FileSummary {
    let parsed = file.parsed;
    let mut kept = vec![false; parsed.line_count as usize];
    let mut related = Vec::new();
    for offer in offers {
        let (SummaryItem::Signature(at) | SummaryItem::Relations(at)) = *offer;
        for (_, entity) in parsed.ancestry(at) {
            mark_lines(&mut kept, shown_signature(entity));
        }
        if let (SummaryItem::Relations(_), Some(entity)) = (offer, parsed.entity(at)) {
            let words = web.entity_text(at).into();
            related.push(RelationRemark { of: at, line: entity.signature.first, words });
        }
    }
    related.sort_by_key(|related| (related.line, related.of));
    keep_short_gaps(&mut kept, file.text);
    let is_kept = |entity: &Entity| {
        kept.get(entity.signature.first.0 as usize - 1).copied().unwrap_or_default()
    };
    let shown: Vec<bool> = parsed.entities.iter().map(is_kept).collect();
    let Outline { parts, gaps, .. } = Outline::from_kept_rows(parsed, &kept, &shown);
    let (line_count, text, tokens) = (parsed.line_count, String::new(), Tokens(0));
    FileSummary { parts, related, gaps, line_count, text, tokens }
}

/// Returns the lines of a signature that are shown.
fn shown_signature(entity: &Entity) -> LineRange {
    let first = entity.signature.first;
    let last = LineNumber(first.0.saturating_add(SIGNATURE_LINES_MAX - 1));
    LineRange::new(first, last.min(entity.signature.last))
}

fn listing_rows(parsed: &ParsedFile, lines: &[&str], summary: &FileSummary) -> Vec<ListingRow> {
    let width = summary.line_count.max(1).ilog10() as usize + 1;
    let indent = width + 1;
    let mut rows = Vec::new();
    let mut gaps = summary.gaps.iter().peekable();
    let mut related = summary.related.iter().peekable();
    for part in &summary.parts {
        while let Some(gap) = gaps.next_if(|gap| gap.lines.first < part.lines.first) {
            rows.push(gap_row(parsed, gap, width, GAP_NAME_LIMITS));
        }
        for number in part.lines.first.0..=part.lines.last.0 {
            while let Some(related) = related.next_if(|related| related.line.0 <= number) {
                let name = parsed.entity(related.of).map_or("", |entity| &entity.name);
                let said = NoteKind::Remark(format!("{name}: {}", related.words).into());
                rows.push(ListingRow::Note { indent, note: Note::new(said) });
            }
            let text = lines.get(number as usize - 1).copied().unwrap_or_default().into();
            rows.push(ListingRow::Line { number: LineNumber(number), width, text });
        }
    }
    rows.extend(gaps.map(|gap| gap_row(parsed, gap, width, GAP_NAME_LIMITS)));
    rows
}
