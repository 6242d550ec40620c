//! What every fuzz target checks; see `fuzz_targets`.

#[path = "../../crates/index/tests/fuzzed.rs"]
mod fuzzed;
#[path = "../../crates/index/tests/invariants.rs"]
mod invariants;

pub use fuzzed::{curate, highlight, structure, symbols};

use foveal_wire::{Format, LINE_BYTES_MAX, PROBLEMS_MAX};

/// Reads `data` as `format`: nothing panics, and what is read keeps its bounds.
pub fn read(format: Format, data: &[u8]) {
    assert!(data.len() < LINE_BYTES_MAX, "the fuzzer's inputs are small");
    if let Ok((sessions, problems)) = foveal_wire::read_all(format, "fuzz", data) {
        assert!(problems.len() <= PROBLEMS_MAX + 1);
        for conversation in sessions.iter().flat_map(|session| &session.conversations) {
            let results = conversation.entries.iter().filter(|entry| entry.result().is_some());
            assert!(results.count() <= data.len());
        }
    }
}

/// Detects the format of `data`, and reads it as that.
pub fn detect(data: &[u8]) {
    if let Some(format) = foveal_wire::detect(data) {
        read(format, data);
    }
    let _ = foveal_wire::read_detected("fuzz", data, &mut |_| {});
}
