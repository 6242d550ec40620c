//! What is found out between requests, so that a rewrite takes less time when it comes.

use foveal_transcript::EntryIndex;

use super::Planner;
use crate::level::Level;
use crate::record::Record;
use crate::shaping::arrival;
use crate::views;

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
        let mut cache = std::mem::take(&mut self.cache);
        for chosen in chosen.iter().take_while(|_| go_on()) {
            let ask = self.about_result(record, chosen.entry, chosen.level);
            // What was counted is known from now on; what it comes to is decided by what stands
            // in the prompt then.
            drop(arrival::shape(&arrival::Ask { chosen: Some(chosen), ..ask }, &mut cache));
        }
        self.cache = cache;
    }

    /// The entries that a rewrite may reduce and none has yet, in order.
    pub fn not_reduced(&self) -> impl Iterator<Item = EntryIndex> {
        let movable = self.movable.iter().copied();
        movable.filter(|index| self.items[index.at()].level == Level::Arrival)
    }
}
