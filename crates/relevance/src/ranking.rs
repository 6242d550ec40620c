//! Documents ranked by score.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// The 0-based number of a document in the index or list that ranks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentId(pub u32);

impl DocumentId {
    /// Returns the id of the document at `index` of a list.
    pub fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// Returns the index in a list of all documents.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A document with its score; higher is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankedDocument {
    /// The document.
    pub document: DocumentId,
    /// The score, on the scale of its ranking.
    pub score: f32,
}

impl Eq for RankedDocument {}

impl Ord for RankedDocument {
    /// Compares by score; of equal scores the earlier document is greater.
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| other.document.cmp(&self.document))
    }
}

impl PartialOrd for RankedDocument {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Returns the `limit` best of `(index, score)`, best first; of equal scores the lower index first.
pub fn top_documents(
    scores: impl IntoIterator<Item = (usize, f32)>,
    limit: usize,
) -> Vec<RankedDocument> {
    let mut heap = BinaryHeap::new();
    if limit == 0 {
        return Vec::new();
    }
    for (index, score) in scores {
        let ranked = RankedDocument { document: DocumentId::from_index(index), score };
        if heap.len() < limit {
            heap.push(Reverse(ranked));
        } else if let Some(mut worst) = heap.peek_mut()
            && ranked > worst.0
        {
            *worst = Reverse(ranked);
        }
    }
    heap.into_sorted_vec().into_iter().map(|Reverse(ranked)| ranked).collect()
}
