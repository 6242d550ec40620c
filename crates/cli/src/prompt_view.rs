//! The prompt of one request for people: every message with the decision about it.

use std::fmt::Write as _;
use std::sync::Arc;

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::message_shape::{MessageShape, ShapePiece};
use foveal_engine::plan_step::PlanStep;
use foveal_engine::profile::Profile;
use foveal_engine::projector::Projector;
use foveal_engine::provider_constraints::ProviderConstraints;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_relevance::curated_view_source::CuratedViewSource;
use foveal_replay::conversation_replay::request_time;
use foveal_screen::escape_one_line;
use foveal_transcript::{Conversation, EntryIndex};
use similar::TextDiff;

use crate::colour::{OutputStyle, Painter};
use crate::coloured_text::ColouredText;
use crate::{diff_view, message_summary, numbers, prompt_text};

/// The level of detail of each message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageDetail {
    /// The heading alone.
    Headings,
    /// The text.
    Text,
    /// The text; for a replaced result, the diff to the original.
    Diff,
}

/// One planned request.
pub(crate) struct PromptView {
    record: ConversationRecord,
    projector: Projector,
    step: PlanStep,
    turn: u32,
}

impl PromptView {
    /// Plans the requests of `conversation` up to number `turn`, counted from 1; `None` if there
    /// are fewer.
    pub(crate) fn plan(
        conversation: Conversation,
        turn: u32,
        profile: &Profile,
        prices: &PriceCard,
        tokenizer: Tokenizer,
        constraints: ProviderConstraints,
    ) -> Option<Self> {
        let record = ConversationRecord::from_conversation(conversation, tokenizer);
        let projector = profile.new_projector(prices).with_constraints(constraints);
        let mut projector = projector.with_view_source(Arc::new(CuratedViewSource::default()));
        let mut last = None;
        for answer in record.conversation().response_indices().take(turn as usize) {
            let time = request_time(record.conversation(), answer);
            last = Some(projector.advance(&record, answer, time));
        }
        let enough = record.conversation().response_indices().count() >= turn as usize;
        let step = last.filter(|_| enough)?;
        Some(Self { record, projector, step, turn })
    }

    /// Renders the view as text.
    pub(crate) fn render(
        &self,
        profile: &Profile,
        detail: MessageDetail,
        painter: Painter,
    ) -> ColouredText {
        let window = self.projector.window();
        let raw: Tokens = window.iter().map(|index| self.record.facts(*index).tokens).sum();
        let sent: Tokens =
            window.iter().map(|index| self.projector.entry_state(*index).tokens).sum();
        let heading = format!(
            "request {} of {} with `{}`: {} in {}, {}t instead of {}t\n",
            self.turn,
            self.record.conversation().response_indices().count(),
            profile.name,
            numbers::format_plural(window.len() as u64, "message"),
            escape_one_line(&self.record.conversation().id),
            numbers::format_tokens(sent),
            numbers::format_tokens(raw),
        );
        let mut text = ColouredText::from(heading);
        if let Some(reason) = self.step.rewrite {
            let _ =
                writeln!(text, "this request rewrote earlier results: {}", reason.description());
        }
        text.push_str("+ not read from the cache   ~ foveal's words in place of the original\n");
        for (position, index) in window.iter().enumerate() {
            self.render_message(&mut text, position, *index, detail, painter);
        }
        text
    }

    fn render_message(
        &self,
        text: &mut ColouredText,
        position: usize,
        index: EntryIndex,
        detail: MessageDetail,
        painter: Painter,
    ) {
        let item = self.projector.entry_state(index);
        let mark = if position >= self.step.kept { '+' } else { ' ' };
        let line = message_summary::summarize_message(&self.record, index);
        let replaced = message_summary::replacement_suffix(&item.decision, item.tokens);
        let heading = painter.paint(OutputStyle::Name, &format!("{mark} {line}{replaced}"));
        if detail != MessageDetail::Headings {
            text.push_str("\n");
        }
        text.push(heading.append("\n"));
        let entry = self.record.entry(index);
        match (detail, item.decision.shape()) {
            (MessageDetail::Headings, _) => {}
            (MessageDetail::Diff, Some(shape)) => {
                text.push(diff_projection(&prompt_text::original_text(entry), shape, painter));
            }
            (MessageDetail::Text, Some(shape)) => {
                text.push(mark_own_words(&prompt_text::original_text(entry), shape, painter));
            }
            (MessageDetail::Text | MessageDetail::Diff, None) => {
                for line in prompt_text::projected_text(entry, item).split('\n') {
                    let _ = writeln!(text, "  {line}");
                }
            }
        }
    }
}

/// Returns the projected text, with foveal's own words marked by `~`.
fn mark_own_words(original: &str, shape: &MessageShape, painter: Painter) -> ColouredText {
    let mut text = ColouredText::default();
    let mut line = ColouredText::default();
    let mut noted = false;
    let mut end_line = |line: &mut ColouredText, noted: &mut bool| {
        text.push_str(if *noted { "~ " } else { "  " });
        text.push(std::mem::take(line).append("\n"));
        *noted = false;
    };
    for piece in &shape.pieces {
        let part = shape.piece_text(piece, original);
        let ours = !matches!(piece, ShapePiece::Keep(_));
        for (at, run) in part.split('\n').enumerate() {
            if at > 0 {
                end_line(&mut line, &mut noted);
            }
            if ours && !run.is_empty() {
                noted = true;
                line.push(paint_note(run, painter));
            } else {
                line.push_str(run);
            }
        }
    }
    end_line(&mut line, &mut noted);
    text
}

/// Returns a unified diff from the original to the projected text.
fn diff_projection(original: &str, shape: &MessageShape, painter: Painter) -> ColouredText {
    let projected = shape.render(original);
    let lines = TextDiff::from_lines(original, projected.as_str());
    let lines = lines.unified_diff().header("original", "projected").to_string();
    diff_view::paint_diff(&lines, painter)
}

/// Paints foveal's own words, in yellow.
fn paint_note(text: &str, painter: Painter) -> ColouredText {
    painter.paint_lines(OutputStyle::Note, text)
}

#[cfg(test)]
mod tests;
