//! Benchmarks of storing and reading: `cargo bench -p foveal-store --bench store`.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use foveal_redaction::find_secrets;
use foveal_store::{
    CallChanges, CallNumber, CallStore, ContentStore, RecentCall, SessionId, SessionLogStore,
    SessionMetadata, SessionStore, SqliteStore,
};
use foveal_transcript::Timestamp;
use serde_json::json;

const NOW: Timestamp = Timestamp(1);

/// Returns a source file of about `bytes`, different for each `number`.
fn source(number: u64, bytes: usize) -> String {
    let mut text = format!("//! Module {number}.\n\n");
    let mut line = 0_u64;
    while text.len() < bytes {
        let name = blake3::hash(&(number << 32 | line).to_le_bytes()).to_hex();
        text.push_str(&format!(
            "/// Looks up the password of user {line}.\npub fn find_{}(users: &Users, key: &str) \
             -> Option<Secret> {{\n    users.get(key, {line})\n}}\n\n",
            &name[..8]
        ));
        line += 1;
    }
    text
}

fn store(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = SqliteStore::open(&folder.path().join("store.db")).expect("it opens");
    let session = SessionId("bench".into());
    store.open_session(&session, &SessionMetadata::default(), NOW).expect("a session");

    let event = json!({"call": {"tool": "grep", "pattern": "fn main", "path": "src"},
                       "result": "0123456789ab", "cached": false, "decision": "keep"});
    c.bench_function("append one event", |b| {
        b.iter(|| store.append_record(&session, &event, NOW).expect("a record"));
    });
    let mut number = 0;
    c.bench_function("keep one more of 50 calls", |b| {
        b.iter(|| {
            number += 1;
            let call = RecentCall { number: CallNumber(number), payload: event.clone() };
            let remaining = (number.saturating_sub(49)..=number).map(CallNumber).collect();
            let state = Some(json!({"answered": [], "calls": number}));
            let changes = CallChanges { state, calls: vec![call], remaining };
            store.update_calls(&session, &changes, NOW).expect("they are kept");
        });
    });
    for (name, bytes) in [("1 kB", 1_000), ("10 kB", 10_000), ("100 kB", 100_000)] {
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Bytes(bytes as u64));
        let mut number = 0;
        group.bench_function("put new", |b| {
            b.iter_batched(
                || {
                    number += 1;
                    source(number, bytes)
                },
                |text| {
                    store.put_content(Some(&session), text.as_bytes(), NOW).expect("it is stored")
                },
                criterion::BatchSize::SmallInput,
            );
        });
        let text = source(0, bytes);
        let handle = store.put_content(None, text.as_bytes(), NOW).expect("it is stored").handle;
        group.bench_function("put known", |b| {
            b.iter(|| {
                store.put_content(Some(&session), text.as_bytes(), NOW).expect("it is stored")
            });
        });
        group.bench_function("get", |b| {
            b.iter(|| black_box(store.content(handle).expect("it can be read")));
        });
        group.finish();
    }
}

fn secrets(c: &mut Criterion) {
    let mut group = c.benchmark_group("secrets");
    let plain = source(1, 1 << 20).replace("password", "position").replace("Secret", "Stated");
    for (name, text) in [("no words", plain), ("a word in each function", source(1, 1 << 20))] {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |b| b.iter(|| black_box(find_secrets(text.as_bytes()))));
    }
    group.finish();
}

fn opening(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store.db");
    // Another process has it open as well, as it mostly is.
    let _other = SqliteStore::open(&path).expect("it opens");
    c.bench_function("open", |b| b.iter(|| SqliteStore::open(&path).expect("it opens")));
}

criterion_group!(benches, store, secrets, opening);
criterion_main!(benches);
