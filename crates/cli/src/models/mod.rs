//! Finds the models that can be asked, and chooses one of them.

mod available_models;
mod model_choice;

pub(crate) use available_models::{AvailableModel, ModelSource, find_available_models};
pub(crate) use model_choice::{NO_MODEL_MESSAGE, choose_model, resolve_model_spec};
