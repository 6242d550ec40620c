//! Generated answers with hand-written encodings for the three dialects.

use foveal_protocols::prompt::{ApiDialect, encode_prompt};
use foveal_protocols::response::{AnswerDecoder, DecodedAnswer, DecodedEvent, StopReason};
use foveal_transcript::{ContentBlock, MessageRole, ToolCall};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::prompt::entries::entry;
use crate::prompt::generated::{decoded, prompt};

pub(crate) const STREAM: Option<&str> = Some("text/event-stream");

/// An answer before it is encoded for a protocol.
#[derive(Debug, Clone)]
struct Spoken {
    reasoning: Vec<String>,
    texts: Vec<String>,
    calls: Vec<(String, Value, usize)>,
}

fn any_spoken() -> impl Strategy<Value = Spoken> {
    let piece = || "[a-z\"\\\\\n{}:, é🦀]{0,8}[a-z]";
    let arguments = prop::collection::btree_map("[a-z]{1,4}", piece(), 0..3);
    let call = ("[a-z_]{1,8}", arguments, 1usize..9);
    let call = call.prop_map(|(name, arguments, size)| (name, json!(arguments), size));
    let pieces = move || prop::collection::vec(piece(), 0..4);
    (pieces(), pieces(), prop::collection::vec(call, 0..4))
        .prop_map(|(reasoning, texts, calls)| Spoken { reasoning, texts, calls })
}

/// Arguments as they stream.
fn pieces(arguments: &Value, size: usize) -> Vec<String> {
    let spelled: Vec<char> = arguments.to_string().chars().collect();
    spelled.chunks(size).map(|piece| piece.iter().collect()).collect()
}

fn id(at: usize) -> String {
    format!("call_{at}")
}

impl Spoken {
    fn events(&self, dialect: ApiDialect) -> Vec<Value> {
        match dialect {
            ApiDialect::Messages => self.messages(),
            ApiDialect::Chat => self.chat(),
            ApiDialect::Responses => self.responses(),
        }
    }

    fn stream(&self, dialect: ApiDialect) -> Vec<u8> {
        let mut stream = String::new();
        for event in self.events(dialect) {
            if let Some(name) = event["type"].as_str() {
                stream.push_str(&format!("event: {name}\n"));
            }
            stream.push_str(&format!("data: {event}\n\n"));
        }
        if dialect == ApiDialect::Chat {
            stream.push_str("data: [DONE]\n\n");
        }
        stream.into_bytes()
    }

    fn messages(&self) -> Vec<Value> {
        let usage = json!({"input_tokens": 5, "output_tokens": 1});
        let message = json!({"id": "m", "model": "x", "usage": usage});
        let mut events = vec![json!({"type": "message_start", "message": message})];
        let mut index = 0;
        let mut block = |start: Value, deltas: Vec<Value>| {
            events.push(
                json!({"type": "content_block_start", "index": index, "content_block": start}),
            );
            events.extend(deltas.into_iter().map(
                |delta| json!({"type": "content_block_delta", "index": index, "delta": delta}),
            ));
            events.push(json!({"type": "content_block_stop", "index": index}));
            index += 1;
        };
        if !self.reasoning.is_empty() {
            let deltas = self.reasoning.iter();
            let mut deltas: Vec<Value> =
                deltas.map(|piece| json!({"type": "thinking_delta", "thinking": piece})).collect();
            deltas.push(json!({"type": "signature_delta", "signature": "sig"}));
            deltas.push(json!({"type": "signature_delta", "signature": "=="}));
            block(json!({"type": "thinking", "thinking": "", "signature": ""}), deltas);
        }
        if !self.texts.is_empty() {
            let deltas = self.texts.iter();
            let deltas = deltas.map(|piece| json!({"type": "text_delta", "text": piece})).collect();
            block(json!({"type": "text", "text": ""}), deltas);
        }
        for (at, (name, arguments, size)) in self.calls.iter().enumerate() {
            let deltas = pieces(arguments, *size).into_iter();
            let deltas = deltas
                .map(|piece| json!({"type": "input_json_delta", "partial_json": piece}))
                .collect();
            block(json!({"type": "tool_use", "id": id(at), "name": name, "input": {}}), deltas);
        }
        let reason = if self.calls.is_empty() { "end_turn" } else { "tool_use" };
        let usage = json!({"output_tokens": 9});
        events.push(
            json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}),
        );
        events.push(json!({"type": "message_stop"}));
        events
    }

    fn chat(&self) -> Vec<Value> {
        let chunk = |delta: Value, reason: Value| json!({"id": "m", "model": "x", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]});
        let delta = |delta: Value| chunk(delta, Value::Null);
        let mut events = vec![delta(json!({"role": "assistant", "content": ""}))];
        events.extend(self.reasoning.iter().map(|it| delta(json!({"reasoning_content": it}))));
        events.extend(self.texts.iter().map(|piece| delta(json!({"content": piece}))));
        for (at, (name, arguments, size)) in self.calls.iter().enumerate() {
            let function = json!({"name": name, "arguments": ""});
            let call = json!({"index": at, "id": id(at), "type": "function", "function": function});
            events.push(delta(json!({"tool_calls": [call]})));
            events.extend(pieces(arguments, *size).into_iter().map(|piece| {
                delta(json!({"tool_calls": [{"index": at, "function": {"arguments": piece}}]}))
            }));
        }
        let reason = if self.calls.is_empty() { "stop" } else { "tool_calls" };
        events.push(chunk(json!({}), json!(reason)));
        events.push(json!({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 9}}));
        events
    }

    fn responses(&self) -> Vec<Value> {
        let mut events =
            vec![json!({"type": "response.created", "response": {"id": "m", "model": "x"}})];
        let mut index = 0;
        let mut item = |item: Value, deltas: Vec<Value>| {
            events.push(
                json!({"type": "response.output_item.added", "output_index": index, "item": item}),
            );
            for mut delta in deltas {
                delta["output_index"] = json!(index);
                events.push(delta);
            }
            events.push(
                json!({"type": "response.output_item.done", "output_index": index, "item": item}),
            );
            index += 1;
        };
        if !self.reasoning.is_empty() {
            let kind = "response.reasoning_summary_text.delta";
            let deltas = self.reasoning.iter().map(|it| json!({"type": kind, "delta": it}));
            let text = json!({"type": "summary_text", "text": self.reasoning.concat()});
            let reasoning = json!({"type": "reasoning", "id": "rs", "summary": [text], "encrypted_content": "e"});
            item(reasoning, deltas.collect());
        }
        if !self.texts.is_empty() {
            let kind = "response.output_text.delta";
            let deltas = self.texts.iter().map(|it| json!({"type": kind, "delta": it})).collect();
            let part = json!({"type": "output_text", "text": self.texts.concat()});
            item(json!({"type": "message", "role": "assistant", "content": [part]}), deltas);
        }
        for (at, (name, arguments, size)) in self.calls.iter().enumerate() {
            let kind = "response.function_call_arguments.delta";
            let deltas = pieces(arguments, *size).into_iter();
            let deltas = deltas.map(|piece| json!({"type": kind, "delta": piece})).collect();
            let spelled = arguments.to_string();
            item(
                json!({"type": "function_call", "call_id": id(at), "name": name, "arguments": spelled}),
                deltas,
            );
        }
        let usage = json!({"input_tokens": 5, "output_tokens": 9});
        let response = json!({"id": "m", "model": "x", "status": "completed", "usage": usage});
        events.push(json!({"type": "response.completed", "response": response}));
        events
    }

    /// Returns the readable content.
    fn blocks(&self) -> Vec<ContentBlock> {
        let mut blocks = Vec::new();
        if !self.reasoning.is_empty() {
            blocks.push(ContentBlock::Reasoning(self.reasoning.concat()));
        }
        if !self.texts.is_empty() {
            blocks.push(ContentBlock::Text(self.texts.concat()));
        }
        blocks.extend(self.calls.iter().enumerate().map(|(at, (name, arguments, _))| {
            let (name, arguments) = (name.clone(), arguments.clone());
            ContentBlock::Call(ToolCall { id: id(at), name, arguments })
        }));
        blocks
    }
}

pub(crate) fn read(
    dialect: ApiDialect,
    stream: &[u8],
    sizes: &[usize],
) -> (Vec<DecodedEvent>, DecodedAnswer) {
    let mut reader = AnswerDecoder::new(dialect, STREAM, 200, 7);
    let mut events = Vec::new();
    let (mut rest, mut sizes) = (stream, sizes.iter().cycle());
    while !rest.is_empty() {
        let size = sizes.next().map_or(rest.len(), |size| rest.len().min(*size));
        reader.push(&rest[..size], &mut |event| events.push(event));
        rest = &rest[size..];
    }
    let said = reader.finish(&mut |event| events.push(event));
    (events, said)
}

/// Returns the blocks that people can read.
fn readable(blocks: &[ContentBlock]) -> Vec<ContentBlock> {
    blocks.iter().filter(|block| !matches!(block, ContentBlock::Opaque { .. })).cloned().collect()
}

/// The id of a call, its tool, and the text of its arguments.
type Spelled = (String, String, String);

/// Returns the joined content of the events.
fn together(events: &[DecodedEvent]) -> (String, String, Vec<Spelled>, Vec<ToolCall>) {
    let (mut text, mut reasoning) = (String::new(), String::new());
    let (mut spelled, mut calls) = (Vec::<Spelled>::new(), Vec::new());
    for event in events {
        match event {
            DecodedEvent::Text(piece) => text.push_str(piece),
            DecodedEvent::Reasoning(piece) => reasoning.push_str(piece),
            DecodedEvent::CallStart { id, name } => {
                spelled.push((id.clone(), name.clone(), String::new()));
            }
            DecodedEvent::CallArguments { id, piece } => {
                let call = spelled.iter_mut().find(|(at, _, _)| at == id).expect("it began");
                call.2.push_str(piece);
            }
            DecodedEvent::CallEnd(call) => calls.push(call.clone()),
        }
    }
    (text, reasoning, spelled, calls)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_pieces_say_the_same(
        spoken in any_spoken(),
        sizes in prop::collection::vec(1usize..60, 1..5),
    ) {
        for dialect in ApiDialect::ALL {
            let stream = spoken.stream(dialect);
            let (whole, said) = read(dialect, &stream, &[]);
            prop_assert!(said.is_complete(), "{:?} {:?}", dialect, said);
            prop_assert_eq!(readable(&said.blocks), spoken.blocks(), "{:?}", dialect);
            let is_calling = !spoken.calls.is_empty();
            let stop = if is_calling { StopReason::ToolCalls } else { StopReason::EndOfTurn };
            prop_assert_eq!(&said.stop_reason, &stop);
            prop_assert_eq!(said.metadata.billed.prompt_tokens(), Some(5));
            prop_assert_eq!(said.metadata.billed.output, Some(9));
            prop_assert_eq!(read(dialect, &stream, &sizes), (whole.clone(), said));
            // The events have the same content as the decoded answer.
            let (text, reasoning, spelled, calls) = together(&whole);
            prop_assert_eq!(text, spoken.texts.concat());
            prop_assert_eq!(reasoning, spoken.reasoning.concat());
            let arguments = spelled.iter().map(|(id, name, spelled)| ToolCall {
                id: id.clone(), name: name.clone(),
                arguments: serde_json::from_str(spelled).expect("JSON"),
            });
            prop_assert_eq!(arguments.collect::<Vec<_>>(), calls);
        }
    }

    /// A decoded answer goes back to the model and is read there as the same content.
    #[test]
    fn what_was_said_goes_back(spoken in any_spoken()) {
        for dialect in ApiDialect::ALL {
            let (_, said) = read(dialect, &spoken.stream(dialect), &[]);
            if said.is_empty() {
                continue;
            }
            let entries = [
                entry(MessageRole::User, vec![ContentBlock::Text("go".to_owned())]),
                entry(MessageRole::Assistant, said.blocks.clone()),
            ];
            let read = decoded(dialect, &encode_prompt(dialect, &prompt(&entries, &[])));
            // Chat has no field for reasoning that goes back to any server.
            let mut expected = spoken.blocks();
            expected.retain(|it| dialect != ApiDialect::Chat || !matches!(it, ContentBlock::Reasoning(_)));
            prop_assert_eq!(&read[1].blocks, &expected, "{:?}", dialect);
        }
    }

    /// A truncated answer has no more than the received content, and does not count as complete.
    #[test]
    fn a_cut_answer_is_no_whole_one(spoken in any_spoken(), cut in 0.0..1.0f64) {
        for dialect in ApiDialect::ALL {
            let stream = spoken.stream(dialect);
            let (whole, said) = read(dialect, &stream, &[]);
            let at = (stream.len() as f64 * cut) as usize;
            let (events, short) = read(dialect, &stream[..at], &[]);
            let complete = said.calls().count();
            prop_assert!(short.calls().count() <= complete);
            let (text, _, _, calls) = together(&events);
            let (all, _, _, every) = together(&whole);
            prop_assert!(all.starts_with(&text));
            prop_assert!(every.starts_with(&calls), "{:?} {:?}", every, calls);
            if short.is_complete() {
                prop_assert_eq!(short.blocks, said.blocks);
            }
        }
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), size in 1usize..50) {
        for dialect in ApiDialect::ALL {
            read(dialect, &bytes, &[size]);
        }
    }

    /// Events of any JSON, also of parts that never began.
    #[test]
    fn no_event_makes_it_panic(events in prop::collection::vec((0usize..30, 0usize..9), 0..12)) {
        let spoken = Spoken {
            reasoning: vec!["r".to_owned()],
            texts: vec!["t".to_owned()],
            calls: vec![("a".to_owned(), json!({"k": "v"}), 3), ("b".to_owned(), json!({}), 2)],
        };
        for dialect in ApiDialect::ALL {
            let known = spoken.events(dialect);
            let mut stream = String::new();
            for (at, cut) in &events {
                let event = known[at % known.len()].to_string();
                let end = if *cut == 0 { event.len() / 2 } else { event.len() };
                stream.push_str(&format!("data: {}\n\n", &event[..event.floor_char_boundary(end)]));
            }
            let (events, said) = read(dialect, stream.as_bytes(), &[]);
            let sorted = |mut calls: Vec<ToolCall>| {
                calls.sort_by(|one, other| one.id.cmp(&other.id));
                calls.dedup_by(|one, other| one.id == other.id);
                calls
            };
            let (told, kept) = (together(&events).3, said.calls().cloned().collect::<Vec<_>>());
            prop_assert_eq!(sorted(told).len(), kept.len(), "an id is not used twice");
            prop_assert_eq!(sorted(together(&events).3), sorted(kept));
        }
    }
}
