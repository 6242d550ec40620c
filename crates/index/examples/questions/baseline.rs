//! The baseline: BM25 over windows of 40 lines, without structure or vectors.

use std::path::Path;

use foveal_relevance::bm25::{Bm25Settings, TextIndex, WeightedField};
use foveal_syntax::LineRange;
use foveal_transcript::LineNumber;

use crate::QuestionsError;
use crate::ranking_metrics::{FoundPlace, PLACES};

/// The number of lines of a window.
const WINDOW_LINES: usize = 40;

/// The windows of all files of a folder.
pub(crate) struct LineWindowBaseline {
    index: TextIndex,
    places: Vec<FoundPlace>,
}

impl LineWindowBaseline {
    /// Builds the windows of the files at `paths` below `root`.
    pub(crate) fn build(
        root: &Path,
        paths: impl Iterator<Item = String>,
    ) -> Result<Self, QuestionsError> {
        let mut baseline = Self { index: TextIndex::new(), places: Vec::new() };
        for path in paths {
            let place = root.join(&path);
            let bytes = std::fs::read(&place)
                .map_err(|source| QuestionsError::File { path: place.clone(), source })?;
            let text = String::from_utf8_lossy(&bytes);
            let lines: Vec<&str> = text.lines().collect();
            for (at, piece) in lines.chunks(WINDOW_LINES).enumerate() {
                baseline.index.push(&[WeightedField { text: &piece.join("\n"), weight: 1.0 }]);
                let number = |line: usize| LineNumber(u32::try_from(line).unwrap_or(u32::MAX));
                let first = at * WINDOW_LINES + 1;
                let lines = LineRange::new(number(first), number(first + piece.len() - 1));
                baseline.places.push(FoundPlace { path: path.clone(), lines });
            }
        }
        Ok(baseline)
    }

    pub(crate) fn search(&self, question: &str) -> Vec<FoundPlace> {
        let best = self.index.search(question, Bm25Settings::default(), PLACES);
        best.iter().map(|ranked| self.places[ranked.document.index()].clone()).collect()
    }
}
