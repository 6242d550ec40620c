//! Invariants of listings, symbols and views for any text: no panics, and ranges with the
//! documented properties. The fuzz targets check the same.

use foveal_relevance::curation::{CuratedView, CurationQuery, Curator, SourceFile, ViewBudget};
use foveal_relevance::outline_listing::render_outline;
use foveal_relevance::relations::{FileSymbols, SIGNATURE_LINE_BYTES_MAX, SIGNATURE_LINES_MAX};
use foveal_syntax::{outline, parse_file};
use foveal_transcript::LineNumber;

/// Checks that a rendered outline is no longer than the file, and that its lines are those of the
/// file.
pub(crate) fn outline_listing(path: &str, text: &str) {
    let parsed = parse_file(path, text);
    let rendered = render_outline(&outline(&parsed, text), &parsed, text);
    assert!(rendered.matches('\n').count() <= parsed.line_count as usize, "it grows");
    let rows: Vec<&str> = text.lines().collect();
    for shown in rendered.lines().filter(|line| !line.trim().starts_with('[')) {
        // A carriage return inside a line splits its rendered row.
        let Some((number, line)) = shown.split_once('→') else { continue };
        let Ok(number) = number.trim().parse::<usize>() else { continue };
        assert!(rows[number - 1].starts_with(line), "{shown:?}");
    }
}

/// Checks the guarantees of [`FileSymbols`]: one definition per entity, and bounded signatures.
pub(crate) fn symbols(path: &str, text: &str) {
    let parsed = parse_file(path, text);
    let symbols = FileSymbols::from_parsed(path, &parsed, text);
    assert_eq!(symbols.definitions.len(), parsed.entities.len());
    assert_eq!(symbols.line_count, parsed.line_count);
    for (definition, entity) in symbols.definitions.iter().zip(&parsed.entities) {
        assert_eq!((definition.lines, definition.signature), (entity.lines, entity.signature));
        assert!(definition.qualified_name.ends_with(&*definition.name), "{definition:?}");
        let lines: Vec<&str> = definition.signature_text.split('\n').collect();
        assert!(lines.len() <= SIGNATURE_LINES_MAX as usize, "{definition:?}");
        assert!(lines.iter().all(|line| line.len() <= SIGNATURE_LINE_BYTES_MAX + "…".len()));
    }
}

/// Returns the view of the built-in curator.
pub(crate) fn view(
    path: &str,
    text: &str,
    question: &CurationQuery,
    budget: ViewBudget,
) -> CuratedView {
    thread_local! {
        static CURATOR: Curator = Curator::built_in();
    }
    let parsed = parse_file(path, text);
    let file = SourceFile { path, text, parsed: &parsed };
    CURATOR.with(|curator| curator.curate(&file, question, budget))
}

/// Checks that parts and gaps are disjoint, ordered and cover the file; that fixed budgets hold;
/// that equal queries give equal views; and that kept lines have their headers.
pub(crate) fn views(path: &str, text: &str, question: &CurationQuery) {
    let parsed = parse_file(path, text);
    let budgets = [0.0, 0.1, 0.3, 0.5, 1.0].map(ViewBudget::Share);
    for budget in budgets.into_iter().chain([ViewBudget::Adaptive]) {
        let view = view(path, text, question, budget);
        let mut all: Vec<_> = view.parts.iter().map(|part| part.lines).collect();
        all.extend(view.gaps.iter().map(|gap| gap.lines));
        all.sort();
        let mut next = 1;
        for lines in &all {
            assert_eq!(lines.first.0, next, "{path} {budget:?}: {all:?}");
            next = lines.last.0 + 1;
        }
        assert_eq!(next, view.line_count + 1, "{path} {budget:?}");
        assert_eq!(view.line_count as usize, text.lines().count(), "{path}");
        let most = budget.lines_max(view.line_count as usize);
        assert!(
            view.kept_line_count() as usize <= most,
            "{path} {budget:?}: {}",
            view.kept_line_count()
        );
        let rendered = view.render(&parsed, text);
        assert!(rendered.matches('\n').count() <= view.line_count as usize, "{path} {budget:?}");
        for part in &view.parts {
            for line in part.lines.first.0..=part.lines.last.0 {
                let around = parsed.innermost_entity(LineNumber(line)).into_iter();
                for (_, entity) in around.flat_map(|at| parsed.ancestry(at)) {
                    let header = entity.signature.first;
                    let is_kept = view.parts.iter().any(|part| part.lines.contains(header));
                    assert!(is_kept, "{path} {budget:?}: {line} without {}", entity.name);
                }
            }
        }
    }
    let again = view(path, text, question, ViewBudget::Adaptive);
    assert_eq!(again, view(path, text, question, ViewBudget::Adaptive));
}
