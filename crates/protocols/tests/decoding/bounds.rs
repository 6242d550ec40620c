//! Answers that never end or consist only of beginnings: the kept content is bounded, and they end
//! once they exceed the bounds.

use foveal_protocols::prompt::ApiDialect::{self, Chat, Messages, Responses};
use foveal_protocols::response::{
    AnswerDecoder, DECODED_BYTES_MAX, DECODED_PARTS_MAX, DecodedAnswer,
};
use serde_json::{Value, json};

/// Reads one event up to `times` times, until the answer is over. Returns how often it was read.
fn read_again(
    dialect: ApiDialect,
    times: usize,
    event: &dyn Fn(usize) -> Value,
) -> (DecodedAnswer, usize) {
    let mut reader = AnswerDecoder::new(dialect, Some("text/event-stream"), 200, 0);
    let mut count = 0;
    while count < times && !reader.has_finished() {
        reader.push(format!("data: {}\n\n", event(count)).as_bytes(), &mut |_| {});
        count += 1;
    }
    (reader.finish(&mut |_| {}), count)
}

/// Checks that an answer of such events is over after `most` of them, within the bounds.
fn check(dialect: ApiDialect, most: usize, event: &dyn Fn(usize) -> Value) {
    let (said, count) = read_again(dialect, most + 2, event);
    assert!(count <= most + 1, "{dialect:?}: {count} of {most}");
    assert!(said.is_broken && !said.is_complete());
    assert!(said.blocks.len() <= DECODED_PARTS_MAX, "{dialect:?}: {}", said.blocks.len());
}

#[test]
fn parts_without_a_word_fill_an_answer_too() {
    let chat = |at| {
        let call = json!({"index": at, "function": {"name": "x", "arguments": ""}});
        json!({"choices": [{"delta": {"tool_calls": [call]}}]})
    };
    check(Chat, DECODED_PARTS_MAX, &chat);
    for block in [json!({"type": "tool_use"}), json!({"type": "other"})] {
        let event =
            |at| json!({"type": "content_block_start", "index": at, "content_block": block});
        check(Messages, DECODED_PARTS_MAX, &event);
    }
    let text = |at| {
        let delta = json!({"type": "text_delta", "text": "a"});
        json!({"type": "content_block_delta", "index": at, "delta": delta})
    };
    check(Messages, DECODED_PARTS_MAX, &text);
    let item = |at| {
        let item = json!({"type": "function_call"});
        json!({"type": "response.output_item.added", "output_index": at, "item": item})
    };
    check(Responses, DECODED_PARTS_MAX, &item);
    let item = |at| {
        let item = json!({"type": "reasoning"});
        json!({"type": "response.output_item.done", "output_index": at, "item": item})
    };
    check(Responses, DECODED_PARTS_MAX, &item);
}

#[test]
fn what_is_no_word_fills_an_answer_too() {
    let long = "a".repeat(1 << 20);
    let most = DECODED_BYTES_MAX >> 20;
    // Reasoning that has to go back, ids, and arguments of one call.
    let detail = |_| {
        let detail = json!({"type": "reasoning.encrypted", "data": long});
        json!({"choices": [{"delta": {"reasoning_details": [detail]}}]})
    };
    check(Chat, most, &detail);
    let id = |at| {
        let call = json!({"index": at, "id": format!("{at}{long}"), "function": {"name": "x"}});
        json!({"choices": [{"delta": {"tool_calls": [call]}}]})
    };
    check(Chat, most, &id);
    let arguments = |at| {
        if at == 0 {
            let block = json!({"type": "tool_use", "id": "a", "name": "x"});
            return json!({"type": "content_block_start", "index": 0, "content_block": block});
        }
        let delta = json!({"type": "input_json_delta", "partial_json": long});
        json!({"type": "content_block_delta", "index": 0, "delta": delta})
    };
    check(Messages, most + 1, &arguments);
}

#[test]
fn an_event_that_is_too_large_ends_an_answer() {
    let mut reader = AnswerDecoder::new(Chat, None, 200, 0);
    let line = format!("data: {}\n\n", "[".repeat(9 << 20));
    reader.push(line.as_bytes(), &mut |_| {});
    assert!(reader.has_finished() && reader.finish(&mut |_| {}).is_broken);
}
