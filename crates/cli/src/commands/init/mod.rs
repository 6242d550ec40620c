//! `foveal init`: has agents on this machine start the tools.

mod address;
mod change;
mod command;
mod gateways;
mod text;

pub(crate) use self::address::losses;
pub(crate) use self::command::{Arguments, run};
pub(crate) use self::gateways::{
    AgentGateway, agent_gateways, gateways_of, lines as gateway_lines,
};
