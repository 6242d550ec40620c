use serde_json::json;

use super::*;

fn check(action: ElicitationAction, content: Option<Value>, expected: Approval) {
    let mut answer = ElicitResult::new(action);
    answer.content = content;
    assert_eq!(approval(&answer), expected, "{answer:?}");
}

#[test]
fn accepting_is_a_yes_as_wide_as_was_chosen() {
    use ElicitationAction::{Accept, Cancel, Decline};
    check(Accept, None, Approval::Once);
    check(Accept, Some(json!({})), Approval::Once);
    check(Accept, Some(json!({"allow": "once"})), Approval::Once);
    check(Accept, Some(json!({"allow": "session"})), Approval::Session);
    check(Accept, Some(json!({"allow": "always"})), Approval::Always);
    check(Accept, Some(json!({"allow": "never"})), Approval::No);
    check(Accept, Some(json!({"allow": true})), Approval::No);
    check(Decline, Some(json!({"allow": "always"})), Approval::No);
    check(Cancel, None, Approval::No);
}
