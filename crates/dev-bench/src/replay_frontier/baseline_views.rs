//! Views by the curators that `reads` compares.

use anyhow::Context;
use foveal_engine::views::{CurationAmount, LineSelection, ReadContext, ViewRequest, ViewSource};
use foveal_transcript::LineNumber;

use crate::case::LineBudget;
use crate::curators::{CURATORS, CuratorRow};
use crate::read_cases;

/// The views of one row of the table of curators.
#[derive(Debug)]
pub(crate) struct BaselineViews(CuratorRow);

impl BaselineViews {
    /// Creates the views of the curator with this name.
    ///
    /// # Errors
    /// If there is no such curator.
    pub(crate) fn from_name(name: &str) -> anyhow::Result<Self> {
        let known = CURATORS.iter().find(|curator| curator.name == name);
        let names: Vec<_> = CURATORS.iter().map(|curator| curator.name).collect();
        let curator =
            known.with_context(|| format!("--curator must be one of {}", names.join(", ")));
        Ok(Self(*curator?))
    }
}

impl ViewSource for BaselineViews {
    /// Returns no summaries, which are not compared.
    fn choose_view(&self, read: &ReadContext<'_>, wanted: ViewRequest) -> Option<LineSelection> {
        let ViewRequest::Curated(amount) = wanted else { return None };
        let budget = match amount {
            CurationAmount::Adaptive => LineBudget::Adaptive,
            CurationAmount::Share(share) => LineBudget::Share(share),
        };
        let case = read_cases::question_case(read.record, read.upto, read.path, read.text);
        let before = read.first.0.saturating_sub(1);
        let kept = (self.0.choose)(&case, budget);
        let in_file =
            |&(first, last): &(u32, u32)| (LineNumber(first + before), LineNumber(last + before));
        Some(LineSelection {
            lines: kept.iter().map(in_file).collect(),
            ..LineSelection::default()
        })
    }
}
