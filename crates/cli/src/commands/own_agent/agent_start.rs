//! Starts an agent: chooses its model, opens its tools and builds it.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use foveal_agent_runtime::side_agents::SideBill;
use foveal_agent_runtime::{
    AgentHost, AgentSpec, ChosenModel, ReadyAgent, ResumableSession, build_agent,
};
use foveal_providers::{LlmClient, ModelRequestLimits, ModelSpec};
use foveal_sandbox::Confinement;
use foveal_settings::build_price_overrides;
use tokio::runtime::Runtime;

use crate::environment::Environment;
use crate::explanations::agent_explainer;
use crate::models::choose_model;
use crate::notice;
use crate::toolbox::ToolboxFactory;

/// Starts the runtime for requests to models, with a client.
///
/// # Errors
/// If the runtime cannot be started, or TLS is not available.
pub(crate) fn start_runtime_and_client(
    environment: &Environment,
) -> anyhow::Result<(Runtime, LlmClient)> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build();
    let runtime = runtime.context("cannot start the HTTP client")?;
    let client = LlmClient::new(ModelRequestLimits::default(), &environment.proxies());
    let client = client.context("cannot set up TLS")?;
    Ok((runtime, client))
}

/// Returns the model to use: the named one, that of the continued session, or the default.
///
/// # Errors
/// If the model cannot be used, or there is none.
pub(crate) fn choose_session_model(
    runtime: &Runtime,
    client: &LlmClient,
    named: Option<&ModelSpec>,
    earlier: Option<&ResumableSession>,
    environment: &Environment,
) -> anyhow::Result<ChosenModel> {
    let named = match (named, earlier) {
        (None, Some(earlier)) => Some(earlier.last_model()?),
        (named, _) => named.cloned(),
    };
    // Invalid settings may be why no model is found.
    environment.read_user_settings()?;
    let chosen = runtime.block_on(choose_model(client, named.as_ref(), environment))?;
    if chosen.is_ambiguous {
        notice::print_notice(format_args!(
            "using the model {}; choose another one with --model",
            chosen.spec
        ));
    }
    Ok(chosen)
}

/// Opens the tools of an agent and builds it.
///
/// # Errors
/// If its folder, the user's settings or its files cannot be used.
pub(crate) fn start_agent(
    wanted: AgentSpec<'_>,
    runtime: &Runtime,
    client: LlmClient,
    environment: &Environment,
) -> anyhow::Result<ReadyAgent> {
    let opener = toolbox_opener(wanted.model.server.key_variable, environment)?;
    let prices = Arc::new(build_price_overrides(&opener.settings().gateway.prices)?);
    let side_bill = SideBill::with_price_overrides(wanted.limits, &prices);
    let opener = opener.with_side_bill(&side_bill);
    let toolbox = opener.open(&[PathBuf::from(wanted.folder)])?;
    let curator_choice = opener.settings_for_folder(toolbox.roots.working_directory()).curator();
    let host = AgentHost {
        runtime: runtime.handle().clone(),
        client,
        toolbox,
        settings: opener.settings().agent.clone(),
        curator: curator_choice.as_ref().and_then(|_| opener.curator_model()).cloned(),
        curator_choice,
        prices,
        side_bill,
        persists_sessions: opener.persists_sessions(),
        data_folder: environment.user.data_folder(),
        explainer: agent_explainer(environment.debug_topics()?),
    };
    Ok(build_agent(wanted, host)?)
}

/// Returns the opener of the tools. Commands do not inherit `key_variable`, which holds the key of
/// the model's API.
fn toolbox_opener(key_variable: &str, environment: &Environment) -> anyhow::Result<ToolboxFactory> {
    match Confinement::detect() {
        Ok(Confinement::Full | Confinement::Writes) => {}
        Ok(loose) => notice::print_notice(loose),
        Err(error) => notice::print_notice(error),
    }
    Ok(ToolboxFactory::new(environment)?.without_variable(key_variable).with_writable_roots(&[]))
}
