//! The resources of an agent. Its sub-agents use the same ones, each with a session of its own.

use std::sync::Arc;

use foveal_engine::placement::base_files::BaseFileLoader;
use foveal_pricing::tokens::Tokens;
use foveal_providers::{LlmClient, ModelServer};
use foveal_proxy::price_overrides::PriceOverrides;
use foveal_proxy::rules::ShapingRules;
use foveal_tools::Toolbox;
use tokio::runtime::Handle;

use crate::debug_topics::DebugTopics;
use crate::side_agents::SideBill;
use crate::toolbox::ToolboxFactory;

/// Events that an agent's queue holds at most.
pub(super) const EVENTS_MAX: usize = 1_024;

/// The resources of an agent.
pub(super) struct AgentRuntime {
    pub(super) runtime: Handle,
    pub(super) client: LlmClient,
    /// The model's server.
    pub(super) server: ModelServer,
    /// The window in tokens, where the server reports it.
    pub(super) window: Option<Tokens>,
    /// The rules that decide about requests.
    pub(super) rules: ShapingRules,
    /// The files that a content reset may move into the system prompt.
    pub(super) base_folder: Arc<dyn BaseFileLoader>,
    /// The user's own prices.
    pub(super) prices: Arc<PriceOverrides>,
    /// The costs of all side models.
    pub(super) side_bill: Arc<SideBill>,
    pub(super) opener: ToolboxFactory,
    pub(super) toolbox: Arc<Toolbox>,
    pub(super) debug: DebugTopics,
}
