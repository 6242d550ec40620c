//! A proxy in front of the gateway, at the address that the agent has: it keeps what the agent
//! sent, and passes answers back as they come.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::gateway::Gateway;
use crate::model::http::{self, HttpRequest};
use crate::model::{Model, NUMBER, ToolResult, results_in};

/// How long the gateway is gone when it is killed.
const ABSENCE: Duration = Duration::from_millis(500);

/// Headers that are the connection's own.
const OWN_HEADERS: [&str; 5] =
    ["connection", "content-length", "transfer-encoding", "expect", "keep-alive"];

/// The answers of tools in each request, by the request's number.
pub(crate) type Sent = BTreeMap<usize, Vec<ToolResult>>;

/// The proxy. It listens until the tests end.
pub(crate) struct Proxy {
    shared: Arc<Shared>,
    /// Where it listens.
    pub(crate) address: String,
}

struct Shared {
    /// Where the gateway listens.
    gateway_address: String,
    gateway: Arc<Mutex<Gateway>>,
    model: Arc<Model>,
    requests: Mutex<(usize, Sent)>,
    /// Where bodies of requests are kept, for a look at a run that fails.
    folder: PathBuf,
}

impl Proxy {
    /// Starts a proxy in front of a gateway, which it kills when the model's plan says so.
    pub(crate) fn start(
        gateway: Arc<Mutex<Gateway>>,
        model: Arc<Model>,
        folder: &Path,
    ) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let folder = folder.to_owned();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = format!("http://{}", listener.local_addr()?);
        let gateway_address = gateway.lock().expect("no thread panics with it").address.clone();
        let requests = Mutex::default();
        let shared = Arc::new(Shared { gateway_address, gateway, model, requests, folder });
        let of_thread = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&of_thread);
                // A gateway that is gone ends a connection, and no other.
                thread::spawn(move || shared.serve(&stream));
            }
        });
        Ok(Self { shared, address })
    }

    /// What the agent sent.
    pub(crate) fn sent(&self) -> Sent {
        self.shared.requests.lock().expect("no thread panics with the lock").1.clone()
    }
}

impl Shared {
    fn serve(&self, client: &TcpStream) -> io::Result<()> {
        let request = http::read(client)?;
        let host = self.gateway_address.trim_start_matches("http://");
        let mut gateway = TcpStream::connect(host)?;
        gateway.write_all(&self.forward(host, &request))?;
        let mut client = client;
        let mut part = vec![0; 64 * 1024];
        loop {
            let length = gateway.read(&mut part)?;
            if length == 0 {
                break;
            }
            client.write_all(&part[..length])?;
        }
        if self.model.take_gateway_kill() {
            // Until it is back the address is closed.
            let mut gateway = self.gateway.lock().expect("no thread panics with the lock");
            gateway.restart(ABSENCE);
        }
        client.shutdown(Shutdown::Both)
    }

    /// The request with its number; keeps the answers of tools in it.
    fn forward(&self, host: &str, request: &HttpRequest) -> Vec<u8> {
        let number = {
            let mut requests = self.requests.lock().expect("no thread panics with the lock");
            requests.0 += 1;
            let number = requests.0;
            if let Some(results) = results_in(&request.path, &request.body) {
                requests.1.insert(number, results);
                let file = self.folder.join(format!("{number:03}.json"));
                // The run itself needs no copy.
                let _ = fs::write(file, &request.body);
            }
            number
        };
        let is_own = |header: &str| {
            let name = header.split(':').next().unwrap_or_default().to_lowercase();
            OWN_HEADERS.contains(&name.as_str()) || name == "host"
        };
        let mut head = format!("{} {} HTTP/1.1\r\nhost: {host}\r\n", request.method, request.path);
        for header in request.headers.iter().filter(|header| !is_own(header)) {
            head.push_str(&format!("{header}\r\n"));
        }
        let length = request.body.len();
        head.push_str(&format!(
            "{NUMBER}: {number}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
        ));
        [head.as_bytes(), &request.body].concat()
    }
}
