//! Sessions that agents keep on this machine, found without a path.

use crate::world::World;

const GEMINI: &str = include_str!("../../../fuzz/corpus/gemini_cli/session.json");
const QWEN: &str = include_str!("../../../fuzz/corpus/qwen_code/agent.jsonl");
const CLINE: &str = include_str!("../../../fuzz/corpus/cline/messages.json");
const PI: &str = include_str!("../../../fuzz/corpus/pi/list.jsonl");

#[test]
fn every_agents_sessions_are_found() {
    let world = World::new("own_sessions");
    world.write("home/.gemini/tmp/app/chats/session-1.json", GEMINI);
    world.write("home/.gemini/tmp/app/logs.json", "[]");
    world.write("home/.gemini/tmp/app/tool-outputs/session-1/printed.json", GEMINI);
    world.write("home/.qwen/projects/app/chats/1.jsonl", QWEN);
    world.write("home/.cline/data/sessions/1/1.messages.json", CLINE);
    world.write("home/.cline/data/sessions/1/1.json", "{\"session_id\":\"1\",\"cwd\":\"/w\"}");
    world.write("home/.pi/agent/sessions/app/1.jsonl", PI);
    let found = world.run("replay --json");
    assert_eq!(
        found.err.split("opencode:").next(),
        Some(
            "Claude Code: nothing in home/.claude/projects\n\
             Codex: nothing in home/.codex/sessions\n\
             Gemini CLI: 1 file in home/.gemini/tmp\n\
             Qwen Code: 1 file in home/.qwen/projects\n\
             Cline: 1 file in home/.cline/data/sessions\n\
             pi: 1 file in home/.pi/agent/sessions\n"
        )
    );
}

#[test]
fn the_folder_of_a_session_is_taken_from_beside_it() {
    let world = World::new("beside_sessions");
    world.write("tmp/app/chats/1.json", GEMINI);
    world.write("tmp/app/.project_root", "/work/gemini\n");
    world.write("cline/1.messages.json", CLINE);
    world.write("cline/1.json", "{\"session_id\":\"1\",\"cwd\":\"/work/cline\"}");
    assert!(world.output("show tmp/app/chats/1.json").contains("/work/gemini"));
    assert!(world.output("show cline/1.messages.json").contains("/work/cline"));
    // What is beside it may be anything.
    world.write("cline/1.json", "{\"cwd\":");
    assert!(world.output("show cline/1.messages.json").contains("1767_ab"));
}

/// What no tokens are counted for is said.
#[test]
fn attachments_are_counted() {
    let world = World::new("attachments");
    world.write("cline/1.messages.json", CLINE);
    let ran = world.run("replay cline/1.messages.json --profile lossless");
    assert!(
        ran.err.contains("1 attachment without text (image 1; 1 kB) is not counted"),
        "{}",
        ran.err
    );
}

/// A read that Claude Code recorded as showing one line of nine is not the whole file.
#[test]
fn a_file_that_a_hook_showed_a_line_of_is_not_known_whole() {
    let world = World::new("hook_file_at");
    let session = include_str!("../../../fuzz/corpus/claude_code/requests.jsonl");
    world.write("s.jsonl", session);
    let ran = world.run("file-at s.jsonl a.rs");
    assert_eq!(ran.out, "[lines 1-2 are not known]\nlet c = 3;\n");
    assert!(ran.err.contains("partial, 1 line known"), "{}", ran.err);
}
