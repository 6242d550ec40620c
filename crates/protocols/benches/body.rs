//! The gateway's first work on each request: scan the body, compute the fingerprints of its
//! messages, and decode the new ones.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use foveal_protocols::Protocol;
use foveal_protocols::request_body::{EncodedString, RequestBody, splice};

/// Returns a body of about this size: tools, and turns that each read 8 kB of code. The last block
/// has a mark, as with Claude Code.
fn body(bytes: usize) -> Vec<u8> {
    let line = "    let value = table.get(&key).map_or(\"none\", |row| row.name()); // kept\n";
    let code: String = (1..=110).map(|at| format!("{at:>6}\t{line}")).collect();
    let property = serde_json::json!({"type": "string", "description": "What it is.".repeat(8)});
    let tools: Vec<_> = (0..40)
        .map(|at| {
            serde_json::json!({"name": format!("tool_{at}"), "description": line.repeat(8),
                "input_schema": {"type": "object", "properties": {"a": property, "b": property}}})
        })
        .collect();
    let mut messages = vec![serde_json::json!({"role": "user", "content": "do it"})];
    for at in 0..bytes / (code.len() * 11 / 10) {
        let id = format!("toolu_{at}");
        messages.push(serde_json::json!({"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm", "signature": "c2ln".repeat(90)},
            {"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": "src/a.rs"}}]}));
        messages.push(serde_json::json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": code}]}));
    }
    if let Some(last) = messages.last_mut() {
        last["content"][0]["cache_control"] = serde_json::json!({"type": "ephemeral"});
    }
    let body = serde_json::json!({"model": "claude", "tools": tools, "messages": messages});
    serde_json::to_vec(&body).expect("a value is JSON")
}

fn bodies(criterion: &mut Criterion) {
    for (name, size) in [("1 MB", 1_000_000), ("10 MB", 10_000_000)] {
        let bytes = body(size);
        let scanned = RequestBody::scan(Protocol::Messages, &bytes).expect("it is a body");
        let mut group = criterion.benchmark_group(name);
        group.sample_size(20).throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function("scan", |bencher| {
            bencher.iter(|| {
                black_box(RequestBody::scan(Protocol::Messages, black_box(&bytes)).is_ok())
            });
        });
        let history = std::sync::Arc::new(scanned.to_history(&bytes));
        group.bench_function("scan of what is known but for its last message", |bencher| {
            let mut next = bytes.clone();
            // The mark moves to the last block.
            let mark = memchr::memmem::rfind(&next, b",\"cache_control\"").expect("a mark");
            let end = mark + next[mark..].iter().position(|byte| *byte == b'}').expect("its end");
            next.drain(mark..=end);
            bencher.iter(|| {
                let known = |_| vec![std::sync::Arc::clone(&history)];
                let (_, alike) = RequestBody::scan_after(Protocol::Messages, &next, known)
                    .expect("it is a body");
                black_box(alike.map(|alike| alike.messages))
            });
        });
        group.bench_function("fingerprint of each message", |bencher| {
            let messages = 0..scanned.messages.len();
            bencher.iter(|| {
                messages.clone().for_each(|at| {
                    black_box(scanned.message_fingerprint(&bytes, at));
                });
            });
        });
        group.bench_function("fingerprint of all messages", |bencher| {
            let messages = scanned.messages.len();
            bencher.iter(|| black_box(scanned.prefix_fingerprint(&bytes, messages)));
        });
        group.bench_function("all messages decoded", |bencher| {
            let messages = 0..scanned.messages.len();
            bencher.iter(|| {
                messages.clone().for_each(|at| {
                    black_box(scanned.decode_message(&bytes, at).is_ok());
                });
            });
        });
        let mut replaced = Vec::new();
        for (at, place) in scanned.messages.iter().enumerate() {
            let message = scanned.decode_message(&bytes, at).expect("it is a message");
            let slots = message.slots.into_iter();
            replaced.extend(slots.map(|slot| {
                let place = place.start + slot.string.start..place.start + slot.string.end;
                (place, EncodedString::new("[shown above]", slot.encoding))
            }));
        }
        group.bench_function("splice of each result", |bencher| {
            bencher.iter(|| black_box(splice(&bytes, &replaced)));
        });
        group.finish();
    }
}

criterion_group!(benches, bodies);
criterion_main!(benches);
