//! Reads what a model says while its answer streams.

use foveal_transcript::{Block, Call};

use super::super::answer::{Answer, End};
use super::super::reader::AnswerReader;
use super::super::sse::EventSplitter;
use super::chat::{self, Calls};
use super::event::SaidEvent;
use super::parts::{OnEvent, Parts};
use super::stop::StopReason;
use super::{messages, responses};
use crate::prompt::Dialect;

/// What a model said in one answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// What it said, in order. Reasoning that can be read stands in front of what has to go back
    /// in its place: a [`Block::Opaque`] that [`encode`](crate::prompt::encode) puts into the next
    /// request as it came.
    pub blocks: Vec<Block>,
    /// Why it stopped.
    pub stop: StopReason,
    /// What was billed, and how the answer ended.
    pub answer: Answer,
    /// Whether something was lost on the way: an event that could not be read, a call without its
    /// end, or more than is kept.
    pub is_broken: bool,
}

impl Said {
    /// Whether all of it came, without an error.
    pub fn is_whole(&self) -> bool {
        self.answer.ended == End::Whole && self.answer.error.is_none() && !self.is_broken
    }

    /// Its calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Call(call) => Some(call),
            Block::Text(_) | Block::Reasoning(_) | Block::Result(_) | Block::Opaque { .. } => None,
        })
    }

    /// Whether it says nothing: no text and no call.
    pub fn is_empty(&self) -> bool {
        let says = |block: &Block| match block {
            Block::Text(text) => !text.trim().is_empty(),
            Block::Call(_) => true,
            Block::Reasoning(_) | Block::Result(_) | Block::Opaque { .. } => false,
        };
        !self.blocks.iter().any(says)
    }
}

/// Reads one streamed answer. Takes its bytes in any pieces; the events and what was
/// [`Said`] are the same.
#[derive(Debug)]
pub struct SaidReader {
    dialect: Dialect,
    splitter: EventSplitter,
    answer: AnswerReader,
    parts: Parts,
    calls: Calls,
    is_over: bool,
}

impl SaidReader {
    /// A reader for an answer with this `Content-Type` and HTTP status. `number` is another one for
    /// each answer of a conversation: it stands in the ids of calls to which the server gives none.
    pub fn new(dialect: Dialect, content_type: Option<&str>, status: u16, number: u64) -> Self {
        Self {
            dialect,
            splitter: EventSplitter::default(),
            answer: AnswerReader::new(dialect.protocol(), content_type, status),
            parts: Parts::new(number),
            calls: Calls::default(),
            is_over: false,
        }
    }

    /// Takes the next bytes and tells what they bring.
    pub fn push(&mut self, bytes: &[u8], on_event: &mut dyn FnMut(SaidEvent)) {
        self.answer.push(bytes);
        let Self { dialect, splitter, parts, calls, is_over, .. } = self;
        splitter.push(bytes, &mut |event| {
            *is_over |= take(*dialect, (parts, calls), event.data, on_event);
        });
        *is_over |= parts.is_full || splitter.skipped() > 0;
    }

    /// Whether the last event has come, or more than is kept: nothing behind it counts.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Ends the answer: no more bytes come, for whatever reason.
    pub fn finish(mut self, on_event: &mut dyn FnMut(SaidEvent)) -> Said {
        let answer = self.answer.finish();
        let is_too_large = self.splitter.skipped() > 0;
        let (dialect, parts, calls) = (self.dialect, &mut self.parts, &mut self.calls);
        self.splitter.finish(&mut |event| {
            take(dialect, (parts, calls), event.data, on_event);
        });
        if self.dialect == Dialect::Chat {
            chat::end(&mut self.parts, &self.calls);
        }
        let is_broken = self.parts.is_broken || is_too_large;
        let (blocks, is_open) = self.parts.finish();
        let calls = blocks.iter().any(|block| matches!(block, Block::Call(_)));
        let stop = StopReason::of(self.dialect, answer.stop_reason.as_deref(), calls);
        Said { blocks, stop, answer, is_broken: is_broken || is_open }
    }
}

fn take(
    dialect: Dialect,
    (parts, calls): (&mut Parts, &mut Calls),
    data: &[u8],
    on_event: OnEvent<'_>,
) -> bool {
    if data.trim_ascii().is_empty() {
        return false;
    }
    match dialect {
        Dialect::Messages => messages::event(parts, data, on_event),
        Dialect::Chat => chat::event(parts, calls, data, on_event),
        Dialect::Responses => responses::event(parts, data, on_event),
    }
}
