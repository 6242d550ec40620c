//! `foveal config`: settings are shown, changed and checked.

use serde_json::Value;

use crate::world::World;

const FILE: &str = "home/.config/foveal/config.toml";

#[test]
fn a_setting_is_shown_set_and_taken_out() {
    let world = World::new("config_set");
    assert_eq!(world.output("config path"), format!("{FILE}\n"));
    assert_eq!(world.output("config get answers.tokens"), "8000\n");
    assert!(!world.folder.join(FILE).exists(), "to look makes nothing");
    assert_eq!(world.output("config set answers.tokens 5_000"), "");
    assert_eq!(world.read(FILE), "[answers]\ntokens = 5000\n");
    assert_eq!(world.output("config get answers.tokens"), "5000\n");
    assert_eq!(world.output("config get curator"), "auto\n");
    let listed: Value = serde_json::from_str(&world.output("config --json")).expect("JSON");
    let all = listed["settings"].as_array().expect("a list");
    let set: Vec<_> = all.iter().filter(|one| !one["set"].is_null()).collect();
    assert_eq!((set.len(), &set[0]["name"]), (1, &"answers.tokens".into()));
    let row = world
        .output("config")
        .lines()
        .find(|line| line.contains("answers.tokens"))
        .map(str::to_owned);
    assert!(row.is_some_and(|row| row.contains(" 5000 ") && row.contains(" set ")));
    let told = world.output("config explain answers.tokens");
    assert!(told.contains("default: 8000\nset: 5000, in "), "{told}");
    assert_eq!(world.output("config unset answers.tokens"), "");
    let again = world.run("config unset answers.tokens");
    assert_eq!((again.code, &*again.err), (Some(1), "`answers.tokens` is not set\n"));
    assert_eq!(world.run("config get answers.bytes").code, Some(1));
}

#[test]
fn what_would_not_be_understood_changes_nothing() {
    let world = World::new("config_refused");
    world.write(FILE, "# mine\n[answers]\ntokens = 5_000\n");
    for (arguments, told) in [
        (
            "config set answers.tokens 50",
            "nothing was changed: 50 tokens are not allowed for an answer",
        ),
        ("config set answers.tokens many", "expected a whole number"),
        ("config set answer.tokens 5", "did you mean `answers.tokens`?"),
        ("config set permissions x", "`foveal config edit`"),
        ("config get nothing", "unknown setting `nothing`"),
        ("config unset nothing", "unknown setting `nothing`"),
        ("config edit", "set VISUAL or EDITOR"),
    ] {
        let ran = world.run(arguments);
        assert_eq!(ran.code, Some(2), "{arguments}");
        assert!(ran.err.contains(told), "{arguments}: {}", ran.err);
    }
    assert_eq!(world.read(FILE), "# mine\n[answers]\ntokens = 5_000\n");
    // A file that is not understood is not changed either, and says where.
    world.write(FILE, "[answers]\ntokns = 1\n");
    for arguments in ["config", "config get curator", "config set curator model"] {
        let ran = world.run(arguments);
        assert_eq!(ran.code, Some(2), "{arguments}");
        assert!(
            ran.err.contains("line 2") && ran.err.contains("did you mean `tokens`?"),
            "{}",
            ran.err
        );
    }
    assert_eq!(world.read(FILE), "[answers]\ntokns = 1\n");
}

#[test]
#[cfg(unix)]
fn an_editor_gets_a_file_to_begin_with_and_what_it_leaves_is_checked() {
    let world = World::new("config_edit");
    assert_eq!(world.run_with("config edit", &[("EDITOR", "true")]).code, Some(0));
    assert!(world.read(FILE).contains("# tokens = 8000"));
    let path = [("PATH", "/usr/bin:/bin"), ("VISUAL", "sed -i.old s/^#.tokens.*/tokens=5/")];
    let ran = world.run_with("config edit", &path);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("5 tokens are not allowed for an answer"), "{}", ran.err);
    assert_eq!(world.run_with("config edit", &[("EDITOR", "false")]).code, Some(2));
}

/// As where the folder of all homes is a link.
#[test]
#[cfg(unix)]
fn a_home_behind_a_link_gets_a_file() {
    let world = World::new("config_link");
    std::fs::rename(world.folder.join("home"), world.folder.join("there")).expect("a folder");
    std::os::unix::fs::symlink("there", world.folder.join("home")).expect("a link");
    assert_eq!(world.output("config set keep_contents no"), "");
    assert_eq!(world.read(FILE), "keep_contents = false\n");
}

#[test]
fn the_schema_is_one() {
    let world = World::new("config_schema");
    let schema: Value = serde_json::from_str(&world.output("config schema")).expect("JSON");
    assert_eq!(schema["properties"]["gateway"]["properties"]["keep_warm"]["type"], "boolean");
}

const JSON: &str = "home/.config/foveal/config.json";

/// As a design document has it.
const DOCUMENT: &str = "{\n  \"file_read_small_threshold\": 150,\n  \"file_read_thresholds\": {\n    \
                        \"*.json\": { \"small\": 200, \"large\": 1000 }\n  }\n}\n";

#[test]
fn settings_may_be_json() {
    let world = World::new("config_json");
    world.write(JSON, DOCUMENT);
    assert_eq!(world.output("config path"), format!("{JSON}\n"));
    assert_eq!(world.output("config get file_read_small_threshold"), "150\n");
    let told = world.output("config explain file_read_small_threshold");
    assert!(told.contains("set: 150, in ") && told.contains("config.json"), "{told}");
    // Both names lead to the one setting, which is listed once.
    assert_eq!(world.output("config get read.small_lines"), "150\n");
    assert!(told.starts_with("read.small_lines: ") && told.contains("other name: file_read_small"));
    let list = world.output("config");
    let row = list.lines().find(|line| line.starts_with("read.small_lines ")).expect("a row");
    assert!(row.contains(" 150 "), "{row}");
    assert!(!list.contains("file_read_small_threshold "), "{list}");
    assert!(!list.contains("file_read_thresholds "), "{list}");
    let lines: String = (0..120).map(|n| format!("let value_{n} = {n};\n")).collect();
    world.write("a.rs", lines.as_str());
    assert!(world.output("read a.rs").contains("(full)"));
    // What is set goes into this file, and the rest of it stays.
    assert_eq!(world.output("config set answers.tokens 5_000"), "");
    let set = world.read(JSON);
    let rest = DOCUMENT.trim_end().trim_end_matches("\n}");
    assert!(set.starts_with(rest) && set.contains("\"tokens\": 5000"), "{set}");
    assert!(!world.folder.join(FILE).exists());
    assert_eq!(world.output("config get answers.tokens"), "5000\n");
    assert_eq!(world.output("config unset answers.tokens"), "");
    assert_eq!(world.output("config set read.small_lines 20"), "");
    assert!(world.read(JSON).contains("\"file_read_small_threshold\": 20"));
    assert!(!world.output("read a.rs").contains("(full)"));
    assert_eq!(world.run_with("config edit", &[("EDITOR", "true")]).code, Some(0));
}

/// As editors have it.
#[test]
fn a_file_may_name_its_schema() {
    let world = World::new("config_json_schema");
    let schema = "{\n  \"$schema\": \"./foveal.schema.json\"";
    world.write(JSON, format!("{schema},\n  \"answers\": {{\"tokens\": 9000}}\n}}\n"));
    assert_eq!(world.output("config get answers.tokens"), "9000\n");
    assert_eq!(world.output("config set answers.tokens 5_000"), "");
    let set = world.read(JSON);
    assert_eq!(set, format!("{schema},\n  \"answers\": {{\"tokens\": 5000}}\n}}\n"));
    assert_eq!(world.output("config unset answers.tokens"), "");
    assert!(world.read(JSON).starts_with(schema));
    world.write(JSON, format!("{schema},\n  \"answers\": {{\"tokens\": 5}}\n}}\n"));
    let told = world.run("config").err;
    assert!(told.contains("line 3: 5 tokens"), "{told}");
    std::fs::remove_file(world.folder.join(JSON)).expect("it is there");
    world.write(".foveal.json", format!("{schema},\n  \"read\": {{\"small_lines\": 9}}\n}}\n"));
    let trusted = world.run("trust --yes");
    assert_eq!(trusted.code, Some(0), "{}", trusted.err);
    assert_eq!(world.output("config get read.small_lines"), "9\n");
    // TOML has another way to say that.
    world.write(FILE, "\"$schema\" = \"x\"\n");
    assert_eq!(world.run("config").code, Some(2));
    let schema: Value = serde_json::from_str(&world.output("config schema")).expect("JSON");
    assert_eq!(schema["properties"]["$schema"]["type"], "string");
}

#[test]
fn json_that_is_not_understood_says_where_and_what_was_meant() {
    let world = World::new("config_json_refused");
    world.write("a.rs", "const A: u8 = 1;\n");
    for (text, told) in [
        ("{\n  \"read\": {\n    \"smal_lines\": 1\n  }\n}", "line 3: unknown field `smal_lines`"),
        ("{\n  \"read\": {\n    \"smal_lines\": 1\n  }\n}", "did you mean `small_lines`?"),
        ("{\n  \"answers\": {\"tokens\": 5}\n}", "line 2: 5 tokens are not allowed for an answer"),
        ("{\n  \"curator\": \"auto\",\n  \"curator\": \"auto\"\n}", "line 3: duplicate key"),
        ("{\n  \"curator\": \"auto\",\n}", "line 3: invalid JSON: trailing comma"),
        ("{\n\n  \"indexer_tokens_max\": 9 }", "line 3: indexer_tokens_max has no effect"),
        (
            "{\n  \"file_read_thresholds\": {\"*.md\": {\"small\": 2, \"large\": 2}}\n}",
            "line 2: 2 lines are too few for the limit of large files",
        ),
        ("[]", "settings in JSON must be one object"),
    ] {
        world.write(JSON, text);
        for arguments in ["config", "config set curator extractive", "read a.rs"] {
            let ran = world.run(arguments);
            assert_eq!(ran.code, Some(2), "{arguments}");
            assert!(ran.err.contains(told) && ran.err.contains("config.json"), "{}", ran.err);
        }
        assert_eq!(world.read(JSON), text);
    }
}

#[test]
fn of_two_files_one_is_to_go() {
    let world = World::new("config_both");
    world.write("a.rs", "const A: u8 = 1;\n");
    world.write(JSON, DOCUMENT);
    world.write(FILE, "keep_contents = false\n");
    for arguments in ["config", "config get curator", "config set curator auto", "read a.rs"] {
        let ran = world.run(arguments);
        assert_eq!(ran.code, Some(2), "{arguments}");
        assert!(ran.err.contains("config.json` into the other and delete it"), "{}", ran.err);
    }
    std::fs::remove_file(world.folder.join(FILE)).expect("it is there");
    assert_eq!(world.output("config get file_read_small_threshold"), "150\n");
}

#[test]
fn what_is_too_long_is_no_file_of_settings() {
    let world = World::new("config_long");
    world.write("a.rs", "const A: u8 = 1;\n");
    world.write(FILE, "# ".repeat(600 << 10));
    for arguments in ["config", "config get curator", "read a.rs"] {
        let ran = world.run(arguments);
        assert!(ran.code == Some(2) && ran.err.contains("more than 1048576 bytes"), "{}", ran.err);
    }
}

#[test]
fn unset_leaves_no_empty_table() {
    let world = World::new("config_unset_table");
    world.write(FILE, "keep_contents = false\n\n[agent]\nprofile = \"max\"\n");
    assert_eq!(world.output("config unset agent.profile"), "");
    assert_eq!(world.read(FILE), "keep_contents = false\n");
    world.write(FILE, "[agent]\nprofile = \"max\"\n\n[read]\nsmall_lines = 90\n");
    assert_eq!(world.output("config unset agent.profile"), "");
    assert_eq!(world.read(FILE), "[read]\nsmall_lines = 90\n");
    world.write(FILE, "# mine\n[agent]\nprofile = \"max\"\n");
    assert_eq!(world.output("config unset agent.profile"), "");
    assert_eq!(world.read(FILE), "# mine\n[agent]\n");
}

#[test]
fn a_run_names_invalid_settings_before_a_missing_model() {
    let world = World::new("config_run");
    world.write(FILE, "[read\n");
    let ran = world.run_with("run task", &[("OLLAMA_HOST", "127.0.0.1:9")]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("config.toml` cannot be used"), "{}", ran.err);
}

#[test]
fn numbers_that_are_not_possible_are_explained() {
    let world = World::new("config_numbers");
    let ran = world.run("run --max-cost -1 task");
    assert!(ran.err.contains("not an amount of money: use a number"), "{}", ran.err);
    let ran = world.run("run --model chat:m@http://127.0.0.1:88100/v1 task");
    assert!(ran.err.contains("use a number up to 65535"), "{}", ran.err);
    assert_eq!(ran.code, Some(2));
}
