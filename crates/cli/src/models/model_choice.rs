//! Chooses the model of an agent.

use anyhow::{Context, bail};
use foveal_agent_runtime::ChosenModel;
use foveal_providers::{LlmClient, MODEL_KEY_VARIABLE, ModelSpec};

use super::available_models::{
    AvailableModel, ModelSource, find_available_models, hosted_models, with_environment_address,
};
use crate::environment::{Environment, MODEL_VARIABLE};

/// The advice that is shown when no model is found.
pub(crate) const NO_MODEL_MESSAGE: &str = "no model was found\n\
    for a local one, start a server, and name the model if it has several:\n  \
    ollama pull qwen3 && foveal run --model ollama:qwen3 \"TASK\"\n\
    for a hosted one, set its key:\n  \
    export ANTHROPIC_API_KEY=… && foveal run \"TASK\"";

/// Chooses the model that `wanted` or the environment names, or else the first available one.
///
/// # Errors
/// Returns an error with advice if no model is available, or its key is not set.
pub(crate) async fn choose_model(
    client: &LlmClient,
    wanted: Option<&ModelSpec>,
    environment: &Environment,
) -> anyhow::Result<ChosenModel> {
    if let Some(spec) = wanted {
        return resolve_model_spec(spec.clone(), environment);
    }
    if let Some(text) = &environment.model {
        let spec = text.parse().with_context(|| format!("{MODEL_VARIABLE} cannot be used"))?;
        return resolve_model_spec(spec, environment);
    }
    let mut known = hosted_models(environment);
    if known.is_empty() {
        known = find_available_models(client, environment).await;
    }
    let is_guessed = known.len() > 1;
    match known.into_iter().next() {
        Some(AvailableModel { spec, server, source: found_by }) => {
            let is_free = found_by == ModelSource::LocalServer;
            Ok(ChosenModel { server, spec, is_free, is_ambiguous: is_guessed })
        }
        None => bail!("{NO_MODEL_MESSAGE}\n`foveal models` lists the models that foveal finds"),
    }
}

/// Resolves a named model to its server and key.
///
/// # Errors
/// Returns an error with advice if the model needs a key that is not set.
pub(crate) fn resolve_model_spec(
    spec: ModelSpec,
    environment: &Environment,
) -> anyhow::Result<ChosenModel> {
    let provider = spec.provider();
    let variable = provider.key_variable.filter(|_| !spec.has_custom_address());
    let key = environment.model_keys.get(variable.unwrap_or(MODEL_KEY_VARIABLE)).cloned();
    if let (Some(variable), None) = (variable, &key) {
        bail!("{} asks for a key: set {variable}", provider.title);
    }
    let is_free = spec.is_free();
    let spec = match spec.has_custom_address() {
        true => spec,
        false => with_environment_address(spec, environment).context("the model cannot be used")?,
    };
    let server = spec.to_server(key);
    Ok(ChosenModel { server, spec, is_free, is_ambiguous: false })
}
