//! `foveal init --gateway`: addresses led to the gateway, and back.

use crate::world::{Ran, World};

/// An agent: its file, what stood there, and parts of what stands there then.
struct Case {
    name: &'static str,
    path: &'static str,
    before: &'static str,
    told: &'static [&'static str],
}

const GATEWAY: &str = "http://127.0.0.1:4117";

const CASES: [Case; 10] = [
    Case {
        name: "claude-code",
        path: "home/.claude/settings.json",
        before: "{\n  // mine\n  \"env\": {\"ANTHROPIC_AUTH_TOKEN\": \"k\"},\n  \"model\": \"opus[1m]\"\n}\n",
        told: &[
            "\"ANTHROPIC_BASE_URL\": \"http://127.0.0.1:4117\"",
            "\"ENABLE_TOOL_SEARCH\": \"true\"",
            "\"CLAUDE_CODE_ENABLE_FINE_GRAINED_TOOL_STREAMING\": \"1\"",
            "// mine",
            "opus[1m]",
        ],
    },
    Case {
        name: "claude-code",
        path: "home/.claude/settings.json",
        before: "{\"env\": {\"ANTHROPIC_BASE_URL\": \"https://models.example/team\"}}",
        told: &["\"http://127.0.0.1:4117/work\""],
    },
    Case {
        name: "codex",
        path: "home/.codex/config.toml",
        before: "# mine\nmodel = \"x\"\n\n[model_providers.own] # why\nbase_url = \"https://models.example/team/v1\"\n",
        told: &[
            "openai_base_url = \"http://127.0.0.1:4117/v1\"",
            "base_url = \"http://127.0.0.1:4117/work/v1\"",
            "# mine",
            "# why",
        ],
    },
    Case {
        name: "opencode",
        path: "home/.config/opencode/opencode.json",
        before: "{\"model\": \"anthropic/x\", \"provider\": {\"own\": {\"options\": {\"baseURL\": \"https://openrouter.ai/api/v1\"}}}} // mine\n",
        told: &["http://127.0.0.1:4117/openrouter/v1", "\"http://127.0.0.1:4117/v1\"", "// mine"],
    },
    Case {
        name: "gemini",
        path: "home/.gemini/.env",
        before: "# mine\nGEMINI_API_KEY=abc\r\nOTHER=1",
        told: &[
            "\nGOOGLE_GEMINI_BASE_URL=http://127.0.0.1:4117\n",
            "# mine\nGEMINI_API_KEY=abc\r\n",
        ],
    },
    Case {
        name: "qwen",
        path: "home/.qwen/settings.json",
        before: "{\"security\": {\"auth\": {\"selectedType\": \"openai\"}}, \"modelProviders\": {\"openai\": [{\"id\": \"x\", \"baseUrl\": \"https://models.example/team/v1\"}]}}",
        told: &["\"http://127.0.0.1:4117/work/v1\"", "\"http://127.0.0.1:4117/v1\""],
    },
    Case {
        name: "qwen",
        path: "home/.qwen/settings.json",
        before: "{\"env\": {\"OPENAI_BASE_URL\": \"https://models.example/team/v1\"}}",
        told: &["\"OPENAI_BASE_URL\": \"http://127.0.0.1:4117/work/v1\""],
    },
    // At another address Qwen Code marks nothing for DashScope's cache unless a variable names it.
    Case {
        name: "qwen",
        path: "home/.qwen/settings.json",
        before: "{\"security\": {\"auth\": {\"selectedType\": \"openai\", \"baseUrl\": \"https://dashscope-intl.aliyuncs.com/compatible-mode/v1\"}}} // mine\n",
        told: &[
            "\"baseUrl\": \"http://127.0.0.1:4117/ali/v1\"",
            "\"DASHSCOPE_PROXY_BASE_URL\": \"http://127.0.0.1:4117/ali/v1\"",
            "// mine",
        ],
    },
    Case {
        name: "cline",
        path: "home/.cline/data/settings/providers.json",
        before: "{\"providers\": {\"openai-compatible\": {\"settings\": {\"baseUrl\": \"http://127.0.0.1:1234/v1\"}}}}",
        told: &["\"http://127.0.0.1:4117/lmstudio/v1\""],
    },
    Case {
        name: "pi",
        path: "home/.pi/agent/models.json",
        before: "{\"providers\": {\"own\": {\"baseUrl\": \"https://models.example/team/v1\"}}}",
        told: &[
            "\"http://127.0.0.1:4117/work/v1\"",
            "\"http://127.0.0.1:4117/v1beta\"",
            "\"http://127.0.0.1:4117/openrouter/v1\"",
        ],
    },
];

fn world(test: &str, case: usize) -> World {
    let world = World::new(&format!("init_gateway_{test}_{case}"));
    world.write(
        "home/.config/foveal/config.toml",
        "[gateway.upstreams]\nwork = \"https://models.example/team\"\nali = \
         \"https://dashscope-intl.aliyuncs.com/compatible-mode\"\n",
    );
    world
}

#[test]
fn addresses_lead_to_the_gateway_and_back_to_the_byte() {
    for (at, case) in CASES.iter().enumerate() {
        let world = world("back", at);
        world.write(case.path, case.before);
        let shown = world.output(&format!("init --gateway --yes {}", case.name));
        assert!(shown.contains("keep `foveal serve` running"), "{shown}");
        let text = world.read(case.path);
        for part in case.told {
            assert!(text.contains(part), "{}: {part} is not in {text}", case.name);
        }
        let again = world.output(&format!("init --gateway --yes {}", case.name));
        assert!(again.contains("already set up") && !again.contains("keep"), "{again}");
        assert_eq!(world.read(case.path), text);
        world.output(&format!("init --gateway --remove --yes {}", case.name));
        assert_eq!(world.read(case.path), case.before, "{}", case.name);
        let again = world.output(&format!("init --gateway --remove --yes {}", case.name));
        assert!(again.contains("not set up there"), "{again}");
    }
}

/// What else was changed since stays, and the address is the one of before all the same.
#[test]
fn what_changes_meanwhile_stays() {
    for (at, case) in CASES.iter().enumerate() {
        let world = world("meanwhile", at);
        world.write(case.path, case.before);
        world.output(&format!("init --gateway --yes {}", case.name));
        let mut text = world.read(case.path);
        match text.rfind('}').filter(|_| text.trim_start().starts_with('{')) {
            Some(end) => text.insert_str(end, ", \"later\": 1"),
            None => text.push_str("later = 1\n"),
        }
        world.write(case.path, &text);
        world.output(&format!("init --gateway --remove --yes {}", case.name));
        let left = world.read(case.path);
        assert!(left.contains("later") && !left.contains(GATEWAY), "{}: {left}", case.name);
        for address in
            ["https://models.example/team", "https://openrouter.ai/api/v1", "127.0.0.1:1234/v1"]
        {
            assert_eq!(
                left.contains(address),
                case.before.contains(address),
                "{}: {left}",
                case.name
            );
        }
        for name in ["ENABLE_TOOL_SEARCH", "DASHSCOPE_PROXY_BASE_URL"] {
            assert!(!left.contains(name), "{left}");
        }
    }
}

#[test]
fn a_file_is_made_where_there_is_none_and_goes_again() {
    for (name, path) in [
        ("claude-code", "home/.claude/settings.json"),
        ("codex", "home/.codex/config.toml"),
        ("gemini", "home/.gemini/.env"),
        ("qwen", "home/.qwen/settings.json"),
        ("pi", "home/.pi/agent/models.json"),
    ] {
        let world = world("fresh", 0);
        world.output(&format!("init --gateway --yes {name}"));
        assert!(world.read(path).contains(GATEWAY), "{name}");
        // With all else that foveal wrote.
        world.output(&format!("init --remove --yes {name}"));
        assert!(!world.folder.join(path).exists(), "{name}");
    }
}

/// What it set for the tools stays, whichever came first and goes first.
#[test]
fn tools_and_the_gateway_are_set_and_taken_out_by_themselves() {
    let world = world("both", 0);
    let path = "home/.codex/config.toml";
    let before = "model = \"x\"\n";
    world.write(path, before);
    world.output("init --yes --no-hooks codex");
    world.output("init --yes --gateway codex");
    let both = world.read(path);
    assert!(both.contains("[mcp_servers.foveal]") && both.contains(GATEWAY), "{both}");
    world.output("init --yes --gateway --remove codex");
    let left = world.read(path);
    assert!(left.contains("[mcp_servers.foveal]") && !left.contains(GATEWAY), "{left}");
    world.output("init --yes --gateway codex");
    world.output("init --yes --remove codex");
    assert_eq!(world.read(path), before);
}

#[test]
fn what_the_user_chose_stays() {
    let world = world("chosen", 0);
    let qwen = "home/.qwen/settings.json";
    let own = "\"DASHSCOPE_PROXY_BASE_URL\": \"https://own.example\"";
    let auth = "\"security\": {\"auth\": {\"baseUrl\": \"https://dashscope-intl.aliyuncs.com/compatible-mode/v1\"}}";
    world.write(qwen, format!("{{\"env\": {{{own}}}, {auth}}}"));
    world.output("init --gateway --yes qwen");
    assert!(world.read(qwen).contains(own) && world.read(qwen).contains(GATEWAY));
    world.output("init --gateway --remove --yes qwen");
    assert_eq!(world.read(qwen), format!("{{\"env\": {{{own}}}, {auth}}}"));
    let path = "home/.claude/settings.json";
    world.write(path, "{\"env\": {\"ENABLE_TOOL_SEARCH\": \"auto:5\"}}");
    world.output("init --gateway --yes claude-code");
    assert!(world.read(path).contains("auto:5"));
    world.output("init --gateway --remove --yes claude-code");
    assert!(world.read(path).contains("auto:5"));
}

#[test]
fn an_address_without_a_name_is_left_alone() {
    let world = world("unnamed", 0);
    let path = "home/.claude/settings.json";
    let before = "{\"env\": {\"ANTHROPIC_BASE_URL\": \"https://elsewhere.example\"}}";
    world.write(path, before);
    let Ran { code, out, .. } = world.run("init --gateway --yes claude-code");
    assert_eq!(code, Some(2), "{out}");
    assert!(out.contains("`https://elsewhere.example` is not an upstream of foveal"), "{out}");
    let out = out.replace("\n  ", " ");
    assert!(out.contains(&format!("[gateway.upstreams] in `{SETTINGS}`")), "{out}");
    assert_eq!(world.read(path), before);
    for (arguments, told) in [
        ("init --gateway --yes cline", "contains no model address"),
        ("init --gateway --yes cursor", "its vendor's servers"),
        ("init --gateway --yes zed", "base URL of a provider"),
        ("init --gateway --yes", "<AGENT>"),
    ] {
        let Ran { code, out, err } = world.run(arguments);
        assert_eq!(code, Some(2), "{arguments}: {out}{err}");
        assert!(
            format!("{out}{err}").replace("\n  ", " ").contains(told),
            "{arguments}: {out}{err}"
        );
    }
}

#[test]
fn no_key_is_shown_beside_a_change() {
    let world = world("keys", 0);
    let key = "sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghij";
    world.write("home/.gemini/.env", format!("GEMINI_API_KEY={key}\n"));
    let shown = world.output("init --gateway --dry-run gemini");
    assert!(shown.contains("+GOOGLE_GEMINI_BASE_URL") && !shown.contains(key), "{shown}");
}

/// A file that is named where another one counts would be the second, and foveal refuses two.
#[test]
fn upstreams_get_their_names_in_the_file_that_counts() {
    let world = world("unnamed-json", 0);
    std::fs::remove_file(world.folder.join(SETTINGS)).expect("it is there");
    let settings = SETTINGS.replace(".toml", ".json");
    world.write(&settings, "{}\n");
    let told = format!("\"upstreams\" of \"gateway\" in `{settings}`");
    for (arguments, address) in [
        ("init --gateway --yes claude-code", "https://elsewhere.example".to_owned()),
        ("init --gateway --remove --yes claude-code", format!("{GATEWAY}/gone/v1")),
    ] {
        let env = format!("{{\"env\": {{\"ANTHROPIC_BASE_URL\": \"{address}\"}}}}");
        world.write("home/.claude/settings.json", env);
        let Ran { out, err, .. } = world.run(arguments);
        let shown = format!("{out}{err}").replace("\n  ", " ");
        assert!(shown.contains(&told) && shown.contains(&address), "{arguments}: {shown}");
        assert!(!shown.contains("config.toml"), "{arguments}: {shown}");
    }
    // What is told is done, and it goes.
    let upstreams = "{\"gateway\": {\"upstreams\": {\"x\": \"https://elsewhere.example\"}}}\n";
    world.write(&settings, upstreams);
    let env = "{\"env\": {\"ANTHROPIC_BASE_URL\": \"https://elsewhere.example\"}}";
    world.write("home/.claude/settings.json", env);
    world.output("init --gateway --yes claude-code");
    assert!(world.read("home/.claude/settings.json").contains(GATEWAY));
}

const SETTINGS: &str = "home/.config/foveal/config.toml";

/// Where `foveal serve` listens elsewhere, agents are led there, and back to what stood there first.
#[test]
fn an_address_follows_the_gateway() {
    for (at, case) in CASES.iter().enumerate() {
        let world = world("moved", at);
        let upstreams = world.read(SETTINGS);
        let listen = |port: u32| {
            world.write(SETTINGS, format!("[gateway]\nlisten = {port}\n{upstreams}"));
        };
        world.write(case.path, case.before);
        listen(4711);
        world.output(&format!("init --gateway --yes {}", case.name));
        listen(4712);
        let shown = world.output(&format!("init --gateway --yes {}", case.name));
        assert!(shown.contains("+") && shown.contains("4712"), "{shown}");
        let text = world.read(case.path);
        for part in case.told {
            let part = part.replace("4117", "4712");
            assert!(text.contains(&part), "{}: {part} is not in {text}", case.name);
        }
        assert!(!text.contains("4711"), "{text}");
        listen(4713);
        world.output(&format!("init --gateway --remove --yes {}", case.name));
        assert_eq!(world.read(case.path), case.before, "{}", case.name);
    }
}

#[test]
fn a_port_that_changes_with_each_start_is_given_to_no_agent() {
    let world = world("port", 0);
    world.write(SETTINGS, "[gateway]\nlisten = 0\n");
    let ran = world.run("init --gateway --yes claude-code");
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.err.replace("\n  ", " ").contains("is the port 0"), "{ran:?}");
    assert!(!world.folder.join("home/.claude/settings.json").exists());
    // What stands there still goes.
    world.write(
        "home/.claude/settings.json",
        format!("{{\"env\": {{\"ANTHROPIC_BASE_URL\": \"{GATEWAY}\"}}}}"),
    );
    world.output("init --gateway --remove --yes claude-code");
    assert!(!world.read("home/.claude/settings.json").contains(GATEWAY));
}

/// Of files of variables Gemini CLI reads one alone: a new one would hide the keys in another.
#[test]
fn gemini_is_told_where_it_reads() {
    let world = world("gemini_home", 0);
    world.write("home/.env", "GEMINI_API_KEY=abc\n");
    world.output("init --gateway --yes gemini");
    let now = format!("GEMINI_API_KEY=abc\nGOOGLE_GEMINI_BASE_URL={GATEWAY}\n");
    assert_eq!(world.read("home/.env"), now);
    assert!(!world.folder.join("home/.gemini/.env").exists());
    world.output("init --gateway --remove --yes gemini");
    assert_eq!(world.read("home/.env"), "GEMINI_API_KEY=abc\n");
    // Its own file counts before that, and one of the project before both.
    world.write("home/.gemini/.env", "A=1\n");
    world.write(".env", "B=1\n");
    let shown = world.output("init --gateway --yes gemini");
    assert!(world.read("home/.gemini/.env").contains(GATEWAY));
    assert!(shown.contains("note: in this folder Gemini CLI reads only "), "{shown}");
    assert!(shown.contains("note: Gemini CLI reads this file instead of "), "{shown}");
    world.write(".env", format!("GOOGLE_GEMINI_BASE_URL={GATEWAY}\n"));
    let shown = world.output("init --gateway --yes --json gemini");
    assert!(!shown.contains("in this folder") && shown.contains("instead of "), "{shown}");
}

#[test]
fn settings_of_a_project_that_lead_opencode_past_the_gateway_are_told() {
    let world = world("opencode_project", 0);
    let own = "home/.config/opencode/opencode.json";
    world.write(own, "{\"model\": \"anthropic/x\"}");
    let elsewhere = "{\"provider\": {\"anthropic\": {\"options\": {\"baseURL\": \"https://me:secret@a.example/v1\"}}}}";
    for path in ["opencode.json", ".opencode/opencode.jsonc"] {
        world.write(path, elsewhere);
        let shown = world.output("init --gateway --yes opencode");
        let told = format!(
            "note: ./{path} sends opencode's requests for `anthropic` to \
                            https://a.example/v1"
        );
        assert!(shown.contains(&told) && !shown.contains("secret"), "{shown}");
        std::fs::remove_file(world.folder.join(path)).expect("it is there");
    }
    world.write("opencode.json", elsewhere.replace("https://me:secret@a.example", GATEWAY));
    // A file of that name in a project is something else, and need be no JSON.
    world.write("config.json", "no settings of opencode's");
    let shown = world.output("init --gateway --yes opencode");
    assert!(!shown.contains("note:"), "{shown}");
}

/// An agent waits long for a gateway that is gone, and says nothing.
#[test]
fn a_gateway_that_does_not_answer_is_said() {
    let world = World::new("dead_gateway");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("it is bound");
    let settings = format!("[gateway]\nlisten = \"{address}\"\n");
    world.write("home/.config/foveal/config.toml", &settings);
    world.write("home/.claude/settings.json", "{}");
    let shown = world.output("init claude-code --gateway --yes");
    assert!(shown.contains("nothing is listening there"), "{shown}");
    drop(listener.accept().expect("it was asked"));
    let about = |world: &World| -> (String, String) {
        let told: serde_json::Value =
            serde_json::from_str(&world.run("doctor --json").out).expect("JSON");
        let all = told["findings"].as_array().expect("a list");
        let found =
            all.iter().find(|one| one["about"] == "claude-code gateway").expect("a finding");
        let text = |key: &str| found[key].as_str().expect("a text").to_owned();
        (text("state"), text("what"))
    };
    let answer = |text: &'static str| {
        let listener = listener.try_clone().expect("a socket");
        std::thread::spawn(move || {
            use std::io::{Read as _, Write as _};
            let (mut stream, _) = listener.accept().expect("a connection");
            let read = stream.read(&mut [0; 1024]).expect("a request");
            assert!(read > 0);
            stream.write_all(text.as_bytes()).expect("it is read");
        })
    };
    let own = answer("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nok\n");
    assert_eq!(about(&world).0, "ok");
    own.join().expect("it answered");
    let other = answer("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
    let (state, what) = about(&world);
    assert!(state == "broken" && what.contains("but another program is listening there"), "{what}");
    other.join().expect("it answered");
    drop(listener);
    let (state, what) = about(&world);
    assert!(state == "broken" && what.contains(&format!("http://{address} (")), "{what}");
    assert!(what.ends_with("but nothing is listening there"), "{what}");
}
