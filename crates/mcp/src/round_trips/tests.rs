use serde_json::json;

use super::*;
use crate::roots::RootFolders;

fn question(subject: &str) -> ApprovalQuestion {
    let (subject, reason) = (subject.to_owned(), "it may hold secrets".to_owned());
    ApprovalQuestion { tool: "read_file", subject, reason }
}

/// Returns the next round trip, in which the one question is answered.
fn answered(asked: InputRequiredResult, answer: Option<&Value>) -> RoundTrips {
    let keys = asked.input_requests.expect("something is asked").into_keys();
    let responses = keys.filter_map(|key| Some((key, answer?.clone()))).collect();
    RoundTrips::from_request(asked.request_state.as_deref(), Some(responses))
}

#[test]
fn answers_of_all_round_trips_are_known() {
    let first = RoundTrips::from_request(None, None);
    assert_eq!((first.client_roots(), first.approval_for(&question("a"))), (None, None));
    let second = answered(first.request_folders(), Some(&json!({"roots": [{"uri": "file:///"}]})));
    let root = ClientRoots::Named(RootFolders { existing: vec!["/".into()], missing: vec![] });
    assert_eq!(second.client_roots().as_ref(), Some(&root));
    let yes = json!({"action": "accept", "content": {"allow": "session"}});
    let third = answered(second.request_approval(&question("a")), Some(&yes));
    assert_eq!(third.client_roots(), Some(root));
    assert_eq!(third.approval_for(&question("a")), Some(Approval::Session));
    assert_eq!(third.approval_for(&question("b")), None);
}

#[test]
fn what_is_not_answered_is_not_asked_again() {
    let second = answered(RoundTrips::default().request_folders(), None);
    assert_eq!(second.client_roots(), Some(ClientRoots::Unanswered));
    let third = answered(second.request_approval(&question("a")), Some(&json!("nonsense")));
    assert_eq!(third.approval_for(&question("a")), Some(Approval::Unclear));
    let fourth = answered(RoundTrips::default().request_approval(&question("b")), None);
    assert_eq!(fourth.approval_for(&question("b")), Some(Approval::No));
    assert_eq!(RoundTrips::from_request(Some("not ours"), None).client_roots(), None);
}
