//! Duplicate calls, and the client's control over them.

use std::time::Duration;

use foveal_mcp::DUPLICATES_NOTIFICATION;
use foveal_tools::tool_table::ToolSet;
use rmcp::model::{
    CallToolResult, CustomNotification, MetaObject, ReadResourceRequestParams, RequestMetaObject,
    ResourceContents,
};
use serde_json::{Value, json};

use crate::world::{Desk, Running, World, params};

/// A world with one file old enough for searches of it to be remembered.
fn settled() -> World {
    settled_with(&[])
}

fn settled_with(files: &[(&str, &str)]) -> World {
    let world = World::new(ToolSet::Full);
    world.write("a.txt", "here it is\n");
    for (name, content) in files {
        world.write(name, content);
    }
    std::thread::sleep(Duration::from_millis(60));
    world
}

async fn search(client: &Running, pattern: &str, meta: Value) -> CallToolResult {
    let Value::Object(meta) = meta else { panic!("it is an object") };
    let mut params = params("grep", json!({"pattern": pattern}));
    params.meta = Some(RequestMetaObject(MetaObject(meta)));
    client.call_tool(params).await.unwrap()
}

/// Returns whether a search is answered from the previous one.
async fn is_cached(client: &Running, pattern: &str, meta: Value) -> bool {
    let answer = search(client, pattern, meta).await;
    assert_eq!(answer.is_error, Some(false), "{answer:?}");
    answer.meta.is_some_and(|meta| meta.get("foveal/cached") == Some(&json!(true)))
}

async fn tell(client: &Running, params: Value) {
    let told = CustomNotification::new(DUPLICATES_NOTIFICATION, Some(params));
    client.send_notification(told.into()).await.unwrap();
}

#[tokio::test]
async fn a_call_may_want_no_answer_from_before() {
    let world = settled();
    let client = world.connect(Desk::default()).await;
    let off = json!({"foveal/enable_duplicate_detection": false});
    assert!(!is_cached(&client, "here", json!({})).await);
    assert!(!is_cached(&client, "here", off.clone()).await);
    // Of that call alone.
    assert!(is_cached(&client, "here", json!({})).await);
    assert!(!is_cached(&client, "here", off).await);
}

#[tokio::test]
async fn a_call_may_switch_its_session() {
    let world = settled();
    let client = world.connect(Desk::default()).await;
    let switch = |on: Value| json!({"foveal/session_duplicate_detection": on});
    let of_other = json!({"foveal/session": "other"});
    assert!(!is_cached(&client, "here", switch(json!(false))).await);
    assert!(!is_cached(&client, "here", json!({})).await);
    assert!(!is_cached(&client, "here", of_other.clone()).await);
    assert!(is_cached(&client, "here", of_other).await);
    assert!(!is_cached(&client, "here", switch(Value::Null)).await);
    assert!(is_cached(&client, "here", json!({})).await);
    // What is neither on nor off changes nothing.
    assert!(!is_cached(&client, "it", switch(json!("off"))).await);
    assert!(is_cached(&client, "it", json!({})).await);
}

#[tokio::test]
async fn a_notification_switches_a_session_or_all_also_before_they_begin() {
    let world = settled();
    let client = world.connect(Desk::default()).await;
    let named = |name: &str| json!({"foveal/session": name});
    tell(&client, json!({"enable": false})).await;
    for name in ["one", "two"] {
        assert!(!is_cached(&client, "here", named(name)).await);
        assert!(!is_cached(&client, "here", named(name)).await);
    }
    tell(&client, json!({"enable": true, "session": "one"})).await;
    for (name, cached) in [("one", true), ("two", false)] {
        assert!(!is_cached(&client, "here", named(name)).await);
        assert_eq!(is_cached(&client, "here", named(name)).await, cached, "{name}");
    }
    // Another client is not meant.
    let other = world.connect(Desk::default()).await;
    assert!(!is_cached(&other, "here", json!({})).await);
    assert!(is_cached(&other, "here", json!({})).await);
    // What is not understood does no harm.
    for odd in [json!({"enable": 7}), json!([1]), json!({"clear": "x"}), Value::Null] {
        tell(&client, odd).await;
    }
    assert!(!is_cached(&client, "here", named("two")).await);
}

#[tokio::test]
async fn a_notification_clears_a_session_or_all() {
    let world = settled();
    let client = world.connect(Desk::default()).await;
    let named = |name: &str| json!({"foveal/session": name});
    for name in ["one", "two"] {
        assert!(!is_cached(&client, "here", named(name)).await);
    }
    tell(&client, json!({"clear": true, "session": "one"})).await;
    assert!(!is_cached(&client, "here", named("one")).await);
    assert!(is_cached(&client, "here", named("two")).await);
    tell(&client, json!({"clear": true})).await;
    for name in ["one", "two"] {
        assert!(!is_cached(&client, "here", named(name)).await, "{name}");
        assert!(is_cached(&client, "here", named(name)).await, "{name}");
    }
}

#[tokio::test]
async fn the_report_counts_repeated_calls() {
    let world = settled();
    let client = world.connect(Desk::default()).await;
    search(&client, "here", json!({})).await;
    search(&client, "here", json!({})).await;
    search(&client, "here", json!({"foveal/enable_duplicate_detection": false})).await;
    let report = ReadResourceRequestParams::new("foveal://session.json");
    let report = client.read_resource(report).await.unwrap();
    let ResourceContents::TextResourceContents { text, .. } = &report.contents[0] else {
        panic!("{report:?}")
    };
    let report: Value = serde_json::from_str(text).unwrap();
    let counts = &report["duplicates"]["all_sessions"];
    let of = |name: &str| counts[name].as_u64().unwrap();
    assert_eq!((of("looked_up"), of("hits"), of("misses"), of("skipped")), (2, 1, 1, 1));
    assert_eq!(report["duplicates"]["remembered"], 1);
    assert_eq!((of("repeats"), report["all"]["cached"].as_u64()), (1, Some(1)));
}

/// A call that repeats an earlier one counts once: a search, a read and a read of several files.
#[tokio::test]
async fn repeated_reads_count_as_repeated_searches_do() {
    let world = settled_with(&[("b.txt", "and there\n")]);
    let client = world.connect(Desk::default()).await;
    let calls = [
        ("grep", json!({"pattern": "here"})),
        ("read_file", json!({"path": "a.txt"})),
        ("read_files", json!({"paths": ["a.txt", "b.txt"]})),
        ("grep", json!({"pattern": "here"})),
        ("read_file", json!({"path": "a.txt"})),
        ("read_files", json!({"paths": ["a.txt", "b.txt"]})),
        ("bash", json!({"command": "true"})),
    ];
    for (tool, arguments) in calls {
        client.call_tool(params(tool, arguments)).await.unwrap();
    }
    let report = ReadResourceRequestParams::new("foveal://session.json");
    let report = client.read_resource(report).await.unwrap();
    let ResourceContents::TextResourceContents { text, .. } = &report.contents[0] else {
        panic!("{report:?}")
    };
    let report: Value = serde_json::from_str(text).unwrap();
    assert_eq!(report["duplicates"]["all_sessions"]["repeats"], 3, "{report}");
    assert_eq!(report["all"]["cached"], 3, "{report}");
}
