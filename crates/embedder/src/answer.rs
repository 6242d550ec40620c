//! The bodies of requests and answers.

use foveal_code::embed::Vector;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::spec::Protocol;

/// Components of a vector, at most: the largest models have 4,096.
const DIMENSIONS_MAX: usize = 1 << 13;

/// The same for both protocols.
#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [&'a str],
}

#[derive(Deserialize)]
struct OpenAiAnswer {
    data: Vec<OpenAiVector>,
}

#[derive(Deserialize)]
struct OpenAiVector {
    /// The place of its text in the request; some servers leave it out.
    index: Option<usize>,
    embedding: Vec<f32>,
}

#[derive(Deserialize)]
struct OllamaAnswer {
    embeddings: Vec<Vec<f32>>,
}

/// What is wrong with an answer.
#[derive(Debug, Error)]
pub(crate) enum AnswerError {
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    #[error("{given} vectors for {asked} texts")]
    Count { asked: usize, given: usize },
    #[error("vectors of {0} and of {1} components in one answer")]
    Dimensions(usize, usize),
    #[error("a vector of {0} components")]
    Size(usize),
    #[error("a vector with a component that is no finite number")]
    NotFinite,
    #[error("several vectors for one text")]
    Index,
}

/// The body of a request for the vectors of `texts`.
pub(crate) fn request(model: &str, texts: &[&str]) -> Vec<u8> {
    serde_json::to_vec(&Request { model, input: texts }).expect("texts are JSON")
}

/// The vectors in the body of an answer, one for each of `count` texts, in their order.
pub(crate) fn vectors(
    protocol: Protocol,
    body: &[u8],
    count: usize,
) -> Result<Vec<Vector>, AnswerError> {
    let lists = match protocol {
        Protocol::OpenAi => in_order(serde_json::from_slice::<OpenAiAnswer>(body)?.data, count)?,
        Protocol::Ollama => serde_json::from_slice::<OllamaAnswer>(body)?.embeddings,
    };
    if lists.len() != count {
        return Err(AnswerError::Count { asked: count, given: lists.len() });
    }
    let first = lists.first().map_or(0, Vec::len);
    for list in &lists {
        if list.is_empty() || list.len() > DIMENSIONS_MAX {
            return Err(AnswerError::Size(list.len()));
        }
        if list.len() != first {
            return Err(AnswerError::Dimensions(first, list.len()));
        }
        if list.iter().any(|component| !component.is_finite()) {
            return Err(AnswerError::NotFinite);
        }
    }
    Ok(lists.into_iter().map(Vector::normalized).collect())
}

fn in_order(mut data: Vec<OpenAiVector>, count: usize) -> Result<Vec<Vec<f32>>, AnswerError> {
    if data.len() == count && data.iter().all(|one| one.index.is_some()) {
        data.sort_by_key(|one| one.index);
        if data.iter().enumerate().any(|(place, one)| one.index != Some(place)) {
            return Err(AnswerError::Index);
        }
    }
    Ok(data.into_iter().map(|one| one.embedding).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(protocol: Protocol, body: &str, count: usize, expected: &str) {
        let told = match vectors(protocol, body.as_bytes(), count) {
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
        use Protocol::{Ollama, OpenAi};
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
        let infinite = "a vector with a component that is no finite number";
        check(Ollama, r#"{"embeddings":[[1,1e39]]}"#, 1, infinite);
        check(Ollama, r#"{"embeddings":[[NaN]]}"#, 1, "expected value at line 1 column 17");
        let null = "invalid type: null, expected f32 at line 1 column 20";
        check(Ollama, r#"{"embeddings":[[null]]}"#, 1, null);
        check(Ollama, "<html>", 1, "expected value at line 1 column 1");
        check(Ollama, r#"{"data":[]}"#, 1, "missing field `embeddings` at line 1 column 11");
    }

    #[test]
    fn requests_are_json() {
        let body = request("m\"", &["a\n", "ü"]);
        assert_eq!(String::from_utf8_lossy(&body), r#"{"model":"m\"","input":["a\n","ü"]}"#);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_harm(
            bytes in proptest::collection::vec(any::<u8>(), 0..200), count in 0_usize..5,
        ) {
            let whole = [br#"{"embeddings":[["#.as_slice(), &bytes, b"]]}"].concat();
            for protocol in [Protocol::OpenAi, Protocol::Ollama] {
                for body in [bytes.as_slice(), &whole] {
                    if let Ok(vectors) = vectors(protocol, body, count) {
                        prop_assert_eq!(vectors.len(), count);
                    }
                }
            }
        }
    }
}
