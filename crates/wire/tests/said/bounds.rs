//! Answers that never end, or are made of nothing but beginnings: what is kept of them is bounded,
//! and they are over once more came than is kept.

use foveal_wire::prompt::Dialect::{self, Chat, Messages, Responses};
use foveal_wire::response::{SAID_BYTES_MAX, SAID_PARTS_MAX, Said, SaidReader};
use serde_json::{Value, json};

/// Reads one event again and again, `times` times at most, until the answer is over; and how often
/// it was read.
fn read_again(dialect: Dialect, times: usize, event: &dyn Fn(usize) -> Value) -> (Said, usize) {
    let mut reader = SaidReader::new(dialect, Some("text/event-stream"), 200, 0);
    let mut count = 0;
    while count < times && !reader.is_over() {
        reader.push(format!("data: {}\n\n", event(count)).as_bytes(), &mut |_| {});
        count += 1;
    }
    (reader.finish(&mut |_| {}), count)
}

/// Checks that an answer of such events is over after `most` of them, with no more than is kept.
fn check(dialect: Dialect, most: usize, event: &dyn Fn(usize) -> Value) {
    let (said, count) = read_again(dialect, most + 2, event);
    assert!(count <= most + 1, "{dialect:?}: {count} of {most}");
    assert!(said.is_broken && !said.is_whole());
    assert!(said.blocks.len() <= SAID_PARTS_MAX, "{dialect:?}: {}", said.blocks.len());
}

#[test]
fn parts_without_a_word_fill_an_answer_too() {
    let chat = |at| {
        let call = json!({"index": at, "function": {"name": "x", "arguments": ""}});
        json!({"choices": [{"delta": {"tool_calls": [call]}}]})
    };
    check(Chat, SAID_PARTS_MAX, &chat);
    for block in [json!({"type": "tool_use"}), json!({"type": "other"})] {
        let event =
            |at| json!({"type": "content_block_start", "index": at, "content_block": block});
        check(Messages, SAID_PARTS_MAX, &event);
    }
    let text = |at| {
        let delta = json!({"type": "text_delta", "text": "a"});
        json!({"type": "content_block_delta", "index": at, "delta": delta})
    };
    check(Messages, SAID_PARTS_MAX, &text);
    let item = |at| {
        let item = json!({"type": "function_call"});
        json!({"type": "response.output_item.added", "output_index": at, "item": item})
    };
    check(Responses, SAID_PARTS_MAX, &item);
    let item = |at| {
        let item = json!({"type": "reasoning"});
        json!({"type": "response.output_item.done", "output_index": at, "item": item})
    };
    check(Responses, SAID_PARTS_MAX, &item);
}

#[test]
fn what_is_no_word_fills_an_answer_too() {
    let long = "a".repeat(1 << 20);
    let most = SAID_BYTES_MAX >> 20;
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
    let mut reader = SaidReader::new(Chat, None, 200, 0);
    let line = format!("data: {}\n\n", "[".repeat(9 << 20));
    reader.push(line.as_bytes(), &mut |_| {});
    assert!(reader.is_over() && reader.finish(&mut |_| {}).is_broken);
}
