//! The table of curators.

use super::{bm25, curated, head, outline, random};
use crate::case::{CurationCase, LineBudget};
use crate::line_ranges::LineRanges;

/// A curator with its name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CuratorRow {
    /// Its name in tables.
    pub(crate) name: &'static str,
    /// Chooses lines of a case's file, without looking at its gold lines. At most
    /// [`LineBudget::lines_max`] lines.
    pub(crate) choose: fn(&CurationCase, LineBudget) -> LineRanges,
}

/// All curators. The first is tested, the others are its baselines.
pub(crate) const CURATORS: &[CuratorRow] = &[
    CuratorRow { name: "curated", choose: curated::choose },
    // Blocks of up to 25 lines.
    CuratorRow { name: "bm25", choose: bm25::choose },
    // Imports, types and signatures, outermost first.
    CuratorRow { name: "outline", choose: outline::choose },
    CuratorRow { name: "random", choose: random::choose },
    CuratorRow { name: "head", choose: head::choose },
];
