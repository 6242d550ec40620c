//! The curator of the index, which is under test.

use std::sync::OnceLock;

use foveal_code::curate::{Budget as IndexBudget, Curator, SourceFile};
use foveal_code::parse;

use crate::case::{Budget, Case};
use crate::kept::KeptLines;

static CURATOR: OnceLock<Curator> = OnceLock::new();

/// Keeps what the index's curator chooses, parsing included.
pub(super) fn choose(case: &Case, budget: Budget) -> KeptLines {
    let parsed = parse(&case.path, &case.content_before);
    let file = SourceFile { path: &case.path, text: &case.content_before, parsed: &parsed };
    let budget = match budget {
        Budget::Share(share) => IndexBudget::Share(share),
        Budget::Adaptive => IndexBudget::Adaptive,
    };
    let question = case.question();
    let view = CURATOR.get_or_init(Curator::built_in).curate(&file, &question, budget);
    view.parts.iter().map(|part| (part.lines.first.0, part.lines.last.0)).collect()
}
