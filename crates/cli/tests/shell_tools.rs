//! `foveal read`, `grep`, `expand` and `doctor` as a person runs them.

use std::fmt::Write as _;

use serde_json::Value;

use crate::world::{Ran, World};

/// A Rust file of so many functions of five lines.
fn source(count: usize) -> String {
    (0..count).fold(String::new(), |mut text, n| {
        let _ = write!(
            text,
            "pub fn step_{n}(value: u64) -> u64 {{\n    let doubled = value * {n};\n    doubled + {n}\n}}\n\n"
        );
        text
    })
}

fn repository(test: &str) -> World {
    let world = World::new(test);
    world.write("src/short.rs", source(2));
    world.write("src/long.rs", source(100));
    world.write(".gitignore", "target\n");
    world.write("target/out.rs", "fn step_hidden() {}\n");
    world.write("src/.env", "STEP_KEY=step_secret\n");
    world
}

#[test]
fn short_files_are_shown_in_full_and_long_ones_by_what_matters() {
    let world = repository("shell_read");
    assert_eq!(
        world.output("read src/short.rs"),
        "File: src/short.rs (full)\nTotal lines: 10 | Preserved: 10 (100 %)\n\
         1→pub fn step_0(value: u64) -> u64 {\n2→    let doubled = value * 0;\n3→    doubled + 0\n\
         4→}\n5→\n6→pub fn step_1(value: u64) -> u64 {\n7→    let doubled = value * 1;\n\
         8→    doubled + 1\n9→}\n10→\n"
    );
    let curated = world.output("read src/long.rs --for step_70");
    assert!(curated.starts_with("File: src/long.rs (curated)\nTotal lines: 500 | "), "{curated}");
    assert!(curated.contains("\n352→    let doubled = value * 70;\n"), "{curated}");
    assert!(curated.contains(" left out") && curated.contains("; expand "), "{curated}");
    let full = world.output("read src/long.rs --mode full");
    assert!(full.contains("\n497→    let doubled = value * 99;\n"), "{full}");
    let structure = world.output("read src/long.rs --mode structure");
    assert!(structure.contains("→pub fn step_99") && !structure.contains("doubled"), "{structure}");
    assert_eq!(
        world.output("read src/long.rs --lines 6-7"),
        "6→pub fn step_1(value: u64) -> u64 {\n7→    let doubled = value * 1;\n"
    );
    assert_eq!(
        world.output("read src/long.rs --lines 6"),
        "6→pub fn step_1(value: u64) -> u64 {\n"
    );
}

/// A class of many methods, each of ten lines.
fn class_of_methods(count: usize) -> String {
    let mut text =
        "import os\nimport sys\n\n\nclass Parser:\n    \"\"\"Parses.\"\"\"\n\n".to_owned();
    for at in 0..count {
        text += &format!("    def _step_{at}(self, value):\n");
        for line in 0..8 {
            text += &format!("        value = self.next_{at}(value, {line})\n");
        }
        text += "        return value\n\n";
    }
    text
}

#[test]
fn without_a_question_every_signature_is_shown() {
    let world = World::new("shell_signatures");
    world.write("parser.py", class_of_methods(120));
    let shown = world.output("read parser.py");
    let count = |what: &str| shown.lines().filter(|line| line.contains(what)).count();
    assert_eq!((count("→    def "), count("→import ")), (120, 2), "{shown}");
    let kept = count("→");
    let share = format!("{}.{} %", kept * 100 / 1_327, kept * 1_000 / 1_327 % 10);
    let heading =
        format!("File: parser.py (curated)\nTotal lines: 1327 | Preserved: {kept} ({share})\n");
    assert!(shown.starts_with(&heading) && kept < 500, "{heading}: {shown}");
}

/// A file whose two subjects are apart, and more that is about neither.
fn two_subjects() -> String {
    let mut text = "import re\n\n\nclass Session:\n".to_owned();
    let mut add = |name: &str, doc: &str, word: &str, lines: usize| {
        text += &format!("    def {name}(self, response):\n        \"\"\"{doc}\"\"\"\n");
        for line in 0..lines {
            text += &format!("        response = self.{word}_{line}(response, {line})\n");
        }
        text += "        return response\n\n";
    };
    add("resolve_redirects", "Follows each redirect to its target.", "redirect", 90);
    for at in 0..20 {
        add(&format!("send_{at}"), "Sends a part of the request.", "prepare", 12);
    }
    add("should_strip_auth", "Decides whether auth is stripped.", "auth", 25);
    for at in 0..20 {
        add(&format!("close_{at}"), "Closes a part of the session.", "drop", 12);
    }
    text
}

#[test]
fn two_questions_in_one_are_both_answered() {
    let world = World::new("shell_two_questions");
    world.write("sessions.py", two_subjects());
    let mut command = world.command("read sessions.py --for");
    let ran = world.ran(command.arg("how are redirects followed, and when is auth stripped?"));
    let count = |what: &str| ran.out.lines().filter(|line| line.contains(what)).count();
    assert_eq!((count("self.redirect_"), count("self.auth_")), (90, 25), "{}", ran.out);
    assert!(count("→") < 400, "{}", ran.out);
}

#[test]
fn calls_that_are_not_resolved_are_counted() {
    let world = World::new("shell_graph_unresolved");
    let router = |name: &str| {
        format!(
            "pub struct {name};\n\nimpl {name} {{\n    pub fn nest(self) -> Self {{\n        self\n    }}\n}}\n"
        )
    };
    world.write("src/router.rs", router("Router"));
    for at in 0..5 {
        world.write(&format!("src/other_{at}.rs"), router(&format!("Other{at}")));
    }
    let calls = "    make().nest();\n".repeat(7);
    world.write("src/main.rs", format!("fn main() {{\n{calls}}}\n"));
    world.output("index .");
    let shown = world.output("graph Router::nest");
    assert!(shown.contains("\n7 calls of `nest` are not resolved: find them with"), "{shown}");
    let json: serde_json::Value =
        serde_json::from_str(&world.output("graph Router::nest --json")).expect("JSON");
    assert_eq!(json["unresolved_calls"], 7);
    let dot = world.output("graph Router::nest --format dot");
    let counted = "  unresolved [label=\"7 calls of nest not resolved\", style=dotted];\n  \
                   unresolved -> n0 [style=dotted];\n";
    assert!(dot.contains(counted), "{dot}");
    let mermaid = world.output("graph Router::nest --format mermaid");
    let counted = "  unresolved[\"7 calls of nest not resolved\"] -.-> n0\n";
    assert!(mermaid.contains(counted), "{mermaid}");
    assert!(!world.output("graph main --format dot").contains("unresolved"));
}

#[test]
fn a_search_without_any_word_of_the_query_says_so() {
    const SAID: &str = "no result contains a word of the query";
    let world = World::new("shell_search_words");
    let code = "/// Computes the delivery price.\npub fn send_parcel(weight: u32) -> u32 {\n    weight * 2\n}\n";
    world.write("src/a.rs", code);
    world.output("index .");
    let found = world.run("search mail package");
    assert!(found.out.contains("src/a.rs") && found.err.contains(SAID), "{}", found.err);
    let found = world.run("search mail parcel");
    assert!(found.out.contains("src/a.rs") && !found.err.contains(SAID), "{}", found.err);
}

/// A line break at the end makes no line, and one thing is no plural.
#[test]
fn lines_and_files_are_counted_alike_everywhere() {
    let world = World::new("shell_counts");
    world.write("src/one.rs", "pub fn only_one() {}\n");
    world.write("src/none.rs", "");
    for (text, lines) in [("pub fn a() {}\n", "1 line"), ("\n\npub fn a() {}", "3 lines")] {
        world.write("src/a.rs", text);
        let outline = world.output("outline src/a.rs src/one.rs");
        assert!(outline.starts_with(&format!("src/a.rs ({lines})\n")), "{outline}");
        assert!(outline.contains("src/one.rs (1 line)\n"), "{outline}");
        let map = world.output("map");
        assert!(map.contains(&format!("src/a.rs ({lines})\n")), "{map}");
        let number = lines.split(' ').next().expect("a number");
        let read = world.output("read src/a.rs");
        assert!(read.contains(&format!("Total lines: {number} |")), "{read}");
        let past = world.run("read src/a.rs --lines 9");
        assert!(
            past.err.contains(&format!("`src/a.rs` has {lines}, none from 9 on")),
            "{}",
            past.err
        );
    }
    let none = world.run("grep nothing_like_it src/one.rs");
    assert!((none.out + &none.err).contains("nothing found in 1 file\n"), "{}", none.err);
    let shaped = world.output("grep only_one --shaped");
    assert!(!shaped.contains("1 lines") && !shaped.contains("1 files"), "{shaped}");
}

#[test]
fn a_line_that_is_cut_is_not_preserved() {
    let world = World::new("shell_one_line");
    for (bytes, head) in [
        (3_000_000, "File: one.txt (beginning)\nTotal lines: 1 | Preserved: 0 (0.0 %)\n1→xxx"),
        (100_000, "File: one.txt (long lines cut)\nTotal lines: 1 | Preserved: 0 (0.0 %)\n1→xxx"),
    ] {
        world.write("one.txt", "x".repeat(bytes) + "\n");
        let read = world.output("read one.txt");
        assert!(read.starts_with(head), "{}", &read[..100]);
        assert!(read.contains("left out"), "{bytes}");
    }
}

#[test]
fn what_is_left_out_can_be_had() {
    let world = repository("shell_expand");
    let json: Value =
        serde_json::from_str(&world.output("read src/long.rs --for step_70 --json")).expect("JSON");
    assert_eq!(
        (&json["path"], &json["shaped"]["kind"]),
        (&"src/long.rs".into(), &"Curated".into())
    );
    let handle = json["shaped"]["handle"].as_str().expect("a handle");
    assert!(json["text"].as_str().is_some_and(|text| text.contains(handle)), "{json}");
    let whole = world.output(&format!("expand {handle}"));
    assert_eq!(whole.lines().count(), 500);
    assert_eq!(
        world.output(&format!("expand {handle} --lines 357-357")),
        "357→    let doubled = value * 71;\n"
    );
    let json: Value =
        serde_json::from_str(&world.output(&format!("expand {handle} --json"))).expect("JSON");
    assert_eq!((&json["lines"], json["text"].as_str()), (&500.into(), Some(whole.as_str())));
    let Ran { code, err, .. } = world.run(&format!("expand {handle} --lines 501"));
    assert_eq!(
        (code, err),
        (Some(2), format!("error: `{handle}` has 500 lines: line 501 does not exist\n"))
    );
}

#[test]
fn lines_are_found_as_others_find_them() {
    let world = repository("shell_grep");
    assert_eq!(
        world.output("grep step_7\\( src"),
        "src/long.rs\n36:pub fn step_7(value: u64) -> u64 {\n"
    );
    assert_eq!(
        world.output("grep -F step_1( -C 1"),
        "src/long.rs\n5-\n6:pub fn step_1(value: u64) -> u64 {\n7-    let doubled = value * 1;\n\n\
         src/short.rs\n5-\n6:pub fn step_1(value: u64) -> u64 {\n7-    let doubled = value * 1;\n"
    );
    assert_eq!(world.output("grep STEP_99 -i --files"), "src/long.rs\n");
    assert_eq!(world.output("grep doubled --count -t rust"), "src/long.rs:200\nsrc/short.rs:4\n");
    assert_eq!(world.output("grep doubled --count -g **/short.*"), "src/short.rs:4\n");
    let json: Value = serde_json::from_str(&world.output("grep step_9 --json")).expect("JSON");
    assert_eq!((&json["total"], &json["files"]), (&11.into(), &1.into()));
    for pattern in ["step_hidden", "step_secret"] {
        let Ran { code, out, err } = world.run(&format!("grep {pattern}"));
        assert_eq!((code, out.as_str()), (Some(1), ""));
        assert!(err.starts_with("nothing found in "), "{err}");
    }
    // From a folder within, ignore files above it count as well, and paths are as from there.
    let mut command = world.command("grep step_[01]\\( --count");
    let within = world.ran(command.current_dir(world.folder.join("src")));
    assert_eq!((within.code, within.out.as_str()), (Some(0), "long.rs:2\nshort.rs:2\n"));
}

#[test]
fn a_search_is_complete_unless_it_is_to_be_shaped() {
    let world = World::new("shell_grep_all");
    for file in 0..60 {
        let lines = (0..50).fold(String::new(), |mut text, n| {
            let _ =
                writeln!(text, "let needle_{file}_{n} = some_call_with_arguments({n}, {file});");
            text
        });
        world.write(&format!("src/part_{file:02}.rs"), lines);
    }
    world.write("id_rsa", "needle\n");
    let Ran { code, out, err } = world.run("grep needle");
    assert_eq!(code, Some(0));
    assert_eq!(out.lines().filter(|line| line.contains(":let needle_")).count(), 3_000);
    assert_eq!(out.lines().filter(|line| line.starts_with("src/part_")).count(), 60);
    assert!(!out.contains("left out") && err.contains("id_rsa"), "{err}");
    let shaped = world.output("grep needle --shaped");
    assert!(shaped.len() < out.len() / 4 && shaped.contains("left out; expand "), "{shaped}");
    let Ran { out, err, .. } = world.run("grep needle --limit 70");
    assert_eq!(out.lines().filter(|line| line.contains(":let needle_")).count(), 70);
    assert!(err.starts_with("lines 1-70 of 3000 found in 60 files; "), "{err}");
}

#[test]
fn messages_name_the_options_of_the_command() {
    let world = repository("shell_grep_options");
    for (pattern, option) in [("step(", "use `-F` to search"), ("a\\nb", "use `-U` to match")] {
        let Ran { code, err, .. } = world.run(&format!("grep {pattern}"));
        assert_eq!(code, Some(2));
        assert!(err.contains(option) && !err.contains("set "), "{err}");
    }
}

#[test]
fn either_line_ending_and_brackets_in_paths_are_found() {
    let world = World::new("shell_grep_crlf");
    world.write("app/[slug]/page.tsx", "export const x = 1\n");
    world.write("crlf.cs", "class B\r\n{\r\n    int x;\r\n}\r\n");
    world.write("lf.cs", "class A\n{\n    int x;\n}\n");
    assert_eq!(world.output("grep -U class.\\w+\\n\\{ --files"), "crlf.cs\nlf.cs\n");
    assert_eq!(world.output("grep const -g app/[slug]/** --files"), "app/[slug]/page.tsx\n");
}

/// Dotfiles in a home folder whose repository ignores everything.
#[test]
fn a_search_in_a_repository_obeys_no_repository_around_it() {
    let world = World::new("shell_nested");
    world.write("u/.git/HEAD", "ref: refs/heads/main\n");
    world.write("u/.gitignore", "*\n");
    world.write("u/proj/.git/HEAD", "ref: refs/heads/main\n");
    world.write("u/proj/b.py", "needle = 1\n");
    world.write("u/proj/bin/a.py", "x = \"needle\"\n");
    let mut command = world.command("grep needle --files");
    let found = world.ran(command.current_dir(world.folder.join("u/proj")));
    assert_eq!((found.code, found.out.as_str()), (Some(0), "b.py\nbin/a.py\n"));
}

#[test]
fn colours_change_no_text() {
    let world = repository("shell_colours");
    for arguments in ["read src/short.rs", "grep step_1 -C 1", "read src/long.rs --for step_70"] {
        let plain = world.output(arguments);
        let coloured = world.output(&format!("{arguments} --color always"));
        assert!(coloured.contains("\x1b[35mpub\x1b[0m"), "{coloured}");
        let mut parts = coloured.split("\x1b[");
        let mut stripped = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            stripped += part.split_once('m').map_or(part, |(_, rest)| rest);
        }
        assert_eq!(stripped, plain, "{arguments}");
    }
}

#[test]
fn what_cannot_be_used_is_told() {
    let world = repository("shell_bad");
    for (arguments, told) in [
        ("read missing.rs", "`missing.rs` does not exist: check the path"),
        ("read src/shrot.rs", "`src/shrot.rs` does not exist: did you mean `src/short.rs`?"),
        ("read src", "`src` is a folder"),
        ("read src/..", "`src/..` is a folder: name a file, or run `foveal map src/..`"),
        ("read ../shell_bad", "`../shell_bad` is a folder"),
        ("read /dev/zero", "`/dev/zero` is not a regular file"),
        ("read src/.env", "it needs the user's permission"),
        ("read src/short.rs --lines 20", "`src/short.rs` has 10 lines, none from 20 on"),
        ("read src/short.rs --lines 0-2", "expected a line range such as 12-40"),
        ("read src/short.rs --lines 9-2", "expected a line range such as 12-40"),
        ("read src/short.rs --lines 9 --for x", "cannot be used with"),
        ("read", "required arguments"),
        ("grep a(", "not a valid regular expression"),
        ("grep a missing", "`missing` does not exist: check the path"),
        ("grep", "required arguments"),
        ("grep a -t nothing_like_it", "there is no file type"),
        ("expand 12", "is not a handle"),
        ("expand 0123456789ab", "nothing is stored under `0123456789ab`"),
        ("expand", "required arguments"),
    ] {
        let Ran { code, out, err } = world.run(arguments);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments}");
        assert!(err.contains(told), "{arguments}: {err}");
    }
    world.write("home/.config/foveal/config.toml", "[read]\nsmal_lines = 5\n");
    let Ran { code, err, .. } = world.run("read src/short.rs");
    assert_eq!(code, Some(2));
    assert!(err.contains("config.toml` cannot be used") && err.contains("line 2"), "{err}");
    world.write("home/.config/foveal/config.toml", "[read]\nsmall_lines = 600\n\n[[permissions]]\ntool = \"grep\"\nsubject = \"src**\"\nverdict = \"deny\"\n");
    assert!(world.output("read src/long.rs --for step_1").starts_with("File: src/long.rs (full)"));
    assert!(world.run("grep a src").err.contains("a permission rule forbids it"));
}

#[test]
fn without_a_place_for_data_it_works_and_says_so() {
    let world = repository("shell_homeless");
    let mut command = world.command("read src/short.rs");
    let Ran { code, out, err } = world.ran(command.env_remove("HOME"));
    assert_eq!((code, out.lines().count()), (Some(0), 12));
    assert!(err.starts_with("no folder for the store: set HOME or XDG_DATA_HOME"), "{err}");
}

#[test]
fn the_doctor_says_what_is_broken() {
    let world = repository("doctor");
    let all = world.output("doctor");
    assert!(
        all.contains("ok      store ") && all.contains("no agent was found on this machine"),
        "{all}"
    );
    world.write(
        "home/.cursor/mcp.json",
        "{\"mcpServers\": {\"foveal\": {\"command\": \"/no/foveal\"}}}",
    );
    world.write("home/.gemini/settings.json", "{\"a\": ");
    world.write("home/.local/share/foveal/store.db", "this is no store, and long enough to see it");
    world.write("home/.config/foveal/config.toml", "a = 1\n");
    let Ran { code, out, err } = world.run("doctor --json");
    assert_eq!((code, err.as_str()), (Some(1), ""));
    let found: Value = serde_json::from_str(&out).expect("JSON");
    let state = |about: &str| {
        let all = found["findings"].as_array().expect("a list");
        let finding = all.iter().find(|finding| finding["about"] == about);
        let finding = finding.unwrap_or_else(|| panic!("{about}: {out}"));
        (finding["state"].as_str().unwrap_or_default(), finding["what"].to_string())
    };
    let (cursor, gemini) = (state("cursor"), state("gemini"));
    assert!(
        cursor.0 == "broken" && cursor.1.contains("`/no/foveal`, which does not exist"),
        "{cursor:?}"
    );
    assert!(gemini.0 == "broken" && gemini.1.contains("line 1"), "{gemini:?}");
    assert!(state("store").1.contains("creates a new one"), "{out}");
    let settings = state("settings");
    assert!(settings.0 == "broken" && settings.1.contains("line 1: unknown field `a`\""), "{out}");
    assert!(out.contains("correct that line, or remove it"), "{out}");
    world.write("home/.config/foveal/config.toml", "curator = \"auto\"\nbudget = = 3\n");
    world.write(".foveal.toml", "\n[read]\nsmal_lines = 4\n");
    let said = world.run("doctor").out;
    for (line, remedy) in [
        ("config.toml, line 2: extra `=`, expected nothing", "`foveal config edit` opens the file"),
        (".foveal.toml, line 3: unknown field `smal_lines`", "did you mean `small_lines`? correct"),
    ] {
        assert!(said.contains(line) && said.contains(remedy), "{line}: {said}");
    }
    std::fs::remove_file(world.folder.join(".foveal.toml")).expect("it is there");
    world.write("home/.config/foveal/config.toml", "");
    world.output("init cursor --yes");
    world.write("home/.gemini/settings.json", "{}");
    let healed = world.output("doctor");
    assert!(healed.contains("ok      cursor ") && !healed.contains("broken"), "{healed}");
}

/// It looks, and makes, changes and repairs nothing.
#[test]
fn the_doctor_leaves_everything_as_it_is() {
    fn all_below(folder: &std::path::Path, found: &mut Vec<(std::path::PathBuf, Vec<u8>)>) {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                found.push((path.clone(), Vec::new()));
                all_below(&path, found);
            } else {
                found.push((path.clone(), std::fs::read(&path).expect("a file")));
            }
        }
        found.sort();
    }
    let world = repository("doctor_looks");
    let snapshot = || {
        let mut found = Vec::new();
        all_below(&world.folder, &mut found);
        found
    };
    let empty = snapshot();
    let told = world.output("doctor");
    assert!(told.contains("ok      store") && told.contains("none yet"), "{told}");
    assert_eq!(snapshot(), empty);
    world.output("read src/long.rs --for step_70");
    world.output("index");
    let full = snapshot();
    let told = world.output("doctor");
    assert!(told.contains("1 session") && told.contains("2 files of"), "{told}");
    assert_eq!(snapshot(), full);
    world.write("home/.local/share/foveal/store.db", "no database, and longer than nothing");
    let broken = snapshot();
    assert!(world.output("doctor").contains("creates a new one"));
    assert_eq!(snapshot(), broken);
}

#[test]
fn grep_takes_several_paths_and_shows_the_pattern_as_it_was_typed() {
    let world = repository("shell_grep_paths");
    let found = world.output("grep step_1 src/short.rs src/long.rs --count");
    assert_eq!(found, "src/short.rs:1\nsrc/long.rs:11\n");
    let found = world.output("grep --fixed-strings step_1( src/short.rs src/long.rs");
    assert_eq!(found.matches("pub fn step_1(").count(), 2, "{found}");
    assert_eq!(world.run("grep nothing_here src/short.rs src/long.rs").code, Some(1));
    let ran = world.run("grep step_1( src --limit -3");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("-3 is not in 1..=") && !ran.err.contains("-- -3"), "{}", ran.err);
    let ran = world.run("grep step_1(");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("    step_1(\n") && !ran.err.contains("(?:"), "{}", ran.err);
}

#[test]
fn a_part_without_kind_and_name_is_named_by_its_lines() {
    let world = World::new("shell_search_text");
    world.write("CHANGELOG.md", "needle of the changelog\n".repeat(3));
    let found = world.output("search needle of the changelog");
    assert!(!found.lines().any(|line| line.trim_end().ends_with(" lines")), "{found}");
    assert!(found.starts_with("CHANGELOG.md:1"), "{found}");
}

#[test]
fn help_that_cannot_be_written_fails() {
    let world = World::new("shell_help_full");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
    let Ok(full) = full else { return };
    let mut command = world.command("--help");
    let ended = command.stdout(full).output().expect("the program starts");
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
}
