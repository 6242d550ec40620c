use rmcp::model::ErrorData;
use serde_json::{Value, json};

use super::*;

/// What is made of an answer as it comes over the wire.
fn of(result: Value) -> Told {
    told(Ok(serde_json::from_value(result).expect("a result of some kind")))
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

#[test]
fn only_text_of_the_assistant_is_an_answer() {
    let of = |role: &str, content: Value| {
        of(
            json!({"role": role, "content": content, "model": "m\u{1b}[1m", "stopReason": "endTurn"}),
        )
    };
    let answer = |text: &str| {
        Told::Answer(LentAnswer { text: text.to_owned(), model: "m\\u001b[1m".to_owned() })
    };
    assert_eq!(of("assistant", text("{}")), answer("{}"));
    // As of 2025-11 content may be a list.
    assert_eq!(of("assistant", json!([text("{\"a\""), text(": 1}")])), answer("{\"a\": 1}"));
    let picture = json!({"type": "image", "data": "AA==", "mimeType": "image/png"});
    let call = json!({"type": "tool_use", "id": "1", "name": "n", "input": {}});
    for (role, content) in [
        ("user", text("{}")),
        ("assistant", picture.clone()),
        ("assistant", json!([text("{}"), picture])),
        ("assistant", json!([call])),
        ("assistant", json!([])),
        ("assistant", text("")),
        ("assistant", text(&"a".repeat(ANSWER_BYTES_MAX + 1))),
    ] {
        assert!(matches!(of(role, content.clone()), Told::Failed(_)), "{role} {content}");
    }
}

#[test]
fn what_has_another_form_is_no_answer() {
    for result in [
        json!({}),
        json!({"text": "{}"}),
        json!({"role": "assistant", "content": "{}", "model": "m"}),
        json!({"role": "assistant", "content": {"type": "text", "text": "{}"}}),
        json!({"roots": []}),
        json!({"action": "accept"}),
    ] {
        assert!(matches!(of(result.clone()), Told::Failed(_)), "{result}");
    }
}

fn error(code: i32) -> Told {
    told(Err(ServiceError::McpError(ErrorData::new(ErrorCode(code), "User rejected it", None))))
}

#[test]
fn a_no_of_the_person_is_told_from_what_fails() {
    for code in [-1, -32_000, -32_601] {
        assert_eq!(error(code), Told::Refused, "{code}");
    }
    assert_eq!(error(-32_603), Told::Failed("User rejected it".to_owned()));
    assert!(matches!(told(Err(ServiceError::TransportClosed)), Told::Failed(_)));
}

#[test]
fn whoever_fails_is_left_alone_for_longer_each_time() {
    let mut past = Past::default();
    let mut now = Instant::now();
    for minutes in [2, 4, 8, 16, 32, 64, 64] {
        assert!(past.may_be_asked(now));
        past.note(&Told::Nothing(AskError::TimedOut), now);
        now += Duration::from_secs(minutes * 60 - 1);
        assert!(!past.may_be_asked(now), "{minutes}");
        now += Duration::from_secs(1);
    }
    past.note(&Told::Nothing(AskError::Cancelled), now);
    assert!(past.may_be_asked(now));
    let answer = LentAnswer { text: "{}".to_owned(), model: "m".to_owned() };
    past.note(&Told::Answer(answer), now);
    past.note(&Told::Failed(String::new()), now);
    assert!(past.may_be_asked(now + REST_TIME));
    past.note(&Told::Refused, now);
    assert!(!past.may_be_asked(now + REST_TIME * 1_000));
}

#[test]
fn a_question_goes_as_the_protocol_has_it() {
    let question = LentQuestion {
        system: "choose",
        user: "1: fn a() {}",
        temperature: 0.5,
        output_tokens_max: 1_500,
        time: Duration::from_secs(1),
    };
    let sent = serde_json::to_value(params(question)).expect("it is JSON");
    // Without tools and context: any client that has sampling can answer.
    assert_eq!(
        sent,
        json!({
            "messages": [{"role": "user", "content": {"type": "text", "text": "1: fn a() {}"}}],
            "modelPreferences": sent["modelPreferences"],
            "systemPrompt": "choose", "temperature": 0.5, "maxTokens": 1_500,
        })
    );
}
