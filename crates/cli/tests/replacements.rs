//! What `foveal show NAME --request N` says of what went in place of results, against what the
//! client sent and the provider got.

use foveal_mock_provider::{MockProvider, Settings};
use serde_json::Value;

use crate::gateway_bill::{Gateway, bodies, stats};
use crate::world::World;

/// The texts of all results in a body, each with the number of its message.
fn results(body: &[u8]) -> Vec<(u64, String)> {
    let body: Value = serde_json::from_slice(body).expect("JSON");
    let messages = body["messages"].as_array().expect("messages").iter();
    let mut all = Vec::new();
    for (number, message) in (1u64..).zip(messages) {
        for block in message["content"].as_array().into_iter().flatten() {
            if block["type"] == "tool_result" {
                let parts = block["content"].as_array().into_iter().flatten();
                let joined: String = parts.filter_map(|part| part["text"].as_str()).collect();
                all.push((number, block["content"].as_str().map_or(joined, str::to_owned)));
            }
        }
    }
    all
}

#[test]
fn each_replacement_is_shown_as_it_went() {
    let world = World::new("replacements");
    let upstream = MockProvider::start(Settings::default()).expect("a provider");
    let gateway = Gateway::start(&world, &upstream, "max");
    let mut bodies = bodies();
    // The last goes once more.
    bodies.push(bodies.last().expect("a request").clone());
    bodies.iter().for_each(|body| gateway.ask(body));
    stats(&world, bodies.len());
    let listed: Value = serde_json::from_str(&world.output("sessions --json")).expect("JSON");
    let name = listed[0]["session"].as_str().expect("a session");
    let name = name.strip_prefix("gateway ").expect("a session of the gateway");
    let seen = upstream.received_requests();
    let (mut new, mut standing, mut tools) = (0, 0, 0);
    for (at, (asked, sent)) in bodies.iter().zip(&seen).enumerate() {
        let shown = world.output(&format!("show {name} --request {} --json", at + 1));
        let shown: Value = serde_json::from_str(&shown).expect("JSON");
        let told = shown["replacements"].as_array().expect("a list");
        let pairs = results(asked).into_iter().zip(results(&sent.body));
        let went: Vec<_> = pairs.filter(|(before, after)| before != after).collect();
        assert_eq!(told.len(), went.len(), "request {}: {told:#?}", at + 1);
        for (one, ((message, before), (_, after))) in told.iter().zip(went) {
            assert_eq!(one["message"], message, "{one:#}");
            assert_eq!(one["text_before"], Value::from(before), "{one:#}");
            assert_eq!(one["text_after"], Value::from(after), "{one:#}");
            let tokens = |key: &str| one[key].as_u64().expect("a count");
            assert!(tokens("tokens_after") < tokens("tokens_before"), "{one:#}");
            let since = one["since"].as_u64().expect("a request");
            assert_eq!(one["is_new"], since == at as u64 + 1, "{one:#}");
            assert!(since <= at as u64 + 1, "{one:#}");
            new += u64::from(one["is_new"] == true);
            standing += u64::from(one["is_new"] == false);
            tools += u64::from(one["tool"].is_string());
        }
    }
    assert!(new > 3 && standing > new && tools == new + standing, "{new} {standing} {tools}");

    // The same for a person, shortened.
    let last = bodies.len() - 1;
    let texts: Vec<String> =
        (1..=last).map(|at| world.output(&format!("show {name} --request {at}"))).collect();
    let first_line = |text: &String| {
        let at = text.find("\nreplaced: ").expect("it says so");
        text[at + 1..].lines().next().expect("a line").to_owned()
    };
    assert_eq!(first_line(&texts[0]), "replaced: nothing");
    assert!(texts.iter().any(|text| first_line(text).contains(" of them new in this request")));
    let text = texts.iter().find(|text| text.contains("\n    + ")).expect("one that is new");
    assert!(text.contains("\n    - ") && text.contains("`foveal expand "), "{text}");
    assert!(text.lines().all(|line| line.chars().count() < 400), "{text}");
}

/// Contents are kept without secrets, and nobody makes up what stood there.
#[test]
fn a_result_with_a_secret_is_shown_without_it() {
    let world = World::new("replacements_secret");
    let upstream = MockProvider::start(Settings::default()).expect("a provider");
    let gateway = Gateway::start(&world, &upstream, "max");
    let key = "ghp_x7Kq2mVb9LrT4nZs8WdYc3PfHj6GaE1uRoQi";
    let with_key = |body: Vec<u8>| {
        String::from_utf8_lossy(&body).replace("</output>", &format!("{key}</output>"))
    };
    let bodies: Vec<String> = bodies().into_iter().map(with_key).collect();
    bodies.iter().for_each(|body| gateway.ask(body.as_bytes()));
    stats(&world, bodies.len());
    let listed: Value = serde_json::from_str(&world.output("sessions --json")).expect("JSON");
    let name = listed[0]["session"].as_str().expect("a session");
    let name = name.strip_prefix("gateway ").expect("a session of the gateway");
    for format in ["", " --json"] {
        let last = world.output(&format!("show {name} --request {}{format}", bodies.len()));
        assert!(!last.contains(key), "{last}");
    }
    let last = world.output(&format!("show {name} --request {} --json", bodies.len()));
    let last: Value = serde_json::from_str(&last).expect("JSON");
    let told = last["replacements"].as_array().expect("a list").iter();
    let removed = |one: &&Value| one["text_before"].to_string().contains("[secret removed");
    let told: Vec<_> = told.filter(removed).collect();
    assert!(!told.is_empty(), "{last:#}");
    for one in told {
        assert!(one["text_after"].is_null() && one["tokens_after"].is_u64(), "{one:#}");
    }
}
