//! Decodes the content of an answer while it streams.

use foveal_transcript::{ContentBlock, ToolCall};

use super::super::answer_metadata::{AnswerCompletion, AnswerMetadata};
use super::super::answer_reader::AnswerReader;
use super::super::sse::EventSplitter;
use super::decoded_event::DecodedEvent;
use super::decoded_parts::{DecodedParts, EventCallback};
use super::stop_reason::StopReason;
use crate::openai_chat::event_decoder::ChatStreamState;
use crate::prompt::ApiDialect;
use crate::{anthropic, openai_chat, openai_responses};

/// The decoded content of one answer.
#[derive(Debug, Clone, PartialEq)]
pub struct DecodedAnswer {
    /// The blocks in order. Readable reasoning precedes the [`ContentBlock::Opaque`] that has to go back
    /// in its place; [`encode_prompt`](crate::prompt::encode_prompt) puts that block into the next
    /// request unchanged.
    pub blocks: Vec<ContentBlock>,
    /// The stop reason.
    pub stop_reason: StopReason,
    /// Usage and completion.
    pub metadata: AnswerMetadata,
    /// Whether something was lost: an unreadable event, a call without an end, or content beyond
    /// the limits.
    pub is_broken: bool,
}

impl DecodedAnswer {
    /// Returns whether the answer is complete and without an error.
    pub fn is_complete(&self) -> bool {
        self.metadata.completion == AnswerCompletion::Complete
            && self.metadata.error.is_none()
            && !self.is_broken
    }

    /// Returns the calls in order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.blocks.iter().filter_map(|block| match block {
            ContentBlock::Call(call) => Some(call),
            ContentBlock::Text(_)
            | ContentBlock::Reasoning(_)
            | ContentBlock::Result(_)
            | ContentBlock::Opaque { .. } => None,
        })
    }

    /// Returns whether the answer has neither text nor calls.
    pub fn is_empty(&self) -> bool {
        let says = |block: &ContentBlock| match block {
            ContentBlock::Text(text) => !text.trim().is_empty(),
            ContentBlock::Call(_) => true,
            ContentBlock::Reasoning(_) | ContentBlock::Result(_) | ContentBlock::Opaque { .. } => {
                false
            }
        };
        !self.blocks.iter().any(says)
    }
}

/// Decodes one streamed answer. Accepts its bytes in any pieces; the events and the
/// [`DecodedAnswer`] do not depend on them.
#[derive(Debug)]
pub struct AnswerDecoder {
    dialect: ApiDialect,
    splitter: EventSplitter,
    metadata_reader: AnswerReader,
    parts: DecodedParts,
    chat_state: ChatStreamState,
    has_finished: bool,
}

impl AnswerDecoder {
    /// Creates a decoder for an answer with this `Content-Type` and HTTP status. `number` differs
    /// for each answer of a conversation; it is part of the ids of calls to which the server gives
    /// none.
    pub fn new(dialect: ApiDialect, content_type: Option<&str>, status: u16, number: u64) -> Self {
        Self {
            dialect,
            splitter: EventSplitter::default(),
            metadata_reader: AnswerReader::new(dialect.protocol(), content_type, status),
            parts: DecodedParts::new(number),
            chat_state: ChatStreamState::default(),
            has_finished: false,
        }
    }

    /// Reads the next bytes and emits their events.
    pub fn push(&mut self, bytes: &[u8], on_event: &mut dyn FnMut(DecodedEvent)) {
        self.metadata_reader.push(bytes);
        let Self { dialect, splitter, parts, chat_state: calls, has_finished: is_over, .. } = self;
        splitter.push(bytes, &mut |event| {
            *is_over |= decode_event(*dialect, parts, calls, event.data, on_event);
        });
        *is_over |= parts.is_full || splitter.skipped_count() > 0;
    }

    /// Returns whether the last event has come or a limit was exceeded; later bytes do not count.
    pub fn has_finished(&self) -> bool {
        self.has_finished
    }

    /// Ends the answer: no more bytes come, whatever the cause.
    pub fn finish(mut self, on_event: &mut dyn FnMut(DecodedEvent)) -> DecodedAnswer {
        let answer = self.metadata_reader.finish();
        let is_too_large = self.splitter.skipped_count() > 0;
        let (dialect, parts, calls) = (self.dialect, &mut self.parts, &mut self.chat_state);
        self.splitter.finish(&mut |event| {
            decode_event(dialect, parts, calls, event.data, on_event);
        });
        if self.dialect == ApiDialect::Chat {
            openai_chat::event_decoder::push_reasoning_details(&mut self.parts, &self.chat_state);
        }
        let is_broken = self.parts.is_broken || is_too_large;
        let (blocks, is_open) = self.parts.finish();
        let calls = blocks.iter().any(|block| matches!(block, ContentBlock::Call(_)));
        let stop =
            StopReason::from_provider_word(self.dialect, answer.stop_reason.as_deref(), calls);
        DecodedAnswer {
            blocks,
            stop_reason: stop,
            metadata: answer,
            is_broken: is_broken || is_open,
        }
    }
}

fn decode_event(
    dialect: ApiDialect,
    parts: &mut DecodedParts,
    calls: &mut ChatStreamState,
    data: &[u8],
    on_event: EventCallback<'_>,
) -> bool {
    if data.trim_ascii().is_empty() {
        return false;
    }
    match dialect {
        ApiDialect::Messages => anthropic::event_decoder::decode_event(parts, data, on_event),
        ApiDialect::Chat => openai_chat::event_decoder::decode_event(parts, calls, data, on_event),
        ApiDialect::Responses => {
            openai_responses::event_decoder::decode_event(parts, data, on_event)
        }
    }
}
