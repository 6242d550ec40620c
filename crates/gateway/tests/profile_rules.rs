//! Profiles by rules about models and agents.

use std::sync::Arc;

use foveal_mock_provider::MockProvider;
use foveal_proxy::RequestShaper;
use foveal_proxy::profile_rules::{ProfileRule, ProfileRules};
use foveal_proxy::recorder::InMemoryRecorder;
use foveal_proxy::rules::ShapingRules;
use serde_json::json;

use crate::support::World;

/// Returns a request with one long result, for this model.
fn body(model: &str) -> Vec<u8> {
    let result: String = (0..2_000).map(|at| format!("line {at} of a long report\n")).collect();
    let call = json!({ "type": "tool_use", "id": "t", "name": "bash",
                       "input": { "command": "make" } });
    let result = json!({ "type": "tool_result", "tool_use_id": "t", "content": result });
    let mark = json!({ "type": "ephemeral" });
    json!({ "model": model, "max_tokens": 9, "messages": [
        { "role": "user", "content": [{ "type": "text", "text": "go", "cache_control": mark }] },
        { "role": "assistant", "content": [call] },
        { "role": "user", "content": [result] },
    ]})
    .to_string()
    .into_bytes()
}

#[tokio::test]
async fn a_rule_decides_unless_the_request_does() {
    let upstream =
        MockProvider::start(foveal_mock_provider::Settings::default()).expect("loopback");
    let rule =
        |model, agent, profile: &str| ProfileRule::new(model, agent, profile).expect("a glob");
    let all =
        vec![rule(Some("claude-haiku-*"), None, "lossless"), rule(None, Some("codex"), "off")];
    let world = World::start(upstream.address(), |settings| {
        let rules = ShapingRules::from_profile("balanced").expect("a profile");
        let conversations = RequestShaper::new(rules, Arc::new(InMemoryRecorder::default()))
            .with_profile_rules(ProfileRules { rules: all, default_profile: None });
        settings.shaper = Arc::new(conversations);
    })
    .await;
    let cases: [(&str, &[&str], bool); 6] = [
        ("claude-opus-4-5", &["User-Agent: claude-cli/2.1.330 (external, cli)"], true),
        ("claude-opus-4-5", &["User-Agent: codex_cli_rs/0.169.0"], false),
        ("claude-opus-4-5", &["User-Agent: other", "Originator: codex_exec"], false),
        ("claude-opus-4-5", &["User-Agent: codex_cli_rs/0.169.0", "X-Foveal: balanced"], true),
        ("claude-haiku-4-5", &["User-Agent: codex_cli_rs/0.169.0"], false),
        ("claude-haiku-4-5", &["X-Foveal: balanced"], true),
    ];
    for (model, lines, is_shortened) in cases {
        let asked = body(model);
        let mut client = world.client().await;
        client.send("/v1/messages", lines, &asked).await;
        client.read_until("Scripted").await;
        drop(client);
        let seen = upstream.take_received_requests();
        assert_eq!(seen.len(), 1);
        assert_eq!(seen[0].body.len() < asked.len(), is_shortened, "{model} {lines:?}");
    }
    let told = world.told(6).await;
    let why = told[1].report.inactive_reason.as_deref().unwrap_or_default();
    assert!(why.contains("a rule in the settings"), "{why}");
    assert_eq!(told[4].report.inactive_reason, None);
    let profiles: Vec<_> = told.iter().map(|told| told.report.profile.as_deref()).collect();
    let [balanced, off, lossless] = ["balanced", "off", "lossless"].map(Some);
    assert_eq!(profiles, [balanced, off, off, balanced, lossless, balanced]);
}
