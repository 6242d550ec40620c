//! What is told and asked of files that other programs obey unasked.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use foveal_tools::control::{Approval, Question};
use foveal_tools::person::Person;
use foveal_tools::settings::ToolSettings;
use foveal_tools::{Answer, Control, Request, Session};
use serde_json::{Value, json};

use crate::world::toolbox;

/// Long enough for anything that should happen.
const PATIENCE: Duration = Duration::from_secs(60);

struct Watched {
    folder: tempfile::TempDir,
    session: Session,
    told: Arc<Mutex<Vec<String>>>,
}

impl Watched {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let told = Arc::new(Mutex::new(Vec::new()));
        let mut toolbox = toolbox(folder.path().to_owned(), ToolSettings::default());
        let heard = Arc::clone(&told);
        toolbox.person = Person::told_by(move |text| heard.lock().unwrap().push(text.to_owned()));
        let session = Session::new(&Arc::new(toolbox), "one");
        Self { folder, session, told }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// What the model is told of a command, line by line; the person is told as much.
    fn bash(&self, command: &str) -> Vec<String> {
        let request = Request::new("bash", json!({"command": command}));
        let text = self.session.call(&request, &Control::NONE).text;
        let is_told = |line: &&str| line.contains("unasked");
        let lines: Vec<String> = text.lines().filter(is_told).map(str::to_owned).collect();
        let told = std::mem::take(&mut *self.told.lock().unwrap());
        let told = told.iter().filter(|text| text.contains("unasked")).count();
        assert_eq!(told, lines.len(), "{command}: {text}");
        lines
    }

    /// The answer of a call, and what the person was asked, who says `word`.
    fn ask(&self, tool: &str, arguments: Value, word: Approval) -> (Answer, Vec<String>) {
        let asked = Mutex::new(Vec::new());
        let person = |question: &Question| {
            asked.lock().unwrap().push(question.reason.clone());
            word
        };
        let control = Control { person: Some(&person), ..Control::NONE };
        let answer = self.session.call(&Request::new(tool, arguments), &control);
        (answer, asked.into_inner().unwrap())
    }
}

#[test]
fn what_a_command_left_running_does_later_is_told_with_the_next_one() {
    let watched = Watched::new();
    assert!(watched.bash("setsid -f sh -c 'sleep 0.5; echo a > .envrc' >&- 2>&-").is_empty());
    let begun = Instant::now();
    while !watched.at(".envrc").exists() {
        assert!(begun.elapsed() < PATIENCE, "nothing was left running");
        std::thread::sleep(Duration::from_millis(10));
    }
    let told = watched.bash("true");
    assert!(told.len() == 1 && told[0].contains("`.envrc`"), "{told:?}");
    assert!(watched.bash("ls -a").is_empty(), "once");
    // Nor is a file told of that was written with the person's word.
    let write = json!({"path": ".npmrc", "content": "x"});
    let (answer, asked) = watched.ask("write_file", write, Approval::Once);
    assert!(!answer.is_error && asked.len() == 1, "{}", answer.text);
    assert!(watched.bash("ls").is_empty());
    // A command that moves on takes what is there for known.
    std::fs::create_dir_all(watched.at("web/.vscode")).unwrap();
    assert!(watched.bash("cd web").is_empty());
    std::fs::write(watched.at("web/.vscode/tasks.json"), "{}").unwrap();
    assert!(watched.bash("pwd").concat().contains("tasks.json"));
}

#[test]
fn that_not_all_is_looked_at_is_told_once() {
    let watched = Watched::new();
    for number in 0..2_100 {
        std::fs::write(watched.at(&format!("{number}.txt")), "").unwrap();
    }
    let told = watched.bash("true");
    assert!(told.len() == 1 && told[0].contains("not all files"), "{told:?}");
    assert!(watched.bash("ls -d .").is_empty());
    assert!(watched.bash("echo x > .mcp.json").concat().contains("`.mcp.json`"));
}

#[test]
fn what_stands_in_place_of_a_version_needs_the_persons_word() {
    let watched = Watched::new();
    let path = ".python-version";
    let write = |content: &str| ("write_file", json!({"path": path, "content": content}));
    let edit = |old: &str, new: &str| json!({"path": path, "old_str": old, "new_str": new});
    for (tool, arguments) in
        [write("3.12\n"), ("edit_file", edit("3.12", "3.13")), write("3.12\n3.13\n")]
    {
        let (answer, asked) = watched.ask(tool, arguments, Approval::No);
        assert!(!answer.is_error && asked.is_empty(), "{}", answer.text);
    }
    for (tool, arguments) in [
        write("./evil\n"),
        ("edit_file", edit("3.12", "./evil")),
        ("multi_edit", json!({"edits": [edit("3.12", "./evil")]})),
        ("write_file", json!({"path": "sub/.PYTHON-VERSION", "content": "./evil"})),
    ] {
        let (answer, asked) = watched.ask(tool, arguments, Approval::No);
        assert!(answer.is_error, "{tool}: {}", answer.text);
        assert!(asked.len() == 1 && asked[0].contains("hold a version"), "{tool}: {asked:?}");
    }
    assert_eq!(std::fs::read_to_string(watched.at(path)).unwrap(), "3.12\n3.13\n");
    assert!(!watched.at("sub").exists());
    // Once it was written with the person's word, a way back to it needs one too.
    let (tool, arguments) = write("./evil\n");
    let (answer, asked) = watched.ask(tool, arguments, Approval::Once);
    assert!(!answer.is_error && asked.len() == 1, "{}", answer.text);
    let (tool, arguments) = write("3.14\n");
    let (answer, _) = watched.ask(tool, arguments, Approval::No);
    let handle = answer.text.split("[before: ").nth(1).and_then(|rest| rest.get(..12)).unwrap();
    let undo = json!({"path": path, "handle": handle});
    let (answer, asked) = watched.ask("write_file", undo, Approval::No);
    assert!(answer.is_error && asked.len() == 1, "{}", answer.text);
}
