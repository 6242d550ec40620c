//! The order of the rules for one result.

use crate::facts::Facts;
use crate::ledger::{Ledger, Place};
use crate::level::Level;
use crate::record::Record;
use crate::settings::Settings;
use crate::shape::{Piece, Shape};
use crate::step::Item;
use crate::tokens::{TokenCache, Tokenizer, Tokens};
use crate::views::Chosen;
use foveal_effects::{EffectKind, base_name};
use foveal_transcript::EntryIndex;

use super::draft::Draft;
use super::excerpt::{self, ExcerptLimits};
use super::shown::{self, BlockMin, CallName, Match, Reach, Seen};
use super::{encoded, fold, gutter, heading, hits, json, long_line, noise, reduce, table, view};

/// Everything the decision on one result depends on.
pub struct Ask<'a> {
    /// The conversation and its facts.
    pub record: &'a Record,
    /// What stands in the prompt before this result.
    pub ledger: &'a Ledger,
    /// What may be done.
    pub settings: &'a Settings,
    /// The result's entry.
    pub index: EntryIndex,
    /// How far a rewrite reduced it.
    pub level: Level,
    /// Whether the same call was answered with a replacement just before.
    pub asked_again: bool,
    /// What stands in its place so far.
    pub before: &'a Item,
    /// What that rests on, where known.
    pub inputs: Option<&'a ShapeInputs>,
    /// Whether a rewrite would make an outline of a read.
    pub outlined_later: bool,
    /// What was chosen of it for its level.
    pub chosen: Option<&'a Chosen>,
    /// What was chosen of it when it came.
    pub first: Option<&'a Chosen>,
}

/// All that a shape depends on, beside the result itself and the settings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShapeInputs {
    level: Level,
    asked_again: bool,
    /// The entry that shows the same content, and how it is named.
    same: Option<(EntryIndex, CallName)>,
    /// The blocks that stand above.
    blocks: Vec<Match>,
    /// Lines of a view that say nothing beside them.
    unsaid: Vec<usize>,
    /// Where each hit stands above.
    hits: Vec<Option<Place>>,
}

/// What comes of shaping a result.
#[derive(Debug)]
pub enum Outcome {
    /// All that it rests on is as it was: so is the shape.
    Same,
    /// The shape and the tokens of what is sent, if that is better than the original, and
    /// what it rests on.
    Shaped(Option<(Shape, Tokens)>, ShapeInputs),
}

impl Outcome {
    /// Tokens of what is to be sent of a result; `None` where that is what stands.
    pub fn tokens(&self, facts: &Facts) -> Option<Tokens> {
        match self {
            Outcome::Same => None,
            Outcome::Shaped(shaped, _) => {
                Some(shaped.as_ref().map_or(facts.tokens, |(_, tokens)| *tokens))
            }
        }
    }
}

/// Non-blank lines a block must have to be pointed at.
const BLOCK_LINES_MIN: usize = 2;

/// Shapes one result; leaves it as it is where it is no result.
pub fn shape(ask: &Ask<'_>, tokens: &mut TokenCache) -> Outcome {
    let facts = ask.record.facts(ask.index);
    let mut inputs =
        ShapeInputs { level: ask.level, asked_again: ask.asked_again, ..ShapeInputs::default() };
    let Some(result) = ask.record.entry(ask.index).result() else {
        return Outcome::Shaped(None, inputs);
    };
    let is_shaped = !ask.settings.shapes_own
        && match ask.level {
            Level::Arrival => facts.is_own,
            // Notes on notes would lead to what is missing in two steps.
            Level::Reduced => facts.has_own_notes(),
            Level::Note => false,
        };
    if facts.is_fixed || is_shaped {
        return Outcome::Shaped(None, inputs);
    }
    let content = &result.content;
    if ask.level == Level::Arrival && facts.is_verbatim() {
        return verbatim(ask, Draft::new(content, facts), inputs, tokens);
    }
    if ask.level == Level::Note && ask.inputs == Some(&inputs) {
        return Outcome::Same;
    }
    let mut draft = Draft::new(content, facts);
    if ask.level != Level::Arrival {
        reduce(ask, &mut draft);
    }
    if ask.level != Level::Note {
        let pointing = !ask.asked_again;
        if pointing {
            point(ask, &mut draft, &mut inputs);
        } else {
            noise::cut(&mut draft);
        }
        if ask.inputs == Some(&inputs) {
            return Outcome::Same;
        }
        shorten(ask, &mut draft, pointing);
    }
    let shaped = weighed(ask, &draft, tokens);
    if ask.inputs.is_none() && ask.outlined_later {
        foresee(ask, Draft::new(content, facts), tokens);
    }
    Outcome::Shaped(shaped, inputs)
}

/// Of lines that were asked for word for word, those stay that the prompt does not show yet.
fn verbatim(
    ask: &Ask<'_>,
    mut draft: Draft<'_>,
    mut inputs: ShapeInputs,
    tokens: &mut TokenCache,
) -> Outcome {
    // What another's server answers is not known so well.
    let is_own = draft.facts.call.as_ref().is_some_and(|call| base_name(&call.tool) == call.tool);
    let is_read = draft.facts.kind() == EffectKind::Read && is_own;
    if is_read && !ask.asked_again && points(ask, &draft) {
        let seen = Seen::new(ask.record, ask.ledger, false);
        let minimum = minimum(ask.settings);
        inputs.blocks = shown::find_matches(&draft, &seen, minimum, Reach::InPlace);
        if ask.inputs == Some(&inputs) {
            return Outcome::Same;
        }
        shown::point_at(&mut draft, &seen, inputs.blocks.clone());
    }
    Outcome::Shaped(weighed(ask, &draft, tokens), inputs)
}

/// A note in place of a result and its tokens; `None` where that saves nothing of the whole.
pub fn cleared(record: &Record, index: EntryIndex) -> Option<(Shape, Tokens)> {
    let (result, facts) = (record.entry(index).result()?, record.facts(index));
    if facts.is_fixed {
        return None;
    }
    let mut draft = Draft::new(&result.content, facts);
    reduce::reduce(&mut draft, Level::Note, None);
    let shape = draft.compose();
    let tokens = record.tokenizer().count(&shape.render(&result.content));
    let saves = tokens < facts.tokens && surely(record.tokenizer(), &shape, &draft);
    saves.then_some((shape, tokens))
}

/// Takes what the level no longer shows.
fn reduce(ask: &Ask<'_>, draft: &mut Draft<'_>) {
    match ask.chosen {
        Some(chosen) => view::show(draft, chosen),
        None => reduce::reduce(draft, ask.level, ask.first.map(|first| &first.view)),
    }
}

/// Counts what a rewrite would leave of a new read: when many are rewritten at once, most of
/// it is known then.
fn foresee(ask: &Ask<'_>, mut draft: Draft<'_>, tokens: &mut TokenCache) {
    if draft.facts.kind() == EffectKind::Read {
        reduce::reduce(&mut draft, Level::Reduced, ask.first.map(|first| &first.view));
        shorten(ask, &mut draft, true);
        tokens.count(ask.record.tokenizer(), &draft.compose().render(draft.content));
    }
}

/// Whether the result may have pointers.
fn points(ask: &Ask<'_>, draft: &Draft<'_>) -> bool {
    ask.settings.points_in(draft.facts.call.as_ref().map_or("", |call| &call.tool))
}

/// Points at what stands above, unless it is the same as before.
fn point(ask: &Ask<'_>, draft: &mut Draft<'_>, inputs: &mut ShapeInputs) {
    let first_view = ask.chosen.filter(|chosen| chosen.level == Level::Arrival);
    if !points(ask, draft) {
        if let Some(chosen) = first_view {
            view::show(draft, chosen);
        }
        noise::cut(draft);
        return;
    }
    let seen = Seen::new(ask.record, ask.ledger, ask.settings.arguments_count);
    inputs.same = same_result(ask, draft, &seen);
    let first_view = first_view.filter(|_| inputs.same.is_none());
    if let Some((source, name)) = &inputs.same {
        let gap = shown::identical(draft, name, *source);
        draft.leave_out("identical", 0..draft.len(), gap);
    } else if let Some(chosen) = first_view {
        view::show(draft, chosen);
    }
    noise::cut(draft);
    let minimum = minimum(ask.settings);
    inputs.blocks = shown::find_matches(draft, &seen, minimum, Reach::Everywhere);
    if let Some(chosen) = first_view.filter(|_| !inputs.blocks.is_empty()) {
        let matches = std::mem::take(&mut inputs.blocks);
        let readable = shown::readable(draft, matches, minimum, chosen.view.is_exact);
        inputs.blocks = readable.matches;
        inputs.unsaid = readable.unsaid;
        if !inputs.unsaid.is_empty() {
            *draft = Draft::new(draft.content, draft.facts);
            view::show_without(draft, chosen, &inputs.unsaid);
            noise::cut(draft);
        }
    }
    let is_search = matches!(draft.facts.kind(), EffectKind::Search | EffectKind::List);
    if !is_search && ask.inputs == Some(inputs) {
        return;
    }
    shown::point_at(draft, &seen, inputs.blocks.clone());
    inputs.hits = hits::sources(draft, &seen);
    hits::list_shown(draft, &inputs.hits);
}

fn minimum(settings: &Settings) -> BlockMin {
    BlockMin {
        bytes: settings.pointer_bytes_min,
        bytes_elsewhere: settings.pointer_bytes_min_elsewhere,
        lines: BLOCK_LINES_MIN,
    }
}

/// The entry that shows the same content as a result, and its call.
fn same_result(
    ask: &Ask<'_>,
    draft: &Draft<'_>,
    seen: &Seen<'_>,
) -> Option<(EntryIndex, CallName)> {
    let source = *ask.ledger.whole(draft.facts.whole?).last()?;
    let theirs = ask.record.entry(source).result()?;
    let is_near = draft.content.len() >= ask.settings.pointer_bytes_min_elsewhere
        || read_file(ask.record.facts(source)) == read_file(draft.facts);
    let is_same = !draft.is_empty() && is_near && theirs.content == draft.content;
    (is_same && !shown::is_of_one_file(draft) && shown::is_newest(draft, seen))
        .then(|| (source, CallName::of_result((seen.record, seen.ledger), source)))
}

/// The one file that a result is a read of.
fn read_file(facts: &Facts) -> Option<&str> {
    let call = facts.call.as_ref().filter(|call| call.effect.kind == EffectKind::Read)?;
    match call.effect.reads.as_slice() {
        [read] => Some(&read.path),
        _ => None,
    }
}

/// Spells what is kept shorter, and leaves out what is too long.
fn shorten(ask: &Ask<'_>, draft: &mut Draft<'_>, pointing: bool) {
    if draft.facts.kind() != EffectKind::Read {
        fold::repeats(draft);
        heading::name_files_once(draft);
        json::compact(draft);
        table::compact(draft, ask.record.tokenizer());
    }
    if pointing {
        if let Some(bytes_max) = ask.settings.encoded_bytes_max {
            encoded::leave_out(draft, bytes_max);
        }
        if let Some(bytes_max) = ask.settings.line_bytes_max {
            long_line::cap(draft, bytes_max);
        }
        let is_cut = !long_line::is_text(draft);
        if let Some(limits) = limits(ask.settings, draft.facts, draft.content).filter(|_| is_cut) {
            excerpt::cap(draft, limits);
        }
    }
    gutter::thin(draft, ask.settings.numbers);
}

/// The shape a draft amounts to and its tokens, if it saves any.
fn weighed(ask: &Ask<'_>, draft: &Draft<'_>, cache: &mut TokenCache) -> Option<(Shape, Tokens)> {
    if draft.is_untouched() {
        return None;
    }
    let shape = draft.compose();
    let tokens = match ask.before.decision.shape() {
        Some(before) if *before == shape => ask.before.tokens,
        Some(_) | None => {
            let (text, common) = shape.render_beside(draft.content);
            let (tokenizer, original) =
                (ask.record.tokenizer(), (draft.content, draft.facts.tokens));
            let known = cache.of_text(tokenizer, &text);
            known.unwrap_or_else(|| cache.count_like(tokenizer, &text, original, &common))
        }
    };
    // What saves no tokens is not done, however short it looks.
    let saves = tokens < draft.facts.tokens && surely(ask.record.tokenizer(), &shape, draft);
    saves.then_some((shape, tokens))
}

/// Whether fewer bytes are fewer tokens. Where tokens are only estimated, notes must be short
/// beside what they replace: their paths and numbers take more tokens a byte than prose does,
/// and rules and indents, which are one sign many times, next to none.
fn surely(tokenizer: Tokenizer, shape: &Shape, draft: &Draft<'_>) -> bool {
    if tokenizer != Tokenizer::Bytes {
        return true;
    }
    let (mut notes, mut kept) = (0, 0);
    let mut ours = String::new();
    for piece in &shape.pieces {
        let text = shape.text_of(piece, draft.content);
        match piece {
            Piece::Break | Piece::Note(..) => ours += &text,
            Piece::Keep(_) => {
                notes += signs(&std::mem::take(&mut ours));
                kept += signs(&text);
            }
        }
    }
    notes += signs(&ours);
    notes * 3 <= signs(draft.content).saturating_sub(kept)
}

/// Signs that repeat the one before and make one token together, about.
const REPEATED_PER_TOKEN: usize = 16;

/// Bytes of a text, of which those that repeat the one before count little.
fn signs(text: &str) -> usize {
    let bytes = text.as_bytes();
    let repeated = bytes.windows(2).filter(|pair| pair[0] == pair[1]).count();
    bytes.len() - repeated + repeated / REPEATED_PER_TOKEN
}

/// Bytes that failures and sums may always take, however little else is kept.
const TELLING_BYTES_MIN: usize = 4_000;

/// How much more of output that shows files is kept than of other output.
const SHOWS_FILES_FACTOR: usize = 4;

fn limits(settings: &Settings, facts: &Facts, content: &str) -> Option<ExcerptLimits> {
    let whole_max = match facts.kind() {
        EffectKind::Read => settings.read_bytes_max?,
        EffectKind::Search | EffectKind::List => settings.search_bytes_max?,
        // What is not a command line is another agent's report or the like.
        EffectKind::Run
            if facts.call.as_ref().is_some_and(|call| call.effect.command.is_some()) =>
        {
            settings.run_bytes_max?
        }
        EffectKind::Other if facts.call.is_none() => settings.unknown_bytes_max?,
        EffectKind::Other => settings.other_bytes_max?,
        EffectKind::Run | EffectKind::Edit | EffectKind::Write | EffectKind::Fetch => return None,
    };
    let shows_files = shows_files(facts, content);
    let whole_max = if shows_files { whole_max * SHOWS_FILES_FACTOR } else { whole_max };
    let third = whole_max / 3;
    let telling = third.max(TELLING_BYTES_MIN);
    Some(ExcerptLimits { whole_max, head: third, tail: third, telling })
}

/// Whether output is a diff, or hits with so much context that it is read like a file.
pub(crate) fn shows_files(facts: &Facts, content: &str) -> bool {
    if content.lines().any(|line| line.starts_with("@@ -")) {
        return true;
    }
    let lines = &facts.printed.lines;
    let follows = lines.windows(2).filter(|pair| match (pair[0].number, pair[1].number) {
        (Some(one), Some(next)) => pair[0].path == pair[1].path && one.0 + 1 == next.0,
        _ => false,
    });
    follows.count() * 2 > lines.len()
}
