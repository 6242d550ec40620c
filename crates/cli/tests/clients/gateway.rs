//! foveal between an agent and its model.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// `foveal serve` in front of a model, until this is dropped.
pub(crate) struct Gateway {
    child: Child,
    /// Where it listens.
    pub(crate) address: String,
    log: PathBuf,
}

impl Gateway {
    /// Starts it; what it keeps and tells goes into `folder`.
    pub(crate) fn start(model: &str, folder: &Path) -> Self {
        fs::create_dir_all(folder).expect("a new folder");
        let log = folder.join("requests.jsonl");
        let mut child = Command::new(env!("CARGO_BIN_EXE_foveal"))
            .args(["serve", "--listen", "0", "--json", "--upstream", model])
            // A machine that runs many tests is no reason to decide nothing.
            .args(["--decision-time", "20000"])
            .env_clear()
            .env("XDG_DATA_HOME", folder)
            .stdin(Stdio::null())
            .stdout(File::create(&log).expect("a new file"))
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut said = BufReader::new(child.stderr.take().expect("it is piped"));
        let mut line = String::new();
        said.read_line(&mut line).expect("it says where it listens");
        let address = line.trim().strip_prefix("listening at ").unwrap_or_else(|| panic!("{line}"));
        Self { address: address.to_owned(), child, log }
    }

    /// What it told of each request.
    pub(crate) fn told(mut self) -> Vec<Value> {
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
