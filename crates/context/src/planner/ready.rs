//! What is found out between requests, so that a rewrite takes less time when it comes.

use std::hash::{DefaultHasher, Hash, Hasher};

use foveal_transcript::EntryIndex;

use super::Planner;
use crate::level::Level;
use crate::record::Record;
use crate::shaping::arrival::{self, Outcome};
use crate::tokens::TokenCache;
use crate::views::{self, Chosen};

impl Planner {
    /// Gets ready for a rewrite with the next request, as long as it may `go_on`: has views of reads
    /// found that it may ask for, and counts their tokens. Decides nothing. All entries of `record`
    /// have to be planned.
    pub fn get_ready(&mut self, record: &Record, go_on: &dyn Fn() -> bool) {
        let Some(views) = &self.views else { return };
        let known = EntryIndex(record.len() as u32);
        let levels: Vec<_> = self.not_reduced().map(|index| (index, Level::Reduced)).collect();
        let chosen =
            views::foresee(&**views, &self.about_views(record, known, &levels, known), go_on);
        // Of parts that were counted nothing is remembered: there are many.
        let mut parts = TokenCache::default();
        for chosen in chosen.iter().take_while(|_| go_on()) {
            self.count_foreseen(record, chosen, &mut parts);
        }
    }

    /// Remembers what a view would take, unless it is the one that was counted last.
    fn count_foreseen(&mut self, record: &Record, chosen: &Chosen, parts: &mut TokenCache) {
        let (index, hash) = (chosen.entry, hash(chosen));
        if self.foreseen.insert(index, hash) == Some(hash) {
            return;
        }
        let ask = self.about_result(record, index, chosen.level);
        let ask = arrival::Ask { chosen: Some(chosen), ..ask };
        // By what stands in the prompt then another one may come of it, which is counted then.
        let Outcome::Shaped(Some((shape, tokens)), _) = arrival::shape(&ask, parts) else { return };
        let Some(result) = record.entry(index).result() else { return };
        let text = shape.render(&result.content);
        self.cache.remember_text(record.tokenizer(), &text, tokens);
    }

    /// The entries that a rewrite may reduce and none has yet, in order.
    pub fn not_reduced(&self) -> impl Iterator<Item = EntryIndex> {
        let movable = self.movable.iter().copied();
        movable.filter(|index| self.items[index.at()].level == Level::Arrival)
    }

    /// Takes over what another planner of the same conversation has counted.
    pub(crate) fn take_counts_of(&mut self, other: &mut Self) {
        self.cache = std::mem::take(&mut other.cache);
    }
}

/// What tells one view of a read from another.
fn hash(chosen: &Chosen) -> u64 {
    let mut hasher = DefaultHasher::new();
    chosen.view.hash(&mut hasher);
    hasher.finish()
}
