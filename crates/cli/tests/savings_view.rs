//! `foveal stats` is the one view of what was saved: by the gateway, by foveal's own tools, by hooks.

use foveal_mock_provider::{MockProvider, Settings};
use serde_json::{Value, json};

use crate::gateway_bill::{Gateway, bodies, stats};
use crate::hook::given_as;
use crate::mcp::called;
use crate::world::World;

#[test]
fn stats_cover_gateway_hooks_and_tools() {
    let world = World::new("savings_view");
    let text: String =
        (0..900).map(|n| format!("fn part_{n}() -> u32 {{\n    {n}\n}}\n\n")).collect();
    world.write("project/a.rs", &text);
    let mut server = world.command("mcp");
    server.current_dir(world.folder.join("project"));
    let answer = called(server, "read_file", &json!({"path": "a.rs"}), || {});
    assert!(answer.contains("part_0"), "{answer}");
    let printed: String = (0..3000).map(|n| format!("test case_{n} ... ok\n")).collect();
    let event = json!({"session_id": "s1", "transcript_path": "/nowhere", "cwd": "/r",
        "hook_event_name": "AfterTool", "timestamp": "2026-01-01T00:00:00.000Z",
        "tool_name": "run_shell_command", "tool_input": {"command": "cargo test"},
        "tool_response": {"llmContent": printed, "returnDisplay": ""}});
    assert!(given_as(&world, "hook gemini", event.to_string().as_bytes()).contains("deny"));
    let upstream = MockProvider::start(Settings::default()).expect("a provider");
    let gateway = Gateway::start(&world, &upstream, "max");
    let bodies = bodies();
    bodies.iter().for_each(|body| gateway.ask(body));
    let told: Value = stats(&world, bodies.len());
    for part in ["tools", "hooks"] {
        let sizes = &told["beside_gateway"][part];
        let bytes = |key: &str| sizes[key].as_u64().unwrap_or_else(|| panic!("{key}: {told:#}"));
        assert_eq!(sizes["calls"], 1, "{part}: {told:#}");
        assert!(bytes("bytes_sent") * 2 < bytes("bytes_whole"), "{part}: {told:#}");
    }
    let shown = world.output("stats");
    for part in [
        format!("{} requests in 1 conversation", bodies.len()),
        "billed for".to_owned(),
        "foveal's own tools: 1 call, about ".to_owned(),
        "hooks: 1 shortened result, about ".to_owned(),
    ] {
        assert!(shown.contains(&part), "{part}: {shown}");
    }
}
