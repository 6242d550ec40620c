//! The bodies of embedding requests and responses.

use foveal_relevance::embedding::Vector;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::embedding::spec::EmbeddingProtocol;

/// The maximum number of components of a vector: the largest models have 4,096.
const DIMENSIONS_MAX: usize = 1 << 13;

/// The request body, equal in both protocols.
#[derive(Serialize)]
struct EmbeddingRequestBody<'a> {
    model: &'a str,
    input: &'a [&'a str],
}

#[derive(Deserialize)]
struct OpenAiAnswer {
    data: Vec<OpenAiVector>,
}

#[derive(Deserialize)]
struct OpenAiVector {
    /// The place of the text in the request; some servers omit it.
    index: Option<usize>,
    embedding: Vec<f32>,
}

#[derive(Deserialize)]
struct OllamaAnswer {
    embeddings: Vec<Vec<f32>>,
}

/// The reason why a response is invalid.
#[derive(Debug, Error)]
pub(crate) enum EmbeddingAnswerError {
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    #[error("{given} vectors for {asked} texts")]
    Count { asked: usize, given: usize },
    #[error("vectors of {0} and of {1} components in one answer")]
    Dimensions(usize, usize),
    #[error("a vector of {0} components")]
    Size(usize),
    #[error("a vector with a component that is not a finite number")]
    NotFinite,
    #[error("several vectors for one text")]
    Index,
}

/// Encodes the request for the vectors of `texts`.
pub(crate) fn encode_request(model: &str, texts: &[&str]) -> Vec<u8> {
    serde_json::to_vec(&EmbeddingRequestBody { model, input: texts }).expect("texts are JSON")
}

/// Parses the vectors in the body of a response: one for each of `count` texts, in their order.
pub(crate) fn parse_vectors(
    protocol: EmbeddingProtocol,
    body: &[u8],
    count: usize,
) -> Result<Vec<Vector>, EmbeddingAnswerError> {
    let lists = match protocol {
        EmbeddingProtocol::OpenAi => {
            sort_vectors(serde_json::from_slice::<OpenAiAnswer>(body)?.data, count)?
        }
        EmbeddingProtocol::Ollama => serde_json::from_slice::<OllamaAnswer>(body)?.embeddings,
    };
    if lists.len() != count {
        return Err(EmbeddingAnswerError::Count { asked: count, given: lists.len() });
    }
    let first = lists.first().map_or(0, Vec::len);
    for list in &lists {
        if list.is_empty() || list.len() > DIMENSIONS_MAX {
            return Err(EmbeddingAnswerError::Size(list.len()));
        }
        if list.len() != first {
            return Err(EmbeddingAnswerError::Dimensions(first, list.len()));
        }
        if list.iter().any(|component| !component.is_finite()) {
            return Err(EmbeddingAnswerError::NotFinite);
        }
    }
    Ok(lists.into_iter().map(Vector::normalized).collect())
}

fn sort_vectors(
    mut data: Vec<OpenAiVector>,
    count: usize,
) -> Result<Vec<Vec<f32>>, EmbeddingAnswerError> {
    if data.len() == count && data.iter().all(|one| one.index.is_some()) {
        data.sort_by_key(|one| one.index);
        if data.iter().enumerate().any(|(place, one)| one.index != Some(place)) {
            return Err(EmbeddingAnswerError::Index);
        }
    }
    Ok(data.into_iter().map(|one| one.embedding).collect())
}

#[cfg(test)]
mod tests;
