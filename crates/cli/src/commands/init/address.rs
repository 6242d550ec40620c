//! `foveal init --gateway`: has agents ask their models through foveal.

use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use anyhow::bail;

use super::change::Change;
use crate::caches::make_private;
use crate::clients::{self, Client, Target, overruled};
use crate::environment::Environment;
use crate::gateway::{LISTEN_PORT, Routes, WebSocketChoice};
use crate::{notice, private_file, user_settings};

/// What is said once an agent has been set.
pub(super) const NOW: &str = "keep `foveal serve` running, or have the system start it (`foveal \
                              serve --install`): these agents ask nobody else now\n";

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

/// What else says the address, as seen from the current folder, and what the agent does without.
pub(super) fn remarks(
    client: &Client,
    target: &Target,
    environment: &Environment,
    routes: &Routes,
) -> Vec<String> {
    let folder = std::env::current_dir().ok();
    let mut remarks = overruled::remarks(client, target, environment, (folder.as_deref(), routes));
    let text = clients::read(&target.path).ok().flatten().unwrap_or_default();
    if target.edit.asks_maker(&text) {
        remarks.extend(losses(client, environment).map(str::to_owned));
    }
    remarks
}

/// Returns what an agent does without behind a gateway with the user's settings.
pub(crate) fn losses(
    client: &Client,
    environment: &Environment,
) -> impl Iterator<Item = &'static str> {
    let settings = user_settings::read(environment).unwrap_or_default();
    let passes = settings.gateway.websockets == Some(WebSocketChoice::Pass);
    client.losses(passes)
}

/// What addresses become, by the user's settings.
///
/// # Errors
/// If the settings cannot be read, or name no port, or clients need a token, which agents cannot be
/// given here.
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
    if !removes && listen.port() == 0 {
        bail!(
            "`listen` in [gateway] of your settings names the port 0, which is another one at each \
             start: name a port there, as {LISTEN_PORT}, so that agents find it again"
        );
    }
    let mut former = remembered(environment);
    former.push(origin(usual));
    Ok(Routes::new(&origin(listen), &settings.upstreams.upstreams()).with_former(former))
}

fn origin(listen: SocketAddr) -> String {
    let host = match listen.ip() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    };
    format!("http://{host}:{}", listen.port())
}

/// Addresses of gateways that are remembered, at most: the last ones.
const REMEMBERED_MAX: usize = 32;

/// Where the addresses stand that agents were given, a line each: by them they are known again
/// once `foveal serve` listens elsewhere.
fn memory(environment: &Environment) -> Option<PathBuf> {
    Some(environment.data_folder()?.join("foveal").join("gateways.txt"))
}

fn remembered(environment: &Environment) -> Vec<String> {
    let text = memory(environment).and_then(|path| clients::read(&path).ok().flatten());
    let text = text.unwrap_or_default();
    let lines = text.lines().map(str::trim).filter(|line| line.starts_with("http://"));
    lines.map(str::to_owned).collect()
}

/// Remembers that agents were given the gateway's address.
pub(super) fn remember(environment: &Environment, routes: &Routes) {
    let Some(path) = memory(environment) else { return };
    let mut all = remembered(environment);
    let gateway = routes.own("");
    all.retain(|known| *known != gateway);
    all.push(gateway);
    let last = all.len().saturating_sub(REMEMBERED_MAX);
    let text: String = all[last..].iter().map(|line| format!("{line}\n")).collect();
    let Some(folder) = path.parent() else { return };
    let made = std::fs::create_dir_all(folder).and_then(|()| make_private(folder));
    let written = made.and_then(|()| private_file::create(&path)?.write_all(text.as_bytes()));
    if let Err(error) = written {
        notice::say(format_args!("`{}` cannot be written: {error}", path.display()));
    }
}
