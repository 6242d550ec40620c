//! A folder with sessions, and the program run in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

/// A folder of one test, empty at the start.
pub(crate) struct World {
    pub(crate) folder: PathBuf,
}

/// What a run printed, and how it ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl World {
    pub(crate) fn new(test: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("world").join(test);
        if folder.exists() {
            fs::remove_dir_all(&folder).expect("a folder of this test alone");
        }
        fs::create_dir_all(folder.join("home")).expect("a new folder");
        // A project of its own: the target folder may lie inside a checkout.
        fs::create_dir_all(folder.join(".git")).expect("a new folder");
        Self { folder }
    }

    /// Writes a file, folders above it included.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.folder.join(path);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a new folder");
        fs::write(path, content).expect("a new file");
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.folder.join(path)).expect("a file that was written")
    }

    /// Runs the program with `arguments` (words) in the folder, home an empty folder.
    pub(crate) fn run(&self, arguments: &str) -> Ran {
        self.run_with(arguments, &[])
    }

    /// Runs the program with more variables in its environment.
    pub(crate) fn run_with(&self, arguments: &str, variables: &[(&str, &str)]) -> Ran {
        let mut command = self.command(arguments);
        command.envs(variables.iter().copied());
        self.ran(&mut command)
    }

    /// Runs `command`, which is the program.
    pub(crate) fn ran(&self, command: &mut Command) -> Ran {
        let Output { status, stdout, stderr } = command.output().expect("the program starts");
        let folder = format!("{}/", self.folder.display());
        let text = |bytes| String::from_utf8(bytes).expect("text").replace(&folder, "");
        Ran { code: status.code(), out: text(stdout), err: text(stderr) }
    }

    /// The program, to be run in the folder with nothing else in its environment.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_foveal"));
        command.current_dir(&self.folder).args(arguments.split_whitespace()).env_clear();
        command.env("HOME", self.folder.join("home"));
        command
    }

    /// Runs the program, which has to succeed in silence, and returns what it printed.
    pub(crate) fn output(&self, arguments: &str) -> String {
        let Ran { code, out, err } = self.run(arguments);
        assert_eq!((code, err.as_str()), (Some(0), ""), "{arguments}");
        out
    }
}

/// The text of a file of `lines` lines.
pub(crate) fn file_text(name: &str, lines: usize) -> String {
    (1..=lines).map(|n| format!("{n:>6}→    let {name}_{n} = compute_{name}({n});\n")).collect()
}

/// An ATIF session in which `a.rs` is read, edited and read again, with a long test run
/// and a sub-agent that reads it too.
pub(crate) fn session(id: &str) -> String {
    let read = |call: &str, text: &str| step(call, "Read", &json!({"file_path": "/r/a.rs"}), text);
    let helper = vec![user("look at a.rs"), read("h1", &file_text("a", 30)), agent("thirty lines")];
    let change = json!({"file_path": "/r/a.rs", "old_string": "    let a_3 = compute_a(3);",
        "new_string": "    let a_3 = compute_a(33);"});
    let run: String = (0..400).map(|n| format!("test case_number_{n} ... ok\n")).collect();
    let steps = vec![
        user("make the third value larger"),
        read("c1", &file_text("a", 60)),
        step("c2", "Edit", &change, "The file was updated."),
        read("c3", &file_text("a", 60).replace("compute_a(3)", "compute_a(33)")),
        step("c4", "Bash", &json!({"command": "cargo test"}), &run),
        read("c5", &file_text("a", 60).replace("compute_a(3)", "compute_a(33)")),
        agent("compute_a(33) is used now"),
    ];
    let mut all = trajectory(id, steps);
    all["subagent_trajectories"] = json!([trajectory("helper", helper)]);
    all.to_string()
}

fn trajectory(id: &str, mut steps: Vec<Value>) -> Value {
    for (at, step) in steps.iter_mut().enumerate() {
        step["step_id"] = json!(at + 1);
        step["timestamp"] = json!(format!("2026-01-01T00:{at:02}:00Z"));
    }
    json!({"schema_version": "ATIF-v1.7", "session_id": id, "trajectory_id": id,
        "agent": {"name": "Claude Code", "version": "2"}, "steps": steps})
}

fn user(text: &str) -> Value {
    json!({"source": "user", "message": text})
}

fn agent(text: &str) -> Value {
    json!({"source": "agent", "message": text})
}

fn step(call: &str, tool: &str, arguments: &Value, result: &str) -> Value {
    let calls = json!([{"tool_call_id": call, "function_name": tool, "arguments": arguments}]);
    let results = json!([{"source_call_id": call, "content": result}]);
    json!({"source": "agent", "message": "", "tool_calls": calls,
        "observation": {"results": results}})
}
