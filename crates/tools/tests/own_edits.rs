//! What the model edits with tools that are not ours is its own.

use foveal_store::EditAuthor;
use foveal_tools::session::{ClientToolChange, record_client_tool_edit};
use foveal_tools::{CallControl, ToolCallAnswer, ToolRequest, ToolSession};
use foveal_transcript::Timestamp;
use serde_json::{Value, json};

use crate::world::World;

const AUTHOR: EditAuthor<'_> = EditAuthor { session: "s", reader: "s/" };

struct Own {
    world: World,
    session: ToolSession,
}

fn lines(count: u32) -> String {
    (1..=count).map(|n| format!("x_{n} = {n}00\n")).collect()
}

impl Own {
    fn new() -> Self {
        let world = World::new();
        let session = ToolSession::new(&world.toolbox, "own").with_reader(AUTHOR.reader);
        Self { world, session }
    }

    fn ask(&self, tool: &str, arguments: Value) -> ToolCallAnswer {
        self.session.call(&ToolRequest::new(tool, arguments), &CallControl::NONE)
    }

    #[track_caller]
    fn call(&self, tool: &str, arguments: Value) -> String {
        let answer = self.ask(tool, arguments);
        assert!(!answer.is_error, "{}", answer.text);
        answer.text
    }

    #[track_caller]
    fn refused(&self, tool: &str, arguments: Value) -> String {
        let answer = self.ask(tool, arguments);
        assert!(answer.is_error, "{}", answer.text);
        answer.text
    }

    fn note(&self, change: ClientToolChange) {
        let path = self.world.folder.path().join("a.py");
        let store = &*self.world.toolbox.store;
        record_client_tool_edit(store, AUTHOR, &path, &[change], Timestamp(1))
            .expect("it is noted");
    }

    /// The model's client replaces a text, and says so.
    fn replace(&self, old: &str, new: &str) {
        let before = self.world.on_disk("a.py");
        let at = before.find(old).expect("it is there");
        let after = before.replacen(old, new, 1);
        self.world.write("a.py", &after);
        let written = std::iter::once(at..at + new.len()).collect();
        self.note(ClientToolChange::Part { before, after, written });
    }
}

fn edit(old: &str, new: &str) -> Value {
    json!({"path": "a.py", "old_str": old, "new_str": new})
}

fn whole(text: &str) -> Value {
    json!({"path": "a.py", "content": text})
}

#[test]
fn an_edit_of_the_model_is_no_change_of_others() {
    let own = Own::new();
    own.world.write("a.py", lines(20));
    own.call("read_file", json!({"path": "a.py"}));
    own.replace("x_5 = 500\n", "x_5 = 555\nx_5b = 1\n");
    own.replace("x_15 = 1500", "x_15 = 1555");
    own.call("edit_file", edit("x_5b = 1", "x_5b = 2"));
    own.replace("x_7 = 700\n", "");
    own.call("edit_file", edit("x_15 = 1555\nx_16", "x_15 = 15\nx_16"));
    // All lines are known, so that all of them may be replaced.
    own.call("write_file", whole(&lines(20)));
    own.replace("x_1 = 100", "x_1 = 1");
    let read = own.call("read_file", json!({"path": "a.py"}));
    assert!(read.contains("x_1 = 1\n"), "{read}");
}

/// The same without a note, and with one after which others wrote.
#[test]
fn what_others_changed_is_refused_as_before() {
    let own = Own::new();
    own.world.write("a.py", lines(20));
    own.call("read_file", json!({"path": "a.py"}));
    own.world.write("a.py", lines(20).replace("x_5 = 500", "x_5 = 555"));
    let refused = own.refused("edit_file", edit("x_5 = 555", "x_5 = 5"));
    assert!(refused.contains("was changed since you saw these lines"), "{refused}");

    let own = Own::new();
    own.world.write("a.py", lines(20));
    own.call("read_file", json!({"path": "a.py"}));
    own.replace("x_5 = 500", "x_5 = 555");
    let others = own.world.on_disk("a.py").replace("x_9 = 900", "x_9 = 999");
    own.world.write("a.py", &others);
    let refused = own.refused("edit_file", edit("x_9 = 999", "x_9 = 9"));
    assert!(refused.contains("was changed since you saw these lines"), "{refused}");
    // Others before the model: what they wrote was not seen.
    let own = Own::new();
    own.world.write("a.py", lines(20));
    own.call("read_file", json!({"path": "a.py"}));
    own.world.write("a.py", lines(20).replace("x_9 = 900", "x_9 = 999"));
    own.replace("x_5 = 500", "x_5 = 555");
    own.refused("edit_file", edit("x_9 = 999", "x_9 = 9"));
    assert_eq!(own.world.on_disk("a.py").matches("x_9 = 999").count(), 1);
}

/// Of a line that was not seen, and is written only in part, the rest is not known.
#[test]
fn only_lines_that_were_written_are_known() {
    let own = Own::new();
    own.world.write("a.py", format!("{}secret(a, b, c)\n", lines(300)));
    own.call("read_lines", json!({"path": "a.py", "start": 1, "end": 20}));
    own.replace("secret(a", "secret(z");
    own.replace("x_200 = 20000\n", "x_200 = 2\nx_200b = 3\n");
    let refused = own.refused("edit_file", edit("secret(z", "secret(y"));
    assert!(refused.contains("you had not seen these lines"), "{refused}");
    own.refused("write_file", whole("x_1 = 1\n"));
    own.call("edit_file", edit("200 = 2\nx_200b", "200 = 3\nx_200b"));
    own.call("edit_file", edit("x_20 = 2000\n", "x_20 = 2\n"));
}

#[test]
fn a_file_that_the_model_wrote_is_known() {
    let own = Own::new();
    let write = |text: &str| {
        own.world.write("a.py", text);
        own.note(ClientToolChange::Whole(text.to_owned()));
    };
    write(&lines(200));
    own.call("edit_file", edit("= 15000", "= 15"));
    own.world.write("a.py", lines(5));
    own.refused("write_file", whole("x = 1\n"));
    write(&lines(7));
    own.call("write_file", whole("x = 1\n"));
}

/// After a compaction the model knows nothing of what it edited before.
#[test]
fn what_was_edited_before_a_compaction_is_not_known() {
    let own = Own::new();
    own.world.write("a.py", lines(200));
    own.replace("x_100 = 10000\n", "x_100 = 1\nx_100b = 1\n");
    own.world.toolbox.store.forget_client_edits(AUTHOR.session).expect("it is forgotten");
    let refused = own.refused("edit_file", edit("100 = 1\nx_100b", "100 = 2\nx_100b"));
    assert!(refused.contains("had not seen") || refused.contains("have not seen"), "{refused}");
    // Nor does another reader.
    own.replace("x_50 = 5000\n", "x_50 = 5\nx_50b = 5\n");
    let other = ToolSession::new(&own.world.toolbox, "other").with_reader("s/agent");
    let answer = other.call(
        &ToolRequest::new("edit_file", edit("50 = 5\nx_50b", "50 = 6\nx_50b")),
        &CallControl::NONE,
    );
    assert!(answer.is_error, "{}", answer.text);
    own.call("edit_file", edit("50 = 5\nx_50b", "50 = 6\nx_50b"));
}
