//! Decisions alone, in this process and without a store: the engine's part of the latency.

use std::sync::Arc;
use std::time::Instant;

use foveal_protocols::Protocol;
use foveal_proxy::RequestShaper;
use foveal_proxy::recorder::InMemoryRecorder;
use foveal_proxy::request::{DecisionSlot, ShapeRequest};
use foveal_proxy::rules::ShapingRules;
use foveal_transcript::Timestamp;

use crate::conversation::{Conversation, Texts};
use crate::figures::Times;

/// Measures decisions.
pub(crate) fn decisions(texts: &Texts, bytes: usize, profile: &str) {
    let rules = ShapingRules::from_profile(profile).expect("a profile");
    let conversations = RequestShaper::new(rules, Arc::new(InMemoryRecorder::default()));
    let (mut cold, mut warm) = (Times::default(), Times::default());
    for number in 0..3 {
        let mut conversation = Conversation::read(texts, &format!("alone {number}"), bytes);
        cold.add(decide(&conversations, &conversation.body(), 0));
        for turn in 0..100 {
            conversation.runs(texts, turn);
            warm.add(decide(&conversations, &conversation.body(), 1 + turn as i64));
        }
    }
    cold.alone(&format!("{profile}, {bytes} bytes, cold"));
    warm.alone(&format!("{profile}, {bytes} bytes, warm"));
}

fn decide(conversations: &RequestShaper, body: &[u8], seconds: i64) -> std::time::Duration {
    let began = Instant::now();
    let shaped = conversations.shape(&ShapeRequest {
        protocol: Protocol::Messages,
        counts_tokens: false,
        model: None,
        body,
        now: Timestamp(seconds * 1_000),
        profile_override: None,
        agents: &[],
        upstream: "",
        decision: &DecisionSlot::default(),
    });
    let passed = began.elapsed();
    assert!(shaped.report.inactive_reason.is_none(), "{:?}", shaped.report);
    if std::env::var_os("TELL").is_some() {
        let about = &shaped.report;
        let rewrite = about.rewrite;
        println!("{passed:?} {} -> {} {rewrite:?}", about.tokens_received, about.tokens_sent);
    }
    passed
}
