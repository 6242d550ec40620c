//! `foveal wrap` with programs that stand in for agents and say what they were told.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

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
    assert!(ran.err.contains("an argument --settings of its own"), "{ran:?}");
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
    assert!(ran.code == Some(2) && ran.err.contains("would lead past foveal"), "{ran:?}");
}

#[test]
fn opencode_is_told_of_the_providers_that_are_in_use() {
    let world = world("opencode", "opencode", "echo \"content=$OPENCODE_CONFIG_CONTENT\"");
    let ran = wrap(&world, &["opencode"], &[]);
    assert!(ran.err.contains("not clear which provider"), "{ran:?}");
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
}

#[test]
fn what_cannot_be_is_said() {
    let world = world("refused", "claude", "echo ran");
    for (arguments, variables, told) in [
        (&["claud"][..], &[][..], "unknown agent `claud`: one of claude-code, codex"),
        (&["codex"], &[], "Codex is not installed: no `codex` in PATH"),
        (&["cline"], &[], "foveal init --gateway cline"),
        (&["--upstream", "nowhere", "claude"], &[], "`nowhere` is no address of an API"),
        (&["claude"], &[("ANTHROPIC_BASE_URL", "nowhere")], "`nowhere` is no address of an API"),
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
