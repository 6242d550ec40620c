use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn what_is_stored_is_read_again(
        parts in proptest::collection::vec(proptest::collection::vec(0_u32..50, 0..40), 0..20)
    ) {
        let parts: Vec<Vec<TermHash>> = parts.into_iter()
            .map(|terms| terms.into_iter().map(|t| TermHash(t.wrapping_mul(0x9E37_79B9))).collect())
            .collect();
        let terms = FileTerms::from_chunks(parts.clone());
        prop_assert_eq!(FileTerms::decode(&terms.encode()), Some(terms.clone()));
        for (place, part) in parts.iter().enumerate() {
            for term in part {
                let count = part.iter().filter(|other| *other == term).count();
                let found = terms.postings(*term).iter()
                    .find(|posting| usize::from(posting.chunk) == place);
                prop_assert_eq!(found.map(|posting| usize::from(posting.frequency)), Some(count));
            }
        }
    }

    #[test]
    fn any_bytes_are_read_without_harm(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Some(terms) = FileTerms::decode(&compress(&bytes)) {
            for hash in terms.hashes.clone() {
                terms.postings(hash);
            }
        }
    }
}
