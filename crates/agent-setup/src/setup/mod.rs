//! The changes of agents' settings that `foveal init` makes, and the gateways that agents use.

mod agent_gateways;
mod setup_change;
mod setup_plan;

pub use self::agent_gateways::{
    AgentGateway, find_agent_gateways, find_client_gateways, render_problems,
};
pub use self::setup_change::{SetupChange, SetupOutcome};
pub use self::setup_plan::{SetupOptions, plan_client_changes};
