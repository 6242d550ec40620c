//! `foveal wrap` with programs that stand in for agents and say what they were told.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, waitpid};

use crate::world::{Ran, World};

/// A world in which `program` is an agent's that does what `script` says.
fn world(test: &str, program: &str, script: &str) -> World {
    let world = World::new(&format!("wrap_{test}"));
    let path = format!("bin/{program}");
    world.write(&path, format!("#!/bin/sh\n{script}\n"));
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(world.folder.join(path), mode).expect("a file of ours");
    world
}

fn command(world: &World, arguments: &[&str]) -> Command {
    let mut command = world.command("wrap");
    let path = format!("{}:/usr/bin:/bin", world.folder.join("bin").display());
    command.args(arguments).env("PATH", path);
    command
}

fn wrap(world: &World, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
    world.ran(command(world, arguments).envs(variables.iter().copied()))
}

/// What a line of the output says behind `name=`.
fn said<'a>(ran: &'a Ran, name: &str) -> &'a str {
    let line = ran.out.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    line.unwrap_or_else(|| panic!("no {name} in {ran:?}"))
}

#[test]
fn an_agent_keeps_its_arguments_and_its_exit_code() {
    let script = "echo \"url=$ANTHROPIC_BASE_URL\"; echo \"search=$ENABLE_TOOL_SEARCH\"\n\
                  for one in \"$@\"; do echo \"argument=$one\"; done; exit 7";
    let world = world("code", "claude", script);
    for name in ["claude", "claude-code"] {
        let ran = wrap(&world, &[name, "-p", "two words", "--log", "--", "-x"], &[]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(7), ""), "{ran:?}");
        assert!(said(&ran, "url").starts_with("http://127.0.0.1:"), "{ran:?}");
        assert_eq!(said(&ran, "search"), "true");
        let arguments: Vec<_> =
            ran.out.lines().filter_map(|line| line.strip_prefix("argument=")).collect();
        assert_eq!(arguments, ["-p", "two words", "--log", "--", "-x"]);
    }
    // What the user chose stays.
    let ran = wrap(&world, &["claude"], &[("ENABLE_TOOL_SEARCH", "auto:5")]);
    assert_eq!(said(&ran, "search"), "auto:5");
    // Another server need not know what Anthropic knows.
    let ran = wrap(&world, &["claude"], &[("ANTHROPIC_BASE_URL", "https://a.example")]);
    assert_eq!(said(&ran, "search"), "");
    assert!(!world.folder.join("home/.claude").exists());
}

/// What the agent had set is asked, by the settings of a file too, and no file changes.
#[test]
fn what_an_agent_had_set_is_asked() {
    let script = "url=$ANTHROPIC_BASE_URL\n\
                  [ \"$1\" = --settings ] && url=$(echo \"$2\" | sed 's/.*\\(http:[^\"]*\\).*/\\1/')\n\
                  exec curl -s -m 20 -H 'x-api-key: k' -d '{}' \"$url/v1/messages?beta=true\"";
    let world = world("upstream", "claude", script);
    let model = Model::start();
    let ran = wrap(&world, &["claude"], &[("ANTHROPIC_BASE_URL", &model.url)]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "answered"), "{ran:?}");
    let settings = format!("{{\"env\": {{\"ANTHROPIC_BASE_URL\": \"{}\"}}}}", model.url);
    world.write("home/.claude/settings.json", &settings);
    let ran = wrap(&world, &["claude"], &[("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "answered"), "{ran:?}");
    assert_eq!(world.read("home/.claude/settings.json"), settings);
    // The flag is in the place of both.
    world.write("home/.claude/settings.json", settings.replace(&model.url, "http://127.0.0.1:9"));
    let ran = wrap(&world, &["--upstream", &model.url, "claude"], &[]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "answered"), "{ran:?}");
    let ran = wrap(&world, &["claude", "--settings", "{}"], &[]);
    assert!(ran.err.contains("only with its own --settings argument"), "{ran:?}");
    let log = world.read("home/.local/share/foveal/log/wrap.jsonl");
    assert_eq!(log.lines().count(), 3, "{log}");
    assert!(log.contains("\"status\":200") && !log.contains("x-api-key"), "{log}");
}

#[test]
fn codex_is_told_by_arguments() {
    let script = "for one in \"$@\"; do echo \"argument=$one\"; done";
    let world = world("codex", "codex", script);
    world.write(
        "home/.codex/config.toml",
        "[model_providers.work]\nbase_url = \"https://models.example/api/v1\"\n",
    );
    let ran = wrap(&world, &["codex", "exec", "x"], &[]);
    let [flag, first, _, second, rest @ ..] = &*ran.out.lines().collect::<Vec<_>>() else {
        panic!("{ran:?}")
    };
    assert_eq!((*flag, rest), ("argument=-c", &["argument=exec", "argument=x"][..]), "{ran:?}");
    assert!(first.starts_with("argument=openai_base_url=\"http://127.0.0.1:"), "{first}");
    assert!(first.ends_with("/v1\""), "{first}");
    let work = "argument=model_providers.work.base_url=\"http://127.0.0.1:";
    assert!(second.starts_with(work) && second.ends_with("/work/v1\""), "{second}");
    let ran = wrap(&world, &["codex", "-c", "openai_base_url=\"x\""], &[]);
    assert!(ran.code == Some(2) && ran.err.contains("would bypass foveal"), "{ran:?}");
}

#[test]
fn opencode_is_told_of_the_providers_that_are_in_use() {
    let world = world("opencode", "opencode", "echo \"content=$OPENCODE_CONFIG_CONTENT\"");
    let ran = wrap(&world, &["opencode"], &[]);
    assert!(ran.err.contains("cannot tell which provider"), "{ran:?}");
    world.write(
        "home/.config/opencode/opencode.json",
        "{\"model\": \"anthropic/x\", // mine\n\"provider\": {\"own\": {\"options\": \
         {\"baseURL\": \"https://models.example/v1\"}}}}",
    );
    let own = r#"{"theme":"dark","provider":{"own":{"options":{"apiKey":"k"}}}}"#;
    let ran =
        wrap(&world, &["opencode", "-m", "openrouter/x"], &[("OPENCODE_CONFIG_CONTENT", own)]);
    let told: serde_json::Value = serde_json::from_str(said(&ran, "content")).expect("JSON");
    assert_eq!(
        (&told["theme"], &told["provider"]["own"]["options"]["apiKey"]),
        (&"dark".into(), &"k".into())
    );
    for (name, behind) in
        [("anthropic", "/v1"), ("openrouter", "/openrouter/v1"), ("own", "/own/v1")]
    {
        let url = told["provider"][name]["options"]["baseURL"].as_str().unwrap_or_default();
        let path = url.strip_prefix("http://127.0.0.1:").and_then(|rest| rest.split_once('/'));
        assert_eq!(path.map(|(_, path)| format!("/{path}")).as_deref(), Some(behind), "{told}");
    }
    assert!(told["provider"]["openai"].is_null(), "{told}");
    assert_eq!(ran.err, "");
    // What a project says is asked, and told; a file of its own that is called as one of
    // opencode's is no settings.
    world.write("config.json", "no settings of opencode's");
    world.write(
        ".opencode/opencode.json",
        r#"{"provider":{"own":{"options":{"baseURL":"https://me:secret@a.example/v1"}}}}"#,
    );
    let ran = wrap(&world, &["opencode", "-m", "openrouter/x"], &[]);
    assert!(ran.err.contains("send these in headers") && !ran.err.contains("secret"), "{ran:?}");
    world.write(
        ".opencode/opencode.json",
        r#"{"provider":{"own":{"options":{"baseURL":"https://a.example/v1"}}}}"#,
    );
    let ran = wrap(&world, &["opencode", "-m", "openrouter/x"], &[]);
    let told = "opencode uses `own` at https://a.example/v1, as set in .opencode/opencode.json\n";
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), told), "{ran:?}");
}

/// The proxy is for the gateway: the agent asks that directly.
#[test]
fn an_agent_behind_a_proxy_asks_the_gateway_directly() {
    let world = world("proxy", "claude", "echo \"no=$NO_PROXY\"");
    let proxy = [("HTTPS_PROXY", "http://me:secret@proxy.example:3128")];
    let ran = wrap(&world, &["claude"], &proxy);
    assert_eq!((ran.err.as_str(), said(&ran, "no")), ("", "127.0.0.1"), "{ran:?}");
}

#[test]
fn what_cannot_be_is_said() {
    let world = world("refused", "claude", "echo ran");
    for (arguments, variables, told) in [
        (&["claud"][..], &[][..], "unknown agent `claud`: expected one of claude-code, codex"),
        (&["codex"], &[], "Codex is not installed: no `codex` in PATH"),
        (&["cline"], &[], "foveal init --gateway cline"),
        (&["--upstream", "nowhere", "claude"], &[], "`nowhere` is not a valid API address"),
        (&["claude"], &[("ANTHROPIC_BASE_URL", "nowhere")], "`nowhere` is not a valid API address"),
        (&["claude"], &[("CLAUDE_CODE_USE_BEDROCK", "1")], "(CLAUDE_CODE_USE_BEDROCK)"),
    ] {
        let ran = wrap(&world, arguments, variables);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{ran:?}");
        assert!(ran.err.replace("\n  ", " ").contains(told), "{arguments:?}: {ran:?}");
    }
}

/// SIGTERM is for the agent, and Ctrl+C too where there is no terminal that gives it to both; the
/// gateway outlives what the agent makes of them.
#[test]
fn signals_are_the_agents() {
    let script = "trap 'echo interrupted; trap - TERM' INT; echo ready\n\
                  while :; do sleep 0.05; done";
    let world = world("signals", "claude", script);
    let mut child = command(&world, &["claude"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .expect("the program starts");
    let pid = Pid::from_raw(i32::try_from(child.id()).expect("a pid")).expect("a pid");
    let mut out = child.stdout.take().expect("it is piped");
    let mut until = |text: &str| {
        let mut line = [0; 64];
        let mut read = String::new();
        while !read.contains(text) {
            let count = out.read(&mut line).expect("it writes");
            assert!(count > 0, "ended before {text}");
            read.push_str(&String::from_utf8_lossy(&line[..count]));
        }
    };
    until("ready");
    kill_process(pid, Signal::INT).expect("it runs");
    until("interrupted");
    assert!(child.try_wait().expect("our child").is_none());
    kill_process(pid, Signal::TERM).expect("it runs");
    // As a shell has it: 128 and the signal.
    assert_eq!(child.wait().expect("our child").code(), Some(143));
    let _ = kill_process_group(pid, Signal::KILL);
}

/// What was ignored before, as by `nohup`, the agent ignores too.
#[test]
fn ignored_signals_stay_ignored() {
    let world = world("ignored", "claude", "grep SigIgn /proc/$$/status; exit 0");
    if !std::path::Path::new("/proc/self/status").exists() {
        return;
    }
    for (traps, expected) in [("''", 1), ("-", 0)] {
        let whole = command(&world, &["claude"]);
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("trap {traps} HUP; exec \"$0\" \"$@\"")]);
        shell.arg(whole.get_program()).args(whole.get_args()).current_dir(&world.folder);
        shell.env_clear().envs(whole.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let ran = world.ran(&mut shell);
        let mask = ran.out.trim().strip_prefix("SigIgn:").expect("a mask").trim();
        let mask = u64::from_str_radix(mask, 16).expect("a mask");
        assert_eq!(mask & 1, expected, "{traps}: {ran:?}");
    }
}

/// An agent that stops itself, as those do that read Ctrl+Z from a terminal.
const STOPS: &str = "echo ready; kill -STOP $$; echo again; exit 5";

/// One that waits for a line.
const WAITS: &str = "echo ready; read line; echo again; exit 5";

/// One that puts its terminal in order before it stops.
const TIDIES: &str = "trap 'sleep 0.3; echo tidied; kill -STOP $$; echo again; exit 5' TSTP; \
                      echo ready; while :; do :; done";

#[test]
fn who_waits_for_foveal_sees_that_the_agent_stops() {
    let world = world("stops", "claude", STOPS);
    let mut child = command(&world, &["claude"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .expect("the program starts");
    let pid = Pid::from_raw(i32::try_from(child.id()).expect("a pid")).expect("a pid");
    let waited = waitpid(Some(pid), WaitOptions::UNTRACED).expect("our child");
    assert!(waited.expect("a status").1.stopped(), "{waited:?}");
    // Of this one alone: it lets the agent go on.
    kill_process(pid, Signal::CONT).expect("it runs");
    assert_eq!(child.wait().expect("our child").code(), Some(5));
    let mut out = String::new();
    child.stdout.take().expect("it is piped").read_to_string(&mut out).expect("text");
    assert_eq!(out, "ready\nagain\n");
}

/// At a terminal the shell is there again while the agent stands, and `fg` lets it go on.
#[test]
fn a_shell_gets_its_terminal_back_while_the_agent_stops() {
    let shell = std::path::Path::new("/bin/bash");
    if !shell.exists() {
        return;
    }
    // Once by itself, the others by Ctrl+Z.
    for (name, script) in [("itself", STOPS), ("keyboard", WAITS), ("tidies", TIDIES)] {
        let world = world(&format!("shell_{name}"), "claude", script);
        let pair = native_pty_system().openpty(PtySize::default()).expect("a terminal");
        let mut command = CommandBuilder::new(shell);
        command.args(["--norc", "--noprofile", "--noediting", "-i"]);
        command.cwd(&world.folder);
        command.env_clear();
        command.env("HOME", world.folder.join("home"));
        command.env("PATH", format!("{}:/usr/bin:/bin", world.folder.join("bin").display()));
        command.env("PS1", "$ ");
        let mut child = pair.slave.spawn_command(command).expect("the program starts");
        drop(pair.slave);
        let mut keys = pair.master.take_writer().expect("a writer");
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let (told, lines) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let mut part = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut part) {
                drop(told.send(String::from_utf8_lossy(&part[..count]).into_owned()));
            }
        });
        let mut shown = String::new();
        let mut until = |text: &str| {
            while !shown.contains(text) {
                let part = lines.recv_timeout(Duration::from_secs(60));
                shown.push_str(&part.unwrap_or_else(|_| panic!("{name}: no {text} in {shown}")));
            }
            shown = shown.split_off(shown.find(text).expect("it is there") + text.len());
        };
        let foveal = env!("CARGO_BIN_EXE_foveal");
        writeln!(keys, "'{foveal}' wrap claude").expect("a terminal");
        until("ready\r\n");
        if script != STOPS {
            keys.write_all(b"\x1a").expect("a terminal");
        }
        if script == TIDIES {
            until("tidied");
        }
        until("Stopped");
        // What is typed does not spell what is waited for.
        writeln!(keys, "echo the sh''ell is here").expect("a terminal");
        until("the shell is here");
        writeln!(keys, "fg").expect("a terminal");
        until("claude");
        if script == WAITS {
            writeln!(keys).expect("a terminal");
        }
        until("again");
        writeln!(keys, "echo co''de $?").expect("a terminal");
        until("code 5");
        writeln!(keys, "exit").expect("a terminal");
        child.wait().expect("it ends");
    }
}

/// A model that answers each request with a word.
struct Model {
    url: String,
}

impl Model {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { continue };
                drop(stream.set_read_timeout(Some(Duration::from_secs(10))));
                let mut read = Vec::new();
                let mut part = [0; 4096];
                while !read.ends_with(b"{}") {
                    match stream.read(&mut part) {
                        Ok(count) if count > 0 => read.extend_from_slice(&part[..count]),
                        Ok(_) | Err(_) => break,
                    }
                }
                let answer =
                    "HTTP/1.1 200 OK\r\nContent-Length: 8\r\nConnection: close\r\n\r\nanswered";
                drop(stream.write_all(answer.as_bytes()));
            }
        });
        Self { url }
    }
}
