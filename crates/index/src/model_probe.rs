//! Identification of embedding models by the vector of a probe text.
//!
//! A name is not enough: a server may change the model behind it at any time. A store therefore
//! keeps the model's vector of one probe text beside the name, and every call includes this text.
//! Vectors of different models are never mixed.

use foveal_relevance::embedding::{Embedder, EmbeddingError, QuantizedVector, Vector};

use crate::error::IndexError;
use crate::store::{IndexStore, StoredModel};

/// The probe text. A change of it requires a new store version.
const PROBE: &str = "read the settings of a program from a file: fn parse_settings(path: &Path)";

/// The least cosine between two probe vectors of the same model. Servers round differently from run
/// to run, and six bits per component are coarse.
const SAME_COSINE_MIN: f32 = 0.95;

/// An embedder whose every answer is verified to come from `model`, by the vector of [`PROBE`].
#[derive(Clone, Copy)]
pub(crate) struct ProbedEmbedder<'a> {
    pub(crate) embedder: &'a dyn Embedder,
    pub(crate) model: &'a StoredModel,
}

impl ProbedEmbedder<'_> {
    /// Returns one vector for each of `texts`, all of this model.
    pub(crate) fn embed(&self, texts: &[&str]) -> Result<Vec<QuantizedVector>, EmbeddingError> {
        let (vectors, probe) = embed_with_probe(self.embedder, texts)?;
        if !is_same_model(self.model, &probe) {
            return Err(EmbeddingError::Changed(self.embedder.identity()));
        }
        Ok(vectors.iter().map(QuantizedVector::from_vector).collect())
    }
}

/// Returns the model behind `embedder` as `store` knows it, and stores a new one. If the model
/// behind the name has changed, it becomes a new model, or the former one that it matches: a server
/// may have given a single odd answer.
pub(crate) fn identify_model(
    store: &IndexStore,
    embedder: &dyn Embedder,
) -> Result<StoredModel, IndexError> {
    let identity = embedder.identity();
    let (_, probe) = embed_with_probe(embedder, &[])?;
    let known = store.find_model(&identity)?;
    if let Some(known) = known.as_ref().filter(|known| is_same_model(known, &probe)) {
        return Ok(known.clone());
    }
    let again =
        store.retired_models(&identity)?.into_iter().find(|model| is_same_model(model, &probe));
    let again = again.map(|model| (model.number, &identity));
    if known.is_some() || again.is_some() {
        store.retire_model(known.map(|known| known.number), again)?;
    }
    // Returns the existing model if it has its name again.
    let model = store.add_model(&identity, &QuantizedVector::from_vector(&probe))?;
    // Another process may have stored another model under the name at the same time.
    let model = model.filter(|model| is_same_model(model, &probe));
    model.ok_or_else(|| EmbeddingError::Changed(identity).into())
}

fn is_same_model(model: &StoredModel, probe: &Vector) -> bool {
    let probe = QuantizedVector::from_vector(probe);
    probe.values.len() == model.dimensions
        && model.probe.cosines(&probe).first().is_some_and(|cosine| *cosine >= SAME_COSINE_MIN)
}

/// Returns the vectors of `texts` and of [`PROBE`].
fn embed_with_probe(
    embedder: &dyn Embedder,
    texts: &[&str],
) -> Result<(Vec<Vector>, Vector), EmbeddingError> {
    let mut all = texts.to_vec();
    all.push(PROBE);
    let mut vectors = embedder.embed(&all)?;
    let given = vectors.len();
    let count = EmbeddingError::Count { asked: all.len(), given };
    let Some(probe) = vectors.pop().filter(|_| given == all.len()) else { return Err(count) };
    let expected = probe.components().len();
    if let Some(other) = vectors.iter().find(|vector| vector.components().len() != expected) {
        return Err(EmbeddingError::Dimensions { expected, given: other.components().len() });
    }
    if probe.components().iter().all(|component| *component == 0.0) {
        return Err(EmbeddingError::Zero);
    }
    Ok((vectors, probe))
}
