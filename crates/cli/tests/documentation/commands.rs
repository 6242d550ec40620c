//! The commands of the pages that a newcomer follows, typed at a terminal in the order of the page.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use foveal_mock_provider::{MockProvider, ModelReply};
use portable_pty::CommandBuilder;
use regex::Regex;

use super::command_lines::{CommandLine, block_commands};
use super::page::{Page, repository};
use crate::run_task::provider;
use crate::service::SYSTEMCTL;
use crate::terminal::Terminal;
use crate::world::World;

const PAGES: [&str; 5] =
    ["README.md", "docs/quickstart.md", "docs/agents.md", "docs/gateway.md", "docs/team.md"];

/// How a command of a page is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trial {
    /// It ends with success; questions are answered with `y`.
    Succeeds,
    /// It checks the machine, and may find faults there.
    Checks,
    /// It serves at this port of the page, until Ctrl+C.
    Serves(u16),
    /// It shows a screen; a message is sent and answered, and `/quit` ends it.
    Chats,
    /// The following commands run in another folder.
    ChangesFolder,
    /// No test can run it, for this reason.
    Impossible(&'static str),
}

/// The trials of the commands that begin so. All others are to succeed.
const TRIALS: [(&str, Trial); 8] = [
    ("cargo install ", Trial::Impossible("it builds the whole program")),
    ("cargo test ", Trial::Impossible("it would run this test; `.ci/run` runs it")),
    ("ollama pull ", Trial::Impossible("it downloads gigabytes, and Ollama may not be installed")),
    ("foveal doctor", Trial::Checks),
    ("FOVEAL_MCP_TOKEN=… foveal mcp --http ", Trial::Serves(8765)),
    ("FOVEAL_SERVE_TOKEN=… foveal serve --listen ", Trial::Serves(4117)),
    ("foveal chat ", Trial::Chats),
    ("cd ", Trial::ChangesFolder),
];

fn trial(command: &str) -> Trial {
    let found = TRIALS.iter().find(|(start, _)| command.starts_with(start));
    found.map_or(Trial::Succeeds, |(_, trial)| *trial)
}

/// The handle that a page shows, in place of which stands one of an earlier answer.
const SHOWN_HANDLE: &str = "7c1e32c0e44d";

/// A cargo that runs the program which is already built.
const CARGO: &str =
    "#!/bin/sh\n[ \"$1 $2 $3\" = 'run --release --' ] || exit 9\nshift 3\nexec foveal \"$@\"\n";

/// A newcomer who reads a page, in a home with agents and a project of its own.
struct Newcomer {
    world: World,
    provider: MockProvider,
    folder: PathBuf,
    /// Of the latest answer that has one.
    handle: Option<String>,
}

impl Drop for Newcomer {
    /// Ends the gateway that the stand-in for systemd started.
    fn drop(&mut self) {
        if let Ok(pid) = fs::read_to_string(self.world.folder.join("home/pid")) {
            drop(Command::new("kill").arg(pid.trim()).status());
        }
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("it is bound").port()
}

/// Returns a source file that is shown in part, with functions of the names that pages look for.
fn source() -> String {
    let function = |n| {
        format!(
            "/// Retries step {n} until it is done.\npub fn retry_step_{n}(count: u32) -> u32 {{\n    \
             let doubled = count * {n};\n    doubled + 1\n}}\n\npub fn late{n}_step() {{}}\n\n"
        )
    };
    (1..=60).map(function).collect()
}

impl Newcomer {
    fn new(page: &str) -> Self {
        let world = World::new(&format!("documentation_{}", page.replace(['/', '.'], "_")));
        let agent = "#!/bin/sh\necho \"$0 $*\"\n";
        let programs = [
            ("claude", agent),
            ("codex", agent),
            ("opencode", agent),
            ("cargo", CARGO),
            ("systemctl", SYSTEMCTL),
        ];
        for (name, text) in programs {
            let path = format!("bin/{name}");
            world.write(&path, text);
            let mode = fs::Permissions::from_mode(0o755);
            fs::set_permissions(world.folder.join(path), mode).expect("a file of ours");
        }
        symlink(env!("CARGO_BIN_EXE_foveal"), world.folder.join("bin/foveal")).expect("a link");
        symlink(repository().join("examples"), world.folder.join("examples")).expect("a link");
        let session = include_str!("../../../../fuzz/corpus/claude_code/requests.jsonl");
        world.write("home/.claude/projects/app/1.jsonl", session);
        world.write("home/.codex/config.toml", "model = \"gpt-5\"\n");
        world.write("home/.config/opencode/opencode.json", "{}\n");
        let port = free_port();
        world.write("home/.config/foveal/config.toml", format!("[gateway]\nlisten = {port}\n"));
        for project in ["", "home/my-project/"] {
            world.write(&format!("{project}src/lib.rs"), source());
            world.write(&format!("{project}.git/HEAD"), "ref: refs/heads/main\n");
        }
        let provider = provider([ModelReply::from_text("It is done.")]);
        let folder = world.folder.clone();
        Self { world, provider, folder, handle: None }
    }

    /// Starts a shell with this command at a terminal.
    fn start(&self, command: &str) -> Terminal {
        let home = self.world.folder.join("home");
        let mut shell = CommandBuilder::new("/bin/sh");
        shell.args(["-c", command]);
        shell.cwd(&self.folder);
        shell.env_clear();
        shell.env("HOME", &home);
        shell.env("PATH", format!("{}:/usr/bin:/bin", self.world.folder.join("bin").display()));
        shell.env("TERM", "xterm-256color");
        shell.env("PAGER", "cat");
        shell.env("OLLAMA_HOST", self.provider.address().to_string());
        Terminal::start(shell, (200, 50))
    }

    /// Runs a command to its end and returns its exit code and its output.
    fn run(&self, command: &str) -> (u32, String) {
        let mut terminal = self.start(command);
        if command.starts_with("foveal init") {
            terminal.types(&"y\n".repeat(20));
        }
        (terminal.ends(), terminal.written())
    }

    /// Tries a command of the page, with values of this machine in place of the page's.
    fn try_command(&mut self, shown: &str) -> Result<(), String> {
        let mut command = shown.replace("TOKEN=…", "TOKEN=a-token-of-twenty-letters");
        if command.contains(SHOWN_HANDLE) {
            let handle = self.handle.as_ref().ok_or("no earlier answer has a handle")?;
            command = command.replace(SHOWN_HANDLE, handle);
        }
        match trial(shown) {
            Trial::Impossible(_) => Ok(()),
            Trial::ChangesFolder => {
                let folder = command.trim_start_matches("cd ");
                let home = self.world.folder.join("home");
                self.folder = PathBuf::from(folder.replace('~', &home.display().to_string()));
                self.folder.is_dir().then_some(()).ok_or("there is no such folder".to_owned())
            }
            Trial::Serves(port) => {
                let free = free_port();
                self.serve(&command.replace(&port.to_string(), &free.to_string()), free);
                Ok(())
            }
            Trial::Chats => {
                self.chat(&command);
                Ok(())
            }
            Trial::Checks => self.run_to_code(&command, &[0, 1]),
            Trial::Succeeds => self.run_to_code(&command, &[0]),
        }
    }

    fn run_to_code(&mut self, command: &str, codes: &[u32]) -> Result<(), String> {
        let (code, output) = self.run(command);
        let handle = Regex::new("expand ([0-9a-f]{12})").expect("an expression");
        if let Some(found) = handle.captures(&output) {
            self.handle = Some(found[1].to_owned());
        }
        let is_right = codes.contains(&code) && !output.contains("error: ");
        is_right.then_some(()).ok_or_else(|| format!("exit code {code}\n{output}"))
    }

    fn serve(&self, command: &str, port: u16) {
        let mut terminal = self.start(command);
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(30), "{command}:\n{}", terminal.screen());
            std::thread::sleep(Duration::from_millis(20));
        }
        terminal.types("\x03").ends();
    }

    fn chat(&self, command: &str) {
        let mut terminal = self.start(command);
        terminal.shows("/help lists keys").types("hello\r").shows("It is done.");
        terminal.types("/quit\r");
        assert_eq!(terminal.ends(), 0, "{command}");
    }
}

#[track_caller]
fn try_page(path: &str) {
    let commands = block_commands(&Page::read(path));
    let mut newcomer = Newcomer::new(path);
    for CommandLine { line, text } in commands {
        if let Err(fault) = newcomer.try_command(&text) {
            panic!("{path}:{line}: `{text}`: {fault}");
        }
    }
}

#[test]
fn readme_commands_work() {
    try_page("README.md");
}

#[test]
fn quickstart_commands_work() {
    try_page("docs/quickstart.md");
}

#[test]
fn agents_commands_work() {
    try_page("docs/agents.md");
}

#[test]
fn gateway_commands_work() {
    try_page("docs/gateway.md");
}

#[test]
fn team_commands_work() {
    try_page("docs/team.md");
}

/// An exception for a command that no page shows any more is deleted.
#[test]
fn every_special_trial_is_of_a_command_that_a_page_shows() {
    let commands: Vec<String> = PAGES
        .iter()
        .flat_map(|path| block_commands(&Page::read(path)))
        .map(|command| command.text)
        .collect();
    assert!(commands.len() > 35, "only {} commands were found", commands.len());
    for (start, _) in TRIALS {
        assert!(commands.iter().any(|command| command.starts_with(start)), "{start}");
    }
}
