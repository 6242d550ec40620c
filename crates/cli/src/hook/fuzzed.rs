//! What holds for any event that an agent may tell; `fuzz/src/hook.rs` takes this file as it is.

use foveal_calls::CallSettings;
use foveal_store::SqliteStore;
use foveal_transcript::Timestamp;
use serde_json::Value;

use super::event::{Event, Occasion};
use super::expand::Expand;
use super::host::Host;
use super::output::Output;
use super::reply::{Means, reply};

const HOSTS: [Host; 5] = [Host::ClaudeCode, Host::Codex, Host::Gemini, Host::Opencode, Host::Pi];

/// A result is only replaced by a shorter one of its own form, and the same call made again at once
/// is answered in full.
pub(crate) fn hook_input(bytes: &[u8]) {
    for host in HOSTS {
        let Some(event) = Event::parse(bytes, host) else { continue };
        let store = SqliteStore::in_memory().expect("memory");
        let expand = Expand::by("foveal");
        let means = Means {
            expand: Some(&expand),
            keeps_contents: true,
            has_gateway: false,
            calls: &CallSettings::default(),
            now: Timestamp(1_800_000_000_000),
        };
        let replied = reply(&event, &store, means).expect("memory can be used");
        let Some(replied) = replied else { continue };
        let Occasion::Answered(answered) = &event.occasion else {
            assert!(matches!(event.occasion, Occasion::Failed(_)), "{event:?}");
            continue;
        };
        let whole = Output::of(answered, host).expect("it was replaced").text;
        if host == Host::ClaudeCode {
            let output = &replied["hookSpecificOutput"]["updatedToolOutput"];
            let mut changed = answered.clone();
            changed.response = output.clone();
            let keys = |value: &Value| value.as_object().map_or(0, serde_json::Map::len);
            assert!((1..=keys(&answered.response) + 1).contains(&keys(output)), "{replied}");
            let sent = Output::of(&changed, host).map_or(0, |output| output.text.len());
            assert!(sent < whole.len(), "{replied} for {whole}");
        }
        if event.transcript.is_none() && event.conversation.is_none() {
            let mut again = event.clone();
            if let Occasion::Answered(answered) = &mut again.occasion {
                answered.call.push_str(" again");
            }
            let replied = reply(&again, &store, means).expect("memory can be used");
            assert_eq!(replied, None, "{event:?}");
        }
    }
}
