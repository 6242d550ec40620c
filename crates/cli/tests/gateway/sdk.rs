//! The official SDKs in Python, with the gateway and without it: they see the same.

use foveal_mock_provider::{
    MockProvider, ModelReply, ReplyCall, ReplyScript, ScriptRequest, ScriptedFault,
    ScriptedOutcome, Settings,
};
use serde_json::json;

use super::served::Served;
use crate::python;
use crate::world::World;

/// What the model does, by a word that the client says.
fn script() -> ReplyScript {
    ReplyScript::new(|asked: &ScriptRequest<'_>| {
        let said = asked.body.to_string();
        let call = |name: &str, city: &str| ReplyCall {
            name: name.to_owned(),
            arguments: json!({ "city": city, "units": ["C", "F"], "note": "ä \" \\ \n 😀" }),
        };
        let status = |status, retry_after_s| {
            ScriptedOutcome::from(ScriptedFault::Status { status, retry_after_s })
        };
        if said.contains("case-overloaded") {
            status(529, None)
        } else if said.contains("case-limited") {
            status(429, Some(7))
        } else if said.contains("case-broken") {
            status(500, None)
        } else if said.contains("case-refused") {
            status(400, None)
        } else if said.contains("case-error-event") {
            ScriptedOutcome::from(ScriptedFault::ErrorEvent(3))
        } else if said.contains("case-cut") {
            ScriptedOutcome::from(ScriptedFault::ResetInEvent(3))
        } else if said.contains("case-tools") && asked.turn == 0 {
            let calls =
                vec![call("weather", "Paris"), call("weather", "Rome"), call("time", "Oslo")];
            let text = "I look at three things.".to_owned();
            let thinking = "Two of the weather, one of the time.".to_owned();
            ScriptedOutcome::from(ModelReply { thinking, text, calls })
        } else {
            let thinking = "First this, then that.".to_owned();
            let text = "It is fine: ä, 😀, and a \"quote\".\nDone.".to_owned();
            ScriptedOutcome::from(ModelReply { thinking, text, calls: Vec::new() })
        }
    })
}

fn upstream() -> MockProvider {
    let upstream = MockProvider::start(Settings::default()).expect("loopback");
    upstream.set_script(script());
    upstream
}

#[test]
fn official_sdks_see_the_same() {
    let world = World::new("gateway_sdk");
    let (bare, behind) = (upstream(), upstream());
    let served = Served::start(&world, &[behind.url()], None);
    let ran = python::run("gateway/sdk_client.py", |command| {
        command.args([bare.url(), format!("http://{}", served.address)]);
        command.env("HOME", world.folder.join("home"));
    });
    let Some(ran) = ran else { return };
    let said = String::from_utf8_lossy(&ran.stdout);
    let complained = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && said.ends_with("all is well\n"), "{said}\n{complained}");
    eprintln!("{said}");
    // And the upstream: the same requests, but for texts of results, and none that breaks a rule.
    let (bare, behind) = (bare.received_requests(), behind.received_requests());
    assert_eq!(bare.len(), behind.len());
    let mut shorter = 0;
    for (bare, behind) in bare.iter().zip(&behind) {
        assert_eq!((&bare.method, &bare.path), (&behind.method, &behind.path));
        assert_eq!(bare.violations, behind.violations);
        shorter += usize::from(behind.body.len() < bare.body.len());
        assert!(behind.body == bare.body || behind.body.len() < bare.body.len(), "{}", bare.path);
        for (name, value) in &bare.headers {
            let own = ["host", "connection", "content-length", "transfer-encoding"];
            if !own.contains(&&*name.to_ascii_lowercase()) {
                assert_eq!(behind.header(name), Some(&**value), "{name}");
            }
        }
    }
    assert!(shorter >= 3, "{shorter} requests had long results");
}
