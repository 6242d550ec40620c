use proptest::prelude::*;

use super::*;

fn check(protocol: EmbeddingProtocol, body: &str, count: usize, expected: &str) {
    let told = match parse_vectors(protocol, body.as_bytes(), count) {
        Ok(vectors) => {
            let texts = vectors.iter().map(|vector| format!("{:.1?}", vector.components()));
            texts.collect::<Vec<_>>().join(" ")
        }
        Err(error) => error.to_string(),
    };
    assert_eq!(told, expected, "{body}");
}

#[test]
fn vectors_are_read_in_the_order_of_their_texts() {
    use EmbeddingProtocol::{Ollama, OpenAi};
    let (one, other) = (r#"{"index":1,"embedding":[0,2]}"#, r#"{"index":0,"embedding":[3,4]}"#);
    let body = format!(r#"{{"object":"list","data":[{one},{other}]}}"#);
    check(OpenAi, &body, 2, "[0.6, 0.8] [0.0, 1.0]");
    check(OpenAi, r#"{"data":[{"embedding":[1]},{"embedding":[-2]}]}"#, 2, "[1.0] [-1.0]");
    check(OpenAi, &format!(r#"{{"data":[{one},{one}]}}"#), 2, "several vectors for one text");
    check(OpenAi, &body, 3, "2 vectors for 3 texts");
    check(OpenAi, r#"{"data":[]}"#, 1, "0 vectors for 1 texts");
    check(Ollama, r#"{"model":"m","embeddings":[[3,4],[0,0]]}"#, 2, "[0.6, 0.8] [0.0, 0.0]");
    check(
        Ollama,
        r#"{"embeddings":[[3,4],[1]]}"#,
        2,
        "vectors of 2 and of 1 components in one answer",
    );
    check(Ollama, r#"{"embeddings":[[]]}"#, 1, "a vector of 0 components");
    let infinite = "a vector with a component that is not a finite number";
    check(Ollama, r#"{"embeddings":[[1,1e39]]}"#, 1, infinite);
    check(Ollama, r#"{"embeddings":[[NaN]]}"#, 1, "expected value at line 1 column 17");
    let null = "invalid type: null, expected f32 at line 1 column 20";
    check(Ollama, r#"{"embeddings":[[null]]}"#, 1, null);
    check(Ollama, "<html>", 1, "expected value at line 1 column 1");
    check(Ollama, r#"{"data":[]}"#, 1, "missing field `embeddings` at line 1 column 11");
}

#[test]
fn requests_are_json() {
    let body = encode_request("m\"", &["a\n", "ü"]);
    assert_eq!(String::from_utf8_lossy(&body), r#"{"model":"m\"","input":["a\n","ü"]}"#);
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_harm(
        bytes in proptest::collection::vec(any::<u8>(), 0..200), count in 0_usize..5,
    ) {
        let whole = [br#"{"embeddings":[["#.as_slice(), &bytes, b"]]}"].concat();
        for protocol in [EmbeddingProtocol::OpenAi, EmbeddingProtocol::Ollama] {
            for body in [bytes.as_slice(), &whole] {
                if let Ok(vectors) = parse_vectors(protocol, body, count) {
                    prop_assert_eq!(vectors.len(), count);
                }
            }
        }
    }
}
