//! Finds out whether foveal, another program or nothing listens at an address.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs as _};
use std::time::Duration;

/// The longest wait for the connection and for each read of the response.
const PROBE_TIMEOUT: Duration = Duration::from_millis(500);

/// The largest part of a response that is read, in bytes.
const ANSWER_BYTES_MAX: u64 = 8 << 10;

/// The port of an address that names none.
const DEFAULT_PORT: u16 = 80;

/// The program that listens at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListeningProgram {
    /// foveal.
    Foveal,
    /// Another program.
    Other,
    /// Nothing.
    None,
}

impl ListeningProgram {
    /// Sends a health check to an address such as `http://127.0.0.1:4117`, and returns the program
    /// that answers.
    pub fn probe(address: &str) -> Self {
        let Some(host) = host_and_port(address) else { return Self::None };
        let found = with_default_port(host).to_socket_addrs().ok().and_then(|mut all| all.next());
        match found.map(|at| fetch_health(at, host)) {
            Some(Ok(answer)) if answer.ends_with("\r\n\r\nok\n") => Self::Foveal,
            Some(Ok(answer)) if !answer.is_empty() => Self::Other,
            Some(_) | None => Self::None,
        }
    }

    /// Returns the listener's name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Foveal => "foveal",
            Self::Other => "another program",
            Self::None => "nothing",
        }
    }
}

/// Returns the origin of an HTTP address of this machine, without a path; `None` for any other
/// address.
pub(crate) fn local_origin(address: &str) -> Option<&str> {
    let host = host_and_port(address)?;
    let name = host.rsplit_once(':').map_or(host, |(name, port)| {
        // An IPv6 address has colons of its own.
        if port.bytes().all(|byte| byte.is_ascii_digit()) { name } else { host }
    });
    let is_local = name == "localhost" || name == "[::1]" || name.starts_with("127.");
    is_local.then(|| &address[..address.len() - path_after_host(address, host).len()])
}

/// Returns the host and port of an HTTP address without user name or password.
fn host_and_port(address: &str) -> Option<&str> {
    let rest = address.strip_prefix("http://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    (!host.is_empty() && !host.contains('@')).then_some(host)
}

fn path_after_host<'a>(address: &'a str, host: &str) -> &'a str {
    &address["http://".len() + host.len()..]
}

fn with_default_port(host: &str) -> String {
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    if has_port { host.to_owned() } else { format!("{host}:{DEFAULT_PORT}") }
}

fn fetch_health(at: SocketAddr, host: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&at, PROBE_TIMEOUT)?;
    stream.set_read_timeout(Some(PROBE_TIMEOUT))?;
    stream.set_write_timeout(Some(PROBE_TIMEOUT))?;
    let request = format!("GET /healthz HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    // The part that arrived before an error is enough to recognise the program.
    let _ = stream.take(ANSWER_BYTES_MAX).read_to_end(&mut answer);
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

#[cfg(test)]
mod tests {
    use super::local_origin;

    #[test]
    fn addresses_of_this_machine_are_told_from_others() {
        for (address, origin) in [
            ("http://127.0.0.1:4117/v1", Some("http://127.0.0.1:4117")),
            ("http://localhost:4100", Some("http://localhost:4100")),
            ("http://[::1]:4100/work/v1", Some("http://[::1]:4100")),
            ("http://localhost/v1", Some("http://localhost")),
            ("http://me:secret@127.0.0.1:1", None),
            ("http://10.0.0.1:4117", None),
            ("http://localhost.example/v1", None),
            ("https://127.0.0.1:4117", None),
            ("127.0.0.1:4117", None),
            ("http://", None),
        ] {
            assert_eq!(local_origin(address), origin, "{address}");
        }
    }
}
