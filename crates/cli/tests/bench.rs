//! `foveal bench curation` on small histories that each test makes, and on cases from a file.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::{Value, json};

use crate::world::{Ran, World};

/// A repository under construction.
struct History<'a> {
    world: &'a World,
    name: &'a str,
}

impl<'a> History<'a> {
    fn new(world: &'a World, name: &'a str) -> Self {
        std::fs::create_dir_all(world.folder.join(name)).expect("a new folder");
        let history = Self { world, name };
        history.git(&["init", "--quiet", "--initial-branch=main"]);
        history
    }

    fn git(&self, arguments: &[&str]) {
        let mut command = Command::new("git");
        command.arg("-C").arg(self.world.folder.join(self.name)).args(arguments);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "A").env(format!("GIT_{who}_EMAIL"), "a@b.c");
            command.env(format!("GIT_{who}_DATE"), "2026-01-01T00:00:00Z");
        }
        let output = command.output().expect("git starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Commits these files with their texts.
    fn commit(&self, message: &str, files: &[(&str, String)]) {
        for (path, text) in files {
            self.world.write(&format!("{}/{path}", self.name), text);
        }
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
    }
}

/// A file of 200 lines in which the given ones are changed.
fn file(changed: &[u32]) -> String {
    let line = |line: u32| if changed.contains(&line) { "changed" } else { "value" };
    (1..=200).map(|at| format!("let {}_{at} = {at};\n", line(at))).collect()
}

const LONG: &str = "Change a value of the settings so that others see it";

/// A repository of which only some commits make cases.
fn history(world: &World) {
    let history = History::new(world, "project");
    let all = ["a.rs", "b.py", "c.go", "d.js", "e.ts", "vendor/f.rs", "data.json"];
    history.commit(&format!("Start\n\n{LONG}"), &all.map(|path| (path, file(&[]))));
    let signed = format!("{LONG}\n\nIt was unseen.\n\nSigned-off-by: A <a@b.c>");
    history.commit(&signed, &[("a.rs", file(&[7])), ("data.json", file(&[3]))]);
    history.commit("Too short", &[("a.rs", file(&[]))]);
    history.commit("Short\n\nBut with a body.", &[("b.py", file(&[9, 10])), ("c.go", file(&[4]))]);
    history.commit(&format!("Revert \"{LONG}\""), &[("b.py", file(&[]))]);
    history.commit(&format!("style: {LONG}"), &[("c.go", file(&[]))]);
    let five = ["a.rs", "b.py", "c.go", "d.js", "e.ts"];
    history.commit(LONG, &five.map(|path| (path, file(&[100]))));
    history.commit(LONG, &[("vendor/f.rs", file(&[8]))]);
    history.commit(LONG, &[("d.js", file(&(1..=80).collect::<Vec<u32>>()))]);
    history.git(&["mv", "e.ts", "g.ts"]);
    history.commit(LONG, &[("a.rs", file(&[100, 7]))]);
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect()
}

#[test]
fn a_history_gives_the_cases_that_the_rules_allow() {
    let world = World::new("bench_history");
    history(&world);
    let run = "bench curation --repo project --json --write-cases cases.jsonl --dump dump.jsonl";
    let first: Value = serde_json::from_str(&world.output(run)).expect("a JSON document");
    let cases = world.read("cases.jsonl");
    let found: BTreeSet<String> = lines(&cases)
        .iter()
        .map(|case| {
            let id = case["id"].as_str().expect("an id");
            assert!(
                id.starts_with("project:") && id.ends_with(case["path"].as_str().expect("a path"))
            );
            assert_eq!(
                (&case["repo"], case["content_before"] == file(&[])),
                (&json!("project"), true)
            );
            format!(
                "{} {} {} {}",
                case["path"], case["language"], case["gold_lines"], case["query"]
            )
        })
        .collect();
    let expected = [
        format!("\"a.rs\" \"Rust\" [7] \"{LONG}\\n\\nIt was unseen.\""),
        "\"b.py\" \"Python\" [9,10] \"Short\\n\\nBut with a body.\"".to_owned(),
        "\"c.go\" \"Go\" [4] \"Short\\n\\nBut with a body.\"".to_owned(),
    ];
    assert_eq!(found, BTreeSet::from(expected));
    assert_eq!((&first["cases"], &first["seed"]), (&json!(3), &json!(1)));

    // The same again, from a bare copy, and from the cases as written.
    world.output(run);
    assert_eq!(world.read("cases.jsonl"), cases);
    let dump = without_times(&world.read("dump.jsonl"));
    History { world: &world, name: "." }.git(&[
        "clone",
        "--quiet",
        "--bare",
        "project",
        "x/project.git",
    ]);
    world.output("bench curation --repo x/project.git --json --write-cases bare.jsonl");
    assert_eq!(world.read("bare.jsonl"), cases);
    world.output("bench curation --cases cases.jsonl --json --dump again.jsonl");
    assert_eq!(without_times(&world.read("again.jsonl")), dump);
}

fn without_times(dump: &str) -> Vec<Value> {
    let mut lines = lines(dump);
    for line in &mut lines {
        assert!(line["micros"].is_u64(), "{line}");
        line["micros"] = json!(0);
    }
    lines
}

#[test]
fn a_dump_recomputes_the_figures() {
    let world = World::new("bench_dump");
    let gold = json!([1, 2, 7, 199, 200]);
    let one = json!({"id": "one", "path": "a.rs", "content_before": file(&[7]),
        "query": "what is changed_7?", "gold_lines": gold, "unknown": {"field": 1}});
    let two = json!({"id": "two", "path": "b", "content_before": "", "query": ""});
    world.write("cases.jsonl", format!("{one}\n\n{two}\n"));
    let out = world.output("bench curation --cases cases.jsonl --dump dump.jsonl --json");
    let document: Value = serde_json::from_str(&out).expect("a JSON document");
    assert_eq!((&document["seed"], &document["cases"]), (&Value::Null, &json!(2)));
    let budgets = &document["groups"][0]["curators"][0]["budgets"];
    let dump = lines(&world.read("dump.jsonl"));
    let keys: Vec<String> = dump
        .iter()
        .map(|line| format!("{} {} {}", line["id"], line["budget"], line["n_lines"]))
        .collect();
    assert_eq!(
        keys.join("\n"),
        "\"one\" 0.1 200\n\"one\" 0.2 200\n\"one\" 0.3 200\n\"one\" 0.5 200\n\"one\" \"adaptive\" 200\n\
         \"two\" 0.1 0\n\"two\" 0.2 0\n\"two\" 0.3 0\n\"two\" 0.5 0\n\"two\" \"adaptive\" 0"
    );
    for (at, line) in dump.iter().take(5).enumerate() {
        let ranges: Vec<(u64, u64)> =
            serde_json::from_value(line["kept"].clone()).expect("pairs of numbers");
        let kept = |line: u64| ranges.iter().any(|(first, last)| (*first..=*last).contains(&line));
        let lines = (1..=200).filter(|line| kept(*line)).count() as f64;
        let golden = [1, 2, 7, 199, 200].into_iter().filter(|line| kept(*line)).count() as f64;
        assert_eq!(budgets[at]["recall"], json!(golden / 5.0), "{line}");
        assert_eq!(budgets[at]["unsound"], json!(0));
        // No line of the case is in a function.
        assert_eq!(budgets[at]["whole_functions"], Value::Null);
        let of_size = &budgets[at]["sizes"][0];
        assert_eq!((&of_size["lines_max"], &of_size["cases"]), (&json!(300), &json!(2)));
        assert_eq!(of_size["lines_kept"], budgets[at]["lines_kept"], "{line}");
        assert_eq!(of_size["tokens_kept"], budgets[at]["tokens_kept"], "{line}");
        // The case without lines is kept whole.
        assert_eq!(budgets[at]["lines_kept"], json!((lines / 200.0 + 1.0) / 2.0), "{line}");
        assert!(line["budget"].as_f64().is_none_or(|share| lines <= share * 200.0), "{line}");
    }
    assert!(dump.iter().skip(5).all(|line| line["kept"] == json!([])));
}

#[test]
fn figures_as_tables_page_and_drawing() {
    let world = World::new("bench_tables");
    let case = |id: &str, path: &str| {
        json!({"id": id, "path": path, "content_before": file(&[7]),
        "query": "changed_7", "gold_lines": [7, 900], "repo": "<r>"})
    };
    world.write("cases.jsonl", format!("{}\n{}", case("1", "a.rs"), case("2", "test/b.py")));
    let ran = world.run("bench curation --cases cases.jsonl --report r.html");
    assert_eq!(
        (ran.code, ran.err.as_str()),
        (Some(0), "2 gold lines outside the file of a case: not counted\n")
    );
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let rows: Vec<String> = ran.out.lines().map(words).collect();
    let head = "head 1.000 1.000 1.000 1.000 1.000 35 % 35 % 1.000 ";
    assert_eq!(rows[0], "Gold recall by lines kept, 2 cases");
    assert!(rows.iter().any(|row| row.starts_with(head)), "{}", ran.out);
    for group in ["code (1) ", "tests (1) ", "Python (1) ", "Rust (1) "] {
        assert!(rows.iter().any(|row| row.starts_with(group)), "{group} in {}", ran.out);
    }
    // By size of file there is a table of its own.
    let sizes = "0-300 2 ";
    assert!(rows.iter().any(|row| row.starts_with(sizes)), "{}", ran.out);
    // All cases are of one repository.
    assert!(!ran.out.contains("<r>"), "{}", ran.out);
    let page = world.read("r.html");
    assert!(page.contains("<title>foveal bench curation</title>") && !page.contains("<r>"));
    assert!(
        !page.contains("http://")
            || page.matches("http://").count()
                == page.matches("http://www.w3.org/2000/svg").count()
    );
    let ran = world.run("bench curation --cases cases.jsonl --report r.svg");
    assert_eq!(ran.code, Some(0));
    assert!(world.read("r.svg").starts_with("<svg xmlns="));
}

#[test]
fn what_cannot_be_measured() {
    let world = World::new("bench_bad");
    let long = History::new(&world, "long");
    long.commit("Start", &[("a.rs", file(&[]))]);
    long.commit("Go on", &[("a.rs", file(&[1]))]);
    History::new(&world, "empty");
    let from = format!("file://{}/long", world.folder.display());
    long.git(&["clone", "--quiet", "--depth=1", &from, "../shallow"]);
    world.write("plain/a.rs", "");
    // Whatever repository is around the tests, this folder is in none.
    world.write("plain/.git", "gitdir: nowhere\n");
    world.write("none.jsonl", "\n");
    world.write(
        "text.jsonl",
        "{\"id\": \"1\", \"path\": \"a\", \"content_before\": \"\", \"query\": \"\"}\nno\n",
    );
    world.write("short.jsonl", "{\"id\": \"1\"}\n");
    for (arguments, error) in [
        ("", "nothing to measure: name repositories with --repo, or a file with --cases"),
        ("--repo missing", "`missing` does not exist: check the path"),
        ("--repo none.jsonl", "`none.jsonl` is a file: name the folder of a git repository"),
        ("--repo plain", "`plain` is not usable: no git repository"),
        ("--repo empty", "`empty` has no commit at HEAD: nothing to sample"),
        (
            "--repo shallow",
            "`shallow` has a shallow history: get the rest with `git -C shallow fetch --unshallow`",
        ),
        ("--repo long", "no commit makes a case in long: `--help` says what is looked for"),
        ("--cases missing", "`missing` cannot be read: No such file or directory (os error 2)"),
        ("--cases plain", "`plain` is a folder: name a file of JSON lines"),
        ("--cases none.jsonl", "`none.jsonl` holds no case"),
        ("--cases text.jsonl", "`text.jsonl` line 2 is no case: expected ident at line 1 column 2"),
        (
            "--cases short.jsonl",
            "`short.jsonl` line 1 is no case: missing field `path` at line 1 column 11",
        ),
        ("--cases text.jsonl --report x.png", "`x.png` is no report: name a .html or a .svg file"),
        (
            "--cases text.jsonl --dump text.jsonl",
            "`text.jsonl` is named twice: it would be overwritten",
        ),
        ("--cases text.jsonl --dump plain", "`plain` is a folder: name a file to write"),
        (
            "--cases text.jsonl --dump no/where",
            "`no/where` cannot be written: there is no folder `no`",
        ),
    ] {
        let Ran { code, out, err } = world.run(&format!("bench curation {arguments}"));
        let expected = (format!("error: {error}\n"), String::new(), Some(2));
        assert_eq!((err, out, code), expected, "{arguments}");
    }
    let home = world.folder.join("home").display().to_string();
    let ran = world.run_with("bench curation --repo long", &[("PATH", &home)]);
    assert_eq!(ran.err, "error: `git` was not found: install it, or use --cases\n");
    assert_eq!(ran.code, Some(2));
}

#[test]
fn reads_of_sessions_make_cases() {
    let world = World::new("bench_reads");
    let text = crate::world::file_text("a", 150);
    world.write("one.json", crate::world::session("one").replace("60→", "60->"));
    let step = |call: &str, tool: &str, arguments: Value, result: &str| {
        json!({"source": "agent", "message": "",
            "tool_calls": [{"tool_call_id": call, "function_name": tool, "arguments": arguments}],
            "observation": {"results": [{"source_call_id": call, "content": result}]}})
    };
    let edit = json!({"file_path": "/r/a.rs", "old_string": "    let a_3 = compute_a(3);",
        "new_string": "    let a_3 = 3;"});
    let mut steps = vec![
        json!({"source": "user", "message": "make the third value smaller: compute_a(3)"}),
        step("c1", "Read", json!({"file_path": "/r/a.rs"}), &text),
        step("c2", "Edit", edit, "The file was updated."),
    ];
    for (at, step) in steps.iter_mut().enumerate() {
        step["step_id"] = json!(at + 1);
    }
    let session = json!({"schema_version": "ATIF-v1.7", "session_id": "two",
        "agent": {"name": "Claude Code", "version": "2"}, "steps": steps});
    world.write("two.json", session.to_string());
    let out = world.output("bench reads two.json --write-cases cases.jsonl --json");
    let document: Value = serde_json::from_str(&out).expect("a JSON document");
    assert_eq!((&document["cases"], &document["groups"][0]["cases"]), (&json!(1), &json!(1)));
    let cases = lines(&world.read("cases.jsonl"));
    let case = &cases[0];
    assert_eq!(
        (&case["path"], &case["repo"], &case["gold_lines"]),
        (&json!("/r/a.rs"), &json!("Claude Code"), &json!([3]))
    );
    for (arguments, error) in [
        (
            "one.json",
            "no conversation reads a whole file of more than 100 lines: nothing to measure",
        ),
        ("missing.json", "`missing.json` does not exist: check the path"),
        ("two.json --dump two.json", "`two.json` is named twice: it would be overwritten"),
        (
            "cases.jsonl",
            "`cases.jsonl` is not a recorded session of a known format; if it is one, name it with --format",
        ),
    ] {
        let Ran { code, out, err } = world.run(&format!("bench reads {arguments}"));
        let expected = (format!("error: {error}\n"), String::new(), Some(2));
        assert_eq!((err, out, code), expected, "{arguments}");
    }
}
