//! What takes longest about a long conversation, on all processors: counting tokens when it is new,
//! and views of old reads when it is rewritten.

use foveal_context::tokens::Tokenizer;
use foveal_context::views::{Read, View, Views, Wanted};
use foveal_context::weight::Weight;
use foveal_transcript::Entry;
use rayon::prelude::*;

/// Fewest bytes that are worth waking other threads for.
const BYTES_MIN: usize = 64 << 10;

/// What each of some entries takes.
pub(crate) fn weigh(entries: &[&Entry], tokenizer: Tokenizer) -> Vec<Weight> {
    let results = entries.iter().filter_map(|entry| entry.result());
    let bytes: usize = results.map(|result| result.content.len()).sum();
    if bytes < BYTES_MIN {
        return Weight::of_each(entries, tokenizer);
    }
    entries.par_iter().map(|entry| Weight::of(entry, tokenizer)).collect()
}

/// Asks for many views at the same time.
#[derive(Debug, Default)]
pub(crate) struct Spread<V>(pub(crate) V);

impl<V: Views> Views for Spread<V> {
    fn view(&self, read: &Read<'_>, wanted: Wanted) -> Option<View> {
        self.0.view(read, wanted)
    }

    fn each(&self, reads: &[(Read<'_>, Wanted)]) -> Vec<Option<View>> {
        reads.par_iter().map(|(read, wanted)| self.0.view(read, *wanted)).collect()
    }
}

#[cfg(test)]
mod tests {
    use foveal_context::tokens::Tokenizer;
    use foveal_context::weight::Weight;
    use foveal_testkit::fixture::Builder;
    use foveal_transcript::Entry;

    use super::{BYTES_MIN, weigh};

    #[test]
    fn all_processors_count_what_one_counts_in_the_same_order() {
        let mut builder = Builder::default();
        for at in 0..24 {
            builder.call("bash", serde_json::json!({ "command": format!("make {at}") }));
            builder.result(&format!("line {at}\n").repeat(BYTES_MIN / 64 * (1 + at % 3)), false);
        }
        let entries: Vec<&Entry> = builder.entries().iter().collect();
        let alone = Weight::of_each(&entries, Tokenizer::O200k);
        assert_eq!(weigh(&entries, Tokenizer::O200k), alone);
        assert!(alone.iter().any(|weight| *weight != alone[0]));
    }
}
