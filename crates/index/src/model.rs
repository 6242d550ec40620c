//! Which model vectors are of, made sure of by what it answers.
//!
//! A name says little: behind the same one a server may have another model from one day to
//! the next. So a store keeps, beside the name, the model's vector of one text, and every
//! call asks for that text too. Vectors of another model are never taken for this one's.

use foveal_code::embed::{EmbedError, Embedder, QuantizedVector, Vector};

use crate::error::IndexError;
use crate::store::{Model, Store};

/// The text by whose vector a model is known. Another text would be another store version.
const PROBE: &str = "read the settings of a program from a file: fn parse_settings(path: &Path)";

/// Less like its own earlier vector than this, it is of another model. Servers round
/// differently from run to run, and six bits a component are coarse.
const SAME_COSINE_MIN: f32 = 0.95;

/// An embedder whose every answer is checked to come from `model`, by the vector of [`PROBE`].
#[derive(Clone, Copy)]
pub(crate) struct ProbedEmbedder<'a> {
    pub(crate) embedder: &'a dyn Embedder,
    pub(crate) model: &'a Model,
}

impl ProbedEmbedder<'_> {
    /// One vector for each of `texts`, all of this model.
    pub(crate) fn embed(&self, texts: &[&str]) -> Result<Vec<QuantizedVector>, EmbedError> {
        let (vectors, probe) = ask(self.embedder, texts)?;
        if !is_same(self.model, &probe) {
            return Err(EmbedError::Changed(self.embedder.identity()));
        }
        Ok(vectors.iter().map(QuantizedVector::of).collect())
    }
}

/// The model behind `embedder` as `store` knows it, from now on if not before. One that has
/// changed behind its name is a new one, or the one that it was before: a server may have
/// given a single odd answer.
pub(crate) fn agree(store: &Store, embedder: &dyn Embedder) -> Result<Model, IndexError> {
    let identity = embedder.identity();
    let (_, probe) = ask(embedder, &[])?;
    let known = store.model(&identity)?;
    if let Some(known) = known.as_ref().filter(|known| is_same(known, &probe)) {
        return Ok(known.clone());
    }
    let again = store.retired(&identity)?.into_iter().find(|model| is_same(model, &probe));
    let again = again.map(|model| (model.number, &identity));
    if known.is_some() || again.is_some() {
        store.retire(known.map(|known| known.number), again)?;
    }
    // Which there is already if it has its name again.
    let model = store.add_model(&identity, &QuantizedVector::of(&probe))?;
    // Another process may have met another model behind the name at the same time.
    let model = model.filter(|model| is_same(model, &probe));
    model.ok_or_else(|| EmbedError::Changed(identity).into())
}

fn is_same(model: &Model, probe: &Vector) -> bool {
    let probe = QuantizedVector::of(probe);
    probe.values.len() == model.dimensions
        && model.probe.cosines(&probe).first().is_some_and(|cosine| *cosine >= SAME_COSINE_MIN)
}

/// Vectors for `texts` and for [`PROBE`].
fn ask(embedder: &dyn Embedder, texts: &[&str]) -> Result<(Vec<Vector>, Vector), EmbedError> {
    let mut all = texts.to_vec();
    all.push(PROBE);
    let mut vectors = embedder.embed(&all)?;
    let given = vectors.len();
    let count = EmbedError::Count { asked: all.len(), given };
    let Some(probe) = vectors.pop().filter(|_| given == all.len()) else { return Err(count) };
    let expected = probe.components().len();
    if let Some(other) = vectors.iter().find(|vector| vector.components().len() != expected) {
        return Err(EmbedError::Dimensions { expected, given: other.components().len() });
    }
    if probe.components().iter().all(|component| *component == 0.0) {
        return Err(EmbedError::Zero);
    }
    Ok((vectors, probe))
}
