//! `foveal init` in homes with the files of each agent.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::world::{Ran, World};

/// An agent: its file, what else may be in such a file, and where our entry's program stands.
struct Case {
    name: &'static str,
    path: &'static str,
    others: &'static str,
    program: &'static str,
}

const CASES: [Case; 10] = [
    Case {
        name: "claude-code --no-hooks",
        path: ".claude.json",
        others: "{\"numStartups\": 3, \"mcpServers\": {\"other\": {\"command\": \"x\"}}}",
        program: "/mcpServers/foveal/command",
    },
    Case {
        name: "codex",
        path: ".codex/config.toml",
        others: "model = \"x\" # why\n\n[mcp_servers.other] # theirs\ncommand = 'y'\n\n[tui]\na = 1\n# end\n",
        program: "",
    },
    Case {
        name: "opencode",
        path: ".config/opencode/opencode.json",
        others: "{\n  // mine\n  \"theme\": \"x\",\n}\n",
        program: "/mcp/foveal/command/0",
    },
    Case {
        name: "opencode",
        path: ".config/opencode/opencode.jsonc",
        others: "{\"mcp\": {\"servers\": {\"other\": {\"type\": \"local\", \"command\": [\"x\"]}}}} // second",
        program: "/mcp/servers/foveal/command/0",
    },
    Case {
        name: "cursor",
        path: ".cursor/mcp.json",
        others: "\u{feff}{\r\n    \"mcpServers\": {\r\n        \"other\": {}\r\n    }\r\n}\r\n",
        program: "/mcpServers/foveal/command",
    },
    Case {
        name: "vscode",
        path: ".config/Code/User/mcp.json",
        others: "{\n\t\"inputs\": [], /* asked */\n\t\"servers\": {}\n}\n",
        program: "/servers/foveal/command",
    },
    Case {
        name: "zed",
        path: ".config/zed/settings.json",
        others: "// Zed\n{\n  \"context_servers\": {\n    \"other\": { \"command\": \"x\" }, // why\n  },\n}\n",
        program: "/context_servers/foveal/command",
    },
    Case {
        name: "cline",
        path: ".cline/data/settings/cline_mcp_settings.json",
        others: "{\"mcpServers\":{\"other\":{\"command\":\"x\"}}}",
        program: "/mcpServers/foveal/command",
    },
    Case {
        name: "gemini",
        path: ".gemini/settings.json",
        others: "{\n  \"theme\": \"x\" // mine\n}",
        program: "/mcpServers/foveal/command",
    },
    Case {
        name: "qwen",
        path: ".qwen/settings.json",
        others: "{\n  \"mcpServers\": {\"other\": {\"command\": \"x\"}}, // mine\n}\n",
        program: "/mcpServers/foveal/command",
    },
];

impl Case {
    fn file(&self) -> String {
        format!("home/{}", self.path)
    }

    /// The program that the file has our entry start.
    fn program_in(&self, text: &str) -> Option<String> {
        if self.program.is_empty() {
            let line = text.split("[mcp_servers.foveal]\n").nth(1)?.lines().next()?;
            return Some(line.strip_prefix("command = \"")?.strip_suffix('"')?.to_owned());
        }
        let plain: String = text
            .trim_start_matches('\u{feff}')
            .replace("/* asked */", "")
            .lines()
            .map(|line| line.split(" // ").next().unwrap_or_default())
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        let plain = plain.replace([' ', '\t'], "");
        let plain = plain.replace(",}", "}").replace(",]", "]");
        let value: Value = serde_json::from_str(&plain).expect(&plain);
        value.pointer(self.program)?.as_str().map(str::to_owned)
    }
}

fn world(test: &str, case: usize) -> World {
    World::new(&format!("init_{test}_{case}"))
}

fn program() -> &'static str {
    env!("CARGO_BIN_EXE_foveal")
}

/// Runs `foveal init`, which has to go well, in silence on standard error.
fn init(world: &World, arguments: &str) -> String {
    world.output(&format!("init {arguments}"))
}

#[test]
fn a_file_is_made_where_there_is_none_and_goes_again() {
    for (at, case) in CASES.iter().enumerate().filter(|(at, _)| *at != 3) {
        let world = world("fresh", at);
        let shown = init(&world, &format!("{} --yes", case.name));
        assert!(shown.contains("+") && shown.contains(case.path), "{shown}");
        let text = world.read(&case.file());
        assert_eq!(case.program_in(&text).as_deref(), Some(program()), "{text}");
        assert!(text.ends_with('\n'), "{text:?}");
        let again = init(&world, &format!("{} --yes", case.name));
        assert!(again.contains("already set up") && !again.contains('+'), "{again}");
        assert_eq!(world.read(&case.file()), text);
        init(&world, &format!("{} --remove --yes", case.name));
        assert!(!world.folder.join(case.file()).exists(), "{}", case.name);
    }
}

#[test]
fn all_else_in_a_file_stays_and_the_bytes_come_back() {
    for (at, case) in CASES.iter().enumerate() {
        let world = world("existing", at);
        world.write(&case.file(), case.others);
        init(&world, &format!("{} --yes", case.name));
        let text = world.read(&case.file());
        assert_eq!(case.program_in(&text).as_deref(), Some(program()), "{text}");
        for word in ["other", "theme", "why", "mine", "theirs", "end", "asked", "Zed", "second"] {
            assert_eq!(text.contains(word), case.others.contains(word), "{word}: {text}");
        }
        assert_eq!(text.starts_with('\u{feff}'), case.others.starts_with('\u{feff}'));
        assert_eq!(text.contains("\r\n"), case.others.contains("\r\n"));
        let backup = format!("{}.foveal-backup", case.file());
        assert_eq!(world.read(&backup), case.others);
        init(&world, &format!("{} --yes", case.name));
        assert_eq!((world.read(&case.file()), world.read(&backup)), (text, case.others.to_owned()));
        init(&world, &format!("{} --remove --yes", case.name));
        assert_eq!(world.read(&case.file()), case.others, "{}", case.name);
        assert!(!world.folder.join(backup).exists());
    }
}

/// What is changed between is kept, and ours alone goes.
#[test]
fn changes_made_meanwhile_are_kept() {
    for (at, case) in CASES.iter().enumerate() {
        let world = world("meanwhile", at);
        world.write(&case.file(), case.others);
        init(&world, &format!("{} --yes", case.name));
        let changed = world.read(&case.file()).replacen("\"x\"", "\"later\"", 1);
        let changed = changed.replacen("\"numStartups\": 3", "\"numStartups\": 4", 1);
        world.write(&case.file(), &changed);
        init(&world, &format!("{} --remove --yes", case.name));
        let left = world.read(&case.file());
        assert!(!left.contains("foveal"), "{left}");
        for word in ["other", "theme", "why", "mine", "theirs", "end", "asked", "Zed", "later"] {
            let was = changed.replace(program(), "").contains(word);
            assert_eq!(left.contains(word), was, "{word}: {left}");
        }
    }
}

#[test]
fn an_entry_is_brought_up_to_date_with_all_that_the_user_put_there() {
    for (at, case) in CASES.iter().enumerate() {
        let world = world("moved", at);
        world.write(&case.file(), case.others);
        init(&world, &format!("{} --yes", case.name));
        let moved = world.read(&case.file()).replace(program(), "/old/foveal");
        let moved = moved.replacen("\"env\": {}", "\"env\": {\"A\": \"1\"}", 1);
        world.write(&case.file(), &moved);
        init(&world, &format!("{} --yes", case.name));
        assert_eq!(world.read(&case.file()), moved.replace("/old/foveal", program()));
        // What is kept is how it was before the first time.
        assert_eq!(world.read(&format!("{}.foveal-backup", case.file())), case.others);
    }
}

#[test]
fn a_profile_is_written_and_changed_and_nothing_else() {
    for (at, case) in CASES.iter().enumerate() {
        let world = world("profile", at);
        world.write(&case.file(), case.others);
        init(&world, &format!("{} --yes", case.name));
        let usual = world.read(&case.file());
        init(&world, &format!("{} --yes --profile lean", case.name));
        let lean = world.read(&case.file());
        let word = |text: &str| text.split_whitespace().collect::<String>();
        let (usual_word, lean_word) = (word(&usual), word(&lean));
        let expected = ["\"mcp\",\"--profile\",\"lean\"", "\"mcp\",\"--profile\",\"full\""];
        assert_eq!(lean_word.replace(expected[0], "\"mcp\""), usual_word, "{lean}");
        // Nothing is asked for: it stays.
        init(&world, &format!("{} --yes", case.name));
        assert_eq!(world.read(&case.file()), lean);
        // What the user put there stays too.
        let own = lean.replacen("\"--profile\"", "\"--structured\", \"--profile\"", 1);
        world.write(&case.file(), &own);
        init(&world, &format!("{} --yes --profile full", case.name));
        let full = word(&world.read(&case.file()));
        assert!(full.contains("\"--structured\",\"--profile\",\"full\""), "{full}");
        assert!(!full.contains("\"lean\""), "{full}");
        // A new entry has it at once.
        init(&world, &format!("{} --yes --remove", case.name));
        init(&world, &format!("{} --yes --profile full", case.name));
        let full = word(&world.read(&case.file()));
        assert_eq!(full.replace(expected[1], "\"mcp\""), usual_word, "{full}");
        // All is as it was before, to the byte.
        init(&world, &format!("{} --yes --remove", case.name));
        assert_eq!(world.read(&case.file()), case.others);
    }
}

#[test]
fn a_file_made_with_a_profile_goes_again() {
    for (at, case) in CASES.iter().enumerate() {
        let world = world("made_profile", at);
        init(&world, &format!("{} --yes --profile lean", case.name));
        init(&world, &format!("{} --yes --profile full", case.name));
        init(&world, &format!("{} --yes --remove", case.name));
        assert!(!world.folder.join(case.file()).exists(), "{}", case.name);
    }
}

#[test]
fn nothing_is_written_through_what_a_project_brings_along() {
    let world = world("brought", 0);
    world.write("home/.bashrc", "mine\n");
    let mine = world.folder.join("home/.bashrc");
    world.write(".mcp.json", "/*\nevil\n*/ {}");
    let backup = world.folder.join(".mcp.json.foveal-backup");
    std::os::unix::fs::symlink(&mine, &backup).expect("a link");
    init(&world, "claude-code --project --no-hooks --yes");
    assert_eq!(world.read("home/.bashrc"), "mine\n");
    assert!(!backup.is_symlink());
    assert_eq!(world.read(".mcp.json.foveal-backup"), "/*\nevil\n*/ {}");

    // Nor is a file elsewhere taken for one of the project, whichever part of it is the link.
    let elsewhere = world.folder.with_extension("elsewhere");
    fs::create_dir_all(&elsewhere).expect("a folder");
    fs::write(elsewhere.join("settings.json"), "{}").expect("a file");
    std::os::unix::fs::symlink(&elsewhere, world.folder.join(".gemini")).expect("a link");
    let Ran { code, out, .. } = world.run("init gemini --project --yes");
    assert_eq!((code, out.contains("is a link to outside the project")), (Some(2), true), "{out}");
    let settings = fs::read_to_string(elsewhere.join("settings.json")).expect("a file");
    assert_eq!(settings, "{}");
    fs::remove_dir_all(&elsewhere).expect("a folder of this test");
}

#[test]
fn what_is_switched_off_is_said() {
    for (at, (agent, path, off)) in [
        ("cline", ".cline/data/settings/cline_mcp_settings.json", "\"disabled\": true"),
        ("opencode", ".config/opencode/opencode.json", "\"enabled\": false"),
        ("codex", ".codex/config.toml", "enabled = false"),
    ]
    .into_iter()
    .enumerate()
    {
        let world = world("off", at);
        let file = format!("home/{path}");
        init(&world, &format!("{agent} --yes"));
        assert!(!init(&world, &format!("{agent} --yes")).contains("disabled there"));
        let on = world.read(&file).replace("\"disabled\": false", off);
        let on = on.replace("\"enabled\": true", off);
        let on = if agent == "codex" { format!("{on}{off}\n") } else { on };
        world.write(&file, on);
        let told = init(&world, &format!("{agent} --yes"));
        assert!(told.contains("disabled there"), "{agent}: {told}");
    }
}

#[test]
fn what_is_no_file_is_said() {
    let world = world("no_file", 0);
    fs::create_dir_all(world.folder.join("home/.cursor/mcp.json")).expect("a folder");
    let Ran { code, out, .. } = world.run("init cursor --yes");
    assert_eq!((code, out.contains("not a regular file")), (Some(2), true), "{out}");
    fs::create_dir_all(world.folder.join("home/.gemini")).expect("a folder");
    std::os::unix::fs::symlink("/not/here", world.folder.join("home/.gemini/settings.json"))
        .expect("a link");
    let Ran { code, out, .. } = world.run("init gemini --yes");
    assert_eq!((code, out.contains("a link to `/not/here`")), (Some(2), true), "{out}");
}

#[test]
fn a_file_that_was_made_and_then_added_to_leaves_no_copy_of_our_entry() {
    let world = world("extended", 0);
    init(&world, "cursor --yes");
    let made = world.read("home/.cursor/mcp.json");
    world.write("home/.cursor/mcp.json", made.replacen('{', "{ \"own\": 1,", 1));
    init(&world, "cursor --yes --profile lean");
    init(&world, "cursor --remove --yes");
    assert!(world.read("home/.cursor/mcp.json").contains("own"));
    let left = fs::read_dir(world.folder.join("home/.cursor")).expect("a folder");
    assert_eq!(left.count(), 1);
}

#[test]
fn what_cannot_be_understood_is_never_written() {
    for (at, case) in CASES.iter().enumerate().filter(|(at, _)| *at != 3) {
        let world = world("broken", at);
        let broken = format!("{}\n{{ \"a\" = ", case.others);
        world.write(&case.file(), &broken);
        for arguments in ["--yes", "--remove --yes"] {
            let Ran { code, out, .. } = world.run(&format!("init {} {arguments}", case.name));
            assert_eq!(code, Some(2), "{out}");
            assert!(out.contains("not changed: line "), "{out}");
            let Ran { out, .. } = world.run(&format!("init {} {arguments} --json", case.name));
            let told: Value = serde_json::from_str(&out).expect("JSON");
            let failed = |file: &&Value| file["outcome"] == "failed";
            let file = told["files"].as_array().and_then(|all| all.iter().find(failed));
            assert_eq!(file.map(|file| &file["diff"]), Some(&Value::Null), "{out}");
            assert_eq!(world.read(&case.file()), broken);
        }
    }
    let world = world("kinds", 0);
    for (text, told) in [
        ("[]", "`the whole` is not an object"),
        ("{\"mcpServers\": []}", "`mcpServers` is not an object"),
        (
            "{\"mcpServers\": {\"foveal\": {\"command\": \"/x/other\"}}}",
            "`foveal` is the entry of another program",
        ),
    ] {
        world.write("home/.cursor/mcp.json", text);
        let Ran { code, out, .. } = world.run("init cursor --yes");
        assert_eq!(code, Some(2), "{out}");
        assert!(out.contains(told), "{out}");
        assert_eq!(world.read("home/.cursor/mcp.json"), text);
        let removed = init(&world, "cursor --remove --yes");
        assert!(removed.contains("not set up there"), "{removed}");
    }
    // Agents take the last of two, and an edit would change the first.
    let twice =
        "{\"env\": {\"A\": \"1\"}, \"env\": {}, \"hooks\": {}, \"hooks\": {\"PostToolUse\": []}}";
    let settings = "home/.claude/settings.json";
    world.write(settings, twice);
    for arguments in ["--yes", "--gateway --yes"] {
        let Ran { code, out, .. } = world.run(&format!("init claude-code {arguments}"));
        assert_eq!(code, Some(2), "{out}");
        assert!(out.contains("`env` occurs twice"), "{out}");
        assert_eq!(world.read(settings), twice);
    }
    world.write("home/.cursor/mcp.json", [b'{', 0xff, b'}']);
    assert!(world.run("init cursor --yes").out.contains("not UTF-8 text"));
}

#[test]
fn nothing_is_written_without_a_word() {
    for (at, case) in CASES.iter().enumerate() {
        let world = world("dry", at);
        let shown = init(&world, &format!("{} --dry-run", case.name.replace(" --no-hooks", "")));
        assert!(shown.contains("would be written") && shown.contains(program()), "{shown}");
        assert!(shown.ends_with("\nNext: run this again without `--dry-run` to write it.\n"));
        assert_eq!(fs::read_dir(world.folder.join("home")).expect("a folder").count(), 0);
        let Ran { code, err, out } = world.run(&format!("init {}", case.name));
        assert_eq!((code, out.contains("not changed")), (Some(2), true), "{out}");
        assert!(err.contains("use --yes"), "{err}");
        assert_eq!(fs::read_dir(world.folder.join("home")).expect("a folder").count(), 0);
    }
}

#[test]
fn read_only_files_and_links_stay_what_they_are() {
    let world = world("read_only", 0);
    world.write("home/.cursor/mcp.json", "{}");
    let path = world.folder.join("home/.cursor/mcp.json");
    let mut rights = fs::metadata(&path).expect("a file").permissions();
    rights.set_readonly(true);
    fs::set_permissions(&path, rights).expect("a file of this test");
    let Ran { code, out, .. } = world.run("init cursor --yes");
    assert_eq!((code, out.contains("read-only")), (Some(2), true), "{out}");
    assert_eq!(world.read("home/.cursor/mcp.json"), "{}");

    world.write("home/dotfiles/gemini.json", "{\"a\": 1}");
    fs::create_dir_all(world.folder.join("home/.gemini")).expect("a folder");
    let link = world.folder.join("home/.gemini/settings.json");
    std::os::unix::fs::symlink(world.folder.join("home/dotfiles/gemini.json"), &link)
        .expect("a link");
    init(&world, "gemini --yes");
    assert!(link.is_symlink());
    assert!(world.read("home/dotfiles/gemini.json").contains(program()));
    init(&world, "gemini --remove --yes");
    assert!(link.is_symlink());
    assert_eq!(world.read("home/dotfiles/gemini.json"), "{\"a\": 1}");
}

#[test]
fn agents_are_found_by_what_they_leave() {
    let world = world("found", 0);
    let Ran { code, err, .. } = world.run("init --yes");
    assert_eq!(code, Some(2));
    assert!(err.contains("no agent was found on this machine: name one of claude-code"), "{err}");
    world.write("home/.codex/auth.json", "{}");
    world.write("home/.config/zed/settings.json", "{}");
    let all = init(&world, "--yes --json");
    let all: Value = serde_json::from_str(&all).expect("JSON");
    let agents = |all: &Value| -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let files = all["files"].as_array().expect("a list").iter();
        files.map(|file| (text(&file["agent"]), text(&file["outcome"]))).collect()
    };
    let pair = |name: &str, outcome: &str| (name.to_owned(), outcome.to_owned());
    // Codex has its servers in one file, its hooks in another.
    let codex = || pair("codex", "changed");
    assert_eq!(agents(&all), [codex(), codex(), pair("zed", "changed")]);
    let removed = init(&world, "--remove --yes --json");
    let removed: Value = serde_json::from_str(&removed).expect("JSON");
    assert_eq!(agents(&removed), [codex(), codex(), pair("zed", "changed")]);
    assert_eq!(init(&world, "--remove --yes"), "foveal is not set up anywhere\n");
}

#[test]
fn hooks_stand_beside_those_of_others() {
    let world = world("hooks", 0);
    let path = "home/.claude/settings.json";
    let others = "{\n  \"model\": \"x\",\n  \"hooks\": {\n    \"PostToolUse\": [\n      {\"matcher\": \"Edit\", \"hooks\": [{\"type\": \"command\", \"command\": \"foveal hook\"}]}\n    ]\n  }\n}\n";
    world.write(path, others);
    init(&world, "claude-code --yes");
    let text = world.read(path);
    let settings: Value = serde_json::from_str(&text).expect("JSON");
    let ours = json!({ "type": "command", "command": program(), "args": ["hook"], "timeout": 3 });
    let hooks = &settings["hooks"];
    assert_eq!(
        hooks["PostToolUse"][1],
        json!({ "matcher": "Read|Bash|Grep|Edit|Write|MultiEdit", "hooks": [ours] })
    );
    assert_eq!(hooks["SessionStart"][0]["hooks"], json!([ours]));
    assert_eq!(hooks["PreCompact"][0]["hooks"], json!([ours]));
    assert!(init(&world, "claude-code --yes").matches("already set up").count() == 2);
    // Somebody adds another command to our group.
    let together = text.replacen(
        "\"timeout\": 3\n",
        "\"timeout\": 3\n          },\n          {\"type\": \"command\", \"command\": \"theirs\"\n",
        1,
    );
    assert_ne!(together, text);
    world.write(path, &together);
    init(&world, "claude-code --remove --yes");
    let left: Value = serde_json::from_str(&world.read(path)).expect("JSON");
    let before: Value = serde_json::from_str(others).expect("JSON");
    assert_eq!(left["hooks"]["PostToolUse"][0], before["hooks"]["PostToolUse"][0]);
    assert_eq!(left["hooks"]["PostToolUse"][1]["hooks"][0]["command"], "theirs");
    assert_eq!(left["hooks"].as_object().map(serde_json::Map::len), Some(1), "{left}");
    world.write(path, &text);
    init(&world, "claude-code --remove --yes");
    assert_eq!(world.read(path), others);
}

/// Codex has a file for hooks, Gemini CLI one for everything.
#[test]
fn hooks_of_other_agents_are_lines_for_a_shell() {
    for (agent, path, event, seconds) in [
        ("codex", "home/.codex/hooks.json", "PostToolUse", 3),
        ("gemini", "home/.gemini/settings.json", "AfterTool", 3_000),
    ] {
        let world = world("shell_hooks", usize::from(agent == "gemini"));
        let others =
            format!("{{\n  \"hooks\": {{\"{event}\": [{{\"hooks\": []}}]}}, \"a\": 1\n}}\n");
        world.write(path, &others);
        init(&world, &format!("{agent} --yes"));
        let text = world.read(path);
        let settings: Value = serde_json::from_str(&text).expect("JSON");
        let ours = &settings["hooks"][event][1]["hooks"][0];
        let line = format!("{} hook {agent}", program());
        assert_eq!((&ours["command"], &ours["timeout"]), (&json!(line), &json!(seconds)), "{text}");
        // A program that was moved is found, and its line alone is changed.
        world.write(
            path,
            text.replace(program(), "/old place/foveal")
                .replace("\"/old place/foveal hook", "\"'/old place/foveal' hook"),
        );
        init(&world, &format!("{agent} --yes"));
        assert_eq!(world.read(path), text);
        init(&world, &format!("{agent} --yes --remove"));
        assert_eq!(world.read(path), others);
        init(&world, &format!("{agent} --yes --no-hooks"));
        assert!(!world.read(path).contains(" hook "));
    }
}

#[test]
fn old_versions_are_not_given_hooks() {
    let world = world("versions", 0);
    world.write("bin/claude", "#!/bin/sh\necho '2.1.120 (Claude Code)'\n");
    let program = world.folder.join("bin/claude");
    let rights = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(program, rights).expect("a file of this test");
    let path = format!("{}:/usr/bin:/bin", world.folder.join("bin").display());
    let Ran { code, out, .. } = world.run_with("init --yes", &[("PATH", &path)]);
    assert_eq!(code, Some(2));
    assert!(out.contains("since version 2.1.139, but version 2.1.120 is installed"), "{out}");
    assert!(!world.folder.join("home/.claude/settings.json").exists());
    assert!(world.read("home/.claude.json").contains("foveal"));
    world.write("bin/claude", "#!/bin/sh\necho '2.1.139 (Claude Code)'\n");
    assert_eq!(world.run_with("init --yes", &[("PATH", &path)]).code, Some(0));
    assert!(world.read("home/.claude/settings.json").contains("PostToolUse"));
}

#[test]
fn a_project_is_set_up_in_its_own_files() {
    let world = world("project", 0);
    init(&world, "claude-code codex opencode cursor vscode gemini --project --yes");
    for path in [
        ".mcp.json",
        ".claude/settings.local.json",
        ".codex/config.toml",
        "opencode.json",
        ".cursor/mcp.json",
        ".vscode/mcp.json",
        ".gemini/settings.json",
    ] {
        assert!(world.read(path).contains(program()), "{path}");
    }
    assert_eq!(fs::read_dir(world.folder.join("home")).expect("a folder").count(), 0);
    let Ran { code, out, .. } = world.run("init zed --project --yes");
    assert_eq!((code, out.contains("omit --project")), (Some(2), true), "{out}");
    init(&world, "--project --remove --yes");
    assert!(!world.folder.join(".mcp.json").exists());
}

#[test]
fn places_that_users_moved_are_heeded() {
    let world = world("places", 0);
    let folder = world.folder.display().to_string();
    let at = |path: &str| format!("{folder}/{path}");
    let run = |arguments: &str, name: &str, place: &str| {
        assert_eq!(world.run_with(arguments, &[(name, &at(place))]).code, Some(0), "{arguments}");
    };
    run("init claude-code --yes", "CLAUDE_CONFIG_DIR", "c");
    assert!(world.read("c/.claude.json").contains("foveal"));
    assert!(world.read("c/settings.json").contains("foveal"));
    run("init codex --yes", "CODEX_HOME", "x");
    assert!(world.read("x/config.toml").contains("foveal"));
    run("init zed --yes", "XDG_CONFIG_HOME", "g");
    assert!(world.read("g/zed/settings.json").contains("foveal"));
    run("init cline --yes", "CLINE_MCP_SETTINGS_PATH", "l.json");
    assert!(world.read("l.json").contains("foveal"));
    let old = "home/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json";
    world.write(old, "{}");
    init(&world, "cline --yes");
    assert!(world.read(old).contains("foveal"));
}

#[test]
fn a_program_of_another_name_is_set_up_too() {
    let world = World::new("init_other_name");
    fs::create_dir_all(world.folder.join("home/.gemini")).expect("a new folder");
    let program = world.folder.join("nightly");
    fs::hard_link(env!("CARGO_BIN_EXE_foveal"), &program).expect("a second name");
    let init = |options: &[&str]| {
        let mut command = Command::new(&program);
        command.args(["init", "--yes"]).args(options).arg("gemini").env_clear();
        command.env("HOME", world.folder.join("home")).current_dir(&world.folder);
        world.ran(&mut command)
    };
    let ran = init(&["--no-hooks"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    assert!(ran.out.contains("  set up\n"), "{}", ran.out);
    let entry: Value =
        serde_json::from_str(&world.read("home/.gemini/settings.json")).expect("JSON");
    assert_eq!(entry["mcpServers"]["foveal"]["command"], json!(program.to_str().expect("text")));
    // It recognizes its own entries: nothing is written twice, and all is removed.
    assert!(init(&[]).out.contains("  set up"));
    let again = init(&[]);
    assert!(again.out.contains("  already set up\n"), "{}", again.out);
    assert_eq!(world.read("home/.gemini/settings.json").matches("/nightly").count(), 2);
    let removed = init(&["--remove"]);
    assert!(removed.out.contains("  removed\n"), "{}", removed.out);
    assert!(!world.folder.join("home/.gemini/settings.json").exists());
}
