//! A store that fails or is slow, while a conversation has the tool.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use foveal_gateway::exchange::FailedOpen;
use foveal_wire::body::MARK;

use super::client::MessagesClient;
use super::world::{EXPAND, Giving, bash, expand, handles, long, says, script};
use crate::support::Rough;

#[tokio::test]
async fn a_conversation_keeps_the_tool_whatever_the_store_does() {
    let script = script(|number, body| match number {
        0 => says("I run it.", vec![bash("check")]),
        1 => says("I look.", vec![expand(&handles(body)[0], None)]),
        _ => says("It is fine.", Vec::new()),
    });
    let store = Arc::new(Rough::default());
    let giving = Giving::over(script, Arc::clone(&store) as _, Duration::from_secs(3)).await;
    let mut client = MessagesClient::new(true);
    client.say(&giving.world, "check it").await;
    client.answer(&giving.world, &[&long()]).await;
    client.say(&giving.world, "thanks").await;
    // What is held in memory goes in the same bytes.
    store.is_slow.store(true, Ordering::SeqCst);
    client.say(&giving.world, "really").await;
    store.is_slow.store(false, Ordering::SeqCst);
    store.fails.store(true, Ordering::SeqCst);
    client.say(&giving.world, "yes").await;
    giving.check();
    // After a restart nothing is: the client's own bytes go, and that is told.
    let giving = giving.again().await;
    client.say(&giving.world, "and then").await;
    assert!(!giving.asked().last().expect("one").to_string().contains(EXPAND));
    store.fails.store(false, Ordering::SeqCst);
    store.is_unread.store(true, Ordering::SeqCst);
    client.say(&giving.world, "what else").await;
    store.is_unread.store(false, Ordering::SeqCst);
    client.say(&giving.world, "bye").await;
    let told = giving.world.told(3).await;
    let failed: Vec<_> = told.iter().map(|told| told.failed_open).collect();
    assert_eq!(failed, [Some(FailedOpen::Unoffered), Some(FailedOpen::Unread), None]);
    // Then it goes on as if nothing had been, but for marks, which move on.
    let seen = giving.upstream.seen();
    let text = |at: usize| String::from_utf8_lossy(&seen[at].body).replace(MARK, "");
    let (before, last) = (text(5), text(seen.len() - 1));
    assert_eq!(last[..before.len() - 2], before[..before.len() - 2]);
}
