//! Contents that may soon be stored, as they will be: to search one for secrets and to compress it
//! takes longest of all that storing it does.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use foveal_transcript::ContentHash;

use super::content::Packed;

/// Bytes of them, as they will be stored. A conversation of 200,000 tokens has some 200 kB.
const BYTES_MAX: usize = 1 << 19;

/// Contents that are ready, in memory alone. The oldest go first.
#[derive(Debug, Default)]
pub(super) struct Ready {
    by_hash: HashMap<ContentHash, Arc<Packed<'static>>>,
    order: VecDeque<ContentHash>,
    bytes: usize,
}

impl Ready {
    pub(super) fn insert(&mut self, packed: Packed<'static>) {
        let hash = packed.hash();
        if packed.len() > BYTES_MAX || self.by_hash.contains_key(&hash) {
            return;
        }
        self.bytes += packed.len();
        self.order.push_back(hash);
        self.by_hash.insert(hash, Arc::new(packed));
        while self.bytes > BYTES_MAX {
            let oldest = self.order.pop_front().and_then(|oldest| self.by_hash.remove(&oldest));
            self.bytes -= oldest.map_or(self.bytes, |oldest| oldest.len());
        }
    }

    /// Forgets some contents: they are stored by now.
    pub(super) fn forget(&mut self, contents: &[ContentHash]) {
        for hash in contents {
            self.bytes -= self.by_hash.remove(hash).map_or(0, |gone| gone.len());
        }
        self.order.retain(|hash| self.by_hash.contains_key(hash));
    }

    /// Those of some contents that are ready.
    pub(super) fn known(&self, contents: &[ContentHash]) -> HashSet<ContentHash> {
        contents.iter().filter(|hash| self.by_hash.contains_key(*hash)).copied().collect()
    }

    /// Those of some contents that are ready, and the others.
    pub(super) fn of(
        &self,
        contents: &[ContentHash],
    ) -> (Vec<Arc<Packed<'static>>>, Vec<ContentHash>) {
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

    use super::{BYTES_MAX, Ready};
    use crate::records::NewContent;
    use crate::sqlite::content::Packed;

    /// A content that cannot be compressed much, of so many bytes.
    fn packed(number: u8, bytes: usize) -> Packed<'static> {
        let mut chance = u64::from(number) + 1;
        let noise = std::iter::repeat_with(|| {
            chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (chance >> 56) as u8
        });
        let bytes: Vec<u8> = noise.take(bytes).collect();
        let hash = ContentHash::of(&bytes);
        Packed::of(NewContent { hash, bytes: bytes.into(), secrets: 0 }).expect("zstd").into_owned()
    }

    #[test]
    fn the_oldest_go_first_and_one_counts_once() {
        let mut ready = Ready::default();
        let bytes = BYTES_MAX / 4;
        let hashes: Vec<ContentHash> = (0..6).map(|at| packed(at, bytes).hash()).collect();
        for at in [0, 1, 1, 1, 2, 3, 4, 5] {
            ready.insert(packed(at, bytes - 100));
        }
        let hashes_short: Vec<ContentHash> =
            (0..6).map(|at| packed(at, bytes - 100).hash()).collect();
        assert!(ready.known(&hashes).is_empty());
        let known = ready.known(&hashes_short);
        assert_eq!(known, hashes_short[2..].iter().copied().collect());
        assert!(ready.bytes <= BYTES_MAX);
        ready.insert(packed(9, BYTES_MAX + 1));
        assert_eq!(ready.known(&hashes_short), known, "what fits nowhere takes no place");
        let (some, others) = ready.of(&hashes_short[1..4]);
        assert_eq!((some.len(), others), (2, vec![hashes_short[1]]));
        let bytes: usize = some.iter().map(|packed| packed.len()).sum();
        let before = ready.bytes;
        ready.forget(&hashes_short[1..4]);
        assert!(ready.known(&hashes_short[..4]).is_empty());
        assert_eq!((ready.bytes, ready.order.len()), (before - bytes, 2));
    }
}
