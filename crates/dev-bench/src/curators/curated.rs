//! The curator of the index, which is tested.

use std::sync::OnceLock;

use foveal_relevance::curation::{Curator, SourceFile};
use foveal_syntax::parse_file;

use crate::case::{CurationCase, LineBudget};
use crate::line_ranges::LineRanges;

static CURATOR: OnceLock<Curator> = OnceLock::new();

/// Returns the choice of the built-in curator, parsing included.
pub(super) fn choose(case: &CurationCase, budget: LineBudget) -> LineRanges {
    curate_case(CURATOR.get_or_init(Curator::built_in), case, budget)
}

/// Returns the choice of `curator`, parsing included.
pub(crate) fn curate_case(
    curator: &Curator,
    case: &CurationCase,
    budget: LineBudget,
) -> LineRanges {
    let parsed = parse_file(&case.path, &case.content_before);
    let file = SourceFile { path: &case.path, text: &case.content_before, parsed: &parsed };
    let view = curator.curate(&file, &case.question(), budget.for_curator());
    view.parts.iter().map(|part| (part.lines.first.0, part.lines.last.0)).collect()
}
