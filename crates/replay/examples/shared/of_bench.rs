//! Views by the curators that `foveal bench reads` compares.

use anyhow::Context;
use foveal_bench::{Budget, CURATORS, Curator, reads};
use foveal_context::views::{Amount, Read, View, Views, Wanted};
use foveal_transcript::LineNumber;

/// One of them.
#[derive(Debug)]
pub(crate) struct Compared(Curator);

impl Compared {
    /// The curator of this name.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn named(name: &str) -> anyhow::Result<Self> {
        let known = CURATORS.iter().find(|curator| curator.name == name);
        let names: Vec<_> = CURATORS.iter().map(|curator| curator.name).collect();
        let curator = known.with_context(|| format!("--curator is one of {}", names.join(", ")));
        Ok(Self(*curator?))
    }
}

impl Views for Compared {
    /// Says nothing of summaries, which are not what is compared.
    fn view(&self, read: &Read<'_>, wanted: Wanted) -> Option<View> {
        let Wanted::Curated(amount) = wanted else { return None };
        let budget = match amount {
            Amount::Adaptive => Budget::Adaptive,
            Amount::Share(share) => Budget::Share(share),
        };
        let case = reads::case(read.record, read.upto, read.path, read.text);
        let before = read.first.0.saturating_sub(1);
        let kept = (self.0.choose)(&case, budget);
        let moved =
            |&(first, last): &(u32, u32)| (LineNumber(first + before), LineNumber(last + before));
        Some(View { lines: kept.iter().map(moved).collect(), ..View::default() })
    }
}
