//! Which model is meant.

use anyhow::{Context, bail};
use foveal_llm::{Client, KEY_VARIABLE, ModelSpec, Server};

use super::known::{FoundBy, Known, all, hosted, moved};
use crate::environment::{Environment, MODEL_VARIABLE};

/// What there is to do where no model is found.
pub(crate) const NO_MODEL: &str = "no model is found\n\
    for a local one, start a server, and name the model if it has several:\n  \
    ollama pull qwen3 && foveal run --model ollama:qwen3 \"TASK\"\n\
    for a hosted one, set its key:\n  \
    export ANTHROPIC_API_KEY=… && foveal run \"TASK\"\n\
    `foveal models` shows what is found";

/// A model that is going to be asked.
#[derive(Debug)]
pub(crate) struct Chosen {
    /// As it is asked.
    pub(crate) server: Server,
    /// As users name it.
    pub(crate) spec: ModelSpec,
    /// Whether it runs on this machine, where asking is free.
    pub(crate) is_free: bool,
    /// Whether others could have been meant.
    pub(crate) is_guessed: bool,
}

/// The model that `wanted` says, or the environment, or else the first that can be asked.
///
/// # Errors
/// If there is none, or it needs a key that is not set; with what to do.
pub(crate) async fn choose(
    client: &Client,
    wanted: Option<&ModelSpec>,
    environment: &Environment,
) -> anyhow::Result<Chosen> {
    if let Some(spec) = wanted {
        return named(spec.clone(), environment);
    }
    if let Some(text) = &environment.model {
        let spec = text.parse().with_context(|| format!("{MODEL_VARIABLE} cannot be used"))?;
        return named(spec, environment);
    }
    let mut known = hosted(environment);
    if known.is_empty() {
        known = all(client, environment).await;
    }
    let is_guessed = known.len() > 1;
    match known.into_iter().next() {
        Some(Known { spec, server, found_by }) => {
            let is_free = found_by == FoundBy::Server;
            Ok(Chosen { server, spec, is_free, is_guessed })
        }
        None => bail!(NO_MODEL),
    }
}

/// The model that is named so, with its key.
///
/// # Errors
/// If it needs a key that is not set; with what to do.
pub(crate) fn named(spec: ModelSpec, environment: &Environment) -> anyhow::Result<Chosen> {
    let provider = spec.provider();
    let variable = provider.key_variable.filter(|_| !spec.is_elsewhere());
    let key = environment.model_keys.get(variable.unwrap_or(KEY_VARIABLE)).cloned();
    if let (Some(variable), None) = (variable, &key) {
        bail!("{} asks for a key: set {variable}", provider.title);
    }
    let is_free = provider.is_local() && !spec.is_elsewhere();
    let spec = match spec.is_elsewhere() {
        true => spec,
        false => moved(spec, environment).context("no model can be asked")?,
    };
    let server = spec.server(key);
    Ok(Chosen { server, spec, is_free, is_guessed: false })
}
