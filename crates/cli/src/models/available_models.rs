//! Finds the models that can be asked: hosted ones whose key is set, and those of running local
//! servers.

use foveal_providers::{
    LlmClient, LlmError, MODEL_KEY_VARIABLE, ModelServer, ModelSpec, PROVIDERS, Provider,
    find_local_servers,
};

use crate::environment::Environment;
use crate::notice;

/// A model that can be asked.
#[derive(Debug)]
pub(crate) struct AvailableModel {
    /// The name that users give it.
    pub(crate) spec: ModelSpec,
    /// The server, with its key.
    pub(crate) server: ModelServer,
    /// The way in which it was found.
    pub(crate) source: ModelSource,
}

/// The way in which a model was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModelSource {
    /// The provider's key is in this variable; no request was sent.
    Key(&'static str),
    /// A local server lists it.
    LocalServer,
}

/// Returns all models that can be asked: hosted ones first, in order of preference. Sends requests
/// only to local servers at their default ports.
pub(crate) async fn find_available_models(
    client: &LlmClient,
    environment: &Environment,
) -> Vec<AvailableModel> {
    let mut known = hosted_models(environment);
    let locals = local_servers(environment);
    for found in find_local_servers(client, &locals).await {
        let base = &found.server.base;
        let local = locals.iter().find(|local| local.to_server(None).base == *base);
        match (local, found.models) {
            (Some(local), Ok(models)) => known.extend(models.iter().map(|model| {
                let spec = local.with_model(model);
                AvailableModel {
                    server: spec.to_server(None),
                    spec,
                    source: ModelSource::LocalServer,
                }
            })),
            (_, Err(LlmError::KeyMissing { url, .. })) => notice::print_notice(format_args!(
                "{url} asks for a key: set {MODEL_KEY_VARIABLE}, and name the model as \
                 NAME:MODEL@URL"
            )),
            _ => {}
        }
    }
    known
}

/// Returns the hosted models whose key is set.
pub(crate) fn hosted_models(environment: &Environment) -> Vec<AvailableModel> {
    let known = PROVIDERS.iter().filter_map(|provider| {
        let variable = provider.key_variable?;
        let key = environment.model_keys.get(variable)?.clone();
        let spec =
            with_environment_address(ModelSpec::new(provider, provider.model?), environment)?;
        let server = spec.to_server(Some(key));
        Some(AvailableModel { spec, server, source: ModelSource::Key(variable) })
    });
    known.collect()
}

/// Returns the local servers that may be running.
fn local_servers(environment: &Environment) -> Vec<ModelSpec> {
    let locals = PROVIDERS.iter().filter(|provider| provider.is_local());
    locals
        .filter_map(|provider| with_environment_address(ModelSpec::new(provider, ""), environment))
        .collect()
}

/// Replaces the model's server address by that of the environment, if one is set; prints a notice
/// and returns `None` if the address is invalid.
pub(crate) fn with_environment_address(
    spec: ModelSpec,
    environment: &Environment,
) -> Option<ModelSpec> {
    let Provider { address_variable, title, .. } = spec.provider();
    let told = address_variable
        .and_then(|variable| Some((variable, environment.user.agent_variable(variable)?)));
    let Some((variable, address)) = told else { return Some(spec) };
    match spec.with_address(address) {
        Ok(spec) => Some(spec),
        Err(error) => {
            notice::print_notice(format_args!("skipped {title}: {variable} is invalid: {error}"));
            None
        }
    }
}
