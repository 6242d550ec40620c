//! `foveal hook` as our plugins for opencode and pi ask it: what the model was sent comes with the
//! event.

use serde_json::{Value, json};

use crate::hook::given_as;
use crate::world::World;

fn lines(count: usize) -> String {
    (1..=count).map(|n| format!("    let value_{n} = compute({n});\n")).collect()
}

/// One agent: how it records what its model was sent.
struct Case {
    agent: &'static str,
    path: &'static str,
    conversation: fn(&[(&str, &Value, &str)]) -> String,
}

const CASES: [Case; 2] = [
    Case { agent: "opencode", path: "filePath", conversation: opencode },
    Case { agent: "pi", path: "path", conversation: pi },
];

/// Calls of `read` with their results, each in a message of its own.
fn opencode(calls: &[(&str, &Value, &str)]) -> String {
    let message = |(at, (id, input, output)): (usize, &(&str, &Value, &str))| {
        let info = json!({"id": format!("m{at}"), "role": "assistant", "sessionID": "s1"});
        let state = json!({"status": "completed", "input": input, "output": output,
            "time": {"start": 1, "end": 2}});
        let part = json!({"id": "p", "type": "tool", "callID": id, "tool": "read", "state": state});
        json!({"info": info, "parts": [{"type": "step-start"}, part]})
    };
    let messages: Vec<Value> = calls.iter().enumerate().map(message).collect();
    json!({"info": {"id": "s1", "directory": "/r"}, "messages": messages}).to_string()
}

fn pi(calls: &[(&str, &Value, &str)]) -> String {
    let mut lines = vec![json!({"type": "session", "version": 3, "id": "s1", "cwd": "/r"})];
    for (id, input, output) in calls {
        let call = json!({"type": "toolCall", "id": id, "name": "read", "arguments": input});
        let said = json!({"role": "assistant", "content": [call]});
        let answer = json!({"role": "toolResult", "toolCallId": id, "toolName": "read",
            "content": [{"type": "text", "text": output}], "isError": false});
        lines.extend([said, answer].map(|message| json!({"type": "message", "message": message})));
    }
    lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
}

impl Case {
    /// What the hook makes of a result; nothing if it stays.
    fn shaped(
        &self,
        world: &World,
        tool: &str,
        text: &str,
        told: (&str, String),
    ) -> Option<String> {
        let (id, conversation) = told;
        let event = json!({"hook_event_name": "PostToolUse", "session_id": "s1", "tool_use_id": id,
            "tool_name": tool, "tool_input": self.input(), "tool_response": text, "cwd": "/r",
            "conversation": conversation});
        let answer = given_as(world, &format!("hook {}", self.agent), event.to_string().as_bytes());
        if answer.is_empty() {
            return None;
        }
        let mut answer: Value = serde_json::from_str(&answer).expect("JSON");
        match answer["output"].take() {
            Value::String(text) => Some(text),
            other => panic!("{other}"),
        }
    }

    fn input(&self) -> Value {
        json!({ self.path: "a.rs" })
    }
}

#[test]
fn what_the_model_was_sent_is_pointed_at() {
    for case in CASES {
        let world = World::new(&format!("plugin_{}", case.agent));
        let (file, input) = (lines(100), case.input());
        let of = |calls: &[(&str, &Value, &str)]| (case.conversation)(calls);
        assert_eq!(case.shaped(&world, "read", &file, ("c1", of(&[]))), None);
        let above = of(&[("c1", &input, &file)]);
        let shaped = case.shaped(&world, "read", &file, ("c2", above)).expect("it stands above");
        assert!(shaped.contains("above]") && shaped.len() < 600, "{}: {shaped}", case.agent);
        assert!(shaped.contains(" expand "), "{shaped}");
        // What was sent in its place is no file.
        let above = of(&[("c2", &input, &shaped), ("c5", &input, "x"), ("c6", &input, "y")]);
        let other = World::new(&format!("plugin_pointer_{}", case.agent));
        assert_eq!(case.shaped(&other, "read", &file, ("c3", above)), None);
        // The same call made again at once gets all of it.
        let above = of(&[("c1", &input, &file), ("c2", &input, &shaped)]);
        assert_eq!(case.shaped(&world, "read", &file, ("c4", above.clone())), None);
        let other = of(&[("c1", &input, &file), ("c2", &input, &shaped), ("c5", &input, "x")]);
        assert!(case.shaped(&world, "read", &file, ("c6", other)).is_some());
        // What is no record, or a tool of a server, is left alone.
        for broken in ["{", "[]", "", "null"] {
            assert_eq!(case.shaped(&world, "read", &file, ("c7", broken.to_owned())), None);
        }
        assert_eq!(case.shaped(&world, "foveal_read_file", &file, ("c8", above)), None);
    }
}

#[test]
fn long_output_is_shortened() {
    for case in CASES {
        let world = World::new(&format!("plugin_long_{}", case.agent));
        let out: String = (0..3000).map(|n| format!("test case_{n} ... ok\n")).collect();
        let event = json!({"hook_event_name": "PostToolUse", "session_id": "s1",
            "tool_use_id": "c1", "tool_name": "bash", "tool_input": {"command": "cargo test"},
            "tool_response": out, "cwd": "/r", "conversation": (case.conversation)(&[])});
        let answer =
            given_as(&world, &format!("hook {}", case.agent), event.to_string().as_bytes());
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        let shown = answer["output"].as_str().expect("a text");
        assert!(shown.len() < 5_000, "{shown}");
        let handle = shown.split("expand ").nth(1).and_then(|rest| rest.get(..12));
        let handle = handle.expect("a handle");
        assert_eq!(world.output(&format!("expand {handle}")).trim_end(), out.trim_end());
    }
}
