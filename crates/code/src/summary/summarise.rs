//! The summary of one file.

use std::cell::LazyCell;

use foveal_context::note::{Note, NoteKind};
use foveal_context::tokens::{Tokenizer, Tokens};
use foveal_context::views;
use serde::{Deserialize, Serialize};

use super::related::{Web, relations_of};
use super::touched::{Named, Touched};
use crate::curate::{Question, SourceFile};
use crate::entity::{Entity, EntityIndex, EntityKind, Parsed, Visibility};
use crate::lines::LineRange;
use crate::listing::{ListingRow, text_of};
use crate::outline::{self, Gap, NamesTold, OutlinePart};
use crate::relations::{FileSymbols, Relations};
use foveal_transcript::LineNumber;

/// Lines of a signature that are shown.
const SIGNATURE_LINES_MAX: u32 = 6;
/// The names that a gap tells, as many as where the summary stands for a read.
const NAMES_TOLD: NamesTold =
    NamesTold { most: views::NAMES_MAX, bytes_max: views::NAME_BYTES_MAX };
/// Tokens that one entity takes at least, which bounds how many are tried.
const ENTITY_TOKENS_MIN: u64 = 3;

/// The entities of a file that matter most. Parts and gaps together are all its lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The lines shown, in order; they share none.
    pub parts: Vec<OutlinePart>,
    /// What some of the entities shown have to do with others, in their order.
    pub related: Vec<Related>,
    /// The lines left out, in order.
    pub gaps: Vec<Gap>,
    /// How many lines the file has.
    pub line_count: u32,
    /// The summary as text: lines with their numbers as `12→`, relations and gaps as lines
    /// in brackets.
    pub text: String,
    /// How many tokens the text has; never more than asked for, and fewer than the file.
    pub tokens: Tokens,
}

/// What an entity has to do with others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Related {
    /// The entity.
    pub of: EntityIndex,
    /// The line before which this is best said: the first of its signature.
    pub line: LineNumber,
    /// In words: `calls read, write; used by main (src/main.rs:3)`.
    pub words: Box<str>,
}

/// Something that a summary may show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Offer {
    Signature(EntityIndex),
    Relations(EntityIndex),
}

/// The summary of `file` in at most `budget` tokens, for a conversation that asks `question`.
/// `known` are other files that relations may lead to; those of the same path are ignored.
/// `None` where not even the range of all its lines fits, or would be smaller than the file.
pub fn summarise_for_history(
    file: &SourceFile<'_>,
    question: &Question,
    known: &[FileSymbols],
    budget: Tokens,
    tokenizer: Tokenizer,
) -> Option<Summary> {
    let named = Named::of(question);
    let touched = Touched::of((file.path, file.parsed), &named, &question.told);
    summarise(file, &touched, &relations_of(file, known), budget, tokenizer)
}

/// The same where the relations of the file are known, and what the conversation touched of it.
pub(crate) fn summarise(
    file: &SourceFile<'_>,
    touched: &Touched<'_>,
    relations: &Relations,
    budget: Tokens,
    tokenizer: Tokenizer,
) -> Option<Summary> {
    let web = Web::of(file.path, relations, touched);
    let offers = offers(file.parsed, touched, &web);
    let lines: Vec<&str> = file.text.lines().collect();
    let at_least = tokenizer.at_least(file.text);
    let whole = LazyCell::new(|| tokenizer.count(file.text));
    let is_less = |tokens: Tokens| tokens < at_least || tokens < *whole;
    let fits = |summary: &Summary| summary.tokens <= budget && is_less(summary.tokens);
    let told = |mut summary: Summary| {
        summary.text = text_of(&rows(file.parsed, &lines, &summary));
        summary.tokens = tokenizer.count(&summary.text);
        summary
    };
    let make = |count: usize| told(arrange(file, &offers[..count], &web));
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
    best.or_else(|| Some(told(bare(file.parsed)?)).filter(fits))
}

/// The range of all lines, without a name.
fn bare(parsed: &Parsed) -> Option<Summary> {
    let last = (parsed.line_count as usize).checked_sub(1)?;
    let gap = Gap { lines: outline::range(0, last), inside: None, hides: Vec::new() };
    let (parts, related, text) = (Vec::new(), Vec::new(), String::new());
    let (line_count, tokens) = (parsed.line_count, Tokens(0));
    Some(Summary { parts, related, gaps: vec![gap], line_count, text, tokens })
}

/// Everything that may be shown, that which matters most first.
fn offers(parsed: &Parsed, touched: &Touched<'_>, web: &Web) -> Vec<Offer> {
    let mut ranked: Vec<(u32, EntityIndex, bool)> = Vec::new();
    for (at, entity) in parsed.indexed() {
        let is_touched = touched.entity(at);
        let Some(worth) = worth(parsed, at, entity, is_touched) else { continue };
        ranked.push((worth, at, false));
        if !web.of_entity(at).is_empty() {
            let later = if is_touched { 1 } else { RELATIONS_LATER };
            ranked.push((worth.saturating_sub(later), at, true));
        }
    }
    ranked.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
    let offer =
        |(_, at, related)| if related { Offer::Relations(at) } else { Offer::Signature(at) };
    ranked.into_iter().map(offer).collect()
}

/// What the conversation touched goes before everything else.
const TOUCHED: u32 = 100;
/// How much less than its signature the relations of an entity matter that is not touched.
const RELATIONS_LATER: u32 = 15;

/// How much showing an entity's signature matters; `None` where it is never shown.
fn worth(parsed: &Parsed, at: EntityIndex, entity: &Entity, touched: bool) -> Option<u32> {
    let mut outer = parsed.ancestry(at).skip(1);
    let is_local = outer.any(|(_, of)| of.kind.has_statements());
    if !touched && (is_local || !outline::is_shown(parsed, at)) {
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
    Some(kind + visible + if touched { TOUCHED } else { 0 })
}

/// The lines and relations that these offers amount to, text and tokens aside.
fn arrange(file: &SourceFile<'_>, offers: &[Offer], web: &Web) -> Summary {
    let parsed = file.parsed;
    let mut kept = vec![false; parsed.line_count as usize];
    let mut related = Vec::new();
    for offer in offers {
        let (Offer::Signature(at) | Offer::Relations(at)) = *offer;
        for (_, entity) in parsed.ancestry(at) {
            outline::mark(&mut kept, shown_of(entity));
        }
        if let (Offer::Relations(_), Some(entity)) = (offer, parsed.entity(at)) {
            let words = web.of_entity(at).into();
            related.push(Related { of: at, line: entity.signature.first, words });
        }
    }
    related.sort_by_key(|related| (related.line, related.of));
    outline::keep_what_is_shorter(&mut kept, file.text);
    let is_kept = |entity: &Entity| {
        kept.get(entity.signature.first.0 as usize - 1).copied().unwrap_or_default()
    };
    let shown: Vec<bool> = parsed.entities.iter().map(is_kept).collect();
    let (mut parts, mut gaps) = (Vec::new(), Vec::new());
    let mut row = 0;
    while row < kept.len() {
        let same = kept[row..].iter().take_while(|keep| **keep == kept[row]).count();
        let lines = outline::range(row, row + same - 1);
        if kept[row] {
            parts.push(OutlinePart { lines, of: outline::starting(parsed, lines, &shown, true) });
        } else {
            gaps.push(Gap::of(parsed, lines, &shown));
        }
        row += same;
    }
    let (line_count, text, tokens) = (parsed.line_count, String::new(), Tokens(0));
    Summary { parts, related, gaps, line_count, text, tokens }
}

/// The lines of a signature that are shown.
fn shown_of(entity: &Entity) -> LineRange {
    let first = entity.signature.first;
    let last = LineNumber(first.0.saturating_add(SIGNATURE_LINES_MAX - 1));
    LineRange::new(first, last.min(entity.signature.last))
}

fn rows(parsed: &Parsed, lines: &[&str], summary: &Summary) -> Vec<ListingRow> {
    let width = summary.line_count.max(1).ilog10() as usize + 1;
    let indent = width + 1;
    let mut rows = Vec::new();
    let mut gaps = summary.gaps.iter().peekable();
    let mut related = summary.related.iter().peekable();
    for part in &summary.parts {
        while let Some(gap) = gaps.next_if(|gap| gap.lines.first < part.lines.first) {
            rows.push(outline::gap_row(parsed, gap, width, NAMES_TOLD));
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
    rows.extend(gaps.map(|gap| outline::gap_row(parsed, gap, width, NAMES_TOLD)));
    rows
}
