//! `foveal init --gateway`: points agents at foveal instead of their provider.

use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use anyhow::bail;
use foveal_agent_setup::setup::{AgentGateway, find_agent_gateways};
use foveal_agent_setup::{GatewayAddressMap, read_settings_file};
use foveal_settings::settings_file::upstreams_place;
use foveal_settings::{LISTEN_PORT, WebSocketChoice};

use crate::command_caches::create_private_folder;
use crate::environment::Environment;
use crate::{notice, private_file};

/// The advice after an agent was pointed at the gateway.
pub(super) const KEEP_SERVING_NOTICE: &str = "keep `foveal serve` running, or have the system start it (`foveal \
                              serve --install`): these agents now send all requests to it";

/// Returns the gateways of all installed agents, as seen from the current folder.
pub(crate) fn find_gateways(environment: &Environment) -> Vec<AgentGateway> {
    let routes = gateway_routes(environment, true);
    routes.map(|routes| find_agent_gateways(&environment.user, &routes)).unwrap_or_default()
}

/// Returns whether the user's gateway passes WebSockets.
pub(crate) fn passes_websockets(environment: &Environment) -> bool {
    let settings = environment.read_user_settings();
    settings.unwrap_or_default().gateway.websockets == WebSocketChoice::Pass
}

/// Returns the gateway's routes by the user's settings.
///
/// # Errors
/// If the settings cannot be read or name no fixed port, or if clients need a token, which agents
/// cannot be given here.
pub(crate) fn gateway_routes(
    environment: &Environment,
    removes: bool,
) -> anyhow::Result<GatewayAddressMap> {
    let settings = environment.read_user_settings()?.gateway;
    let usual = SocketAddr::from((Ipv4Addr::LOCALHOST, LISTEN_PORT));
    let listen = settings.listen;
    // Removal works whatever the gateway's settings are now.
    if !removes && (!listen.ip().is_loopback() || environment.serve_token.is_some()) {
        bail!(
            "the gateway requires a token from its clients: set the base URL of agents yourself, \
             and the header x-foveal-token"
        );
    }
    if !removes && listen.port() == 0 {
        bail!(
            "`listen` in [gateway] of your settings is the port 0, which changes at each start: \
             set a fixed port there, such as {LISTEN_PORT}"
        );
    }
    let mut former = read_known_gateways(environment);
    former.push(http_origin(usual));
    let upstreams = settings.upstream_config().to_upstreams();
    Ok(GatewayAddressMap::new(&http_origin(listen), &upstreams)
        .with_former_gateways(former)
        .with_upstreams_place(upstreams_place(environment.user.config_folder().as_deref())))
}

fn http_origin(listen: SocketAddr) -> String {
    let host = match listen.ip() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    };
    format!("http://{host}:{}", listen.port())
}

/// Limit of remembered gateway addresses; older ones are dropped.
const KNOWN_GATEWAYS_MAX: usize = 32;

/// Returns the path of the file with the addresses that agents were given, one per line. They
/// identify our entries after `foveal serve` moved to another address.
fn known_gateways_path(environment: &Environment) -> Option<PathBuf> {
    Some(environment.user.data_folder()?.join("foveal").join("gateways.txt"))
}

fn read_known_gateways(environment: &Environment) -> Vec<String> {
    let text =
        known_gateways_path(environment).and_then(|path| read_settings_file(&path).ok().flatten());
    let text = text.unwrap_or_default();
    let lines = text.lines().map(str::trim).filter(|line| line.starts_with("http://"));
    lines.map(str::to_owned).collect()
}

/// Records the gateway's address as given to agents.
pub(super) fn record_gateway(environment: &Environment, routes: &GatewayAddressMap) {
    let Some(path) = known_gateways_path(environment) else { return };
    let mut all = read_known_gateways(environment);
    let gateway = routes.gateway_address("");
    all.retain(|known| *known != gateway);
    all.push(gateway);
    let last = all.len().saturating_sub(KNOWN_GATEWAYS_MAX);
    let text: String = all[last..].iter().map(|line| format!("{line}\n")).collect();
    let Some(folder) = path.parent() else { return };
    let made = std::fs::create_dir_all(folder).and_then(|()| create_private_folder(folder));
    let written =
        made.and_then(|()| private_file::create_private_file(&path)?.write_all(text.as_bytes()));
    if let Err(error) = written {
        notice::print_notice(format_args!("`{}` cannot be written: {error}", path.display()));
    }
}
