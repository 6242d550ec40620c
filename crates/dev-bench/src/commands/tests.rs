//! The measures on small histories that each test makes, on cases from a file and on a session.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::curation::{CurationArguments, measure_curation};
use super::reads::{ReadsArguments, measure_reads};
use crate::evaluation::EvaluationOutputs;

/// A repository under construction.
struct GitHistory(PathBuf);

impl GitHistory {
    fn new(folder: PathBuf) -> Self {
        std::fs::create_dir_all(&folder).expect("a new folder");
        let history = Self(folder);
        history.git(&["init", "--quiet", "--initial-branch=main"]);
        history
    }

    fn git(&self, arguments: &[&str]) {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.0).args(arguments);
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
            let path = self.0.join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a new folder");
            std::fs::write(path, text).expect("a new file");
        }
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
    }
}

/// Returns a file of 200 lines in which the given ones are changed.
fn file(changed: &[u32]) -> String {
    let line = |line: u32| if changed.contains(&line) { "changed" } else { "value" };
    (1..=200).map(|at| format!("let {}_{at} = {at};\n", line(at))).collect()
}

const LONG: &str = "Change a value of the settings so that others see it";

/// Makes a repository of which only some commits make cases.
fn commit_history(folder: PathBuf) {
    let history = GitHistory::new(folder);
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

fn json_lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("a text file");
    text.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect()
}

fn dump_without_times(path: &Path) -> Vec<Value> {
    let mut lines = json_lines(path);
    for line in &mut lines {
        assert!(line["micros"].is_u64(), "{line}");
        line["micros"] = json!(0);
    }
    lines
}

fn json_outputs(write_cases: Option<PathBuf>, dump: Option<PathBuf>) -> EvaluationOutputs {
    EvaluationOutputs { write_cases, dump, json: true }
}

fn from_repository(path: PathBuf, outputs: EvaluationOutputs) -> CurationArguments {
    CurationArguments { repos: vec![path], cases: None, seed: 1, outputs }
}

fn from_cases(path: PathBuf, outputs: EvaluationOutputs) -> CurationArguments {
    CurationArguments { repos: Vec::new(), cases: Some(path), seed: 1, outputs }
}

fn curation_document(arguments: &CurationArguments) -> Value {
    let text = measure_curation(arguments).expect("cases to measure");
    serde_json::from_str(&text).expect("a JSON document")
}

#[test]
fn a_history_gives_the_cases_that_the_rules_allow() {
    let folder = tempfile::tempdir().expect("a new folder");
    let path = |name: &str| folder.path().join(name);
    commit_history(path("project"));
    let measure = || {
        let outputs = json_outputs(Some(path("cases.jsonl")), Some(path("dump.jsonl")));
        curation_document(&from_repository(path("project"), outputs))
    };
    let first = measure();
    let cases = json_lines(&path("cases.jsonl"));
    let found: BTreeSet<String> = cases
        .iter()
        .map(|case| {
            let id = case["id"].as_str().expect("an id");
            let end = case["path"].as_str().expect("a path");
            assert!(id.starts_with("project:") && id.ends_with(end));
            assert_eq!(case["repo"], "project");
            assert_eq!(case["content_before"], file(&[]));
            let (language, gold) = (&case["language"], &case["gold_lines"]);
            format!("{} {language} {gold} {}", case["path"], case["query"])
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
    measure();
    assert_eq!(json_lines(&path("cases.jsonl")), cases);
    let dump = dump_without_times(&path("dump.jsonl"));
    let project = GitHistory(path("project"));
    project.git(&["clone", "--quiet", "--bare", ".", "../x/project.git"]);
    let outputs = json_outputs(Some(path("bare.jsonl")), None);
    curation_document(&from_repository(path("x/project.git"), outputs));
    assert_eq!(json_lines(&path("bare.jsonl")), cases);
    let outputs = json_outputs(None, Some(path("again.jsonl")));
    curation_document(&from_cases(path("cases.jsonl"), outputs));
    assert_eq!(dump_without_times(&path("again.jsonl")), dump);
}

#[test]
fn a_dump_recomputes_the_figures() {
    let folder = tempfile::tempdir().expect("a new folder");
    let path = |name: &str| folder.path().join(name);
    let one = json!({"id": "one", "path": "a.rs", "content_before": file(&[7]),
        "query": "what is changed_7?", "gold_lines": [1, 2, 7, 199, 200, 900],
        "unknown": {"field": 1}});
    let two = json!({"id": "two", "path": "b", "content_before": "", "query": ""});
    std::fs::write(path("cases.jsonl"), format!("{one}\n\n{two}\n")).expect("a new file");
    let outputs = json_outputs(None, Some(path("dump.jsonl")));
    let document = curation_document(&from_cases(path("cases.jsonl"), outputs));
    assert_eq!((&document["seed"], &document["cases"]), (&Value::Null, &json!(2)));
    let budgets = &document["groups"][0]["curators"][0]["budgets"];
    let dump = json_lines(&path("dump.jsonl"));
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
        let size = &budgets[at]["sizes"][0];
        assert_eq!((&size["lines_max"], &size["cases"]), (&json!(300), &json!(2)));
        assert_eq!(size["lines_kept"], budgets[at]["lines_kept"], "{line}");
        assert_eq!(size["tokens_kept"], budgets[at]["tokens_kept"], "{line}");
        // The case without lines is kept whole.
        assert_eq!(budgets[at]["lines_kept"], json!((lines / 200.0 + 1.0) / 2.0), "{line}");
        assert!(line["budget"].as_f64().is_none_or(|share| lines <= share * 200.0), "{line}");
    }
    assert!(dump.iter().skip(5).all(|line| line["kept"] == json!([])));
}

#[test]
fn tables_have_a_row_for_each_curator_and_group() {
    let folder = tempfile::tempdir().expect("a new folder");
    let cases = folder.path().join("cases.jsonl");
    let case = |id: &str, path: &str| {
        json!({"id": id, "path": path, "content_before": file(&[7]),
            "query": "changed_7", "gold_lines": [7], "repo": "one"})
    };
    std::fs::write(&cases, format!("{}\n{}", case("1", "a.rs"), case("2", "test/b.py")))
        .expect("a new file");
    let tables = measure_curation(&from_cases(cases, EvaluationOutputs::default()));
    let tables = tables.expect("cases to measure");
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let rows: Vec<String> = tables.lines().map(words).collect();
    assert_eq!(rows[0], "Gold recall by lines kept, 2 cases");
    for start in [
        "head 1.000 1.000 1.000 1.000 1.000 35 % 35 % 1.000 ",
        "0-300 2 ",
        "code (1) ",
        "tests (1) ",
        "Python (1) ",
        "Rust (1) ",
    ] {
        assert!(rows.iter().any(|row| row.starts_with(start)), "{start} in {tables}");
    }
    // All cases are of one repository.
    assert!(!tables.contains("one ("), "{tables}");
}

#[test]
fn inputs_without_cases_are_refused() {
    let folder = tempfile::tempdir().expect("a new folder");
    let path = |name: &str| folder.path().join(name);
    let long = GitHistory::new(path("long"));
    long.commit("Start", &[("a.rs", file(&[]))]);
    long.commit("Go on", &[("a.rs", file(&[1]))]);
    let from = format!("file://{}", path("long").display());
    long.git(&["clone", "--quiet", "--depth=1", &from, "../shallow"]);
    std::fs::write(path("none.jsonl"), "\n").expect("a new file");
    std::fs::write(path("short.jsonl"), "{\"id\": \"1\"}\n").expect("a new file");
    for (arguments, error) in [
        (from_repository(path("shallow"), EvaluationOutputs::default()), "has a shallow history"),
        (
            from_repository(path("long"), EvaluationOutputs::default()),
            "no commit qualifies as a case",
        ),
        (from_cases(path("none.jsonl"), EvaluationOutputs::default()), "has no cases"),
        (from_cases(path("short.jsonl"), EvaluationOutputs::default()), "line 1 is not a case"),
    ] {
        let found = measure_curation(&arguments).expect_err(error).to_string();
        assert!(found.contains(error), "{found}");
    }
}

#[test]
fn reads_of_sessions_make_cases() {
    let folder = tempfile::tempdir().expect("a new folder");
    let path = |name: &str| folder.path().join(name);
    let text: String =
        (1..=150).map(|n| format!("{n:>6}→    let a_{n} = compute_a({n});\n")).collect();
    let step = |id: u32, call: &str, tool: &str, arguments: Value, result: &str| {
        json!({"step_id": id, "source": "agent", "message": "",
            "tool_calls": [{"tool_call_id": call, "function_name": tool, "arguments": arguments}],
            "observation": {"results": [{"source_call_id": call, "content": result}]}})
    };
    let edit = json!({"file_path": "/r/a.rs", "old_string": "    let a_3 = compute_a(3);",
        "new_string": "    let a_3 = 3;"});
    let steps = [
        json!({"step_id": 1, "source": "user", "message": "make the third value smaller"}),
        step(2, "c1", "Read", json!({"file_path": "/r/a.rs"}), &text),
        step(3, "c2", "Edit", edit, "The file was updated."),
    ];
    let session = |steps: &[Value]| {
        json!({"schema_version": "ATIF-v1.7", "session_id": "two",
            "agent": {"name": "Claude Code", "version": "2"}, "steps": steps})
    };
    let measure = |name: &str| {
        let outputs = json_outputs(Some(path("cases.jsonl")), None);
        measure_reads(&ReadsArguments { paths: vec![path(name)], evidence: Vec::new(), outputs })
    };
    std::fs::write(path("two.json"), session(&steps).to_string()).expect("a new file");
    let text = measure("two.json").expect("a read");
    let document: Value = serde_json::from_str(&text).expect("a JSON document");
    assert_eq!((&document["cases"], &document["groups"][0]["cases"]), (&json!(1), &json!(1)));
    let case = &json_lines(&path("cases.jsonl"))[0];
    assert_eq!(
        (&case["path"], &case["repo"], &case["gold_lines"]),
        (&json!("/r/a.rs"), &json!("Claude Code"), &json!([3]))
    );
    std::fs::write(path("one.json"), session(&steps[..1]).to_string()).expect("a new file");
    let error = measure("one.json").expect_err("no read").to_string();
    assert!(error.starts_with("no conversation reads a whole file"), "{error}");
}
