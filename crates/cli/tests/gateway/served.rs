//! The gateway as a process, and a client that sees what really comes.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::world::World;

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A gateway, killed with the test.
pub(crate) struct Served {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Served {
    /// Starts one; what it prints goes to the end of `requests.jsonl` and
    /// `complaints.txt` in the world's folder. With `blocks` no file may have more than so many
    /// blocks of 512 bytes, as on a full disk.
    pub(crate) fn start(world: &World, upstreams: &[String], blocks: Option<u32>) -> Self {
        Self::start_with(world, upstreams, blocks, &[])
    }

    /// The same with more variables in its environment.
    pub(crate) fn start_with(
        world: &World,
        upstreams: &[String],
        blocks: Option<u32>,
        variables: &[(&str, &str)],
    ) -> Self {
        let whole = world.command("serve --json");
        let mut command = match blocks {
            None => whole,
            Some(blocks) => {
                let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
                let mut command = Command::new("sh");
                command.args(["-c", &script]).arg(whole.get_program()).args(whole.get_args());
                command.env_clear().env("HOME", world.folder.join("home"));
                command
            }
        };
        command.args(["--listen", "0"]);
        // A machine that runs many tests is no reason to decide nothing.
        command.args(["--decision-time", "20000"]);
        for upstream in upstreams {
            command.args(["--upstream", upstream]);
        }
        command
            .current_dir(&world.folder)
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .envs(variables.iter().copied());
        let said = log(world, "complaints.txt");
        let before = fs::metadata(&said).map_or(0, |it| it.len()) as usize;
        let open = |path: PathBuf| File::options().create(true).append(true).open(path);
        // A file of its own for each that is limited: what it may append to has a length already.
        let lines = match blocks {
            None => Stdio::from(open(log(world, "requests.jsonl")).expect("a file")),
            Some(_) => Stdio::null(),
        };
        command.stdin(Stdio::null()).stdout(lines);
        command.stderr(open(said.clone()).expect("a file"));
        let child = command.spawn().expect("the program starts");
        let began = Instant::now();
        let address = loop {
            let text = fs::read(&said).unwrap_or_default();
            let text = String::from_utf8_lossy(&text[before.min(text.len())..]).into_owned();
            let line = text.lines().find_map(|line| line.strip_prefix("listening at http://"));
            if let Some(address) = line.filter(|_| text.ends_with('\n')) {
                break address.parse().expect("an address");
            }
            assert!(began.elapsed() < PATIENCE, "it listens nowhere: {text}");
            std::thread::sleep(Duration::from_millis(10));
        };
        Self { child, address }
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Asks it to end, and waits for that.
    pub(crate) fn stop(mut self) {
        let process = self.process().to_string();
        let asked = Command::new("kill").args(["-TERM", &process]).status();
        assert!(asked.expect("the program starts").success());
        assert!(self.child.wait().expect("it ends").success());
    }

    /// Ends it as a power cut does.
    pub(crate) fn kill(mut self) {
        self.end();
    }

    fn end(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.end();
    }
}

/// A file of the world's in which the gateway writes.
pub(crate) fn log(world: &World, name: &str) -> PathBuf {
    world.folder.join(name)
}

/// An answer as it came.
#[derive(Debug, Default, Clone)]
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
    /// Whether the body came to its end in good form.
    pub(crate) is_whole: bool,
}

impl Got {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// Asks, and reads what comes, `pause` after each part. An error: there was no answer at all.
pub(crate) fn ask(
    address: SocketAddr,
    path: &str,
    lines: &[String],
    body: &[u8],
    pause: Duration,
) -> io::Result<Got> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let lines: String = lines.iter().map(|line| format!("{line}\r\n")).collect();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{lines}\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    let mut reader = BufReader::new(stream);
    let mut status = String::new();
    reader.read_line(&mut status)?;
    let status = status.split(' ').nth(1).and_then(|code| code.parse().ok());
    let mut got = Got { status: status.ok_or(io::ErrorKind::UnexpectedEof)?, ..Got::default() };
    let mut length = None;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(text) = line.strip_prefix("content-length:") {
            length = text.trim().parse::<usize>().ok();
        }
    }
    // What comes of a body counts, however it ends.
    let _ = match length {
        Some(length) => reader.take(length as u64).read_to_end(&mut got.body).map(|count| {
            got.is_whole = count == length;
        }),
        None => chunks(&mut reader, &mut got, pause),
    };
    Ok(got)
}

fn chunks(reader: &mut impl BufRead, got: &mut Got, pause: Duration) -> io::Result<()> {
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let size = usize::from_str_radix(line.trim_end(), 16).map_err(io::Error::other)?;
        let mut part = vec![0; size + 2];
        reader.read_exact(&mut part)?;
        if size == 0 {
            got.is_whole = true;
            return Ok(());
        }
        got.body.extend_from_slice(&part[..size]);
        std::thread::sleep(pause);
    }
}
