//! `foveal init`: plugins, rules for tools that only read, and what earlier versions wrote.

use std::fs;

use serde_json::{Value, json};

use crate::world::{Ran, World};

const SETTINGS: &str = "home/.claude/settings.json";

fn world(test: &str) -> World {
    World::new(&format!("init_extras_{test}"))
}

fn program() -> &'static str {
    env!("CARGO_BIN_EXE_foveal")
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// What opencode leaves once it has installed what plugins need.
fn opencode_is_ready(world: &World) {
    world.write("home/.config/opencode/node_modules/.keep", "");
    let lock = json!({"packages": {"": {"dependencies": {"@opencode-ai/plugin": "1.18.33"}}}});
    world.write("home/.config/opencode/package-lock.json", lock.to_string());
}

#[test]
fn plugins_are_files_of_their_own() {
    for (agent, path) in [
        ("opencode", "home/.config/opencode/plugin/foveal.js"),
        ("pi", "home/.pi/agent/extensions/foveal.ts"),
    ] {
        let world = world(&format!("plugin_{agent}"));
        opencode_is_ready(&world);
        world.output(&format!("init {agent} --yes"));
        let text = world.read(path);
        let line = format!("const PROGRAM = {}", json!(program()));
        assert!(text.contains(&line) && !text.contains("@PROGRAM@"), "{text}");
        assert!(world.output(&format!("init {agent} --yes")).contains("already set up"));
        // A program that was moved is found.
        world.write(path, text.replace(program(), "/old place/foveal"));
        let shown = world.output(&format!("init {agent} --yes"));
        assert!(shown.contains("-const PROGRAM = \"/old place/foveal\""), "{shown}");
        assert_eq!(world.read(path), text);
        world.output(&format!("init {agent} --yes --remove"));
        assert!(!world.folder.join(path).exists());
        // A file of this name that is not ours stays.
        world.write(path, "export default {}\n");
        let Ran { code, out, .. } = world.run(&format!("init {agent} --yes"));
        assert_eq!(
            (code, out.contains("is the entry of another program")),
            (Some(2), true),
            "{out}"
        );
        world.run(&format!("init {agent} --yes --remove"));
        assert_eq!(world.read(path), "export default {}\n");
    }
    let world = world("plugin_places");
    let moved = world.folder.join("p").display().to_string();
    let ran = world.run_with("init pi --yes", &[("PI_CODING_AGENT_DIR", &moved)]);
    assert_eq!(ran.code, Some(0));
    assert!(world.folder.join("p/extensions/foveal.ts").exists());
    for (arguments, told) in [("--no-hooks", "omit --no-hooks"), ("--project", "omit --project")] {
        let Ran { code, out, .. } = world.run(&format!("init pi --yes {arguments}"));
        assert_eq!((code, out.contains(told)), (Some(2), true), "{out}");
    }
}

/// With a plugin opencode waits for what it installs, which offline takes more than a minute.
#[test]
fn opencode_is_given_no_plugin_before_it_has_installed_what_plugins_need() {
    let world = world("not_yet");
    let plugin = world.folder.join("home/.config/opencode/plugin/foveal.js");
    let shown = world.output("init opencode --yes");
    assert!(
        shown.contains("not applied: opencode has not installed `@opencode-ai/plugin`"),
        "{shown}"
    );
    assert!(!plugin.exists());
    assert!(world.read("home/.config/opencode/opencode.json").contains("foveal"));
    let told = value(&world.output("init opencode --yes --json"));
    assert_eq!(told["files"][1]["outcome"], "not_yet");
    opencode_is_ready(&world);
    world.output("init opencode --yes");
    assert!(plugin.exists());
    // It stays where it is, whatever becomes of that.
    fs::remove_dir_all(world.folder.join("home/.config/opencode/node_modules")).expect("a folder");
    assert!(!world.output("init opencode --yes").contains("not yet"));
    world.output("init opencode --yes --remove");
    assert!(!plugin.exists());
}

/// What an earlier version wrote is brought up to date, and nothing that the user chose.
#[test]
fn hooks_of_earlier_versions_are_brought_up_to_date() {
    let world = world("old_hooks");
    world.output("init claude-code --yes");
    let now = world.read(SETTINGS);
    let old = now
        .replace("\"timeout\": 3", "\"timeout\": 10")
        .replace("Read|Bash|Grep|Edit|Write|MultiEdit", "Read|Bash|Grep")
        .replace(program(), "/old/foveal");
    world.write(SETTINGS, &old);
    let shown = world.output("init claude-code --yes");
    for line in ["-            \"timeout\": 10", "+            \"timeout\": 3"] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert!(shown.contains("/old/foveal"), "{shown}");
    assert_eq!(world.read(SETTINGS), now);
    // A time and tools of the user's own stay, and so does a group with the command of another.
    let own = now
        .replacen("\"timeout\": 3", "\"timeout\": 7", 1)
        .replace("Read|Bash|Grep|Edit|Write|MultiEdit", "Read");
    world.write(SETTINGS, &own);
    assert!(world.output("init claude-code --yes").matches("already set up").count() == 2);
    let mut shared = value(&old.replace("/old/foveal", program()));
    let group = &mut shared["hooks"]["PostToolUse"][0];
    let commands = group["hooks"].as_array_mut().expect("a list");
    commands.push(json!({"type": "command", "command": "theirs"}));
    world.write(SETTINGS, shared.to_string());
    world.output("init claude-code --yes");
    assert_eq!(
        value(&world.read(SETTINGS))["hooks"]["PostToolUse"][0]["matcher"],
        "Read|Bash|Grep"
    );

    let world = self::world("old_gemini");
    world.output("init gemini --yes");
    let path = "home/.gemini/settings.json";
    let now = world.read(path);
    world.write(path, now.replace("3000", "10000"));
    world.output("init gemini --yes");
    assert_eq!(world.read(path), now);
}

#[test]
fn rules_are_written_only_where_they_are_asked_for() {
    for (at, others) in
        [None, Some("{\n  \"permissions\": {\"allow\": [\"Bash(ls)\"]}, // mine\n  \"a\": 1\n}\n")]
            .into_iter()
            .enumerate()
    {
        let world = world(&format!("rules_{at}"));
        if let Some(others) = others {
            world.write(SETTINGS, others);
        }
        world.output("init claude-code --yes");
        assert!(!world.read(SETTINGS).contains("mcp__foveal__read_file"));
        let without = world.read(SETTINGS);
        let shown = world.output("init claude-code --yes --allow-read-only");
        assert!(shown.contains("+") && shown.contains("mcp__foveal__read_file"), "{shown}");
        let text = world.read(SETTINGS);
        for tool in ["read_file", "read_lines", "grep", "glob", "list", "search_code", "expand"] {
            assert_eq!(
                text.matches(&format!("\"mcp__foveal__{tool}\"")).count(),
                1,
                "{tool}: {text}"
            );
        }
        for tool in ["edit_file", "write_file", "multi_edit", "bash", "exec", "web_fetch"] {
            assert!(!text.contains(&format!("\"mcp__foveal__{tool}\"")), "{tool}: {text}");
        }
        assert_ne!(without, text);
        // Once they are there, they stay, and all goes together, to the byte.
        world.output("init claude-code --yes --allow-read-only");
        world.output("init claude-code --yes");
        assert_eq!(world.read(SETTINGS), text);
        world.output("init claude-code --yes --remove");
        match others {
            Some(others) => assert_eq!(world.read(SETTINGS), others),
            None => assert!(!world.folder.join(SETTINGS).exists()),
        }
        assert!(!world.folder.join(format!("{SETTINGS}.foveal-backup")).exists());
    }
}

/// Rules first and hooks later, and a change of the user's in between.
#[test]
fn rules_and_hooks_go_whichever_came_first() {
    let world = world("rules_first");
    let others = "{ \"model\": \"x\" }\n";
    world.write(SETTINGS, others);
    world.output("init claude-code --yes --no-hooks --allow-read-only");
    world.output("init claude-code --yes");
    world.output("init claude-code --yes --remove");
    assert_eq!(world.read(SETTINGS), others);

    world.output("init claude-code --yes --allow-read-only");
    let mut later = value(&world.read(SETTINGS));
    later["permissions"]["allow"].as_array_mut().expect("a list").push("Bash(ls)".into());
    world.write(SETTINGS, later.to_string());
    world.output("init claude-code --yes --remove");
    let left = value(&world.read(SETTINGS));
    assert_eq!(left, json!({"model": "x", "permissions": {"allow": ["Bash(ls)"]}}));
}

#[test]
fn other_agents_have_rules_of_their_own_form() {
    let world = world("rules_others");
    world.output("init qwen gemini codex cursor --yes --allow-read-only");
    let qwen = value(&world.read("home/.qwen/settings.json"));
    let list = qwen["permissions"]["allow"].as_array().expect("a list");
    assert!(list.contains(&json!("mcp__foveal__read_file")), "{qwen}");
    assert_eq!(qwen["mcpServers"]["foveal"]["command"], program());
    let gemini = world.read("home/.gemini/policies/foveal.toml");
    for line in ["[[rule]]", "mcpName = \"foveal\"", "  \"read_file\",", "decision = \"allow\""] {
        assert!(gemini.lines().any(|known| known == line), "{line}: {gemini}");
    }
    let other = fs::read_to_string(world.folder.join("home/.cursor/mcp.json")).expect("a file");
    assert!(!other.contains("read_file"));
    world.output("init --yes --remove");
    for path in [".qwen/settings.json", ".gemini/policies/foveal.toml", ".gemini/settings.json"] {
        assert!(!world.folder.join("home").join(path).exists(), "{path}");
    }
    // What cannot be understood is left alone.
    world.write("home/.qwen/settings.json", "{\"permissions\": {\"allow\": \"all\"}}");
    let Ran { code, out, .. } = world.run("init qwen --yes --allow-read-only");
    assert_eq!((code, out.contains("`permissions.allow` is not a list")), (Some(2), true), "{out}");
}
