//! The models that can be asked: hosted ones whose key is set, and those of local servers that run.

use foveal_llm::{AskError, Client, KEY_VARIABLE, ModelSpec, PROVIDERS, Provider, Server, find};

use crate::environment::Environment;
use crate::notice;

/// A model that can be asked.
#[derive(Debug)]
pub(crate) struct Known {
    /// As users name it.
    pub(crate) spec: ModelSpec,
    /// As it is asked.
    pub(crate) server: Server,
    /// How it was found.
    pub(crate) found_by: FoundBy,
}

/// How a model was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FoundBy {
    /// The key of its provider is in this variable; nobody was asked.
    Key(&'static str),
    /// A local server lists it.
    Server,
}

/// All models that can be asked: the hosted ones first, in the order in which they are preferred.
/// Asks local servers at their usual ports, and nobody else.
pub(crate) async fn all(client: &Client, environment: &Environment) -> Vec<Known> {
    let mut known = hosted(environment);
    let locals = locals(environment);
    for found in find(client, &locals).await {
        let base = &found.server.base;
        let local = locals.iter().find(|local| local.server(None).base == *base);
        match (local, found.models) {
            (Some(local), Ok(models)) => known.extend(models.iter().map(|model| {
                let spec = local.with_model(model);
                Known { server: spec.server(None), spec, found_by: FoundBy::Server }
            })),
            (_, Err(AskError::NoKey { url, .. })) => notice::say(format_args!(
                "{url} asks for a key: set {KEY_VARIABLE}, and name the model as NAME:MODEL@URL"
            )),
            _ => {}
        }
    }
    known
}

/// The hosted models whose key is set.
pub(crate) fn hosted(environment: &Environment) -> Vec<Known> {
    let known = PROVIDERS.iter().filter_map(|provider| {
        let variable = provider.key_variable?;
        let key = environment.model_keys.get(variable)?.clone();
        let spec = moved(ModelSpec::new(provider, provider.model?), environment)?;
        let server = spec.server(Some(key));
        Some(Known { spec, server, found_by: FoundBy::Key(variable) })
    });
    known.collect()
}

/// The local servers that may run.
fn locals(environment: &Environment) -> Vec<ModelSpec> {
    let locals = PROVIDERS.iter().filter(|provider| provider.is_local());
    locals.filter_map(|provider| moved(ModelSpec::new(provider, ""), environment)).collect()
}

/// A model where the environment says that its server is; `None`, which is said, where that cannot
/// be used.
pub(crate) fn moved(spec: ModelSpec, environment: &Environment) -> Option<ModelSpec> {
    let Provider { address_variable, title, .. } = spec.provider();
    let told = address_variable.and_then(|variable| Some((variable, environment.told(variable)?)));
    let Some((variable, address)) = told else { return Some(spec) };
    match spec.at(address) {
        Ok(spec) => Some(spec),
        Err(error) => {
            notice::say(format_args!("{title} is not asked, because of {variable}: {error}"));
            None
        }
    }
}
