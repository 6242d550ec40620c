//! One client's tools, answers, progress, questions and resources.

use std::time::Duration;

use foveal_tools::tool_table::ToolSet;
use rmcp::model::{
    CallToolRequest, ClientRequest, CustomNotification, MetaObject, ReadResourceRequestParams,
    RequestMetaObject, ResourceContents, ServerResult,
};
use rmcp::service::PeerRequestOptions;
use serde_json::json;

use crate::world::{Desk, World, ask, call, params, text};

#[tokio::test]
async fn the_server_says_what_it_is() {
    let world = World::new(ToolSet::Full);
    let client = world.connect(Desk::default()).await;
    let info = client.peer_info().unwrap();
    let server = info.server_info.as_ref().unwrap();
    assert_eq!((&*server.name, &*server.version), ("foveal", env!("CARGO_PKG_VERSION")));
    let capabilities = &info.capabilities;
    assert!(capabilities.tools.is_some() && capabilities.resources.is_some());
    assert!(capabilities.prompts.is_none());
    let instructions = info.instructions.as_deref().unwrap();
    assert!(instructions.contains("read_file") && instructions.len() < 700, "{instructions}");
}

#[tokio::test]
async fn tools_are_those_of_the_profile_with_their_hints() {
    let world = World::new(ToolSet::Lean);
    let client = world.connect(Desk::default()).await;
    let tools = client.list_all_tools().await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    let expected: Vec<&str> = ToolSet::Lean.tools().map(|tool| tool.name).collect();
    assert_eq!(names, expected);
    for (listed, tool) in tools.iter().zip(ToolSet::Lean.tools()) {
        assert_eq!(listed.schema_as_json_value(), tool.schema());
        assert_eq!(listed.description.as_deref(), Some(tool.description));
        assert!(listed.output_schema.is_none());
        assert_eq!(listed.title.as_deref(), Some(tool.title));
        assert_eq!(listed.meta.as_ref().unwrap().0["anthropic/alwaysLoad"], true);
        let hints = listed.annotations.as_ref().unwrap();
        assert_eq!(hints.read_only_hint, Some(tool.hints.read_only), "{}", tool.name);
        assert_eq!(hints.destructive_hint, Some(tool.hints.destructive), "{}", tool.name);
        assert_eq!(hints.idempotent_hint, Some(tool.hints.idempotent), "{}", tool.name);
        assert_eq!(hints.open_world_hint, Some(tool.hints.open_world), "{}", tool.name);
    }
    // What is not in the profile cannot be called either.
    let refused = ask(&client, "bash", json!({"command": "echo out > hole"})).await;
    assert_eq!(refused.is_error, Some(true));
    assert!(text(&refused).starts_with("there is no tool `bash`; there are: read_file, "));
    assert!(!world.folder.path().join("hole").exists());
}

#[tokio::test]
async fn answers_and_failures_are_both_read_by_the_model() {
    let world = World::new(ToolSet::Full);
    world.write("a.txt", "one\ntwo\n");
    let client = world.connect(Desk::default()).await;
    let answer = call(&client, "read_file", json!({"path": "a.txt"})).await;
    assert!(answer.contains("File: a.txt (full)") && answer.contains("two"), "{answer}");
    for (tool, arguments, expected) in [
        ("read_file", json!({"path": "b.txt"}), "b.txt"),
        ("read_file", json!({}), "path"),
        ("read_file", json!({"path": "../../etc/passwd"}), "passwd"),
        ("no_such_tool", json!({}), "there is no tool"),
    ] {
        let refused = ask(&client, tool, arguments).await;
        assert_eq!(refused.is_error, Some(true), "{refused:?}");
        assert!(text(&refused).contains(expected), "{refused:?}");
    }
}

#[tokio::test]
async fn only_the_few_tools_are_in_every_prompt() {
    let world = World::new(ToolSet::Full);
    let client = world.connect(Desk::default()).await;
    for (listed, tool) in client.list_all_tools().await.unwrap().iter().zip(ToolSet::Full.tools()) {
        let meta = &listed.meta.as_ref().unwrap().0;
        assert_eq!(meta.contains_key("anthropic/alwaysLoad"), tool.is_lean, "{}", tool.name);
    }
}

#[tokio::test]
async fn a_command_that_fails_is_an_answer() {
    let world = World::new(ToolSet::Full);
    let client = world.connect(Desk::default()).await;
    for (command, is_error) in [("echo out; exit 3", false), ("sleep 9", true)] {
        let arguments = json!({"command": command, "timeout": 1.0});
        let answer = ask(&client, "bash", arguments).await;
        assert_eq!(answer.is_error, Some(is_error), "{answer:?}");
        assert_eq!(text(&answer).contains("[exit code 3]"), !is_error, "{answer:?}");
    }
}

#[tokio::test]
async fn arguments_may_be_called_as_other_agents_call_them() {
    let world = World::new(ToolSet::Full);
    world.write("a.txt", "one\ntwo\n");
    let client = world.connect(Desk::default()).await;
    assert!(call(&client, "read_file", json!({"file_path": "a.txt"})).await.contains("two"));
    let edit = json!({"file_path": "a.txt", "old_string": "two", "new_string": "three"});
    call(&client, "edit_file", edit).await;
    let written = std::fs::read_to_string(world.folder.path().join("a.txt")).unwrap();
    assert_eq!(written, "one\nthree\n");
}

/// Some clients send `1.0` for an integer, and lists as JSON in a string.
#[tokio::test]
async fn arguments_may_have_the_types_that_clients_give_them() {
    let world = World::new(ToolSet::Full);
    world.write("a.py", "def a():\n    return 1\n");
    let client = world.connect(Desk::default()).await;
    let lines = json!({"path": "a.py", "start": 1.0, "end": 1.0});
    assert!(call(&client, "read_lines", lines).await.contains("def a()"));
    let hits = call(&client, "grep", json!({"pattern": "def", "context": 1.0})).await;
    assert!(hits.contains("return 1"), "{hits}");
    let files = ask(&client, "read_files", json!({"paths": "[\"a.py\"]"})).await;
    assert_eq!(files.is_error, Some(false), "{files:?}");
    let edits = r#"[{"path":"a.py","old_str":"return 1","new_str":"return 2"}]"#;
    let edited = ask(&client, "multi_edit", json!({"edits": edits})).await;
    assert_eq!(edited.is_error, Some(false), "{edited:?}");
    let written = std::fs::read_to_string(world.folder.path().join("a.py")).unwrap();
    assert_eq!(written, "def a():\n    return 2\n");
}

#[tokio::test]
async fn pictures_are_pictures() {
    let world = World::new(ToolSet::Full);
    let picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde";
    world.write("a.png", picture);
    let client = world.connect(Desk::default()).await;
    let answer = ask(&client, "read_file", json!({"path": "a.png"})).await;
    let image = answer.content.iter().find_map(|block| block.as_image()).unwrap();
    assert_eq!((&*image.mime_type, &image.data[..12]), ("image/png", "iVBORw0KGgoA"));
}

#[tokio::test]
async fn data_is_sent_where_it_is_asked_for() {
    let world = World::new(ToolSet::Full);
    let client = world.connect(Desk::default()).await;
    let run = || params("bash", json!({"command": "exit 3"}));
    let plain = client.call_tool(run()).await.unwrap();
    assert_eq!(plain.structured_content, None);
    let mut asking = run();
    let flag = [("foveal/structured".to_owned(), true.into())];
    asking.meta = Some(RequestMetaObject(MetaObject(flag.into_iter().collect())));
    let both = client.call_tool(asking).await.unwrap();
    assert!(both.structured_content.is_some(), "{both:?}");
    assert_eq!(text(&both), text(&plain));
}

/// The data of `read_files` has the form of a design document, from the first call on.
#[tokio::test]
async fn several_files_are_data_by_path() {
    let world = World::new(ToolSet::Full);
    world.write("a.py", "def a():\n    return 1\n");
    let client = world.connect(Desk::default()).await;
    let mut asking = params("read_files", json!({"paths": ["a.py", "none.py"]}));
    let flag = [("foveal/structured".to_owned(), true.into())];
    asking.meta = Some(RequestMetaObject(MetaObject(flag.into_iter().collect())));
    let answer = client.call_tool(asking.clone()).await.unwrap();
    let data = answer.structured_content.clone().expect("data");
    assert_eq!((&data["type"], &data["files"][0]["path"]), (&json!("read_files"), &json!("a.py")));
    let content = data["files"][0]["content"].as_str().unwrap();
    assert!(content.contains("return 1") && text(&answer).contains(content), "{data}");
    assert_eq!(data["files"][0].get("truncated"), None);
    assert_eq!(data["files"][1]["error"], true, "{data}");
    // A pointer is not the content.
    let again = client.call_tool(asking).await.unwrap();
    let again = again.structured_content.expect("data");
    assert_eq!(again["files"][0]["truncated"], true, "{again}");
}

#[tokio::test]
async fn progress_is_told_to_who_asked() {
    let world = World::new(ToolSet::Full);
    let client = world.connect(Desk::default()).await;
    let command = "echo step 1; sleep 0.3; echo step 2; sleep 0.3; echo step 3";
    // This client's requests always carry a token.
    let answer = call(&client, "bash", json!({"command": command})).await;
    assert!(answer.contains("step 3"), "{answer}");
    let told = client.service().0.progress.lock().unwrap();
    let said: String = told.iter().filter_map(|told| told.message.as_deref()).collect();
    assert_eq!(said, "step 1\nstep 2\nstep 3\n");
    assert!(told.iter().all(|told| told.total.is_none()));
    assert!(told.windows(2).all(|pair| pair[0].progress < pair[1].progress), "{told:?}");
}

#[tokio::test]
async fn a_call_that_is_cancelled_stops() {
    let world = World::new(ToolSet::Full);
    let client = world.connect(Desk::default()).await;
    let command = "echo begun > begun; sleep 1; echo on > went_on; sleep 60";
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params(
        "bash",
        json!({"command": command}),
    )));
    let handle =
        client.send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap();
    let begun = world.folder.path().join("begun");
    while !begun.exists() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    handle.cancel(None).await.unwrap();
    // The next call is answered at once, and the first goes no further.
    call(&client, "bash", json!({"command": "sleep 1.5; echo done"})).await;
    assert!(!world.folder.path().join("went_on").exists());
}

#[tokio::test]
async fn calls_run_beside_each_other() {
    let world = World::new(ToolSet::Full);
    let client = world.connect(Desk::default()).await;
    // Each waits for the other.
    let script = "touch $1; while [ ! -e $2 ]; do sleep 0.02; done";
    std::fs::write(world.folder.path().join("meet.sh"), script).unwrap();
    let meet = |mine: &str, other: &str| {
        let command = format!("sh meet.sh {mine} {other}");
        params("bash", json!({"command": command}))
    };
    let (one, two) =
        tokio::join!(client.call_tool(meet("a", "b")), client.call_tool(meet("b", "a")));
    assert_eq!((one.unwrap().is_error, two.unwrap().is_error), (Some(false), Some(false)));
}

#[tokio::test]
async fn the_person_is_asked_through_the_client() {
    for (choice, is_error, asked) in [
        (Some("once"), false, 2),
        (Some("session"), false, 1),
        (Some("decline"), true, 2),
        (None, true, 0),
    ] {
        let world = World::new(ToolSet::Full);
        let client = world.connect(Desk { choice, ..Desk::default() }).await;
        for _ in 0..2 {
            let answer = ask(&client, "bash", json!({"command": "echo asked"})).await;
            assert_eq!(answer.is_error, Some(is_error), "{choice:?} {answer:?}");
        }
        let questions = client.service().0.asked.lock().unwrap();
        assert_eq!(questions.len(), asked, "{choice:?} {questions:?}");
        assert!(questions.iter().all(|asked| asked.starts_with("Allow bash on `echo asked`?")));
    }
}

#[tokio::test]
async fn resources_are_contents_and_the_report() {
    let world = World::new(ToolSet::Full);
    let client = world.connect(Desk::default()).await;
    let long: String = (1..=4_000).map(|n| format!("echo {n}\n")).collect();
    world.write("long.sh", &long);
    let answer = ask(&client, "bash", json!({"command": "sh long.sh"})).await;
    let meta = answer.meta.as_ref().expect("long output is shortened");
    let handle = meta["foveal/handle"].as_str().unwrap();
    assert_eq!(meta["foveal/shaped"], "excerpt");

    let read = async |uri: &str| {
        let read = client.read_resource(ReadResourceRequestParams::new(uri)).await;
        read.map(|read| match &read.contents[0] {
            ResourceContents::TextResourceContents { text, .. } => text.clone(),
            other => panic!("{other:?}"),
        })
    };
    let whole = read(&format!("foveal://content/{handle}")).await.unwrap();
    assert!(whole.contains("\n2000\n") && whole.contains("\n4000\n"));
    assert!(read("foveal://content/000000000000").await.is_err());
    assert!(read("foveal://content/../x").await.is_err());
    assert!(read("file:///etc/passwd").await.is_err());

    let report = read("foveal://session").await.unwrap();
    assert!(report.contains("| bash | 1 | 0 | 0 | 1 |"), "{report}");
    let report: serde_json::Value =
        serde_json::from_str(&read("foveal://session.json").await.unwrap()).unwrap();
    assert_eq!(report["all"]["calls"], 1);
    let left_out = report["all"]["bytes_left_out"].as_u64().unwrap();
    assert_eq!(left_out, (whole.len() - text(&answer).len()) as u64);

    let listed = client.list_all_resources().await.unwrap();
    assert_eq!(listed.len(), 2);
    let templates = client.list_all_resource_templates().await.unwrap();
    assert_eq!(templates[0].uri_template, "foveal://content/{handle}");
}

#[tokio::test]
#[expect(deprecated, reason = "most clients speak versions of the protocol that have it")]
async fn calls_are_logged_for_who_wants_it() {
    use rmcp::model::{LoggingLevel, SetLevelRequestParams};
    let world = World::new(ToolSet::Full);
    world.write("a.txt", "a\n");
    let client = world.connect(Desk::default()).await;
    call(&client, "read_file", json!({"path": "a.txt"})).await;
    assert_eq!(client.service().0.logged.lock().unwrap().len(), 0);
    client.set_level(SetLevelRequestParams::new(LoggingLevel::Debug)).await.unwrap();
    call(&client, "read_lines", json!({"path": "a.txt", "start": 1, "end": 1})).await;
    // What was sent before an answer is there before it.
    let logged = client.service().0.logged.lock().unwrap();
    assert_eq!(logged.len(), 1, "{logged:?}");
    assert_eq!((&logged[0]["tool"], &logged[0]["failed"]), (&json!("read_lines"), &json!(false)));
}

#[tokio::test]
async fn unknown_notifications_and_requests_do_no_harm() {
    use rmcp::model::CustomRequest;
    let world = World::new(ToolSet::Full);
    world.write("a.txt", "a\n");
    let client = world.connect(Desk::default()).await;
    let notification = CustomNotification::new("notifications/no/such", None);
    client.send_notification(notification.into()).await.unwrap();
    let request = ClientRequest::CustomRequest(CustomRequest::new("no/such", None));
    let answered: Result<ServerResult, _> = client.send_request(request).await;
    assert!(answered.is_err());
    call(&client, "read_file", json!({"path": "a.txt"})).await;
}
