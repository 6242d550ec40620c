//! Shapes one result: applies the rules in order.

use crate::conversation_record::ConversationRecord;
use crate::entry_facts::EntryFacts;
use crate::ledger::{Ledger, LinePosition};
use crate::message_shape::{MessageShape, ShapePiece};
use crate::plan_step::EntryState;
use crate::reduction_level::ReductionLevel;
use crate::settings::Settings;
use crate::token_cache::TokenCache;
use crate::views::ChosenView;
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_tool_effects::{EffectKind, base_tool_name};
use foveal_transcript::EntryIndex;

use super::draft::ShapeDraft;
use super::excerpt::{self, ExcerptLimits};
use super::pointers::{
    self, BlockMatch, CallReference, MinBlockSize, PointerContext, PointerScope,
};
use super::{
    encoded_data, file_heading, gutter, hits, json, long_line, reduction, repeated_lines, table,
    terminal_noise, view,
};

/// The inputs of the decision on one result.
pub struct ResultShapingInputs<'a> {
    /// The conversation and its facts.
    pub record: &'a ConversationRecord,
    /// The content that is visible in the prompt before this result.
    pub ledger: &'a Ledger,
    /// The engine's settings.
    pub settings: &'a Settings,
    /// The result's entry.
    pub index: EntryIndex,
    /// The level to which a rewrite reduced the result.
    pub level: ReductionLevel,
    /// Whether the same call was answered with a replacement directly before.
    pub is_repeated_call: bool,
    /// The current state of the result's entry.
    pub current_state: &'a EntryState,
    /// The dependencies of the current shape, if known.
    pub current_dependencies: Option<&'a ShapeDependencies>,
    /// Whether a rewrite would reduce a read to an outline.
    pub outlined_later: bool,
    /// The views chosen for its level: one, or one for each of several files.
    pub chosen_views: &'a [ChosenView],
    /// The views chosen when the result arrived.
    pub first_views: &'a [ChosenView],
}

/// The values that a shape depends on, besides the result itself and the settings. If they are
/// equal, so is the shape.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShapeDependencies {
    level: ReductionLevel,
    asked_again: bool,
    /// The entry that shows the same content, with a reference to its call.
    same: Option<(EntryIndex, CallReference)>,
    /// The blocks that are visible above.
    blocks: Vec<BlockMatch>,
    /// Lines of a view that carry no content without these blocks.
    insignificant_lines: Vec<usize>,
    /// The place above of each visible hit.
    hits: Vec<Option<LinePosition>>,
}

/// The outcome of shaping a result.
#[derive(Debug)]
pub enum ShapingOutcome {
    /// The dependencies are unchanged, and so is the shape.
    Unchanged,
    /// The shape with its tokens, if it is smaller than the original, and its dependencies.
    Shaped(Option<(MessageShape, Tokens)>, ShapeDependencies),
}

impl ShapingOutcome {
    /// Returns the tokens of the new projected text; `None` if the shape is unchanged.
    pub fn projected_tokens(&self, facts: &EntryFacts) -> Option<Tokens> {
        match self {
            ShapingOutcome::Unchanged => None,
            ShapingOutcome::Shaped(shaped, _) => {
                Some(shaped.as_ref().map_or(facts.tokens, |(_, tokens)| *tokens))
            }
        }
    }
}

/// Smallest number of non-blank lines in a block that a pointer replaces.
const BLOCK_LINES_MIN: usize = 2;

/// Shapes one result. Other entries stay as they are.
pub fn shape_result(ask: &ResultShapingInputs<'_>, tokens: &mut TokenCache) -> ShapingOutcome {
    let facts = ask.record.facts(ask.index);
    let mut inputs = ShapeDependencies {
        level: ask.level,
        asked_again: ask.is_repeated_call,
        ..ShapeDependencies::default()
    };
    let Some(result) = ask.record.entry(ask.index).tool_result() else {
        return ShapingOutcome::Shaped(None, inputs);
    };
    let shapes_own = ask.settings.shapes_own || ask.record.conversation().has_unshaped_results;
    let is_shaped = !shapes_own
        && match ask.level {
            ReductionLevel::Arrival => facts.was_shaped_by_foveal,
            // Notes on notes would need two steps to reach the content.
            ReductionLevel::Reduced => facts.has_foveal_notes(),
            ReductionLevel::Note => false,
        };
    if facts.is_fixed || is_shaped {
        return ShapingOutcome::Shaped(None, inputs);
    }
    let content = &result.content;
    if ask.level == ReductionLevel::Arrival && facts.is_verbatim() {
        return shape_verbatim(ask, ShapeDraft::new(content, facts), inputs, tokens);
    }
    if ask.level == ReductionLevel::Note && ask.current_dependencies == Some(&inputs) {
        return ShapingOutcome::Unchanged;
    }
    let mut draft = ShapeDraft::new(content, facts);
    if ask.level != ReductionLevel::Arrival {
        apply_level(ask, &mut draft);
    }
    if ask.level != ReductionLevel::Note {
        let pointing = !ask.is_repeated_call;
        if pointing {
            insert_pointers(ask, &mut draft, &mut inputs);
        } else {
            terminal_noise::cut_noise(&mut draft);
        }
        if ask.current_dependencies == Some(&inputs) {
            return ShapingOutcome::Unchanged;
        }
        shorten_draft(ask, &mut draft, pointing);
    }
    let shaped = compose_if_smaller(ask, &draft, tokens);
    if ask.current_dependencies.is_none() && ask.outlined_later {
        count_reduced_tokens(ask, ShapeDraft::new(content, facts), tokens);
    }
    ShapingOutcome::Shaped(shaped, inputs)
}

/// Shapes lines that were requested verbatim: only lines that the prompt shows already are
/// replaced.
fn shape_verbatim(
    ask: &ResultShapingInputs<'_>,
    mut draft: ShapeDraft<'_>,
    mut inputs: ShapeDependencies,
    tokens: &mut TokenCache,
) -> ShapingOutcome {
    // Results of other MCP servers are less well known.
    let is_own =
        draft.facts.call.as_ref().is_some_and(|call| base_tool_name(&call.tool) == call.tool);
    let is_read = draft.facts.kind() == EffectKind::Read && is_own;
    if is_read && !ask.is_repeated_call && allows_pointers(ask, &draft) {
        let seen = PointerContext::new(ask.record, ask.ledger, false);
        let minimum = min_block_size(ask.settings);
        inputs.blocks = pointers::find_matches(&draft, &seen, minimum, PointerScope::InPlace);
        if ask.current_dependencies == Some(&inputs) {
            return ShapingOutcome::Unchanged;
        }
        pointers::insert_pointers(&mut draft, &seen, inputs.blocks.clone());
    }
    ShapingOutcome::Shaped(compose_if_smaller(ask, &draft, tokens), inputs)
}

/// Returns a note in place of a whole result with its tokens; `None` if that saves nothing.
pub fn clear_result(
    record: &ConversationRecord,
    index: EntryIndex,
) -> Option<(MessageShape, Tokens)> {
    let (result, facts) = (record.entry(index).tool_result()?, record.facts(index));
    if facts.is_fixed {
        return None;
    }
    let mut draft = ShapeDraft::new(&result.content, facts);
    reduction::reduce_to_level(&mut draft, ReductionLevel::Note, &[]);
    let shape = draft.compose();
    let tokens = record.tokenizer().count(&shape.render(&result.content));
    let saves = tokens < facts.tokens && saves_tokens_surely(record.tokenizer(), &shape, &draft);
    saves.then_some((shape, tokens))
}

/// Removes the lines that the level no longer shows.
fn apply_level(ask: &ResultShapingInputs<'_>, draft: &mut ShapeDraft<'_>) {
    match ask.chosen_views {
        [] => reduction::reduce_to_level(draft, ask.level, ask.first_views),
        chosen => view::apply_views(draft, chosen, &[], ask.settings),
    }
}

/// Counts the tokens that a rewrite would leave of a new read, so that the cache has most of the
/// counts when many reads are rewritten at once.
fn count_reduced_tokens(
    ask: &ResultShapingInputs<'_>,
    mut draft: ShapeDraft<'_>,
    tokens: &mut TokenCache,
) {
    if draft.facts.kind() == EffectKind::Read {
        reduction::reduce_to_level(&mut draft, ReductionLevel::Reduced, ask.first_views);
        shorten_draft(ask, &mut draft, true);
        tokens.count(ask.record.tokenizer(), &draft.compose().render(draft.content));
    }
}

/// Returns whether the result may have pointers.
fn allows_pointers(ask: &ResultShapingInputs<'_>, draft: &ShapeDraft<'_>) -> bool {
    ask.settings.allows_pointers(draft.facts.call.as_ref().map_or("", |call| &call.tool))
}

/// Replaces content that is visible above by pointers, unless the dependencies are unchanged.
fn insert_pointers(
    ask: &ResultShapingInputs<'_>,
    draft: &mut ShapeDraft<'_>,
    inputs: &mut ShapeDependencies,
) {
    let is_first = ask.level == ReductionLevel::Arrival;
    let first_views = if is_first { ask.chosen_views } else { &[] };
    if !allows_pointers(ask, draft) {
        view::apply_views(draft, first_views, &[], ask.settings);
        terminal_noise::cut_noise(draft);
        return;
    }
    let seen = PointerContext::new(ask.record, ask.ledger, ask.settings.arguments_count);
    inputs.same = find_same_result(ask, draft, &seen);
    let first_views = if inputs.same.is_none() { first_views } else { &[] };
    if let Some((source, name)) = &inputs.same {
        let gap = pointers::identical_result_gap(draft, name, *source);
        draft.omit_lines("identical", draft.facts.reuse_note_lines..draft.len(), gap);
    } else {
        view::apply_views(draft, first_views, &[], ask.settings);
    }
    terminal_noise::cut_noise(draft);
    let minimum = min_block_size(ask.settings);
    inputs.blocks = pointers::find_matches(draft, &seen, minimum, PointerScope::Everywhere);
    if !first_views.is_empty() && !inputs.blocks.is_empty() {
        let is_exact = first_views.iter().any(|chosen| chosen.view.is_exact);
        let matches = std::mem::take(&mut inputs.blocks);
        let readable = pointers::make_readable(draft, matches, minimum, is_exact);
        inputs.blocks = readable.matches;
        inputs.insignificant_lines = readable.insignificant_lines;
        if !inputs.insignificant_lines.is_empty() {
            *draft = ShapeDraft::new(draft.content, draft.facts);
            let unsaid = &inputs.insignificant_lines;
            view::apply_views(draft, first_views, unsaid, ask.settings);
            terminal_noise::cut_noise(draft);
        }
    }
    let is_search = matches!(draft.facts.kind(), EffectKind::Search | EffectKind::List);
    if !is_search && ask.current_dependencies == Some(inputs) {
        return;
    }
    pointers::insert_pointers(draft, &seen, inputs.blocks.clone());
    inputs.hits = hits::find_hit_sources(draft, &seen);
    hits::list_visible_hits(draft, &inputs.hits);
}

fn min_block_size(settings: &Settings) -> MinBlockSize {
    MinBlockSize {
        bytes: settings.pointer_bytes_min,
        bytes_elsewhere: settings.pointer_bytes_min_elsewhere,
        lines: BLOCK_LINES_MIN,
    }
}

/// Returns the entry that shows the same content as a result, with its call.
fn find_same_result(
    ask: &ResultShapingInputs<'_>,
    draft: &ShapeDraft<'_>,
    seen: &PointerContext<'_>,
) -> Option<(EntryIndex, CallReference)> {
    let source = *ask.ledger.entries_with_content(draft.facts.whole_hash?).last()?;
    let theirs = ask.record.entry(source).tool_result()?;
    let answer = draft.facts.answer(draft.content);
    let is_near = answer.len() >= ask.settings.pointer_bytes_min_elsewhere
        || sole_read_path(ask.record.facts(source)) == sole_read_path(draft.facts);
    let their_answer = ask.record.facts(source).answer(&theirs.content);
    let is_same = !draft.is_empty() && is_near && their_answer == answer;
    (is_same && !pointers::is_single_file_read(draft) && pointers::is_newest_version(draft, seen))
        .then(|| (source, CallReference::from_result(seen.record, seen.ledger, source)))
}

/// Returns the path of the file if the result is a read of a single one.
fn sole_read_path(facts: &EntryFacts) -> Option<&str> {
    let call = facts.call.as_ref().filter(|call| call.effect.kind == EffectKind::Read)?;
    match call.effect.reads.as_slice() {
        [read] => Some(&read.path),
        _ => None,
    }
}

/// Shortens the spelling of the kept lines, and omits what is too long.
fn shorten_draft(ask: &ResultShapingInputs<'_>, draft: &mut ShapeDraft<'_>, pointing: bool) {
    if draft.facts.kind() != EffectKind::Read {
        repeated_lines::fold_repeated_lines(draft);
        file_heading::group_hits_by_file(draft);
        if ask.settings.compacts_layout {
            json::compact_json(draft);
            table::compact_tables(draft, ask.record.tokenizer());
        }
    }
    if pointing {
        if let Some(bytes_max) = ask.settings.encoded_bytes_max {
            encoded_data::omit_encoded_runs(draft, bytes_max);
        }
        if let Some(bytes_max) = ask.settings.line_bytes_max {
            long_line::shorten_long_lines(draft, bytes_max);
        }
        let is_cut = !long_line::is_json_encoded_text(draft);
        if let Some(limits) =
            excerpt_limits(ask.settings, draft.facts, draft.content).filter(|_| is_cut)
        {
            excerpt::shorten_output(draft, limits);
        }
    }
    gutter::thin_gutters(draft, ask.settings.numbers);
}

/// Composes the shape of a draft and counts its tokens; `None` if it saves none.
fn compose_if_smaller(
    ask: &ResultShapingInputs<'_>,
    draft: &ShapeDraft<'_>,
    cache: &mut TokenCache,
) -> Option<(MessageShape, Tokens)> {
    if draft.is_unmodified() {
        return None;
    }
    let shape = draft.compose();
    let tokens = match ask.current_state.decision.shape() {
        Some(before) if *before == shape => ask.current_state.tokens,
        Some(_) | None => {
            let (text, common) = shape.render_with_common_parts(draft.content);
            let (tokenizer, original) = (ask.record.tokenizer(), draft.content);
            cache.cached_text(tokenizer, &text).unwrap_or_else(|| {
                cache.count_similar(tokenizer, &text, original, draft.facts.tokens, &common)
            })
        }
    };
    // Tokens decide, not bytes.
    let saves =
        tokens < draft.facts.tokens && saves_tokens_surely(ask.record.tokenizer(), &shape, draft);
    saves.then_some((shape, tokens))
}

/// Returns whether fewer bytes are certain to be fewer tokens. If tokens are only estimated, notes
/// must be short compared with the replaced text: their paths and numbers take more tokens per byte
/// than prose, and rules and indents, which repeat one character, almost none.
fn saves_tokens_surely(tokenizer: Tokenizer, shape: &MessageShape, draft: &ShapeDraft<'_>) -> bool {
    if tokenizer != Tokenizer::Bytes {
        return true;
    }
    let (mut notes, mut kept) = (0, 0);
    let mut ours = String::new();
    for piece in &shape.pieces {
        let text = shape.piece_text(piece, draft.content);
        match piece {
            ShapePiece::Break | ShapePiece::Note(..) => ours += &text,
            ShapePiece::Keep(_) => {
                notes += weighted_bytes(&std::mem::take(&mut ours));
                kept += weighted_bytes(&text);
            }
        }
    }
    notes += weighted_bytes(&ours);
    notes * 3 <= weighted_bytes(draft.content).saturating_sub(kept)
}

/// About the number of repeated bytes that make one token together.
const REPEATED_PER_TOKEN: usize = 16;

/// Returns the number of bytes of a text, counting runs of repeated bytes at a fraction.
fn weighted_bytes(text: &str) -> usize {
    let bytes = text.as_bytes();
    let repeated = bytes.windows(2).filter(|pair| pair[0] == pair[1]).count();
    bytes.len() - repeated + repeated / REPEATED_PER_TOKEN
}

/// Bytes that are always available for failures and summary lines.
const SEVERE_BYTES_MIN: usize = 4_000;

/// Factor by which more is kept of output that shows files.
const FILE_OUTPUT_FACTOR: usize = 4;

fn excerpt_limits(settings: &Settings, facts: &EntryFacts, content: &str) -> Option<ExcerptLimits> {
    let whole_max = match facts.kind() {
        EffectKind::Read => settings.read_bytes_max?,
        EffectKind::Search | EffectKind::List => settings.search_bytes_max?,
        // A run without a command line is another agent's report or similar.
        EffectKind::Run
            if facts.call.as_ref().is_some_and(|call| call.effect.command.is_some()) =>
        {
            settings.run_bytes_max?
        }
        EffectKind::Other if facts.call.is_none() => settings.unknown_bytes_max?,
        EffectKind::Other => settings.other_bytes_max?,
        EffectKind::Run | EffectKind::Edit | EffectKind::Write | EffectKind::Fetch => return None,
    };
    let shows_files = reads_like_file(facts, content);
    let whole_max = if shows_files { whole_max * FILE_OUTPUT_FACTOR } else { whole_max };
    let third = whole_max / 3;
    let telling = third.max(SEVERE_BYTES_MIN);
    Some(ExcerptLimits { whole_max, head: third, tail: third, severe_lines: telling })
}

/// Returns whether output is a diff, or hits with so much context that it reads like a file.
pub(crate) fn reads_like_file(facts: &EntryFacts, content: &str) -> bool {
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
