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
mod tests;
