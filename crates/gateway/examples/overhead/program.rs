//! `foveal serve` as a separate process with an empty store.

use std::io::{self, BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The running program. Dropping this ends it.
pub(crate) struct Program {
    pub(crate) address: SocketAddr,
    /// The time until it accepted requests.
    pub(crate) ready: Duration,
    path: PathBuf,
    data: PathBuf,
    child: Child,
}

impl Program {
    /// Starts it in front of this model.
    pub(crate) fn start(path: &Path, model: SocketAddr) -> io::Result<Self> {
        let data = std::env::temp_dir().join(format!("foveal-overhead-{}", std::process::id()));
        std::fs::create_dir_all(&data)?;
        let (child, address, ready) = run(path, &data, model)?;
        Ok(Self { address, ready, path: path.to_owned(), data, child })
    }

    /// Kills it, and restarts it with the same store.
    pub(crate) fn restart(&mut self, model: SocketAddr) -> io::Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        (self.child, self.address, self.ready) = run(&self.path, &self.data, model)?;
        Ok(())
    }

    /// Returns its resident memory: the total, its own and that of files.
    pub(crate) fn memory(&self) -> io::Result<String> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let [all, own, of_files] = ["VmRSS:", "RssAnon:", "RssFile:"].map(|name| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
            Some(kilobytes / 1024.0)
        });
        let missing = || io::Error::other("no VmRSS");
        let (all, own, of_files) =
            (all.ok_or_else(missing)?, own.unwrap_or_default(), of_files.unwrap_or_default());
        Ok(format!("{all:.0} MB ({own:.0} of its own, {of_files:.0} of files)"))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended already, and its remaining files are in a temporary folder.
        drop(self.child.kill());
        drop(self.child.wait());
        drop(std::fs::remove_dir_all(&self.data));
    }
}

fn run(path: &Path, data: &Path, model: SocketAddr) -> io::Result<(Child, SocketAddr, Duration)> {
    let began = Instant::now();
    let mut child = Command::new(path)
        .args(["serve", "--listen", "0", "--upstream", &format!("http://{model}")])
        .env("XDG_DATA_HOME", data)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    while !line.contains("http://") {
        line.clear();
        if lines.read_line(&mut line)? == 0 {
            return Err(io::Error::other("the program ended"));
        }
    }
    let ready = began.elapsed();
    // Its further output must not fill the pipe.
    std::thread::spawn(move || io::copy(&mut lines, &mut io::stderr()));
    let (_, address) = line.trim().split_once("http://").expect("an address");
    Ok((child, address.parse().map_err(io::Error::other)?, ready))
}
