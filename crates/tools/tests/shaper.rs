//! A session whose caller shapes the conversation itself.

use foveal_tools::session::PassthroughShaper;
use foveal_tools::{CallControl, ToolRequest, ToolSession};
use serde_json::json;

use crate::world::{World, source};

#[test]
fn unshaped_answers_are_whole_and_point_at_nothing() {
    let world = World::new();
    world.write("a.rs", source(100));
    world.settle();
    let session = ToolSession::with_shaper(&world.toolbox, "caller", Box::new(PassthroughShaper));
    let call = |tool: &str, arguments| {
        session.call(&ToolRequest::new(tool, arguments), &CallControl::NONE)
    };
    for question in [None, None, Some("what does step_7 do?")] {
        let answer = call("read_file", json!({"path": "a.rs", "question": question}));
        assert!(answer.text.starts_with("File: a.rs\nTotal lines: 500\n"), "{}", answer.text);
        assert!(answer.text.contains("500→"), "{}", answer.text);
        assert_eq!((answer.reduction, answer.cached), (None, false));
    }
    assert_eq!(session.read_count("a.rs"), 3);
    // What was given counts as seen: it may be changed.
    let (old_str, new_str) = ("value * 7;", "value * 8;");
    let edit = json!({"path": "a.rs", "old_str": old_str, "new_str": new_str});
    let answer = call("edit_file", edit);
    assert!(answer.text.starts_with("Wrote a.rs [before: "), "{}", answer.text);
    let answer = call("read_file", json!({"path": "a.rs"}));
    assert!(answer.text.contains("    let doubled = value * 8;\n"), "{}", answer.text);
    assert!(answer.text.contains("500→"), "{}", answer.text);
}
