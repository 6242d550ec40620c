//! `foveal init`: sets up agents on this machine to start the tools.

mod change;
mod command;
mod gateway_address;
mod gateways;
mod text;

pub(crate) use self::command::{InitArguments, run};
pub(crate) use self::gateway_address::lost_features;
pub(crate) use self::gateways::{
    AgentGateway, find_agent_gateways, find_client_gateways, render_problems as gateway_lines,
};
