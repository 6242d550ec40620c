//! foveal between an agent and its model.

use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// `foveal serve` in front of a model, until this is dropped.
pub(crate) struct Gateway {
    child: Child,
    /// Where it listens.
    pub(crate) address: String,
    log: PathBuf,
    model: String,
    /// The variable that says where it keeps its store, and that place.
    store: (&'static str, PathBuf),
}

impl Gateway {
    /// Starts it; what it tells goes into `folder`, and what it keeps to where the variable
    /// `store` leads.
    pub(crate) fn start(model: &str, folder: &Path, store: (&'static str, PathBuf)) -> Self {
        fs::create_dir_all(folder).expect("a new folder");
        let log = folder.join("requests.jsonl");
        let (child, address) = spawn("0", model, &log, &store);
        Self { child, address, log, model: model.to_owned(), store }
    }

    /// Kills it, and starts it again at the same address over the same store.
    pub(crate) fn restart(&mut self, absence: Duration) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
        thread::sleep(absence);
        let listen = self.address.trim_start_matches("http://").to_owned();
        (self.child, self.address) = spawn(&listen, &self.model, &self.log, &self.store);
    }

    /// What it told of each request.
    pub(crate) fn told(&mut self) -> Vec<Value> {
        self.end();
        told(&self.log)
    }

    fn end(&mut self) {
        let pid = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw);
        if let Some(pid) = pid {
            // It may have ended.
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        }
        let _ = self.child.wait();
    }
}

fn spawn(listen: &str, model: &str, log: &Path, store: &(&str, PathBuf)) -> (Child, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_foveal"))
        .args(["serve", "--listen", listen, "--json", "--upstream", model])
        // A machine that runs many tests is no reason to decide nothing.
        .args(["--decision-time", "20000"])
        .env_clear()
        .env(store.0, &store.1)
        .stdin(Stdio::null())
        .stdout(OpenOptions::new().create(true).append(true).open(log).expect("a log"))
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut said = BufReader::new(child.stderr.take().expect("it is piped"));
    let mut line = String::new();
    said.read_line(&mut line).expect("it says where it listens");
    let address = line.trim().strip_prefix("listening at ").unwrap_or_else(|| panic!("{line}"));
    (child, address.to_owned())
}

/// What a gateway told of each request in its log, if it wrote one.
pub(crate) fn told(log: &Path) -> Vec<Value> {
    let log = fs::read_to_string(log).unwrap_or_default();
    log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.end();
    }
}
