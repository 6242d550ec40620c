//! Answers to Claude Code where its user says how much of one it shows.

use std::collections::BTreeSet;
use std::io::{BufReader, Write};
use std::process::{ChildStdin, ChildStdout, Stdio};

use foveal_pricing::tokens::{Tokenizer, Tokens};
use serde_json::{Value, json};

use super::{Served, exchange};
use crate::world::World;

/// Lines of the file that is read.
const LINES: u32 = 400;

fn line(number: u32) -> String {
    format!("pub fn step_{number}(value: u64) -> u64 {{ value * {number} + 1 }}")
}

/// Claude Code with a server, its hooks set up.
struct ClaudeCode<'a> {
    world: &'a World,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    _served: Served,
    calls: u32,
    /// Tokens that it shows of an answer.
    shows: Tokens,
}

impl<'a> ClaudeCode<'a> {
    /// Starts the server with what the user set of `MAX_MCP_OUTPUT_TOKENS`.
    fn start(world: &'a World, set: Option<&str>, shows: Tokens) -> Self {
        let mut command = world.command("mcp --root work");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.envs(set.map(|tokens| ("MAX_MCP_OUTPUT_TOKENS", tokens)));
        let mut served = Served(command.spawn().expect("the program starts"));
        let mut input = served.0.stdin.take().expect("it is piped");
        let mut output = BufReader::new(served.0.stdout.take().expect("it is piped"));
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "claude-code", "version": "2.1.330"}}});
        exchange(&mut input, &mut output, &hello);
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        writeln!(input, "{ready}").expect("the server reads");
        Self { world, input, output, _served: served, calls: 0, shows }
    }

    /// What a tool answers, which is all shown.
    fn ask(&mut self, tool: &str, arguments: &Value) -> String {
        self.calls += 1;
        let call = format!("toolu_{}", self.calls);
        self.tell_hook(&call, tool, arguments);
        let request = json!({"jsonrpc": "2.0", "id": self.calls, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments,
                "_meta": {"claudecode/toolUseId": call}}});
        let answer = exchange(&mut self.input, &mut self.output, &request);
        let text = answer["result"]["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("no text: {answer}")).to_owned();
        let count = Tokenizer::Claude.count(&text);
        assert!(count <= self.shows, "{count:?} of {:?}: {tool} {arguments}", self.shows);
        text
    }

    /// Its hook says whose call it is: the server points others at nothing.
    fn tell_hook(&self, call: &str, tool: &str, arguments: &Value) {
        let event = json!({"hook_event_name": "PreToolUse", "session_id": "s1",
            "cwd": self.world.folder.join("work"), "tool_use_id": call,
            "tool_name": format!("mcp__foveal__{tool}"), "tool_input": arguments});
        let mut hook = self.world.command("hook");
        let mut hook = hook.stdin(Stdio::piped()).spawn().expect("the program starts");
        write!(hook.stdin.take().expect("it is piped"), "{event}").expect("it reads");
        assert!(hook.wait().expect("it ends").success());
    }
}

/// The numbers of the lines of the file that stand in an answer as they are.
fn shown(answer: &str) -> BTreeSet<u32> {
    (1..=LINES).filter(|number| answer.contains(&line(*number))).collect()
}

fn world(test: &str) -> World {
    let world = World::new(test);
    let text: String = (1..=LINES).map(|number| line(number) + "\n").collect();
    world.write("work/long.rs", &text);
    world.write("work/other.rs", text.replace("step", "stage"));
    world
}

#[test]
fn what_claude_code_is_told_to_show_bounds_every_answer() {
    let world = world("mcp_bounded");
    let mut client = ClaudeCode::start(&world, Some("1500"), Tokens(1_500));
    for _ in 0..3 {
        client.ask("read_file", &json!({"path": "other.rs", "mode": "full"}));
    }
    client.ask("read_file", &json!({"path": "other.rs", "question": "what is stage_300?"}));
    client.ask("read_files", &json!({"paths": ["other.rs", "long.rs"]}));
    client.ask("grep", &json!({"pattern": "value", "limit": 2_000}));
    client.ask("bash", &json!({"command": "cat other.rs; seq 20000"}));
    client.ask("search_code", &json!({"query": "steps and stages", "limit": 50}));
}

#[test]
fn what_does_not_fit_comes_page_by_page_and_does_not_count_as_shown() {
    let world = world("mcp_pages");
    let mut client = ClaudeCode::start(&world, Some("1500"), Tokens(1_500));
    let all: BTreeSet<u32> = (1..=LINES).collect();
    let mut seen = BTreeSet::new();
    let mut pages = 0;
    while seen != all {
        let start = seen.last().map_or(1, |last| last + 1);
        let arguments = json!({"path": "long.rs", "start": start, "end": LINES});
        let page = shown(&client.ask("read_lines", &arguments));
        // Whatever an earlier page had no room for is shown, not pointed at.
        assert_eq!(page.first(), Some(&start), "{pages} pages before");
        let last = *page.last().expect("a line");
        assert!(page.iter().copied().eq(start..=last), "{page:?}");
        seen.extend(page);
        pages += 1;
    }
    assert!(pages > 3, "{pages}");
    // What came counts: it is not sent a second time.
    let again = client.ask("read_file", &json!({"path": "long.rs"}));
    assert!(
        shown(&again).is_empty() && again.contains("unchanged, its 400 lines are shown above"),
        "{again}"
    );
}

#[test]
fn where_nothing_or_no_number_is_set_answers_are_as_long_as_they_may_be() {
    let world = world("mcp_unbounded");
    for set in [None, Some("many"), Some("0"), Some("60000")] {
        let mut client = ClaudeCode::start(&world, set, Tokens(9_600));
        let arguments = json!({"path": "long.rs", "start": 1, "end": LINES});
        let text = client.ask("read_lines", &arguments);
        assert!(Tokenizer::Claude.count(&text) > Tokens(3_000), "{set:?}: {}", text.len());
    }
}
