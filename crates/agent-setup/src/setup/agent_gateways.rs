//! The gateways to which agents on this machine send their requests, and whether foveal answers
//! there. An agent whose gateway is gone repeats its request for minutes without a message.

use serde_json::{Value, json};

use crate::addresses::{AddressLocation, GatewayAddressMap, ListeningProgram, local_origin};
use crate::client_agents::{CLIENT_AGENTS, ClientAgent};
use crate::user_environment::UserEnvironment;

/// A local or foveal address to which an agent sends requests instead of its provider's.
pub struct AgentGateway {
    /// The agent.
    pub client: &'static ClientAgent,
    /// The address, without a path.
    pub address: String,
    /// The places that set it.
    pub places: Vec<AddressLocation>,
    /// True if foveal listens there, or did before.
    pub is_known: bool,
    /// The program that listens there.
    pub listener: ListeningProgram,
}

/// Returns the gateways of all installed agents, as seen from the current folder.
pub fn find_agent_gateways(
    environment: &UserEnvironment,
    routes: &GatewayAddressMap,
) -> Vec<AgentGateway> {
    let installed = CLIENT_AGENTS.iter().filter(|client| client.is_installed(environment));
    installed.flat_map(|client| find_client_gateways(client, environment, routes)).collect()
}

/// Returns the gateways of one agent. Responding servers of other programs do not count.
pub fn find_client_gateways(
    client: &'static ClientAgent,
    environment: &UserEnvironment,
    routes: &GatewayAddressMap,
) -> Vec<AgentGateway> {
    let folder = std::env::current_dir().ok();
    let mut found: Vec<AgentGateway> = Vec::new();
    for source in client.address_sources(environment, folder.as_deref(), routes) {
        let known = routes.gateway_origin(&source.address);
        let Some(address) = known.or_else(|| local_origin(&source.address)) else { continue };
        if let Some(same) = found.iter_mut().find(|one| one.address == address) {
            if !same.places.contains(&source.location) {
                same.places.push(source.location);
            }
            continue;
        }
        found.push(AgentGateway {
            client,
            address: address.to_owned(),
            places: vec![source.location],
            is_known: known.is_some(),
            listener: ListeningProgram::probe(address),
        });
    }
    found.retain(|one| one.is_known || one.listener != ListeningProgram::Other);
    found
}

impl AgentGateway {
    /// Returns true if the gateway is foveal, running or not.
    pub fn is_foveal(&self) -> bool {
        self.is_known || self.listener == ListeningProgram::Foveal
    }

    /// Returns true if requests certainly fail. A server of the user's own that does not run may be
    /// one of several.
    pub fn is_broken(&self) -> bool {
        let is_variable = |place: &AddressLocation| matches!(place, AddressLocation::Variable(_));
        self.listener != ListeningProgram::Foveal
            && (self.is_known || self.places.iter().any(is_variable))
    }

    /// Describes the state in a sentence without its full stop.
    pub fn describe_state(&self) -> String {
        let Self { client, address, .. } = self;
        let places: Vec<String> = self.places.iter().map(ToString::to_string).collect();
        let places = places.join(" and ");
        let (title, asks) = (client.title, "sends its requests to");
        match self.listener {
            ListeningProgram::Foveal => {
                format!("foveal is listening on {address}, as set in {places}")
            }
            ListeningProgram::Other => {
                format!(
                    "{title} {asks} {address} ({places}), but another program is listening there"
                )
            }
            ListeningProgram::None => {
                format!("{title} {asks} {address} ({places}), but nothing is listening there")
            }
        }
    }

    /// Returns the advice for a gateway that is not foveal.
    pub fn remedy(&self) -> Option<String> {
        if self.listener == ListeningProgram::Foveal {
            return None;
        }
        let start = match (self.is_known, self.listener) {
            (true, ListeningProgram::Other) => "stop that program and start `foveal serve`",
            (true, _) => "start `foveal serve`",
            (false, _) => "start the server for that address",
        };
        let ways = self.places.iter().map(|place| match place {
            AddressLocation::Variable(name) => format!("unset {name}"),
            AddressLocation::UserFile(_) if self.is_known => {
                format!("run `foveal init {} --gateway --remove`", self.client.name)
            }
            AddressLocation::UserFile(path) | AddressLocation::OtherFile(path) => {
                format!("remove the address from {}", path.display())
            }
        });
        let ways: Vec<String> = ways.collect();
        Some(format!("{start}, or {}", ways.join(" and ")))
    }

    /// Returns the gateway as JSON.
    pub fn to_json(&self) -> Value {
        json!({
            "agent": self.client.name,
            "address": self.address,
            "places": self.places.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "answers": self.listener.name(),
            "remedy": self.remedy(),
        })
    }
}

/// Renders the gateways at which foveal does not answer, with advice.
pub fn render_problems(gateways: &[AgentGateway]) -> String {
    let one = |gateway: &AgentGateway| {
        let remedy = gateway.remedy()?;
        let mut letters = remedy.chars();
        let first = letters.next()?.to_uppercase();
        Some(format!("{}\n  {first}{}\n", gateway.describe_state(), letters.as_str()))
    };
    gateways.iter().filter_map(one).collect()
}
