//! The gateways that agents on this machine ask, and whether foveal answers there: an agent whose
//! gateway is gone repeats its request for minutes and says nothing.

use serde_json::{Value, json};

use super::address::routes;
use crate::clients::{CLIENTS, Client, SourcePlace};
use crate::environment::Environment;
use crate::gateway::{Listener, local_origin};

/// An address of this machine, or of foveal, that an agent asks in place of its model's.
pub(crate) struct AgentGateway {
    pub(crate) client: &'static Client,
    /// Without a path.
    pub(crate) address: String,
    /// Where it stands.
    pub(crate) places: Vec<SourcePlace>,
    /// Whether it is one at which foveal listens, or listened before.
    pub(crate) is_known: bool,
    pub(crate) listener: Listener,
}

/// Returns the gateways of all agents that are installed, as seen from the current folder.
pub(crate) fn agent_gateways(environment: &Environment) -> Vec<AgentGateway> {
    let installed = CLIENTS.iter().filter(|client| client.is_installed(environment));
    installed.flat_map(|client| gateways_of(client, environment)).collect()
}

/// Returns the gateways of one agent. Servers of other makers that answer are none.
pub(crate) fn gateways_of(client: &'static Client, environment: &Environment) -> Vec<AgentGateway> {
    let Ok(routes) = routes(environment, true) else { return Vec::new() };
    let folder = std::env::current_dir().ok();
    let mut found: Vec<AgentGateway> = Vec::new();
    for source in client.address_sources(environment, folder.as_deref(), &routes) {
        let known = routes.gateway_of(&source.address);
        let Some(address) = known.or_else(|| local_origin(&source.address)) else { continue };
        if let Some(same) = found.iter_mut().find(|one| one.address == address) {
            if !same.places.contains(&source.place) {
                same.places.push(source.place);
            }
            continue;
        }
        found.push(AgentGateway {
            client,
            address: address.to_owned(),
            places: vec![source.place],
            is_known: known.is_some(),
            listener: Listener::at(address),
        });
    }
    found.retain(|one| one.is_known || one.listener != Listener::Other);
    found
}

impl AgentGateway {
    /// Returns whether it is foveal, running or not.
    pub(crate) fn is_foveal(&self) -> bool {
        self.is_known || self.listener == Listener::Foveal
    }

    /// Returns whether requests fail for certain. A server of the user's own that does not run may
    /// be one of several.
    pub(crate) fn is_broken(&self) -> bool {
        let is_variable = |place: &SourcePlace| matches!(place, SourcePlace::Variable(_));
        self.listener != Listener::Foveal && (self.is_known || self.places.iter().any(is_variable))
    }

    /// Returns the state in a sentence without its full stop.
    pub(crate) fn sentence(&self) -> String {
        let Self { client, address, .. } = self;
        let places: Vec<String> = self.places.iter().map(ToString::to_string).collect();
        let places = places.join(" and ");
        let (title, asks) = (client.title, "sends its requests to");
        match self.listener {
            Listener::Foveal => format!("foveal answers at {address}, which {places} names"),
            Listener::Other => {
                format!("{title} {asks} {address} ({places}), where another program answers")
            }
            Listener::None => format!("{title} {asks} {address} ({places}), where nothing answers"),
        }
    }

    /// Returns what to do where requests fail.
    pub(crate) fn remedy(&self) -> Option<String> {
        if self.listener == Listener::Foveal {
            return None;
        }
        let start = match (self.is_known, self.listener) {
            (true, Listener::Other) => "end that program and start `foveal serve`",
            (true, _) => "start `foveal serve`",
            (false, _) => "start the server that belongs there",
        };
        let ways = self.places.iter().map(|place| match place {
            SourcePlace::Variable(name) => format!("unset {name}"),
            SourcePlace::UserFile(_) if self.is_known => {
                format!("run `foveal init {} --gateway --remove`", self.client.name)
            }
            SourcePlace::UserFile(path) | SourcePlace::OtherFile(path) => {
                format!("take the address out of {}", path.display())
            }
        });
        let ways: Vec<String> = ways.collect();
        Some(format!("{start}, or {}", ways.join(" and ")))
    }

    pub(super) fn as_json(&self) -> Value {
        json!({
            "agent": self.client.name,
            "address": self.address,
            "places": self.places.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "answers": self.listener.name(),
            "remedy": self.remedy(),
        })
    }
}

/// Returns the lines about gateways at which foveal does not answer.
pub(crate) fn lines(gateways: &[AgentGateway]) -> String {
    let one = |gateway: &AgentGateway| {
        let remedy = gateway.remedy()?;
        let mut letters = remedy.chars();
        let first = letters.next()?.to_uppercase();
        Some(format!("{}\n  {first}{}\n", gateway.sentence(), letters.as_str()))
    };
    gateways.iter().filter_map(one).collect()
}
