//! `foveal hook` notes what Claude Code's own tools made of files.

use std::fs;

use foveal_store::{ClientEdit, ClientEditStore as _, NoteTime};
use foveal_transcript::ContentHash;
use serde_json::{Value, json};

use crate::hook::{given_as, store};
use crate::world::World;

const BEFORE: &str = "one\ntwo\nthree\n";

struct Agent {
    world: World,
    /// How the model spells the file.
    path: String,
}

impl Agent {
    fn new(test: &str) -> Self {
        let world = World::new(&format!("own_edits_{test}"));
        world.write("a.txt", BEFORE);
        let path = world.folder.join("a.txt").display().to_string();
        Self { world, path }
    }

    fn event(&self, mut event: Value) {
        event["session_id"] = "s1".into();
        event["cwd"] = self.world.folder.display().to_string().into();
        event["transcript_path"] = "/nowhere".into();
        assert_eq!(given_as(&self.world, "hook", event.to_string().as_bytes()), "");
    }

    fn answered(&self, tool: &str, input: &Value, response: &Value) {
        self.event(json!({"hook_event_name": "PostToolUse", "tool_name": tool,
            "tool_use_id": "c1", "tool_input": input, "tool_response": response}));
    }

    /// An edit as Claude Code tells it, after which the file holds `after`.
    fn edit(&self, old: &str, new: &str, before: &str, after: &str, more: (&str, Value)) {
        self.world.write("a.txt", after);
        let mut response = json!({"filePath": self.path, "oldString": old, "newString": new,
            "originalFile": before, "structuredPatch": [], "userModified": false,
            "replaceAll": false});
        response[more.0] = more.1;
        let input = json!({"file_path": self.path, "old_string": old, "new_string": new});
        self.answered("Edit", &input, &response);
    }

    fn noted(&self) -> Option<ClientEdit> {
        let noted = store(&self.world).client_edits("s1/", NoteTime::default()).expect("a store");
        let noted = noted.into_iter().find(|noted| noted.path.ends_with("/a.txt"));
        noted.map(|noted| noted.edit)
    }
}

const NOTHING: (&str, Value) = ("nothing", Value::Null);

#[test]
fn edits_are_noted_where_the_file_holds_what_they_left() {
    let agent = Agent::new("edit");
    let after = "one\nzwei\ndrei\nthree\n";
    agent.edit("two", "zwei\ndrei", BEFORE, after, NOTHING);
    let noted = agent.noted().expect("it is noted");
    assert_eq!((noted.lines, noted.is_whole), (vec![(2, 3)], false));
    let hash = |text: &str| ContentHash::from_content(text.as_bytes());
    assert_eq!((noted.before, noted.after), (vec![hash(BEFORE)], hash(after)));
    // A line that is taken out takes its end along.
    let second = "one\ndrei\nthree\n";
    agent.edit("zwei", "", after, second, NOTHING);
    let noted = agent.noted().expect("it is noted");
    assert_eq!((noted.lines, noted.after), (vec![(2, 2)], hash(second)));
    assert_eq!(noted.before, [hash(BEFORE), hash(after)]);
    let third = "x\ndrxi\nthrxx\n";
    agent.edit("e", "x", "e\ndrei\nthree\n", third, ("replaceAll", true.into()));
    assert_eq!(agent.noted().expect("it is noted").lines, [(1, 1)]);
}

#[test]
fn what_is_not_certain_is_not_noted() {
    let agent = Agent::new("uncertain");
    let after = "one\nzwei\nthree\n";
    // A formatter wrote too; the user changed the proposal; nobody says what was there.
    agent.edit("two", "zwei", BEFORE, "one\n  zwei\nthree\n", NOTHING);
    agent.edit("two", "zwei", BEFORE, after, ("userModified", true.into()));
    agent.edit("two", "zwei", BEFORE, after, ("originalFile", Value::Null));
    agent.answered("Edit", &json!({"file_path": "/nowhere/a.txt"}), &json!({}));
    agent.answered("Write", &json!({"file_path": agent.path, "content": "other"}), &json!({}));
    agent.answered("Edit", &json!({}), &Value::Null);
    assert_eq!(agent.noted(), None);
    fs::remove_file(agent.world.folder.join("a.txt")).expect("a file of this test");
    agent.answered("Write", &json!({"file_path": agent.path, "content": ""}), &json!({}));
    assert_eq!(agent.noted(), None);
}

#[test]
fn files_that_are_written_whole_are_noted_until_a_compaction() {
    let agent = Agent::new("write");
    // The path may start where the agent works.
    agent.world.write("a.txt", "new\n");
    let input = json!({"file_path": "a.txt", "content": "new\n"});
    let response = json!({"type": "update", "filePath": "a.txt", "content": "new\n",
        "originalFile": BEFORE, "userModified": false});
    agent.answered("Write", &input, &response);
    assert!(agent.noted().is_some_and(|noted| noted.is_whole));
    let several = "NEW\nmore\n";
    agent.world.write("a.txt", several);
    let edits = json!([{"old_string": "new", "new_string": "NEW"},
        {"old_string": "NEW\n", "new_string": "NEW\nmore\n"}]);
    let input = json!({"file_path": agent.path, "edits": edits});
    let response = json!({"filePath": agent.path, "originalFileContents": "new\n"});
    agent.answered("MultiEdit", &input, &response);
    assert_eq!(agent.noted().map(|noted| noted.lines), Some(vec![(1, 2)]));
    agent.event(json!({"hook_event_name": "PreCompact", "trigger": "auto"}));
    assert_eq!(agent.noted(), None);
}

#[test]
fn an_edit_that_differs_in_blanks_says_so() {
    let world = World::new("own_edits_blanks");
    world.write("project/a.cs", "class A {\n    int  x;\n}\n");
    let edit = json!({"path": "a.cs", "old_str": "int x;", "new_str": "int y;", "intent": "name"});
    let read = ("read_file", json!({"path": "a.cs"}));
    let (results, _) = crate::document_stories::after(&world, "", &[read, ("edit_file", edit)]);
    let said = "(only blanks differ: spaces, tabs or line breaks)";
    assert!(results[1].contains(said), "{}", results[1]);
}
