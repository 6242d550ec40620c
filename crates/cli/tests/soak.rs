//! Three clients work at one server for a while: its memory, threads and open files stay flat.
//!
//! `FOVEAL_SOAK_SECONDS` is the time; without it the test is skipped. `.ci/run` gives it two
//! minutes, and `.ci/nightly` twenty.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::mcp::{address, start};
use crate::world::World;

/// What memory may grow by after the first third, in bytes: allocators keep what was freed.
const GROWTH_BYTES_MAX: u64 = 48 << 20;

/// What threads and open files may come to be more by: connections come and go.
const GROWTH_MAX: u64 = 8;

/// How often it is told meanwhile what the server uses.
const TOLD: u32 = 20;

/// Returns the time that a soak test may take; `None`, with a message, if it is to be skipped.
pub(crate) fn soak_time() -> Option<Duration> {
    let seconds = std::env::var("FOVEAL_SOAK_SECONDS").ok();
    let Some(seconds) = seconds.and_then(|text| text.parse().ok()) else {
        eprintln!("skipped: set FOVEAL_SOAK_SECONDS, for example to 120");
        return None;
    };
    Some(Duration::from_secs(seconds))
}

/// What a process uses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Use {
    pub(crate) bytes: u64,
    pub(crate) threads: u64,
    pub(crate) files: u64,
}

/// `None` where the system does not tell.
pub(crate) fn used(process: u32) -> Option<Use> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let number = |name: &str| -> Option<u64> {
        let line = status.lines().find(|line| line.starts_with(name))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    let files = fs::read_dir(format!("/proc/{process}/fd")).ok()?.count() as u64;
    Some(Use { bytes: number("VmRSS:")? * 1024, threads: number("Threads:")?, files })
}

/// One client with a session of its own.
struct Client {
    address: SocketAddr,
    session: Option<String>,
    calls: u64,
}

impl Client {
    fn new(address: SocketAddr, name: &str) -> Self {
        let mut client = Self { address, session: None, calls: 0 };
        let parameters = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": name, "version": "1"}});
        client.ask("initialize", &parameters);
        client
    }

    /// Calls a tool, whose answer is a text.
    fn call(&mut self, tool: &str, arguments: &Value) -> String {
        let answer = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        let text = answer["result"]["content"][0]["text"].as_str();
        text.unwrap_or_else(|| panic!("{tool} {arguments}: {answer}")).to_owned()
    }

    fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        self.calls += 1;
        let body = json!({"jsonrpc": "2.0", "id": self.calls, "method": method,
            "params": parameters})
        .to_string();
        let session = self.session.iter().map(|id| format!("mcp-session-id: {id}\r\n"));
        let session: String = session.collect();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n{session}\
             accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        let mut stream = TcpStream::connect(self.address).expect("the server listens");
        stream.write_all(format!("{head}{body}").as_bytes()).expect("the server reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("the server answers");
        for line in answer.lines() {
            if let Some((name, value)) = line.split_once(": ")
                && name.eq_ignore_ascii_case("mcp-session-id")
            {
                self.session = Some(value.to_owned());
            }
        }
        let messages = answer.lines().map(|line| line.strip_prefix("data: ").unwrap_or(line));
        let mut read = messages.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        read.find(|message| message["id"] == self.calls)
            .unwrap_or_else(|| panic!("no answer: {answer}"))
    }

    /// A course of work: what agents do, with mistakes.
    fn work(&mut self, number: u64) {
        let at = number % 8;
        let path = format!("src/file_{at}.rs");
        self.call("read_file", &json!({"path": path}));
        self.call("grep", &json!({"pattern": format!("step_{at}_1[0-9]")}));
        self.call("search_code", &json!({"query": format!("step {at} doubled")}));
        self.call("bash", &json!({"command": format!("seq 1 {}", 10 + at * 60)}));
        self.call("outline", &json!({"path": path}));
        let edit = json!({"path": path, "old_str": "no such text", "new_str": "x"});
        self.call("edit_file", &edit);
        let own = format!("own_{}_{at}.txt", self.address.port());
        let lines: String = (0..at * 30).map(|line| format!("{at} {line}\n")).collect();
        self.call("bash", &json!({"command": format!("cat > {own} <<'E'\n{lines}E")}));
        self.call("read_file", &json!({"path": own}));
    }
}

fn source(file: u32) -> String {
    let function = |n: u32| {
        format!("pub fn step_{file}_{n}(value: u64) -> u64 {{\n    value * {n} // doubled\n}}\n\n")
    };
    (0..150).map(function).collect()
}

#[test]
fn memory_threads_and_files_stay_flat() {
    let Some(whole) = soak_time() else { return };
    let world = World::new("soak");
    (0..8).for_each(|file| world.write(&format!("src/file_{file}.rs"), source(file)));
    let mut served = start(&world, "mcp --http 0 --root .");
    let process = served.0.id();
    if used(process).is_none() {
        eprintln!("skipped: /proc does not tell what a process uses");
        return;
    }
    let address = address(&mut served);
    let address = address.trim_start_matches("http://").trim_end_matches("/mcp");
    let address: SocketAddr = address.parse().expect("an address");
    let (stop, calls) = (AtomicBool::new(false), AtomicU64::new(0));
    let samples = std::thread::scope(|scope| {
        for client in 0..3 {
            let (stop, calls) = (&stop, &calls);
            scope.spawn(move || {
                let mut client = Client::new(address, &format!("soak {client}"));
                for number in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    client.work(number);
                    calls.store(calls.load(Ordering::Relaxed).max(client.calls), Ordering::Relaxed);
                }
            });
        }
        let begun = Instant::now();
        let mut samples = Vec::new();
        let mut told = 0;
        while begun.elapsed() < whole {
            std::thread::sleep(Duration::from_millis(500));
            samples.extend(used(process));
            if begun.elapsed() >= whole * told / TOLD {
                told += 1;
                let (seconds, calls) = (begun.elapsed().as_secs(), calls.load(Ordering::Relaxed));
                eprintln!("{seconds:5} s, {calls:6} calls a client: {:?}", samples.last());
            }
        }
        stop.store(true, Ordering::Relaxed);
        samples
    });
    let (first, rest) = samples.split_at(samples.len() / 3);
    let most = |all: &[Use], of: fn(&Use) -> u64| all.iter().map(of).max().unwrap_or_default();
    let last = &rest[rest.len() / 2..];
    eprintln!(
        "{} calls a client; {:?}, then {:?}",
        calls.load(Ordering::Relaxed),
        first.last(),
        last.last()
    );
    let (before, after) = (most(first, |one| one.bytes), most(last, |one| one.bytes));
    assert!(after <= before + GROWTH_BYTES_MAX, "bytes of memory: {before}, then {after}");
    // How many are in use at once is chance; what is never given back shows when there are fewest.
    let least = |all: &[Use], of: fn(&Use) -> u64| all.iter().map(of).min().unwrap_or_default();
    for (what, of) in
        [("threads", (|one| one.threads) as fn(&Use) -> u64), ("open files", |one| one.files)]
    {
        let (before, after) = (least(first, of), least(last, of));
        assert!(after <= before + GROWTH_MAX, "{what}: {before}, then {after}");
    }
}
