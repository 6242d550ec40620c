//! A model that chooses what is shown of files.

use std::fmt::Write as _;
use std::process::Stdio;

use foveal_mock_provider::{
    MockProvider, ModelReply, ReplyScript, ScriptedFault, ScriptedOutcome, Settings,
};
use serde_json::{Value, json};

use crate::mcp::called;
use crate::run_task::{bodies, calls, model, provider};
use crate::world::{Ran, World};

/// A file of functions of ten lines each.
pub(crate) fn file(functions: usize) -> String {
    (1..=functions).fold(String::new(), |mut text, n| {
        let _ = writeln!(text, "pub fn step_{n}() -> u64 {{");
        for line in 0..7 {
            let _ = writeln!(text, "    let value_{line} = {n} * {line};");
        }
        text.push_str("    value_1\n}\n");
        text
    })
}

/// What a curator answers.
pub(crate) fn chooses(first: u32, last: u32) -> ModelReply {
    let range = json!({"start": first, "end": last, "reason": "the step that is asked about"});
    ModelReply::from_text(
        json!({"line_ranges": [range], "summary": "one step of thirty",
            "preserved_percentage": 3})
        .to_string(),
    )
}

pub(crate) fn world(test: &str, upstream: &MockProvider, dialect: &str, more: &str) -> World {
    let world = World::new(test);
    world.write("steps.rs", file(30));
    let settings = format!("curator_model = \"{dialect}:small@{}\"\n{more}", upstream.url());
    world.write("home/.config/foveal/config.toml", settings);
    world
}

pub(crate) const READ: &str = "read steps.rs --for step_12";

/// What is shown where no model is asked.
fn without(test: &str) -> Ran {
    let world = World::new(&format!("{test}-without"));
    world.write("steps.rs", file(30));
    world.run(READ)
}

#[test]
fn a_model_chooses_what_is_shown_and_says_why() {
    for dialect in ["chat", "responses", "messages"] {
        let upstream = provider([chooses(111, 120)]);
        let world = world(&format!("curator-{dialect}"), &upstream, dialect, "");
        let ran = world.run(READ);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{dialect}");
        assert!(ran.out.contains("pub fn step_12() "), "{}", ran.out);
        assert!(!ran.out.contains("let value_3 = 13 * 3"), "{}", ran.out);
        for words in [
            "a model chose what is shown, and says: one step of thirty",
            "a model chose these lines: the step that is asked about",
        ] {
            assert!(ran.out.contains(words), "{dialect}: {}", ran.out);
        }
        // What was chosen is kept: the same is shown again, and nobody is asked.
        assert_eq!(world.output(READ), ran.out);
        let [asked] = bodies(&upstream).try_into().expect("one request");
        assert_eq!(asked["temperature"], 0.3);
        let text = asked.to_string();
        assert!(text.contains("111: pub fn step_12") && text.contains("step_12"), "{text}");
        let form = match dialect {
            "chat" => &asked["response_format"]["json_schema"],
            "responses" => &asked["text"]["format"],
            _ => continue,
        };
        assert_eq!((&form["strict"], &form["name"]), (&json!(true), &json!("line_ranges")));
        assert!(form["schema"]["properties"]["line_ranges"].is_object());
    }
}

/// A server that does not know of schemas is asked again without.
#[test]
fn a_server_that_refuses_schemas_is_asked_in_words() {
    let upstream = provider([ModelReply::from_text("")]);
    let refused = ScriptedOutcome::from(ScriptedFault::Status { status: 400, retry_after_s: None });
    upstream.set_script(ReplyScript::in_order([refused, ScriptedOutcome::from(chooses(111, 120))]));
    let world = world("curator-plain", &upstream, "chat", "");
    assert!(world.output(READ).contains("a model chose these lines"));
    let schemas: Vec<bool> =
        bodies(&upstream).iter().map(|body| body["response_format"].is_object()).collect();
    assert_eq!(schemas, [true, false]);
}

/// Whatever goes wrong, files are shown as without a model, and no error is told.
#[test]
fn without_an_answer_files_are_shown_as_ever() {
    let usual = without("curator-fallback");
    let plays = [
        ("garbage", ScriptedOutcome::from(ModelReply::from_text("I do not know.")), 2),
        (
            "broken",
            ScriptedOutcome::from(ModelReply::from_text("{\"line_ranges\": [{\"start\": 1,")),
            2,
        ),
        ("outside", ScriptedOutcome::from(chooses(9_000, 9_001)), 2),
        ("error", ScriptedOutcome::from(ModelReply::from_text("{\"error\": \"too long\"}")), 1),
        (
            "fails",
            ScriptedOutcome::from(ScriptedFault::Status { status: 500, retry_after_s: None }),
            1,
        ),
        (
            "refuses",
            ScriptedOutcome::from(ScriptedFault::Status { status: 400, retry_after_s: None }),
            2,
        ),
        (
            "cut",
            ScriptedOutcome {
                fault: ScriptedFault::TruncatedBefore(2),
                ..ScriptedOutcome::from(chooses(1, 10))
            },
            1,
        ),
        ("reset", ScriptedOutcome::from(ScriptedFault::ResetBeforeHead), 1),
    ];
    for (name, play, requests) in plays {
        let upstream = MockProvider::start(Settings::default()).expect("a provider");
        upstream.set_script(ReplyScript::always(play));
        let world = world(&format!("curator-{name}"), &upstream, "chat", "");
        let ran = world.run(READ);
        assert_eq!(ran, usual, "{name}");
        assert_eq!(upstream.request_count(), requests, "{name}");
    }
    // Nobody is there at all.
    let gone = MockProvider::start(Settings::default()).expect("a provider");
    let world = world("curator-gone", &gone, "chat", "");
    drop(gone);
    assert_eq!(world.run(READ), usual);
}

#[test]
fn nobody_is_asked_unless_the_user_wants_that() {
    let upstream = provider([chooses(111, 120)]);
    let off = world("curator-off", &upstream, "chat", "curator = \"extractive\"\n");
    assert_eq!(off.run(READ), without("curator-off"));
    // Short files are shown whole.
    let on = world("curator-short", &upstream, "chat", "curator = \"model\"\n");
    on.write("short.rs", "fn a() {}\n");
    assert!(on.output("read short.rs").contains("fn a() {}"));
    assert_eq!(upstream.request_count(), 0);
    for (settings, word) in [
        ("curator = \"model\"\n", "name one, such as"),
        ("curator = \"best\"\n", "unknown variant `best`"),
        ("\ncurator_model = \"gpt\"\n", "line 2"),
        ("curator_modell = \"ollama:a\"\n", "unknown field"),
    ] {
        let world = World::new("curator-wrong");
        world.write("home/.config/foveal/config.toml", settings);
        world.write("steps.rs", file(30));
        let ran = world.run(READ);
        assert!(ran.code == Some(2) && ran.err.contains(word), "{settings}: {}", ran.err);
    }
    // A key that is not set is said, and all goes on.
    let world = World::new("curator-key");
    world.write("home/.config/foveal/config.toml", "curator_model = \"anthropic:m\"\n");
    world.write("steps.rs", file(30));
    let ran = world.run(READ);
    assert_eq!((ran.code, ran.out), (Some(0), without("curator-key").out));
    assert!(ran.err.contains("the curator model is not used"), "{}", ran.err);
}

/// foveal's own agent is shown what the curator chose, where first reads are curated.
#[test]
fn a_run_is_shown_what_the_curator_chose() {
    let curator = provider([chooses(111, 120)]);
    let world = world("curator-run", &curator, "chat", "");
    world.write("steps.rs", file(90));
    let upstream = provider([
        calls(&[("read_file", json!({"path": "steps.rs"}))]),
        ModelReply::from_text("Seen."),
    ]);
    let mut command = world.command("run --profile curated --model");
    command.arg(model(&upstream, "chat")).arg("what does step_12 do?").stdin(Stdio::null());
    let ran = world.ran(&mut command);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let shown = bodies(&upstream)[1].to_string();
    assert!(shown.contains("a model chose these lines"));
    assert!(shown.contains("pub fn step_12()") && !shown.contains("value_3 = 13"));
    let asked: Value = bodies(&curator)[0].clone();
    assert!(asked.to_string().contains("User: what does step_12 do?"));
    // Going on shows the same, and nobody is asked again.
    let mut command = world.command("run --continue again");
    let ran = world.ran(command.stdin(Stdio::null()));
    assert_eq!((ran.code, curator.request_count()), (Some(0), 1), "{}", ran.err);
    assert!(bodies(&upstream)[2].to_string().contains("a model chose these lines"));
}

/// Agents that are served are shown the same.
#[test]
fn agents_that_are_served_are_shown_what_it_chose() {
    let curator = provider([chooses(111, 120)]);
    let world = world("curator-mcp", &curator, "chat", "curator = \"model\"\n");
    let arguments = json!({"path": "steps.rs", "question": "what does step_12 do?"});
    let out = called(world.command("mcp"), "read_file", &arguments, || {
        curator.wait_for_requests(1, std::time::Duration::from_secs(60));
    });
    assert!(out.contains("a model chose these lines") && out.contains("pub fn step_12()"));
    assert!(!out.contains("value_3 = 13"));
    assert!(out.contains("[121-300 left out: step_13, step_14, "), "{out}");
    // The conversation that the curator is given has the call as the agent made it.
    let asked = bodies(&curator)[0].to_string();
    assert!(asked.contains("[calls read_file {"), "{asked}");
    assert!(!asked.contains("version") && !asked.contains("null"), "{asked}");
}
