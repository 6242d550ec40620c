//! What a request that passed the gateway sent in place of results.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use foveal_context::note::Note;
use foveal_context::shape::Shape;
use foveal_context::step::Step;
use foveal_context::tokens::{Tokenizer, Tokens};
use foveal_live::Way;
use foveal_live::overview::arrival_reason;
use foveal_screen::in_one_line;
use foveal_store::Store;
use foveal_transcript::{EntryIndex, Handle};
use serde::Serialize;

use super::serve::decided_step;
use crate::numbers::{count, plural};
use crate::requests::{Kept, ShapedResult, is_whole};

/// Lines of a text that are shown at a terminal: of what came, and of what went.
const LINES_MAX: [usize; 2] = [3, 12];

/// Characters of a line that are shown at a terminal.
const LINE_CHARS_MAX: usize = 120;

/// Something that went in place of a result.
#[derive(Debug, Serialize)]
pub(super) struct Replacement {
    /// The message of the result, from 1; `None` where an older version decided it.
    message: Option<u64>,
    tool: Option<String>,
    kind: &'static str,
    rule: String,
    reason: &'static str,
    /// The first request that it went with.
    since: Option<u64>,
    /// Whether that is the request that is asked about.
    is_new: bool,
    tokens_before: Option<Tokens>,
    tokens_after: Option<Tokens>,
    handle: Handle,
    /// The result as it is kept: without secrets. `None` where it is not kept.
    text_before: Option<String>,
    /// What went. `None` where the result is not kept, or not as it came.
    text_after: Option<String>,
}

/// What a request sent in place of results.
#[derive(Debug, Serialize)]
pub(super) enum Replacements {
    #[serde(rename = "replacements")]
    Known(Vec<Replacement>),
    /// Why that is not known.
    #[serde(rename = "replacements_unknown")]
    Unknown(&'static str),
}

/// A decision that stands, and the step that made it.
struct StandingDecision {
    shape: Shape,
    reason: &'static str,
    turn: usize,
}

impl Replacements {
    /// Returns those of the request at place `at` of `all` requests of a conversation.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(super) fn read(store: &dyn Store, all: &[Kept], at: usize) -> anyhow::Result<Self> {
        let Kept { request, shaped, .. } = &all[at];
        let is_whole = is_whole(request.bytes_asked, request.bytes_sent, request.marks);
        if request.beside.is_some() || request.inactive.is_some() || is_whole {
            return Ok(Self::Known(Vec::new()));
        }
        let Some(end) = shaped.decided_at else {
            return Ok(Self::Unknown("what it sent in place of results was not noted"));
        };
        let turns = store.turns(&[end])?;
        if turns.is_empty() {
            return Ok(Self::Unknown("the decisions about it are not kept any more"));
        }
        let mut standing: BTreeMap<EntryIndex, StandingDecision> = BTreeMap::new();
        for (turn, step) in turns.iter().map(decided_step).enumerate() {
            let Some(step) = step else {
                return Ok(Self::Unknown("another version of foveal decided about it"));
            };
            for (entry, decision) in &step.changed {
                match decision.shape() {
                    None => drop(standing.remove(entry)),
                    Some(shape) => {
                        let reason = reason(&step, *entry, shape);
                        let shape = shape.clone();
                        standing.insert(*entry, StandingDecision { shape, reason, turn });
                    }
                }
            }
        }
        let mut known = Vec::new();
        for (entry, decision) in standing {
            let end = turns[decision.turn].end;
            let first = all.iter().position(|kept| kept.shaped.decided_at == Some(end));
            known.push(replacement(store, all, (entry, decision), (first, at))?);
        }
        Ok(Self::Known(known))
    }

    /// Returns them as text for a person, shortened.
    pub(super) fn text(&self) -> String {
        let all = match self {
            Self::Unknown(why) => return format!("\nreplaced: {why}\n"),
            Self::Known(all) if all.is_empty() => return "\nreplaced: nothing\n".to_owned(),
            Self::Known(all) => all,
        };
        let new = all.iter().filter(|one| one.is_new).count();
        let total = plural(all.len() as u64, "result");
        let mut text =
            format!("\nreplaced: {total}, {} of them from this request on\n", count(new as u64));
        for one in all {
            one.write(&mut text);
        }
        text.push_str("\n`--json` has the whole texts.\n");
        text
    }
}

fn replacement(
    store: &dyn Store,
    all: &[Kept],
    (entry, decision): (EntryIndex, StandingDecision),
    (first, at): (Option<usize>, usize),
) -> anyhow::Result<Replacement> {
    let StandingDecision { shape, reason, .. } = decision;
    let noted = first.and_then(|first| {
        let mut new = all[first].shaped.new.iter();
        new.find(|one| one.entry == entry).cloned()
    });
    let content = store.get(shape.handle)?;
    let text_before = content.map(|it| String::from_utf8_lossy(&it.bytes).into_owned());
    // Pieces are of the result as it came: with a secret left out, its bytes stand elsewhere.
    let original = text_before.as_ref().filter(|it| Handle::of(it.as_bytes()) == shape.handle);
    let spell = |note: &Note| Way::Command.spell(note);
    let text_after = original.map(|original| -> String {
        shape.pieces.iter().map(|piece| shape.text_by(piece, original, &spell)).collect()
    });
    let counted = |text: &Option<String>| text.as_deref().map(|it| Tokenizer::default().count(it));
    let (tokens_before, tokens_after) = match &noted {
        Some(ShapedResult { tokens, tokens_sent, .. }) => (Some(*tokens), Some(*tokens_sent)),
        None => (original.and_then(|_| counted(&text_before)), counted(&text_after)),
    };
    Ok(Replacement {
        message: noted.as_ref().map(|noted| noted.message),
        tool: noted.and_then(|noted| noted.tool),
        kind: shape.kind.word(),
        reason,
        since: first.map(|first| first as u64 + 1),
        is_new: first == Some(at),
        tokens_before,
        tokens_after,
        handle: shape.handle,
        text_before,
        text_after,
        rule: shape.rule,
    })
}

/// Why a step had `shape` sent in place of a result.
fn reason(step: &Step, entry: EntryIndex, shape: &Shape) -> &'static str {
    let is_rewritten = step.levels.iter().any(|(index, _)| *index == entry);
    let rewrite = step.rewrite.filter(|_| is_rewritten);
    rewrite.map_or_else(|| arrival_reason(shape.kind), |reason| reason.words())
}

impl Replacement {
    fn write(&self, text: &mut String) {
        let message =
            self.message.map_or_else(String::new, |it| format!("message {}, ", count(it)));
        let tool = self.tool.as_deref().unwrap_or("a result");
        let [before, after] = [self.tokens_before, self.tokens_after]
            .map(|tokens| tokens.map_or_else(|| "?".to_owned(), |it| count(it.0)));
        let since = match (self.is_new, self.since) {
            (true, _) => String::new(),
            (false, Some(since)) => format!(" since request {}", count(since)),
            (false, None) => " since an earlier request".to_owned(),
        };
        let Self { kind, rule, reason, handle, .. } = self;
        let heading = format!(
            "{message}{tool}: {before} -> {after} tokens{since}, {kind} ({rule}): {reason}; `foveal \
             expand {handle}`"
        );
        // A `String` takes whatever is written.
        let _ = writeln!(text, "\n  {}", in_one_line(&heading));
        if !self.is_new {
            return;
        }
        for ((sign, part), lines_max) in
            [("-", &self.text_before), ("+", &self.text_after)].into_iter().zip(LINES_MAX)
        {
            match part {
                Some(part) => write_lines(text, sign, part, lines_max),
                None => text.push_str(&format!("    {sign} not kept as it was\n")),
            }
        }
    }
}

/// The beginning of a text.
fn write_lines(text: &mut String, sign: &str, part: &str, lines_max: usize) {
    let total = part.lines().count();
    for line in part.lines().take(lines_max) {
        let shown: String = line.chars().take(LINE_CHARS_MAX).collect();
        let cut = if shown.len() < line.len() { "…" } else { "" };
        let _ = writeln!(text, "    {sign} {}{cut}", in_one_line(&shown));
    }
    if total > lines_max {
        let more = plural((total - lines_max) as u64, "more line");
        let _ = writeln!(text, "    {sign} … {more}");
    }
}
