//! Decisions alone, in this process and without any store: what of the time is the engine's.

use std::sync::Arc;
use std::time::Instant;

use foveal_live::Conversations;
use foveal_live::recorder::InMemory;
use foveal_live::request::{Asked, Wait};
use foveal_live::rules::Rules;
use foveal_transcript::Timestamp;
use foveal_wire::Protocol;

use crate::conversation::{Conversation, Texts};
use crate::figures::Times;

/// Measures them.
pub(crate) fn decisions(texts: &Texts, bytes: usize, profile: &str) {
    let rules = Rules::named(profile).expect("a profile");
    let conversations = Conversations::new(rules, Arc::new(InMemory::default()));
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

fn decide(conversations: &Conversations, body: &[u8], seconds: i64) -> std::time::Duration {
    let began = Instant::now();
    let shaped = conversations.shape(&Asked {
        protocol: Protocol::Messages,
        counts: false,
        model: None,
        body,
        now: Timestamp(seconds * 1_000),
        wish: None,
        upstream: "",
        wait: &Wait::default(),
    });
    let passed = began.elapsed();
    assert!(shaped.about.inactive.is_none(), "{:?}", shaped.about);
    if std::env::var_os("TELL").is_some() {
        let about = &shaped.about;
        let rewrite = about.rewrite;
        println!("{passed:?} {} -> {} {rewrite:?}", about.tokens_asked, about.tokens_sent);
    }
    passed
}
