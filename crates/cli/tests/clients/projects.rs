//! The projects and plans that all agents get.

use serde_json::json;

use crate::agents::Agent;
use crate::model::{Plan, Step};
use crate::run::{Task, Way};

/// What the user asks for in every task.
const PROMPT: &str = "Work on the demonstration project.";

/// A short file, which is read in full.
pub(crate) const SHORT: &str = "src/short.py";

/// What the edit of the short file makes of one of its lines.
pub(crate) const EDITED: &str = "    return amount + 3_000";

/// Settings files that have most lines in common.
pub(crate) const MANIFESTS: [&str; 3] =
    ["one/package.toml", "two/package.toml", "three/package.toml"];

/// A file that is longer than what any agent passes on.
pub(crate) const LARGE: &str = "src/large.py";

/// Steps of [`small`], after those that an agent needs before.
pub(crate) const FIRST_READ: usize = 0;
pub(crate) const SECOND_READ: usize = 1;
pub(crate) const READ_AFTER_EDIT: usize = 3;

/// So many functions of three lines, an empty one between each two.
fn functions(name: &str, count: usize) -> String {
    let one = |n: usize| {
        format!(
            "def {name}_{n}(amount):\n    \"\"\"Adds {n} to an amount.\"\"\"\n    return amount + {n}\n"
        )
    };
    (0..count).map(one).collect::<Vec<_>>().join("\n")
}

fn manifest(name: &str) -> String {
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\nlicense = \"MIT\"\n\n\
         [dependencies]\nserde = \"1\"\nthiserror = \"2\"\n"
    )
}

fn files() -> Vec<(String, String)> {
    let mut files = vec![
        (SHORT.to_owned(), functions("short", 12)),
        ("src/other.py".to_owned(), functions("other", 9)),
        ("src/middle.py".to_owned(), functions("middle", 50)),
        (LARGE.to_owned(), functions("large", 900)),
    ];
    let manifests =
        MANIFESTS.map(|path| (path.to_owned(), manifest(path.split('/').next().unwrap_or(path))));
    files.extend(manifests);
    files
}

/// The project and the user's words for a plan of `steps`.
pub(crate) fn task(agent: &Agent, name: &'static str, steps: Vec<Step>) -> Task {
    let steps = (agent.before)().into_iter().chain(steps).collect();
    let plans = vec![Plan::new(PROMPT, steps)];
    let (is_gone, way) = (false, Way::Tools);
    Task { name, prompt: PROMPT, plans, files: files(), init: "", is_gone, way }
}

/// Work with the agent's own tools, foveal standing between it and the model. `read` and `run` are
/// how files are read there and commands run.
pub(crate) fn between(
    agent: &Agent,
    way: Way,
    read: impl Fn(&str) -> Step,
    run: impl Fn(String) -> Step,
) -> Task {
    let steps = vec![
        read(SHORT),
        run("cat src/middle.py".to_owned()),
        run("sed -n '20,60p' src/middle.py".to_owned()),
        run(format!("sed -n '1,90p' {LARGE}")),
        run(format!("sed -n '30,80p' {LARGE}")),
        run(format!("sed -n '300,380p' {LARGE}")),
        run(format!("sed -n '260,420p' {LARGE}")),
        run("seq 1 900 | sed 's/.*/test case_number_& ... ok/'".to_owned()),
        run(format!("sed -i 's/amount + 5$/amount + 5_000/' {SHORT}")),
        read(SHORT),
        read("src/middle.py"),
        [run("cat src/other.py".to_owned()), read("src/other.py")].concat(),
    ];
    let plans = vec![Plan::new(PROMPT, steps)];
    Task { way, plans, ..task(agent, way.name(), Vec::new()) }
}

/// Work of which every answer is shorter than what any agent cuts.
pub(crate) fn small(agent: &Agent) -> Task {
    let call = |tool, arguments| agent.call(tool, arguments);
    let read = |path: &str| call("read_file", json!({ "path": path }));
    let lines = |path: &str, start: u32, end: u32| {
        call("read_lines", json!({"path": path, "start": start, "end": end}))
    };
    let edit = json!({"path": SHORT, "old_str": "    return amount + 3\n",
        "new_str": format!("    # A large one.\n{EDITED}\n"), "intent": "add more"});
    let write = json!({"path": "src/new.py", "content": functions("new", 3)});
    let bash = |command: &str| call("bash", json!({ "command": command }));
    let steps = vec![
        vec![read(SHORT)],
        vec![read(SHORT)],
        vec![call("edit_file", edit)],
        vec![read(SHORT)],
        vec![bash("sed -n '9,24p' src/short.py")],
        vec![call("grep", json!({"pattern": "return amount", "path": SHORT}))],
        vec![lines("src/middle.py", 1, 60)],
        vec![lines("src/middle.py", 30, 90)],
        vec![read("src/middle.py")],
        vec![call("write_file", write)],
        vec![read("src/new.py")],
        vec![read("src/other.py"), lines(SHORT, 1, 8)],
        vec![bash("cat src/other.py")],
    ];
    task(agent, "small", steps)
}

/// First reads of files that have most of their lines in common.
pub(crate) fn alike(agent: &Agent) -> Task {
    let read = |path: &str| vec![agent.call("read_file", json!({ "path": path }))];
    task(agent, "alike", MANIFESTS.map(read).to_vec())
}

/// Work with answers longer than what agents pass on, and with questions for what they cut away.
pub(crate) fn large(agent: &Agent) -> Task {
    let lines = |start: u32, end: u32| {
        vec![agent.call("read_lines", json!({"path": LARGE, "start": start, "end": end}))]
    };
    let steps = vec![
        lines(1, 3_599),
        lines(200, 260),
        lines(700, 760),
        lines(1_500, 1_560),
        lines(2_200, 2_260),
        vec![agent.call("bash", json!({"command": format!("cat {LARGE}")}))],
    ];
    task(agent, "large", steps)
}
