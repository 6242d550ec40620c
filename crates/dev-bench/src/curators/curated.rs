//! The curator of the index, which is under test.

use std::sync::OnceLock;

use foveal_code::curate::{Curator, SourceFile};
use foveal_code::parse;

use crate::case::{CurationCase, LineBudget};
use crate::line_ranges::LineRanges;

static CURATOR: OnceLock<Curator> = OnceLock::new();

/// Returns what the built-in curator chooses, parsing included.
pub(super) fn choose(case: &CurationCase, budget: LineBudget) -> LineRanges {
    curate_case(CURATOR.get_or_init(Curator::built_in), case, budget)
}

/// Returns what `curator` chooses, parsing included.
pub(crate) fn curate_case(
    curator: &Curator,
    case: &CurationCase,
    budget: LineBudget,
) -> LineRanges {
    let parsed = parse(&case.path, &case.content_before);
    let file = SourceFile { path: &case.path, text: &case.content_before, parsed: &parsed };
    let view = curator.curate(&file, &case.question(), budget.for_curator());
    view.parts.iter().map(|part| (part.lines.first.0, part.lines.last.0)).collect()
}
