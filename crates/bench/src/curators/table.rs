//! The table of curators.

use super::{bm25, curated, head, outline, random};
use crate::case::{Budget, Case};
use crate::kept::KeptLines;

/// A way to choose the lines to keep.
#[derive(Debug, Clone, Copy)]
pub struct Curator {
    /// Its name in tables.
    pub name: &'static str,
    /// What it does, in a few words.
    pub about: &'static str,
    /// Chooses lines of a case's file, without looking at its gold lines. At most
    /// [`Budget::lines_max`] lines.
    pub choose: fn(&Case, Budget) -> KeptLines,
}

/// All curators. The first is the one under test, the others are what it is held against.
pub const CURATORS: &[Curator] = &[
    Curator {
        name: "curated",
        about: "statements and headers, by what the question says of them",
        choose: curated::choose,
    },
    Curator {
        name: "bm25",
        about: "blocks of up to 25 lines, by BM25 of the question",
        choose: bm25::choose,
    },
    Curator {
        name: "outline",
        about: "imports, types and signatures, outermost first",
        choose: outline::choose,
    },
    Curator { name: "random", about: "lines at random", choose: random::choose },
    Curator { name: "head", about: "the first lines", choose: head::choose },
];
