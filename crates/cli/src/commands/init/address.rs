//! `foveal init --gateway`: has agents ask their models through foveal.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use anyhow::bail;

use super::change::Change;
use crate::clients::{self, Client, Target};
use crate::environment::Environment;
use crate::gateway::{LISTEN_PORT, Routes};
use crate::user_settings;

/// What is said once an agent has been set.
pub(super) const NOW: &str = "keep `foveal serve` running: these agents ask nobody else now\n";

/// That foveal does not know how an agent is told where its model is.
pub(super) fn no_place(client: &'static Client, is_unknown: bool) -> Option<Change> {
    let why = match client.name {
        "cursor" => "its requests go through its maker's own servers, which cannot reach foveal",
        "vscode" | "zed" => {
            "set the base URL of a provider in its own settings to http://127.0.0.1:4117/NAME/v1, if \
             it lets you; NAME is one of [gateway.upstreams], or openai"
        }
        _ => "there is no place for its settings: set HOME",
    };
    is_unknown.then(|| Change::failed(client, why))
}

/// Whether an agent asks the gateway by this file.
pub(super) fn is_set(target: &Target) -> bool {
    let text = clients::read(&target.path).ok().flatten();
    text.is_some_and(|text| !matches!(target.edit.remove(&text), Ok(None)))
}

/// What addresses become, by the user's settings.
///
/// # Errors
/// If the settings cannot be read, or clients need a token, which agents cannot be given here.
pub(super) fn routes(environment: &Environment, removes: bool) -> anyhow::Result<Routes> {
    let settings = user_settings::read(environment)?.gateway;
    let usual = SocketAddr::from((Ipv4Addr::LOCALHOST, LISTEN_PORT));
    let listen = settings.listen.unwrap_or(usual);
    // What is there can be taken out whatever the gateway wants by now.
    if !removes && (!listen.ip().is_loopback() || environment.serve_token.is_some()) {
        bail!(
            "the gateway wants a token of its clients: set the base URL of agents by hand, and the \
             header x-foveal-token"
        );
    }
    let host = match listen.ip() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    };
    let gateway = format!("http://{host}:{}", listen.port());
    Ok(Routes::new(&gateway, &settings.upstreams.upstreams()))
}
