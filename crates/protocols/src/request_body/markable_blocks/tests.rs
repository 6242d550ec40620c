use super::*;
use crate::protocol::Protocol;
use crate::request_body::splice_with_breakpoints;

fn body(bytes: &[u8]) -> RequestBody {
    RequestBody::scan(Protocol::Messages, bytes).expect("a body")
}

/// Returns the body with a mark at every possible position.
fn marked(text: &str) -> String {
    let bytes = text.as_bytes();
    let body = body(bytes);
    let all = [body.markable_tools(bytes), body.markable_system(bytes)].into_iter();
    let messages = (0..body.messages.len()).map(|at| body.markable_message(bytes, at));
    let mut places: Vec<usize> =
        all.chain(messages).filter_map(|it| it.expect("valid JSON").insert_at).collect();
    places.sort_unstable();
    let marked = splice_with_breakpoints(bytes, &[], &places, CACHE_CONTROL_MEMBER);
    String::from_utf8(marked).expect("it is text").replace(CACHE_CONTROL_MEMBER, "^")
}

#[test]
fn marks_stand_behind_the_last_member_of_the_last_block() {
    let cases = [
        (
            r#"{"tools":[{"name":"a"},{"name":"b" } ],"system":[{"type":"text","text":"s"}],"messages":[]}"#,
            r#"{"tools":[{"name":"a"},{"name":"b"^ } ],"system":[{"type":"text","text":"s"^}],"messages":[]}"#,
        ),
        (
            r#"{"messages":[{"role":"user","content":[{"type":"text","text":"a"},
                {"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"b"}]}]}]}"#,
            r#"{"messages":[{"role":"user","content":[{"type":"text","text":"a"},
                {"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"b"}]^}]}]}"#,
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(marked(text), expected);
    }
}

#[test]
fn what_may_not_have_a_mark_gets_none() {
    let bodies = [
        r#"{"tools":[{"name":"a"},{"name":"b","defer_loading":true}],"messages":[]}"#,
        r#"{"system":"s","messages":[{"role":"user","content":"a"}]}"#,
        r#"{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"t"}]}]}"#,
        r#"{"messages":[{"role":"user","content":[{"type":"text","text":" "}]}]}"#,
        r#"{"messages":[{"role":"user","content":[{"type":"server_tool_use","id":"1"}]}]}"#,
        r#"{"messages":[{"role":"user","content":[{}]}]}"#,
        r#"{"messages":[{"role":"user","content":[]}]}"#,
    ];
    for text in bodies {
        assert_eq!(marked(text), text);
    }
}

#[test]
fn a_clients_own_mark_is_seen_wherever_it_stands() {
    let marked = [
        r#"{"cache_control":{"type":"ephemeral"},"messages":[]}"#,
        r#"{"tools":[{"name":"a","cache_control":{"type":"ephemeral"}}],"messages":[]}"#,
        r#"{"messages":[{"role":"user","content":[{"type":"tool_result","content":
            [{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}]}]}"#,
        r#"{"messages":[{"role":"user","content":[{"type":"document","source":{"content":
            [{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}}]}]}"#,
    ];
    for text in marked {
        assert!(!body(text.as_bytes()).has_no_breakpoints(), "{text}");
    }
    let unmarked = r#"{"messages":[{"role":"user","content":"{\"cache_control\":1}"}]}"#;
    assert!(body(unmarked.as_bytes()).has_no_breakpoints());
}
