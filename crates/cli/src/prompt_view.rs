//! The prompt of one request for people: every message with what was decided about it.

use std::fmt::Write as _;
use std::sync::Arc;

use foveal_code::views::CuratedViews;
use foveal_context::prices::{Constraints, PriceCard};
use foveal_context::profile::Profile;
use foveal_context::projector::Projector;
use foveal_context::record::Record;
use foveal_context::shape::{Piece, Shape};
use foveal_context::step::Step;
use foveal_context::tokens::{Tokenizer, Tokens};
use foveal_replay::run::request_time;
use foveal_screen::in_one_line;
use foveal_transcript::{Conversation, EntryIndex};
use similar::TextDiff;

use crate::colour::{Painter, Style};
use crate::shown::Shown;
use crate::{diff, listing, numbers, prompt};

/// How much of each message is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// The heading alone.
    Headings,
    /// The text.
    Text,
    /// The text; of what was replaced, the difference to the original.
    Diff,
}

/// One planned request.
pub(crate) struct PromptView {
    record: Record,
    projector: Projector,
    step: Step,
    turn: u32,
}

impl PromptView {
    /// Plans the requests of `conversation` up to the `turn`-th, counted from 1; `None` if
    /// there are fewer.
    pub(crate) fn of(
        conversation: Conversation,
        turn: u32,
        profile: &Profile,
        prices: &PriceCard,
        tokenizer: Tokenizer,
        constraints: Constraints,
    ) -> Option<Self> {
        let record = Record::of(conversation, tokenizer);
        let projector = profile.start(prices).with_constraints(constraints);
        let mut projector = projector.with_views(Arc::new(CuratedViews::default()));
        let mut last = None;
        for answer in record.conversation().responses().take(turn as usize) {
            let time = request_time(record.conversation(), answer);
            last = Some(projector.advance(&record, answer, time));
        }
        let enough = record.conversation().responses().count() >= turn as usize;
        let step = last.filter(|_| enough)?;
        Some(Self { record, projector, step, turn })
    }

    /// The view as text.
    pub(crate) fn render(&self, profile: &Profile, detail: Detail, painter: Painter) -> Shown {
        let window = self.projector.window();
        let raw: Tokens = window.iter().map(|index| self.record.facts(*index).tokens).sum();
        let sent: Tokens = window.iter().map(|index| self.projector.item(*index).tokens).sum();
        let heading = format!(
            "request {} of {} with `{}`: {} in {}, {}t instead of {}t\n",
            self.turn,
            self.record.conversation().responses().count(),
            profile.name,
            numbers::plural(window.len() as u64, "message"),
            in_one_line(&self.record.conversation().id),
            numbers::tokens(sent),
            numbers::tokens(raw),
        );
        let mut text = Shown::from(heading);
        if let Some(reason) = self.step.rewrite {
            let _ = writeln!(text, "results sent before were changed here: {}", reason.words());
        }
        text.push_str("+ not read from the cache   ~ foveal's words in place of the original\n");
        for (position, index) in window.iter().enumerate() {
            self.message(&mut text, position, *index, detail, painter);
        }
        text
    }

    fn message(
        &self,
        text: &mut Shown,
        position: usize,
        index: EntryIndex,
        detail: Detail,
        painter: Painter,
    ) {
        let item = self.projector.item(index);
        let mark = if position >= self.step.kept { '+' } else { ' ' };
        let line = listing::line(&self.record, index);
        let replaced = listing::replacement(&item.decision, item.tokens);
        let heading = painter.paint(Style::Name, &format!("{mark} {line}{replaced}"));
        if detail != Detail::Headings {
            text.push_str("\n");
        }
        text.push(heading.and("\n"));
        let entry = self.record.entry(index);
        match (detail, item.decision.shape()) {
            (Detail::Headings, _) => {}
            (Detail::Diff, Some(shape)) => {
                text.push(difference(&prompt::original(entry), shape, painter));
            }
            (Detail::Text, Some(shape)) => {
                text.push(marked(&prompt::original(entry), shape, painter));
            }
            (Detail::Text | Detail::Diff, None) => {
                for line in prompt::text(entry, item).split('\n') {
                    let _ = writeln!(text, "  {line}");
                }
            }
        }
    }
}

/// The projected text, lines with words of ours marked by `~`.
fn marked(original: &str, shape: &Shape, painter: Painter) -> Shown {
    let mut text = Shown::default();
    let mut line = Shown::default();
    let mut noted = false;
    let mut end_line = |line: &mut Shown, noted: &mut bool| {
        text.push_str(if *noted { "~ " } else { "  " });
        text.push(std::mem::take(line).and("\n"));
        *noted = false;
    };
    for piece in &shape.pieces {
        let part = shape.text_of(piece, original);
        let ours = !matches!(piece, Piece::Keep(_));
        for (at, run) in part.split('\n').enumerate() {
            if at > 0 {
                end_line(&mut line, &mut noted);
            }
            if ours && !run.is_empty() {
                noted = true;
                line.push(note(run, painter));
            } else {
                line.push_str(run);
            }
        }
    }
    end_line(&mut line, &mut noted);
    text
}

/// A unified diff from the original to the projected text.
fn difference(original: &str, shape: &Shape, painter: Painter) -> Shown {
    let projected = shape.render(original);
    let lines = TextDiff::from_lines(original, projected.as_str());
    let lines = lines.unified_diff().header("original", "projected").to_string();
    diff::painted(&lines, painter)
}

/// Words of foveal's own, in yellow.
fn note(text: &str, painter: Painter) -> Shown {
    painter.in_lines(Style::Note, text)
}

#[cfg(test)]
mod tests;
