//! Parallel work on several contents. A new, long conversation has about a hundred of them.

use rayon::prelude::*;

use crate::records::NewContent;

/// The least number of bytes that is worth waking other threads. A single content never is.
const PARALLEL_BYTES_MIN: usize = 64 << 10;

/// Applies `work` to each content and returns the results in order. `make` creates a state that
/// several calls share.
pub(crate) fn map_contents<'c, S, T: Send>(
    contents: Vec<NewContent<'c>>,
    make: impl Fn() -> S + Send + Sync,
    work: impl Fn(&mut S, NewContent<'c>) -> T + Send + Sync,
) -> Vec<T> {
    let bytes: usize = contents.iter().map(|content| content.bytes.len()).sum();
    if contents.len() > 1 && bytes >= PARALLEL_BYTES_MIN {
        return contents.into_par_iter().map_init(make, work).collect();
    }
    if contents.is_empty() {
        return Vec::new();
    }
    let mut made = make();
    contents.into_iter().map(|content| work(&mut made, content)).collect()
}
