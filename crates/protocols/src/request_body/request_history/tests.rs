use proptest::prelude::*;

use super::*;
use crate::protocol::Protocol;
use crate::request_body::RequestBody;

fn message(text: &str, is_marked: bool) -> String {
    let mark = if is_marked { r#","cache_control":{"type":"ephemeral"}"# } else { "" };
    let text = serde_json::to_string(text).expect("a text is JSON");
    format!(r#"{{"role":"user","content":[{{"type":"text","text":{text}{mark}}}]}}"#)
}

fn body(head: &str, messages: &[String], between: &str) -> String {
    format!(r#"{{{head}"messages":[{}],"stream":true}}"#, messages.join(between))
}

/// Compares a scan with a history to one without. Returns how much was known.
fn check(earlier: &[&str], later: &str) -> usize {
    let scan = |text: &str| RequestBody::scan(Protocol::Messages, text.as_bytes()).expect("a body");
    let history = |text: &&str| Arc::new(scan(text).to_history(text.as_bytes()));
    let histories = earlier.iter().map(history).collect();
    let (body, alike) =
        RequestBody::scan_after(Protocol::Messages, later.as_bytes(), |_| histories)
            .expect("it is a body");
    assert_eq!(body, scan(later));
    let Some(SharedPrefix { history, messages }) = alike else { return 0 };
    let mut history = Arc::unwrap_or_clone(history);
    body.update_history(&mut history, later.as_bytes(), messages);
    assert_eq!(history, body.to_history(later.as_bytes()));
    messages
}

#[test]
fn what_stands_in_both_is_known() {
    let texts: Vec<String> = (0..9).map(|at| message(&"x".repeat(at * 1_000), false)).collect();
    let marked = [texts[..5].to_vec(), vec![message("last", true)]].concat();
    let earlier = body(r#""model":"a","#, &marked, ",");
    let unmarked = [texts[..5].to_vec(), vec![message("last", false)], texts[6..].to_vec()];
    // Bytes before the messages may change, and the mark moves on.
    let later = body(r#""model":"longer","system":"be","#, &unmarked.concat(), ",");
    assert_eq!(check(&[&earlier], &later), 5);
    assert_eq!(check(&[&earlier], &earlier), 6);
    // The history with the longest prefix is used, whatever its position.
    let short = body("", &texts[..2], ",");
    assert_eq!(check(&[&short, &earlier, &short], &later), 5);
    // The bytes between messages are compared, too.
    assert_eq!(check(&[&earlier], &body("", &texts, ", ")), 1);
    assert_eq!(check(&[], &later), 0);
}

#[test]
fn numbers_that_go_on_are_not_taken_for_the_same() {
    assert_eq!(check(&[r#"{"messages":[{},1]}"#], r#"{"messages":[{},12]}"#), 1);
    assert_eq!(check(&[r#"{"messages":[1]}"#], r#"{"messages":[1]}"#), 0);
}

#[test]
fn a_list_that_stands_twice_is_read_as_without() {
    let twice = r#"{"messages":[{"a":1},{"b":2}],"messages":[{"a":1}]}"#;
    check(&[r#"{"messages":[{"a":1},{"b":2}]}"#], twice);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_history_changes_nothing(
        texts in proptest::collection::vec(("[a-c\"\\\\]{0,3}", any::<bool>()), 0..8),
        changed in proptest::collection::vec(("[a-c\"\\\\]{0,3}", any::<bool>()), 0..4),
        kept in 0_usize..8,
    ) {
        let spelled = |texts: &[(String, bool)]| -> Vec<String> {
            texts.iter().map(|(text, is_marked)| message(text, *is_marked)).collect()
        };
        let earlier = spelled(&texts);
        let kept = kept.min(earlier.len());
        let later = [earlier[..kept].to_vec(), spelled(&changed)].concat();
        let (earlier, later) = (body("", &earlier, ","), body(r#""x":"cache_control","#, &later, ","));
        prop_assert!(check(&[&earlier], &later) >= kept);
    }
}
