//! Views by the curators that `reads` compares.

use anyhow::Context;
use foveal_context::views::{Amount, Read, View, Views, Wanted};
use foveal_transcript::LineNumber;

use crate::case::LineBudget;
use crate::curators::{CURATORS, CuratorRow};
use crate::read_cases;

/// Views of one row of the table of curators.
#[derive(Debug)]
pub(crate) struct BaselineViews(CuratorRow);

impl BaselineViews {
    /// Creates the views of the curator of this name.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn from_name(name: &str) -> anyhow::Result<Self> {
        let known = CURATORS.iter().find(|curator| curator.name == name);
        let names: Vec<_> = CURATORS.iter().map(|curator| curator.name).collect();
        let curator = known.with_context(|| format!("--curator is one of {}", names.join(", ")));
        Ok(Self(*curator?))
    }
}

impl Views for BaselineViews {
    /// Says nothing of summaries, which are not what is compared.
    fn view(&self, read: &Read<'_>, wanted: Wanted) -> Option<View> {
        let Wanted::Curated(amount) = wanted else { return None };
        let budget = match amount {
            Amount::Adaptive => LineBudget::Adaptive,
            Amount::Share(share) => LineBudget::Share(share),
        };
        let case = read_cases::question_case(read.record, read.upto, read.path, read.text);
        let before = read.first.0.saturating_sub(1);
        let kept = (self.0.choose)(&case, budget);
        let in_file =
            |&(first, last): &(u32, u32)| (LineNumber(first + before), LineNumber(last + before));
        Some(View { lines: kept.iter().map(in_file).collect(), ..View::default() })
    }
}
