//! Tests of the built-in model, the model file format, and quantised vectors.

use std::sync::LazyLock;

use foveal_relevance::embedding::{
    Embedder, QuantizedVector, StaticModel, StaticModelError, Vector, VectorTable,
};
use foveal_relevance::ranking::top_documents;
use proptest::prelude::*;

/// Loaded once: loading takes longer than a test's work with it.
static BUILT_IN: LazyLock<StaticModel> = LazyLock::new(StaticModel::built_in);

/// Returns a model file: the vocabulary `words`, with a scale and a row of two components per word.
fn file(words: &str, scales: &[f32], rows: &[[i8; 2]]) -> Vec<u8> {
    let mut bytes = b"foveal-e".to_vec();
    for number in [1, rows.len() as u32, 2, words.len() as u32] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend(words.as_bytes());
    bytes.extend(scales.iter().flat_map(|scale| scale.to_le_bytes()));
    bytes.extend(rows.iter().flatten().map(|value| value.cast_unsigned()));
    bytes
}

fn small() -> Vec<u8> {
    file("file\npath", &[1.0, 2.0], &[[3, 0], [0, 2]])
}

fn check_broken(change: impl FnOnce(&mut Vec<u8>), expected: &str) {
    let mut bytes = small();
    change(&mut bytes);
    let error = StaticModel::from_bytes(bytes).map(|_| ()).expect_err("broken bytes");
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_text_is_the_sum_of_its_tokens_by_the_root_of_their_counts() {
    let model = StaticModel::from_bytes(small()).expect("a good file");
    let check = |text: &str, expected: [f32; 2]| {
        let vector = model.embed_text(text);
        let near = vector.components().iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6);
        assert!(near, "{text}: {vector:?}");
    };
    check("file", [1.0, 0.0]);
    check("FilePath", [0.6, 0.8]);
    check("pathfile", [0.6, 0.8]);
    let length = (9.0_f32 * 4.0 + 16.0).sqrt();
    check("file file file file path", [6.0 / length, 4.0 / length]);
    for nothing in ["", " \n", "größe 日本語 \u{1F600}", "{}();"] {
        check(nothing, [0.0, 0.0]);
    }
}

#[test]
fn broken_files_are_told_apart() {
    check_broken(Vec::clear, "not a static embedding model");
    check_broken(|bytes| bytes.truncate(14), "not a static embedding model");
    check_broken(|bytes| bytes[0] = b'x', "not a static embedding model");
    check_broken(|bytes| bytes[8] = 9, "static embedding model of format 9, expected 1");
    check_broken(|bytes| bytes[12] = 0, "static embedding model of 0 tokens and 2 dimensions");
    check_broken(
        |bytes| bytes.truncate(40),
        "static embedding model of 40 bytes, its header says 45",
    );
    check_broken(|bytes| bytes.push(0), "static embedding model of 46 bytes, its header says 45");
    check_broken(|bytes| bytes[24] = 0xff, "static embedding model with a broken vocabulary");
    check_broken(|bytes| bytes[28] = b'x', "static embedding model with a broken vocabulary");
    check_broken(|bytes| bytes[36] = 0xff, "static embedding model with a broken scale in row 0");
    let twice = file("path\npath", &[1.0, 1.0], &[[1, 1], [1, 1]]);
    assert_eq!(StaticModel::from_bytes(twice).map(|_| ()), Err(StaticModelError::Vocabulary));
}

#[test]
fn the_built_in_model_is_small_and_knows_code() {
    let model = &*BUILT_IN;
    assert_eq!(model.dimensions(), 256);
    assert!(model.identity().as_str().starts_with("static-256-"), "{}", model.identity());
    let check = |question: &str, answer: &str, other: &str| {
        let vectors = model.embed(&[question, answer, other]).expect("never fails");
        let (near, far) = (vectors[0].cosine(&vectors[1]), vectors[0].cosine(&vectors[2]));
        assert!(near > far, "{question}: {near} {far}");
    };
    let join = "fn join(parts: &[&str]) -> String { parts.concat() }";
    let delete = "def unlink(path):\n    os.remove(path)\n";
    check("Remove a file from disk", delete, join);
    check("Concatenate strings", join, delete);
    check("deleteDirectory", "rmdir folder", "parse json number");
    check("open a network connection", "TcpStream::connect(address)", "sort(&mut items)");
}

#[test]
fn another_file_is_another_model() {
    let other = file("file\npath", &[1.0, 2.0], &[[3, 0], [0, 3]]);
    let identity = |bytes: Vec<u8>| StaticModel::from_bytes(bytes).expect("a good file").identity();
    assert_eq!(identity(small()), identity(small()));
    assert_ne!(identity(small()), identity(other));
}

#[test]
fn vectors_of_nothing_are_near_nothing() {
    let zero = QuantizedVector::from_vector(&Vector::normalized(vec![0.0; 3]));
    assert_eq!(zero, QuantizedVector { scale: 0.0, values: vec![0; 3] });
    assert_eq!(Vector::normalized(vec![f32::NAN, 1.0]).components(), [0.0, 0.0]);
    assert_eq!(Vector::normalized(vec![f32::INFINITY]).components(), [0.0]);
    let mut vectors = VectorTable::new(3);
    assert_eq!(top_documents(vectors.cosines(&zero).into_iter().enumerate(), 5), []);
    vectors.push(&zero);
    // Vectors with too few or too many components stay within their row.
    vectors.push(&QuantizedVector { scale: 1.0, values: vec![1] });
    vectors.push(&QuantizedVector { scale: 1.0, values: vec![1, 1, 1, 1] });
    let one = QuantizedVector { scale: 1.0, values: vec![1, 1, 1, 1] };
    assert_eq!(vectors.cosines(&one), [0.0, 1.0, 3.0]);
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..80), at in 0_usize..45) {
        let mut changed = small();
        if let Some(byte) = bytes.first() {
            changed[at] = *byte;
        }
        for candidate in [std::mem::take(&mut bytes), changed] {
            if let Ok(model) = StaticModel::from_bytes(candidate) {
                model.embed_text("file path größe filepathfile");
            }
        }
    }

    #[test]
    fn any_text_has_a_vector_of_length_one_or_none(text in any::<String>(), word in "[a-zA-Z_]{0,60}") {
        let model = &*BUILT_IN;
        for text in [text, word] {
            let vector = model.embed_text(&text);
            let length = vector.cosine(&vector);
            prop_assert!(length == 0.0 || (length - 1.0).abs() < 1e-4, "{length}");
            prop_assert_eq!(model.embed_text(&text), vector);
        }
    }

    #[test]
    fn int8_keeps_the_cosine_and_the_nearest(
        rows in prop::collection::vec(prop::collection::vec(-1.0_f32..1.0, 32), 1..20),
        asked in prop::collection::vec(-1.0_f32..1.0, 32),
    ) {
        let exact: Vec<Vector> = rows.into_iter().map(Vector::normalized).collect();
        let asked = Vector::normalized(asked);
        let mut vectors = VectorTable::new(32);
        for vector in &exact {
            vectors.push(&QuantizedVector::from_vector(vector));
        }
        let question = QuantizedVector::from_vector(&asked);
        let found = vectors.cosines(&question);
        for (near, vector) in found.iter().zip(&exact) {
            prop_assert!((near - vector.cosine(&asked)).abs() < 0.02);
        }
        let nearest = top_documents(vectors.cosines(&question).into_iter().enumerate(), 3);
        let best = found.iter().copied().fold(f32::MIN, f32::max);
        prop_assert_eq!(nearest[0].score, best);
        let values = question.values.iter().map(|value| f32::from(*value) * question.scale);
        prop_assert!(Vector::normalized(values.collect()).cosine(&asked) > 0.999);
    }
}
