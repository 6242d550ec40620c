//! The gateway addresses in the settings of agents, and whether foveal answers there: an agent
//! whose gateway is gone repeats its request for minutes and says nothing.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use super::finding::{Finding, State};
use crate::clients::{self, Client};
use crate::commands::init::gateway_routes;
use crate::environment::Environment;

/// The longest wait for a connection and for each read of the answer.
const WAIT_MAX: Duration = Duration::from_millis(500);

/// Bytes of an answer that are read.
const ANSWER_BYTES_MAX: u64 = 8 << 10;

/// Returns a finding for each gateway address in the user's settings of `client`.
pub(super) fn look(client: &Client, environment: &Environment) -> Vec<Finding> {
    let Ok(routes) = gateway_routes(environment, true) else { return Vec::new() };
    let Some(target) = client.addresses(environment, &routes) else { return Vec::new() };
    let text = clients::read(&target.path).ok().flatten().unwrap_or_default();
    let path = target.path.display();
    let about = format!("{} gateway", client.name);
    let finding = |address: String| match listener_at(&address) {
        Listener::Foveal => {
            Finding::new(State::Ok, &*about, format!("foveal answers at {address}, as {path} says"))
        }
        absent => {
            let why = if absent == Listener::Other { "is not foveal" } else { "does not answer" };
            let what =
                format!("{path} names {address}, which {why}: its requests to the model fail");
            let undo = format!("foveal init {} --gateway --remove", client.name);
            Finding::new(State::Broken, &*about, what)
                .remedy(format!("start `foveal serve` and let it run, or undo it: `{undo}`"))
        }
    };
    target.edit.gateways(&text).into_iter().map(finding).collect()
}

/// What listens at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Listener {
    Foveal,
    Other,
    None,
}

/// Asks the listener at an address such as `http://127.0.0.1:4117` whether it is foveal.
fn listener_at(address: &str) -> Listener {
    let host = address.trim_start_matches("http://");
    let found = host.to_socket_addrs().ok().and_then(|mut all| all.next());
    match found.map(|at| health(at, host)) {
        Some(Ok(answer)) if answer.ends_with("\r\n\r\nok\n") => Listener::Foveal,
        // A gateway that wants a token of its clients.
        Some(Ok(answer)) if answer.starts_with("HTTP/1.1 401") => Listener::Foveal,
        Some(Ok(_)) => Listener::Other,
        Some(Err(_)) | None => Listener::None,
    }
}

fn health(at: SocketAddr, host: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&at, WAIT_MAX)?;
    stream.set_read_timeout(Some(WAIT_MAX))?;
    stream.set_write_timeout(Some(WAIT_MAX))?;
    let request = format!("GET /healthz HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    // What came before it broke off tells enough.
    let _ = stream.take(ANSWER_BYTES_MAX).read_to_end(&mut answer);
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
