//! Documents in the order of a score.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// The number of a document in the index or list that ranks it, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentId(pub u32);

impl DocumentId {
    /// The document at `index` of a list.
    pub fn of_index(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// Where it stands in a list of all documents.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A document with its score; more is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// Which document.
    pub document: DocumentId,
    /// On the scale of the ranking that it comes from.
    pub score: f32,
}

impl Eq for Ranked {}

impl Ord for Ranked {
    /// By score; of equal scores the earlier document is greater.
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| other.document.cmp(&self.document))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The `limit` best of `(index, score)`, best first; of equal scores the lower index.
pub fn best(scores: impl IntoIterator<Item = (usize, f32)>, limit: usize) -> Vec<Ranked> {
    let mut heap = BinaryHeap::new();
    if limit == 0 {
        return Vec::new();
    }
    for (index, score) in scores {
        let ranked = Ranked { document: DocumentId::of_index(index), score };
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
