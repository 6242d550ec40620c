//! The resources of an agent. Its sub-agents use the same ones, each with a session of its own.

use std::path::PathBuf;
use std::sync::Arc;

use foveal_engine::placement::base_files::BaseFileLoader;
use foveal_pricing::tokens::Tokens;
use foveal_providers::{LlmClient, ModelServer};
use foveal_proxy::price_overrides::PriceOverrides;
use foveal_proxy::rules::ShapingRules;
use foveal_settings::{AgentSection, CuratorModel};
use foveal_tools::Toolbox;
use tokio::runtime::Handle;

use super::agent_explainer::AgentExplainer;
use crate::side_agents::{SideBill, SideCurator};

/// Events that an agent's queue holds at most.
pub(super) const EVENTS_MAX: usize = 1_024;

/// The resources of an agent that its folder, the user and the machine determine.
pub struct AgentHost {
    /// Runs requests to models.
    pub runtime: Handle,
    /// The client of model servers.
    pub client: LlmClient,
    /// The tools in the agent's folder. It also receives the notices of the agent.
    pub toolbox: Arc<Toolbox>,
    /// The user's settings of agents.
    pub settings: AgentSection,
    /// The choice of a curator in the settings of the folder.
    pub curator_choice: Option<CuratorModel>,
    /// The chosen curator, if it can be used.
    pub curator: Option<Arc<SideCurator>>,
    /// The user's own prices.
    pub prices: Arc<PriceOverrides>,
    /// The costs of all side models.
    pub side_bill: Arc<SideBill>,
    /// Whether sessions outlive this process.
    pub persists_sessions: bool,
    /// The user's data folder.
    pub data_folder: Option<PathBuf>,
    /// Receives explanations of the agent's decisions.
    pub explainer: AgentExplainer,
}

/// The resources of an agent.
pub(super) struct AgentResources {
    pub(super) host: AgentHost,
    /// The model's server.
    pub(super) server: ModelServer,
    /// The window in tokens, where the server reports it.
    pub(super) window: Option<Tokens>,
    /// The rules that decide about requests.
    pub(super) rules: ShapingRules,
    /// The files that a content reset may move into the system prompt.
    pub(super) base_folder: Arc<dyn BaseFileLoader>,
}
