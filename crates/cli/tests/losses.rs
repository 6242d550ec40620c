//! What agents do without behind a gateway is said, and what a setting brings back is set.

use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use serde_json::Value;

use crate::world::World;

const GATEWAY: &str = "http://127.0.0.1:4117";

/// Agents with a part of what they do without.
const LOSSES: [(&str, &str, &str); 4] = [
    ("claude-code", "home/.claude/settings.json", "`scope: \"global\"`"),
    ("claude-code", "home/.claude/settings.json", "Remote Control works only with Anthropic's own"),
    ("codex", "home/.codex/config.toml", "HTTP instead of a WebSocket"),
    ("pi", "home/.pi/agent/models.json", "`prompt_cache_key`"),
];

fn notes(world: &World, agent: &str) -> Vec<String> {
    let shown = world.output(&format!("init --gateway --yes --json {agent}"));
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    let notes = shown["files"][0]["notes"].as_array().expect("a list").iter();
    notes.map(|note| note.as_str().expect("a text").to_owned()).collect()
}

fn findings(world: &World, agent: &str, variables: &[(&str, &str)]) -> Vec<(String, Value)> {
    let told = world.run_with("doctor --json", variables).out;
    let told: Value = serde_json::from_str(&told).expect("JSON");
    let all = told["findings"].as_array().expect("a list").iter();
    let own = all.filter(|one| one["about"] == format!("{agent} gateway"));
    own.map(|one| (one["what"].as_str().expect("a text").to_owned(), one.clone())).collect()
}

#[test]
fn what_an_agent_does_without_is_said_by_init_and_doctor() {
    for (at, (agent, path, part)) in LOSSES.iter().enumerate() {
        let world = World::new(&format!("losses_{at}"));
        let all = notes(&world, agent);
        assert!(all.iter().any(|note| note.contains(part)), "{agent}: {all:?}");
        // Told each time, since each time may be the first that is read.
        assert_eq!(notes(&world, agent), all);
        assert!(world.read(path).contains(GATEWAY));
        let found = findings(&world, agent, &[]);
        let found = found.iter().find(|(what, _)| what.contains(part)).expect("a finding");
        assert_eq!(found.1["state"], "note", "{found:?}");
        let shown = world.output(&format!("init --gateway --remove --yes {agent}"));
        assert!(!shown.contains(part), "{shown}");
        assert!(!findings(&world, agent, &[]).iter().any(|(what, _)| what.contains(part)));
    }
    let world = World::new("losses_none");
    assert_eq!(notes(&world, "gemini"), Vec::<String>::new());
}

/// A server that is not Anthropic's was asked before, and Codex's WebSockets pass.
#[test]
fn what_foveal_does_not_take_away_is_not_said() {
    let world = World::new("losses_other");
    world.write(
        "home/.config/foveal/config.toml",
        "[gateway]\nwebsockets = \"pass\"\n[gateway.upstreams]\nwork = \"https://a.example\"\n",
    );
    let env = "{\"env\": {\"ANTHROPIC_BASE_URL\": \"https://a.example\"}}";
    world.write("home/.claude/settings.json", env);
    for agent in ["claude-code", "codex", "claude-code"] {
        assert_eq!(notes(&world, agent), Vec::<String>::new(), "{agent}");
    }
    assert!(!world.read("home/.claude/settings.json").contains("ENABLE_TOOL_SEARCH"));
}

/// An address that was set by hand takes tool search away, until `init` sets what brings it back.
#[test]
fn what_a_setting_brings_back_is_missed_and_set() {
    let world = World::new("losses_unset");
    let path = "home/.claude/settings.json";
    let before = format!("{{\"env\": {{\"ANTHROPIC_BASE_URL\": \"{GATEWAY}\"}}}}");
    world.write(path, &before);
    let is_missed = |variables: &[(&str, &str)]| {
        let found = findings(&world, "claude-code", variables);
        found.into_iter().find(|(what, _)| what.contains("ENABLE_TOOL_SEARCH"))
    };
    let (_, found) = is_missed(&[]).expect("a finding");
    assert_eq!(found["remedy"], "foveal init claude-code --gateway");
    let chosen =
        [("ENABLE_TOOL_SEARCH", "auto"), ("CLAUDE_CODE_ENABLE_FINE_GRAINED_TOOL_STREAMING", "0")];
    assert_eq!(is_missed(&chosen), None);
    world.output("init claude-code --gateway --yes");
    assert!(world.read(path).contains("\"ENABLE_TOOL_SEARCH\": \"true\""));
    assert_eq!(is_missed(&[]), None);
}

/// Runs `foveal wrap` of a program that stands in for an agent, at a terminal.
fn wrap(world: &World, program: &str, script: &str, variables: &[(&str, &str)]) -> String {
    let path = format!("bin/{program}");
    world.write(&path, format!("#!/bin/sh\n{script}\n"));
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(world.folder.join(path), mode).expect("a file of ours");
    let size = PtySize { cols: 400, ..PtySize::default() };
    let pair = native_pty_system().openpty(size).expect("a terminal");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_foveal"));
    command.args(["wrap", program]);
    command.cwd(&world.folder);
    command.env_clear();
    command.env("HOME", world.folder.join("home"));
    command.env("PATH", format!("{}:/usr/bin:/bin", world.folder.join("bin").display()));
    for (name, value) in variables {
        command.env(name, value);
    }
    let mut child = pair.slave.spawn_command(command).expect("the program starts");
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().expect("a reader");
    let reading = std::thread::spawn(move || {
        let (mut shown, mut part) = (Vec::new(), [0; 4096]);
        while let Ok(count @ 1..) = reader.read(&mut part) {
            shown.extend_from_slice(&part[..count]);
        }
        String::from_utf8_lossy(&shown).into_owned()
    });
    child.wait().expect("it ends");
    drop(pair.master);
    reading.join().expect("it was read")
}

#[test]
fn what_an_agent_does_without_is_said_by_wrap_at_a_terminal() {
    for (program, part) in [
        ("claude", "`scope: \"global\"`"),
        ("codex", "HTTP instead of a WebSocket"),
        ("pi", "`prompt_cache_key`"),
    ] {
        let world = World::new(&format!("losses_wrap_{program}"));
        let shown = wrap(&world, program, "echo started", &[]);
        let (before, _) = shown.split_once("started").expect("it started");
        assert!(before.contains(part), "{program}: {shown}");
    }
    let world = World::new("losses_wrap_other");
    let other = [("ANTHROPIC_BASE_URL", "https://a.example")];
    assert!(!wrap(&world, "claude", "echo started", &other).contains("scope"));
}

/// Qwen Code does for a proxy what it does for DashScope where a variable names the proxy.
#[test]
fn qwen_keeps_what_it_does_for_dashscope() {
    let world = World::new("losses_wrap_qwen");
    let script = "echo \"url=$OPENAI_BASE_URL proxy=$DASHSCOPE_PROXY_BASE_URL.\"";
    let address = ("OPENAI_BASE_URL", "https://dashscope.aliyuncs.com/compatible-mode/v1");
    let shown = wrap(&world, "qwen", script, &[address]);
    let (_, shown) = shown.split_once("url=").expect("it started");
    let (url, proxy) = shown.split_once(" proxy=").expect("it started");
    assert!(
        url.starts_with("http://127.0.0.1:") && proxy.starts_with(&format!("{url}.")),
        "{shown}"
    );
    let chosen = ("DASHSCOPE_PROXY_BASE_URL", "https://own.example");
    assert!(
        wrap(&world, "qwen", script, &[address, chosen]).contains("proxy=https://own.example.")
    );
    let other = ("OPENAI_BASE_URL", "https://a.example/v1");
    assert!(wrap(&world, "qwen", script, &[other]).contains("proxy=."));
}
