//! Marks for the provider's cache, beside what is given back.

use foveal_gateway::exchange::End;
use serde_json::{Value, json};

use super::client::{MessagesClient, post};
use super::world::{Giving, bash, expand, handles, long, says, script};

fn marks(body: &Value) -> usize {
    body.to_string().matches("\"cache_control\"").count()
}

fn steps() -> foveal_upstream::Script {
    script(|number, body| match number {
        0 | 3 => says("I run it.", vec![bash("check")]),
        1 => says("I look.", vec![expand(&handles(body)[0], None)]),
        2 => says("Again.", vec![expand(&handles(body)[0], Some(2_001))]),
        _ => says("It is fine.", Vec::new()),
    })
}

#[tokio::test]
async fn marks_of_foveal_and_what_is_given_back_go_together() {
    for stream in [true, false] {
        let giving = Giving::start(steps()).await;
        let mut client = MessagesClient::new(stream);
        // Enough to be cached.
        client.tools[0]["description"] = json!("Run a command. ".repeat(2_000));
        client.say(&giving.world, "check it").await;
        client.answer(&giving.world, &[&long()]).await;
        client.answer(&giving.world, &["fine"]).await;
        client.say(&giving.world, "bye").await;
        giving.check();
        let asked = giving.asked();
        assert_eq!(asked.len(), 6);
        let counts: Vec<usize> = asked.iter().map(marks).collect();
        assert!(counts[1..].iter().all(|count| (1..=4).contains(count)), "{counts:?}");
        let told = giving.world.told(4).await;
        assert!(told[1..].iter().all(|told| told.about.marks > 0 && told.end == End::Whole));
        assert_eq!(told[1].rounds, 3);
        // What was given back is read from the cache.
        let bills: Vec<_> = giving.upstream.seen().iter().filter_map(|seen| seen.bill).collect();
        assert!(bills[3].read > bills[1].prompt(), "{bills:?}");
    }
}

#[tokio::test]
async fn a_result_is_marked_where_the_client_marks_messages() {
    let giving = Giving::start(steps()).await;
    let mut client = MessagesClient::new(false);
    let mark = json!({"type": "ephemeral"});
    client.messages = vec![json!({"role": "user", "content": [
        {"type": "text", "text": "check it", "cache_control": mark},
    ]})];
    client.ask(&giving.world).await;
    let id =
        client.messages[1]["content"].as_array().expect("parts").last().expect("one")["id"].clone();
    client.messages[0]["content"][0].as_object_mut().expect("a part").remove("cache_control");
    client.messages.push(json!({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": id, "content": long(), "cache_control": mark},
    ]}));
    post(&giving.world, "/v1/messages", &client.body()).await;
    giving.check();
    let asked = giving.asked();
    let last = |body: &Value| {
        let message = body["messages"].as_array().expect("messages").last().expect("one").clone();
        message["content"].as_array().expect("parts").last().expect("one").clone()
    };
    for body in &asked[2..4] {
        assert_eq!(last(body)["cache_control"], mark, "{body}");
        assert_eq!(marks(body), 2, "the client's, and one");
    }
}
