//! What is compared with: BM25 over pieces of 40 lines, without structure or vectors.

use std::path::Path;

use foveal_code::bm25::{Bm25Settings, Field, TextIndex};
use foveal_code::{LineNumber, LineRange};

use crate::Trouble;
use crate::measure::{PLACES, Place};

/// Lines of a piece.
const LINES: usize = 40;

/// All pieces of a folder.
pub(crate) struct Baseline {
    index: TextIndex,
    places: Vec<Place>,
}

impl Baseline {
    /// The pieces of the files at `paths` below `root`.
    pub(crate) fn of(root: &Path, paths: impl Iterator<Item = String>) -> Result<Self, Trouble> {
        let mut baseline = Self { index: TextIndex::new(), places: Vec::new() };
        for path in paths {
            let place = root.join(&path);
            let bytes = std::fs::read(&place)
                .map_err(|source| Trouble::File { path: place.clone(), source })?;
            let text = String::from_utf8_lossy(&bytes);
            let lines: Vec<&str> = text.lines().collect();
            for (at, piece) in lines.chunks(LINES).enumerate() {
                baseline.index.push(&[Field { text: &piece.join("\n"), weight: 1.0 }]);
                let number = |line: usize| LineNumber(u32::try_from(line).unwrap_or(u32::MAX));
                let first = at * LINES + 1;
                let lines = LineRange::new(number(first), number(first + piece.len() - 1));
                baseline.places.push(Place { path: path.clone(), lines });
            }
        }
        Ok(baseline)
    }

    pub(crate) fn search(&self, question: &str) -> Vec<Place> {
        let best = self.index.search(question, Bm25Settings::default(), PLACES);
        best.iter().map(|ranked| self.places[ranked.document.index()].clone()).collect()
    }
}
