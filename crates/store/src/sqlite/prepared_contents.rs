//! Contents that may soon be stored, redacted and compressed in advance: these two take most of the
//! time of storing.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use foveal_transcript::ContentHash;

use super::packed_content::PackedContent;

/// The size limit in stored bytes. A conversation of 200,000 tokens has about 200 kB.
const PREPARED_BYTES_MAX: usize = 1 << 19;

/// Prepared contents in memory. The oldest are removed first.
#[derive(Debug, Default)]
pub(super) struct PreparedContents {
    by_hash: HashMap<ContentHash, Arc<PackedContent<'static>>>,
    order: VecDeque<ContentHash>,
    bytes: usize,
}

impl PreparedContents {
    pub(super) fn insert(&mut self, packed: PackedContent<'static>) {
        let hash = packed.hash;
        if packed.len() > PREPARED_BYTES_MAX || self.by_hash.contains_key(&hash) {
            return;
        }
        self.bytes += packed.len();
        self.order.push_back(hash);
        self.by_hash.insert(hash, Arc::new(packed));
        while self.bytes > PREPARED_BYTES_MAX {
            let oldest = self.order.pop_front().and_then(|oldest| self.by_hash.remove(&oldest));
            self.bytes -= oldest.map_or(self.bytes, |oldest| oldest.len());
        }
    }

    /// Removes contents that are stored by now.
    pub(super) fn remove(&mut self, contents: &[ContentHash]) {
        for hash in contents {
            self.bytes -= self.by_hash.remove(hash).map_or(0, |gone| gone.len());
        }
        self.order.retain(|hash| self.by_hash.contains_key(hash));
    }

    /// Returns those of `contents` that are prepared.
    pub(super) fn find_prepared(&self, contents: &[ContentHash]) -> HashSet<ContentHash> {
        contents.iter().filter(|hash| self.by_hash.contains_key(*hash)).copied().collect()
    }

    /// Splits `contents` into those that are prepared and the others.
    pub(super) fn split_prepared(
        &self,
        contents: &[ContentHash],
    ) -> (Vec<Arc<PackedContent<'static>>>, Vec<ContentHash>) {
        let (mut ready, mut others) = (Vec::new(), Vec::new());
        for hash in contents {
            match self.by_hash.get(hash) {
                Some(packed) => ready.push(Arc::clone(packed)),
                None => others.push(*hash),
            }
        }
        (ready, others)
    }
}

#[cfg(test)]
mod tests {
    use foveal_transcript::ContentHash;

    use super::{PREPARED_BYTES_MAX, PreparedContents};
    use crate::records::NewContent;
    use crate::sqlite::packed_content::PackedContent;

    /// A content that cannot be compressed much, of so many bytes.
    fn packed(number: u8, bytes: usize) -> PackedContent<'static> {
        let mut chance = u64::from(number) + 1;
        let noise = std::iter::repeat_with(|| {
            chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (chance >> 56) as u8
        });
        let bytes: Vec<u8> = noise.take(bytes).collect();
        let hash = ContentHash::from_content(&bytes);
        PackedContent::compress(NewContent { hash, bytes: bytes.into(), secrets: 0 })
            .expect("zstd")
            .into_owned()
    }

    #[test]
    fn the_oldest_go_first_and_one_counts_once() {
        let mut ready = PreparedContents::default();
        let bytes = PREPARED_BYTES_MAX / 4;
        let hashes: Vec<ContentHash> = (0..6).map(|at| packed(at, bytes).hash).collect();
        for at in [0, 1, 1, 1, 2, 3, 4, 5] {
            ready.insert(packed(at, bytes - 100));
        }
        let hashes_short: Vec<ContentHash> =
            (0..6).map(|at| packed(at, bytes - 100).hash).collect();
        assert!(ready.find_prepared(&hashes).is_empty());
        let known = ready.find_prepared(&hashes_short);
        assert_eq!(known, hashes_short[2..].iter().copied().collect());
        assert!(ready.bytes <= PREPARED_BYTES_MAX);
        ready.insert(packed(9, PREPARED_BYTES_MAX + 1));
        assert_eq!(ready.find_prepared(&hashes_short), known, "what fits nowhere takes no place");
        let (some, others) = ready.split_prepared(&hashes_short[1..4]);
        assert_eq!((some.len(), others), (2, vec![hashes_short[1]]));
        let bytes: usize = some.iter().map(|packed| packed.len()).sum();
        let before = ready.bytes;
        ready.remove(&hashes_short[1..4]);
        assert!(ready.find_prepared(&hashes_short[..4]).is_empty());
        assert_eq!((ready.bytes, ready.order.len()), (before - bytes, 2));
    }
}
