//! The gateways that an agent asks.

use super::finding::{Finding, State};
use crate::clients::Client;
use crate::commands::init::{AgentGateway, gateways_of, losses};
use crate::environment::Environment;
use crate::gateway::Listener;

/// Returns a finding for each gateway that `client` asks, and what the client does without there.
pub(super) fn look(client: &'static Client, environment: &Environment) -> Vec<Finding> {
    let gateways = gateways_of(client, environment);
    let about = format!("{} gateway", client.name);
    let asks_foveal = gateways.iter().any(AgentGateway::is_foveal);
    let finding = |gateway: AgentGateway| {
        let state = match gateway.listener {
            Listener::Foveal => State::Ok,
            _ if gateway.is_broken() => State::Broken,
            _ => State::Note,
        };
        let (what, remedy) = (gateway.sentence(), gateway.remedy());
        Finding { remedy, ..Finding::new(state, &*about, what) }
    };
    let mut findings: Vec<Finding> = gateways.into_iter().map(finding).collect();
    if asks_foveal {
        findings.extend(unset(client, environment, &about));
        let losses = losses(client, environment);
        findings.extend(losses.map(|loss| Finding::new(State::Note, &*about, loss)));
    }
    findings
}

/// Returns a finding for settings that bring back what the agent leaves off for other addresses.
fn unset(client: &Client, environment: &Environment, about: &str) -> Option<Finding> {
    let names = client.unset_variables(environment, std::env::current_dir().ok().as_deref());
    let what = format!(
        "{} leaves off for this address what {} would turn on",
        client.title,
        names.join(" and ")
    );
    let remedy = format!("foveal init {} --gateway", client.name);
    (!names.is_empty()).then(|| Finding::new(State::Note, about, what).remedy(remedy))
}
