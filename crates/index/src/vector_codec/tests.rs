use foveal_relevance::embedding::Vector;
use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn directions_are_kept(components in proptest::collection::vec(-1.0_f32..1.0, 1..40)) {
        let vector = QuantizedVector::from_vector(&Vector::normalized(components));
        let zero = QuantizedVector { scale: 0.0, values: vec![0; vector.values.len()] };
        let bytes = encode_vectors([zero, vector.clone()].into_iter());
        let read = decode_vectors(&bytes, vector.values.len(), 2).expect("written just before");
        let cosines = read.cosines(&vector);
        prop_assert_eq!(cosines[0], 0.0);
        let itself = if vector.values.iter().all(|value| *value == 0) { 0.0 } else { 1.0 };
        prop_assert!((cosines[1] - itself).abs() < 0.03, "{} {}", cosines[1], itself);
    }

    #[test]
    fn any_bytes_are_read_without_harm(
        bytes in proptest::collection::vec(any::<u8>(), 0..100), dimensions in 0_usize..20,
    ) {
        let count = bytes.len() / encoded_len(dimensions);
        if let Some(vectors) = decode_vectors(&bytes, dimensions, count) {
            prop_assert_eq!(vectors.len(), count);
        }
    }
}
