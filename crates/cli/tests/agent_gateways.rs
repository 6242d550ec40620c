//! Addresses of agents at which foveal does not answer, wherever they stand.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use serde_json::Value;

use crate::world::World;

/// A place in which an agent is told an address: its file, or a variable.
struct Case {
    agent: &'static str,
    title: &'static str,
    /// A file that the agent leaves once it was started.
    mark: &'static str,
    file: Option<(&'static str, &'static str)>,
    variable: Option<(&'static str, &'static str)>,
    remedy: &'static str,
}

const CASES: [Case; 9] = [
    Case {
        agent: "claude-code",
        title: "Claude Code",
        mark: "home/.claude.json",
        file: None,
        variable: Some(("ANTHROPIC_BASE_URL", "@")),
        remedy: "unset ANTHROPIC_BASE_URL",
    },
    Case {
        agent: "claude-code",
        title: "Claude Code",
        mark: "home/.claude.json",
        file: Some((".claude/settings.json", "{\"env\": {\"ANTHROPIC_BASE_URL\": \"@/work\"}}")),
        variable: Some(("ANTHROPIC_BASE_URL", "https://api.anthropic.com")),
        remedy: "remove the address from .claude/settings.json",
    },
    Case {
        agent: "claude-code",
        title: "Claude Code",
        mark: "home/.claude.json",
        file: Some((".claude/settings.local.json", "{\"env\": {\"ANTHROPIC_BASE_URL\": \"@\"}}")),
        variable: None,
        remedy: "remove the address from .claude/settings.local.json",
    },
    Case {
        agent: "codex",
        title: "Codex",
        mark: "home/.codex/history.jsonl",
        file: Some(("home/.codex/config.toml", "openai_base_url = \"@/v1\"\n")),
        variable: None,
        remedy: "run `foveal init codex --gateway --remove`",
    },
    Case {
        agent: "opencode",
        title: "opencode",
        mark: "home/.config/opencode/x",
        file: Some((
            "opencode.json",
            "{\"provider\": {\"anthropic\": {\"options\": {\"baseURL\": \"@/v1\"}}}}",
        )),
        variable: None,
        remedy: "remove the address from opencode.json",
    },
    Case {
        agent: "opencode",
        title: "opencode",
        mark: "home/.config/opencode/x",
        file: None,
        variable: Some((
            "OPENCODE_CONFIG_CONTENT",
            "{\"provider\": {\"anthropic\": {\"options\": {\"baseURL\": \"@/v1\"}}}}",
        )),
        remedy: "unset OPENCODE_CONFIG_CONTENT",
    },
    Case {
        agent: "gemini",
        title: "Gemini CLI",
        mark: "home/.gemini/settings.json",
        file: Some((".gemini/.env", "GOOGLE_GEMINI_BASE_URL=@\n")),
        variable: None,
        remedy: "remove the address from .gemini/.env",
    },
    Case {
        agent: "gemini",
        title: "Gemini CLI",
        mark: "home/.gemini/settings.json",
        file: None,
        variable: Some(("GOOGLE_GEMINI_BASE_URL", "@")),
        remedy: "unset GOOGLE_GEMINI_BASE_URL",
    },
    Case {
        agent: "qwen",
        title: "Qwen Code",
        mark: "home/.qwen/x",
        file: Some((
            ".qwen/settings.json",
            "{\"security\": {\"auth\": {\"baseUrl\": \"http://127.0.0.1:1/v1\"}}}",
        )),
        variable: Some(("OPENAI_BASE_URL", "@/v1")),
        remedy: "unset OPENAI_BASE_URL",
    },
];

/// A port at which nothing listens, and which nobody else takes as long as this is there.
fn silent_port() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("it is bound"));
    (listener, address)
}

fn set_up(at: usize, case: &Case, address: &str) -> (World, Vec<(&'static str, String)>) {
    let world = World::new(&format!("agent_gateways_{at}"));
    let listen = address.trim_start_matches("http://");
    world.write("home/.config/foveal/config.toml", format!("[gateway]\nlisten = \"{listen}\"\n"));
    world.write(case.mark, "{}");
    if let Some((path, text)) = case.file {
        world.write(path, text.replace('@', address));
    }
    let variables = case.variable.map(|(name, text)| (name, text.replace('@', address)));
    (world, variables.into_iter().collect())
}

fn answer_once(listener: &TcpListener, text: &'static str) -> std::thread::JoinHandle<()> {
    let listener = listener.try_clone().expect("a socket");
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        assert!(stream.read(&mut [0; 1024]).expect("a request") > 0);
        stream.write_all(text.as_bytes()).expect("it is read");
    })
}

fn finding(world: &World, agent: &str, variables: &[(&str, &str)]) -> Option<Value> {
    let told = world.run_with("doctor --json", variables).out;
    let told: Value = serde_json::from_str(&told).expect("JSON");
    let all = told["findings"].as_array().expect("a list");
    all.iter().find(|one| one["about"] == format!("{agent} gateway")).cloned()
}

#[test]
fn a_gateway_that_does_not_answer_is_noticed_wherever_it_is_named() {
    for (at, case) in CASES.iter().enumerate() {
        let (listener, address) = silent_port();
        let (world, variables) = set_up(at, case, &address);
        let variables: Vec<(&str, &str)> =
            variables.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let own = answer_once(&listener, "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nok\n");
        let found = finding(&world, case.agent, &variables).expect("a finding");
        assert_eq!(found["state"], "ok", "{at}: {found}");
        own.join().expect("it answered");
        drop(listener);
        let found = finding(&world, case.agent, &variables).expect("a finding");
        assert_eq!(found["state"], "broken", "{at}: {found}");
        let told = format!("{} sends its requests to {address} (", case.title);
        let what = found["what"].as_str().expect("a text");
        assert!(
            what.starts_with(&told) && what.ends_with("but nothing is listening there"),
            "{what}"
        );
        let remedy = found["remedy"].as_str().expect("a text");
        assert_eq!(remedy, format!("start `foveal serve`, or {}", case.remedy), "{at}");
        // Whatever else it is asked to do.
        for arguments in ["init --dry-run", "init --yes", "init --remove --yes cursor"] {
            let shown = world.run_with(arguments, &variables).out;
            let told = format!(
                ", but nothing is listening there\n  Start `foveal serve`, or {}",
                case.remedy
            );
            assert!(shown.contains(&told), "{at} {arguments}: {shown}");
            assert!(shown.contains(&format!("to {address} (")), "{at} {arguments}: {shown}");
        }
        let shown = world.run_with("init --json --dry-run", &variables).out;
        let shown: Value = serde_json::from_str(&shown).expect("JSON");
        let gateway = &shown["gateways"][0];
        assert_eq!(
            (&gateway["agent"], &gateway["address"], &gateway["answers"]),
            (&Value::from(case.agent), &Value::from(address), &Value::from("nothing"))
        );
    }
}

/// Claude Code's settings count before its variable, and a provider's own server is no gateway.
#[test]
fn only_addresses_that_count_are_asked() {
    let (listener, address) = silent_port();
    drop(listener);
    let world = World::new("agent_gateways_overruled");
    let direct = "{\"env\": {\"ANTHROPIC_BASE_URL\": \"https://api.anthropic.com\"}}";
    world.write("home/.claude/settings.json", direct);
    world.write("home/.codex/history.jsonl", "");
    // Codex takes no address from a project.
    world.write(".codex/config.toml", format!("openai_base_url = \"{address}/v1\"\n"));
    let variables = [("ANTHROPIC_BASE_URL", address.as_str())];
    assert_eq!(finding(&world, "claude-code", &variables), None);
    assert_eq!(finding(&world, "codex", &variables), None);
    assert!(
        !world.run_with("init --dry-run", &variables).out.contains("nothing is listening there")
    );
}

/// A server of the user's own may be one of several: where it does not run, that is a note, and
/// where it does, it is nothing of foveal's.
#[test]
fn a_server_of_the_users_own_that_does_not_run_is_a_note() {
    let (listener, address) = silent_port();
    let world = World::new("agent_gateways_own_server");
    let models = format!("{{\"providers\": {{\"local\": {{\"baseUrl\": \"{address}/v1\"}}}}}}");
    world.write("home/.pi/agent/models.json", models);
    let other = answer_once(&listener, "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
    assert_eq!(finding(&world, "pi", &[]), None);
    other.join().expect("it answered");
    drop(listener);
    let found = finding(&world, "pi", &[]).expect("a finding");
    assert_eq!(found["state"], "note", "{found}");
    let remedy = "start the server for that address, or remove the address from ";
    assert!(found["remedy"].as_str().expect("a text").starts_with(remedy), "{found}");
}
