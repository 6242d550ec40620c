use serde_json::json;

use super::*;

fn check(action: ElicitationAction, content: Option<Value>, expected: Approval) {
    let mut answer = ElicitResult::new(action);
    answer.content = content;
    assert_eq!(parse_approval(&answer), expected, "{answer:?}");
}

#[test]
fn accepting_is_a_yes_as_wide_as_was_chosen() {
    use ElicitationAction::{Accept, Cancel, Decline};
    check(Accept, None, Approval::Once);
    check(Accept, Some(json!({})), Approval::Once);
    check(Accept, Some(json!({"allow": "once"})), Approval::Once);
    check(Accept, Some(json!({"allow": "session"})), Approval::Session);
    check(Accept, Some(json!({"allow": "always"})), Approval::Always);
    check(Accept, Some(Value::Null), Approval::Once);
    check(Decline, Some(json!({"allow": null})), Approval::No);
    check(Decline, Some(json!({"allow": "always"})), Approval::No);
    check(Cancel, None, Approval::No);
}

#[test]
fn only_what_was_asked_for_is_an_answer() {
    for content in [
        json!("always"),
        json!("once"),
        json!(true),
        json!(["always"]),
        json!([{"allow": "always"}]),
        json!({"allow": "never"}),
        json!({"allow": "Always"}),
        json!({"allow": null}),
        json!({"allow": ""}),
        json!({"allow": " "}),
        json!({"allow": false}),
        json!({"allow": 0}),
        json!({"allow": []}),
        json!({"allow": {}}),
        json!(""),
        json!([]),
        json!({"allow": true}),
        json!({"allow": ["always"]}),
        json!({"allow": {"allow": "always"}}),
        json!({"Allow": "decline"}),
        json!({"Allow": "once"}),
        json!({"answer": "no"}),
        json!({"answer": null}),
        json!({"": ""}),
        json!({"allow": "once", "x": 1}),
        json!({"allow": "always", "Allow": "decline"}),
        json!({"allow": null, "answer": "no"}),
        json!({"allow": "", "deny": true}),
    ] {
        check(ElicitationAction::Accept, Some(content.clone()), Approval::Unclear);
        check(ElicitationAction::Decline, Some(content), Approval::No);
    }
}

#[test]
fn a_question_is_one_line_that_shows_all_of_it() {
    let asked = |subject: &str, reason: &str| {
        let (subject, reason) = (subject.to_owned(), reason.to_owned());
        let form = approval_form(&ApprovalQuestion { tool: "bash", subject, reason });
        let ElicitRequestParams::FormElicitationParams { message, .. } = form else {
            panic!("a form")
        };
        message
    };
    assert_eq!(asked("ls -l", "a rule wants it"), "Allow bash on `ls -l`? (a rule wants it)");
    assert_eq!(
        asked("ls`? (harmless)\n\n`rm \u{202e}fdp.x\u{1b}[2K\u{9b}1A", "a\rb"),
        "Allow bash on \"ls`? (harmless)\\n\\n`rm \\u202efdp.x\\u001b[2K\\u009b1A\"? (a\\rb)"
    );
}
