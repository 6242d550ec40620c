//! The order of the rules for one result.

use crate::effects::EffectKind;
use crate::ledger::Ledger;
use crate::observed::{Facts, LineHash, Observed};
use crate::planner::Item;
use crate::rewrite::{self, Level};
use crate::settings::Settings;
use crate::shape::Shape;
use crate::tokens::Tokens;
use crate::transcript::{Conversation, EntryIndex};

use super::draft::Draft;
use super::excerpt::{self, ExcerptLimits};
use super::shown::{self, BlockMin, Seen};
use super::{encoded, fold, gutter, heading, hits, json, long_line, noise, table};

/// Everything the decision on one result depends on.
pub struct Ask<'a> {
    /// The conversation.
    pub conversation: &'a Conversation,
    /// Its facts.
    pub observed: &'a Observed,
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
    /// What stands in its place so far; saves counting when it comes out the same again.
    pub before: &'a Item,
}

/// Non-blank lines a block must have to be pointed at.
const BLOCK_LINES_MIN: usize = 2;

/// Shapes one result and counts the tokens of what is sent; `None` if it is best left as it is.
pub fn shape(ask: &Ask<'_>) -> Option<(Shape, Tokens)> {
    let facts = ask.observed.facts(ask.index);
    let content = &ask.conversation.entry(ask.index).result()?.content;
    let mut draft = Draft::new(content, facts);
    let seen = Seen {
        conversation: ask.conversation,
        observed: ask.observed,
        ledger: ask.ledger,
        arguments: ask.settings.arguments_count,
    };
    if ask.level != Level::Arrival {
        rewrite::reduce(&mut draft, ask.level);
    }
    if ask.level == Level::Note {
        return weighed(ask, &draft);
    }
    let pointing = !ask.asked_again;
    if pointing && let Some(source) = ask.ledger.whole(LineHash::of(content)).last() {
        let same = ask.conversation.entry(*source).result().is_some_and(|r| r.content == *content);
        if same && !draft.is_empty() {
            let gap = shown::identical(&seen, *source);
            draft.leave_out("identical", 0..draft.len(), gap);
        }
    }
    noise::cut(&mut draft);
    if pointing {
        let minimum = BlockMin { bytes: ask.settings.pointer_bytes_min, lines: BLOCK_LINES_MIN };
        shown::point_at(&mut draft, &seen, minimum);
        hits::list_shown(&mut draft, &seen);
    }
    if facts.kind() != EffectKind::Read {
        fold::repeats(&mut draft);
        heading::name_files_once(&mut draft);
        json::compact(&mut draft);
        table::compact(&mut draft, ask.observed.tokenizer());
    }
    if pointing {
        if let Some(bytes_max) = ask.settings.encoded_bytes_max {
            encoded::leave_out(&mut draft, bytes_max);
        }
        if let Some(bytes_max) = ask.settings.line_bytes_max {
            long_line::cap(&mut draft, bytes_max);
        }
    }
    if pointing && let Some(limits) = limits(ask.settings, facts, content) {
        excerpt::cap(&mut draft, limits);
    }
    gutter::thin(&mut draft, ask.settings.numbers);
    weighed(ask, &draft)
}

/// The shape a draft amounts to and its tokens, if it saves any.
fn weighed(ask: &Ask<'_>, draft: &Draft<'_>) -> Option<(Shape, Tokens)> {
    if draft.is_untouched() {
        return None;
    }
    let shape = draft.compose();
    let tokens = match ask.before.decision.shape() {
        Some(before) if *before == shape => ask.before.tokens,
        Some(_) | None => ask.observed.tokenizer().count(&shape.render(draft.content)),
    };
    // What saves no tokens is not done, however short it looks.
    (tokens < draft.facts.tokens).then_some((shape, tokens))
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
        EffectKind::Run
        | EffectKind::Edit
        | EffectKind::Write
        | EffectKind::Fetch
        | EffectKind::Other => return None,
    };
    let shows_files = shows_files(facts, content);
    let whole_max = if shows_files { whole_max * SHOWS_FILES_FACTOR } else { whole_max };
    let third = whole_max / 3;
    let telling = third.max(TELLING_BYTES_MIN);
    Some(ExcerptLimits { whole_max, head: third, tail: third, telling })
}

/// Whether output is a diff, or hits with so much context that it is read like a file.
fn shows_files(facts: &Facts, content: &str) -> bool {
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
