//! The gateways that an agent asks.

use super::finding::{Finding, State};
use crate::clients::Client;
use crate::commands::init::{AgentGateway, gateways_of};
use crate::environment::Environment;
use crate::gateway::Listener;

/// Returns a finding for each gateway that `client` asks.
pub(super) fn look(client: &'static Client, environment: &Environment) -> Vec<Finding> {
    let finding = |gateway: AgentGateway| {
        let state = match gateway.listener {
            Listener::Foveal => State::Ok,
            _ if gateway.is_broken() => State::Broken,
            _ => State::Note,
        };
        let about = format!("{} gateway", client.name);
        Finding { remedy: gateway.remedy(), ..Finding::new(state, about, gateway.sentence()) }
    };
    gateways_of(client, environment).into_iter().map(finding).collect()
}
