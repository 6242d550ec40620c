//! The replacements of results in a request that passed the gateway.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use foveal_engine::message_shape::MessageShape;
use foveal_engine::note::Note;
use foveal_engine::plan_step::PlanStep;
use foveal_gateway::decision_recorder::parse_stored_step;
use foveal_gateway::request_record::{ShapedResult, StoredRequest, is_unmodified};
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_proxy::HandleStyle;
use foveal_proxy::overview::arrival_reason;
use foveal_screen::escape_one_line;
use foveal_store::Store;
use foveal_transcript::{EntryIndex, Handle};
use serde::Serialize;

use crate::numbers::{format_count, format_plural};

/// Limits of lines of a text that are shown at a terminal: of the original, and of its replacement.
const EXCERPT_LINES_MAX: [usize; 2] = [3, 12];

/// Limit of characters of a line that are shown at a terminal.
const LINE_CHARS_MAX: usize = 120;

/// A result that was replaced in a request.
#[derive(Debug, Serialize)]
pub(super) struct RequestReplacement {
    /// The number of the result's message, from 1; `None` if an older version decided about it.
    message: Option<u64>,
    tool: Option<String>,
    kind: &'static str,
    rule: String,
    reason: &'static str,
    /// The first request with this replacement.
    since: Option<u64>,
    /// True if that is the selected request.
    is_new: bool,
    tokens_before: Option<Tokens>,
    tokens_after: Option<Tokens>,
    handle: Handle,
    /// The result as stored, redacted. `None` if it is not stored.
    text_before: Option<String>,
    /// The text that was sent. `None` if the original is not stored, or only redacted.
    text_after: Option<String>,
}

/// The replaced results of a request.
#[derive(Debug, Serialize)]
pub(super) enum RequestReplacements {
    #[serde(rename = "replacements")]
    Known(Vec<RequestReplacement>),
    /// The reason why they are unknown.
    #[serde(rename = "replacements_unknown")]
    Unknown(&'static str),
}

/// A decision in effect, with the step that made it.
struct EffectiveDecision {
    shape: MessageShape,
    reason: &'static str,
    turn: usize,
}

impl RequestReplacements {
    /// Reads the replacements of the request at index `at` of `all` requests of a conversation.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(super) fn load(
        store: &dyn Store,
        all: &[StoredRequest],
        at: usize,
    ) -> anyhow::Result<Self> {
        let StoredRequest { request, shaped, .. } = &all[at];
        let is_whole = is_unmodified(request.bytes_asked, request.bytes_sent, request.marks);
        if request.beside.is_some() || request.inactive.is_some() || is_whole {
            return Ok(Self::Known(Vec::new()));
        }
        let Some(end) = shaped.decided_at else {
            return Ok(Self::Unknown("unknown: the replacements were not recorded"));
        };
        let turns = store.turns(&[end])?;
        if turns.is_empty() {
            return Ok(Self::Unknown("unknown: the decisions are no longer stored"));
        }
        let mut standing: BTreeMap<EntryIndex, EffectiveDecision> = BTreeMap::new();
        for (turn, step) in turns.iter().map(parse_stored_step).enumerate() {
            let Some(step) = step else {
                return Ok(Self::Unknown("unknown: another version of foveal made the decisions"));
            };
            for (entry, decision) in &step.changed {
                match decision.shape() {
                    None => drop(standing.remove(entry)),
                    Some(shape) => {
                        let reason = decision_reason(&step, *entry, shape);
                        let shape = shape.clone();
                        standing.insert(*entry, EffectiveDecision { shape, reason, turn });
                    }
                }
            }
        }
        let mut known = Vec::new();
        for (entry, decision) in standing {
            let end = turns[decision.turn].end_hash;
            let first = all.iter().position(|kept| kept.shaped.decided_at == Some(end));
            known.push(build_replacement(store, all, entry, decision, first, at)?);
        }
        Ok(Self::Known(known))
    }

    /// Renders the replacements for a person, with excerpts.
    pub(super) fn render_text(&self) -> String {
        let all = match self {
            Self::Unknown(why) => return format!("\nreplaced: {why}\n"),
            Self::Known(all) if all.is_empty() => return "\nreplaced: nothing\n".to_owned(),
            Self::Known(all) => all,
        };
        let new = all.iter().filter(|one| one.is_new).count();
        let total = format_plural(all.len() as u64, "result");
        let mut text = format!(
            "\nreplaced: {total}, {} of them new in this request\n",
            format_count(new as u64)
        );
        for one in all {
            one.write_summary(&mut text);
        }
        text.push_str("\n`--json` shows the full texts.\n");
        text
    }
}

fn build_replacement(
    store: &dyn Store,
    all: &[StoredRequest],
    entry: EntryIndex,
    decision: EffectiveDecision,
    first: Option<usize>,
    at: usize,
) -> anyhow::Result<RequestReplacement> {
    let EffectiveDecision { shape, reason, .. } = decision;
    let noted = first.and_then(|first| {
        let mut new = all[first].shaped.new.iter();
        new.find(|one| one.entry == entry).cloned()
    });
    let content = store.content(shape.handle)?;
    let text_before = content.map(|it| String::from_utf8_lossy(&it.bytes).into_owned());
    // Pieces refer to the original bytes; redaction shifts them.
    let original =
        text_before.as_ref().filter(|it| Handle::from_content(it.as_bytes()) == shape.handle);
    let spell = |note: &Note| HandleStyle::Command.render_note(note);
    let text_after = original.map(|original| -> String {
        shape.pieces.iter().map(|piece| shape.piece_text_with(piece, original, &spell)).collect()
    });
    let counted = |text: &Option<String>| text.as_deref().map(|it| Tokenizer::default().count(it));
    let (tokens_before, tokens_after) = match &noted {
        Some(ShapedResult { tokens, tokens_sent, .. }) => (Some(*tokens), Some(*tokens_sent)),
        None => (original.and_then(|_| counted(&text_before)), counted(&text_after)),
    };
    Ok(RequestReplacement {
        message: noted.as_ref().map(|noted| noted.message),
        tool: noted.and_then(|noted| noted.tool),
        kind: shape.kind.label(),
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

/// Returns the reason why a step replaced a result by `shape`.
fn decision_reason(step: &PlanStep, entry: EntryIndex, shape: &MessageShape) -> &'static str {
    let is_rewritten = step.levels.iter().any(|(index, _)| *index == entry);
    let rewrite = step.rewrite.filter(|_| is_rewritten);
    rewrite.map_or_else(|| arrival_reason(shape.kind), |reason| reason.description())
}

impl RequestReplacement {
    fn write_summary(&self, text: &mut String) {
        let message =
            self.message.map_or_else(String::new, |it| format!("message {}, ", format_count(it)));
        let tool = self.tool.as_deref().unwrap_or("a result");
        let [before, after] = [self.tokens_before, self.tokens_after]
            .map(|tokens| tokens.map_or_else(|| "?".to_owned(), |it| format_count(it.0)));
        let since = match (self.is_new, self.since) {
            (true, _) => String::new(),
            (false, Some(since)) => format!(" since request {}", format_count(since)),
            (false, None) => " since an earlier request".to_owned(),
        };
        let Self { kind, rule, reason, handle, .. } = self;
        let heading = format!(
            "{message}{tool}: {before} -> {after} tokens{since}, {kind} ({rule}): {reason}; `foveal \
             expand {handle}`"
        );
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "\n  {}", escape_one_line(&heading));
        if !self.is_new {
            return;
        }
        for ((sign, part), lines_max) in
            [("-", &self.text_before), ("+", &self.text_after)].into_iter().zip(EXCERPT_LINES_MAX)
        {
            match part {
                Some(part) => write_excerpt(text, sign, part, lines_max),
                None => text.push_str(&format!("    {sign} text not stored\n")),
            }
        }
    }
}

/// Writes the first lines of a text.
fn write_excerpt(text: &mut String, sign: &str, part: &str, lines_max: usize) {
    let total = part.lines().count();
    for line in part.lines().take(lines_max) {
        let shown: String = line.chars().take(LINE_CHARS_MAX).collect();
        let cut = if shown.len() < line.len() { "…" } else { "" };
        let _ = writeln!(text, "    {sign} {}{cut}", escape_one_line(&shown));
    }
    if total > lines_max {
        let more = format_plural((total - lines_max) as u64, "more line");
        let _ = writeln!(text, "    {sign} … {more}");
    }
}
