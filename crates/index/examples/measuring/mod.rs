//! Sample queries, and the measurement of times and memory, shared by all measurements of indexes
//! (`compare/` includes this file as well).

use std::time::Instant;

use foveal_index::{Index, IndexError};

/// The number of queries.
pub(crate) const QUESTIONS: usize = 400;

/// Returns queries of two entity names each, spread over the whole folder.
///
/// # Errors
/// If the index cannot be read.
pub(crate) fn questions(index: &mut Index) -> Result<Vec<String>, IndexError> {
    let all = index.symbols()?;
    let definitions = all.iter().flat_map(|file| &file.definitions);
    let names: Vec<&str> = definitions.map(|definition| &*definition.name).collect();
    let step = (names.len() / QUESTIONS).max(1);
    let pairs = (0..names.len()).step_by(step).take(QUESTIONS);
    let other = |at: usize| (at * 7_919 + 13) % names.len();
    Ok(pairs.map(|at| format!("{} where {}", names[at], names[other(at)])).collect())
}

/// Returns the milliseconds since `since`.
pub(crate) fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

/// Returns the percentile of `times` at `share` (0 to 1), or 0 if there are none.
pub(crate) fn percentile(times: &[f64], share: f64) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get((sorted.len() as f64 * share) as usize).copied().unwrap_or(0.0)
}

/// Returns the peak resident memory in bytes, or 0 where the system does not report it.
pub(crate) fn peak_resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse().ok());
    kilobytes.map_or(0, |kilobytes: u64| kilobytes << 10)
}
