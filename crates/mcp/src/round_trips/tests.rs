use serde_json::json;

use super::*;
use crate::roots::Folders;

fn question(subject: &str) -> Question {
    let (subject, reason) = (subject.to_owned(), "it may hold secrets".to_owned());
    Question { tool: "read_file", subject, reason }
}

/// The next round trip, in which the one thing that was asked is answered.
fn answered(asked: InputRequiredResult, answer: Option<&Value>) -> RoundTrips {
    let keys = asked.input_requests.expect("something is asked").into_keys();
    let responses = keys.filter_map(|key| Some((key, answer?.clone()))).collect();
    RoundTrips::of(asked.request_state.as_deref(), Some(responses))
}

#[test]
fn answers_of_all_round_trips_are_known() {
    let first = RoundTrips::of(None, None);
    assert_eq!((first.folders(), first.approval(&question("a"))), (None, None));
    let second = answered(first.ask_folders(), Some(&json!({"roots": [{"uri": "file:///"}]})));
    let root = ClientRoots::Named(Folders { there: vec!["/".into()], missing: vec![] });
    assert_eq!(second.folders().as_ref(), Some(&root));
    let yes = json!({"action": "accept", "content": {"allow": "session"}});
    let third = answered(second.ask_approval(&question("a")), Some(&yes));
    assert_eq!(third.folders(), Some(root));
    assert_eq!(third.approval(&question("a")), Some(Approval::Session));
    assert_eq!(third.approval(&question("b")), None);
}

#[test]
fn what_is_not_answered_is_not_asked_again() {
    let second = answered(RoundTrips::default().ask_folders(), None);
    assert_eq!(second.folders(), Some(ClientRoots::Unanswered));
    let third = answered(second.ask_approval(&question("a")), Some(&json!("nonsense")));
    assert_eq!(third.approval(&question("a")), Some(Approval::Unclear));
    let fourth = answered(RoundTrips::default().ask_approval(&question("b")), None);
    assert_eq!(fourth.approval(&question("b")), Some(Approval::No));
    assert_eq!(RoundTrips::of(Some("not ours"), None).folders(), None);
}
