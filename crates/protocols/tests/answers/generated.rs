//! Generated answers, streamed and not.

use foveal_protocols::Protocol;
use foveal_protocols::response::{AnswerCompletion, AnswerMetadata, AnswerReader};
use proptest::prelude::*;

use super::answer_encoding::{Said, Sent, any_said, spelled};

const STREAM: Option<&str> = Some("text/event-stream; charset=utf-8");

fn read(
    protocol: Protocol,
    content_type: Option<&str>,
    bytes: &[u8],
    sizes: &[usize],
) -> AnswerMetadata {
    let mut reader = AnswerReader::new(protocol, content_type, 200);
    let (mut rest, mut sizes) = (bytes, sizes.iter().cycle());
    while !rest.is_empty() {
        let size = sizes.next().map_or(rest.len(), |size| rest.len().min(*size));
        reader.push(&rest[..size]);
        rest = &rest[size..];
    }
    reader.finish()
}

fn expected(said: &Said, protocol: Protocol) -> AnswerMetadata {
    AnswerMetadata {
        billed: said.billed(protocol),
        model: Some(said.model.clone()),
        stop_reason: Some(Said::stop_reason(protocol).to_owned()),
        id: Some(said.id.clone()),
        error: None,
        completion: AnswerCompletion::Complete,
    }
}

fn any_protocol() -> impl Strategy<Value = Protocol> {
    prop::sample::select(Protocol::ALL.to_vec())
}

/// Events that are unknown to a reader or carry nothing.
fn any_other_event() -> impl Strategy<Value = Sent> {
    prop_oneof![
        Just(("ping", r#"{"type":"ping"}"#.to_owned())),
        Just(("news", r#"{"type":"news","usage":{},"model":"x","id":"y"}"#.to_owned())),
        Just(("news", "no JSON at all {".to_owned())),
        Just(("", r#"{"type":"news","choices":[]}"#.to_owned())),
        Just(("", "[".to_owned())),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..Default::default() })]

    #[test]
    fn streams_in_any_pieces(
        said in any_said(),
        protocol in any_protocol(),
        line_end in prop::sample::select(vec!["\n", "\r\n", "\r"]),
        sizes in prop::collection::vec(1usize..200, 1..5),
    ) {
        let stream = spelled(&said.stream(protocol), line_end);
        let answer = read(protocol, STREAM, &stream, &sizes);
        prop_assert_eq!(&answer, &expected(&said, protocol));
        // A stream without a content type is recognised by its first byte.
        prop_assert_eq!(answer, read(protocol, None, &stream, &sizes));
    }

    #[test]
    fn documents_in_any_pieces(
        said in any_said(),
        protocol in any_protocol(),
        sizes in prop::collection::vec(1usize..200, 1..5),
        cut in 0usize..100,
    ) {
        let document = said.document(protocol);
        let read = |bytes| read(protocol, Some("application/json"), bytes, &sizes);
        prop_assert_eq!(read(document.as_bytes()), expected(&said, protocol));
        let answer = read(&document.as_bytes()[..document.len() * cut / 100]);
        prop_assert_eq!((answer.completion, answer.billed.output), (AnswerCompletion::Truncated, None));
    }

    #[test]
    fn events_that_are_not_known_change_nothing(
        said in any_said(),
        protocol in prop::sample::select(vec![Protocol::Messages, Protocol::Responses]),
        other in any_other_event(),
        at in 0usize..8,
    ) {
        let mut events = said.stream(protocol);
        events.insert(at.min(events.len()), other);
        let answer = read(protocol, STREAM, &spelled(&events, "\n"), &[]);
        prop_assert_eq!(answer, expected(&said, protocol));
    }

    #[test]
    fn a_cut_stream_says_so_and_no_more_than_it_was_told(
        said in any_said(),
        protocol in any_protocol(),
        cut in 0usize..100,
    ) {
        let stream = spelled(&said.stream(protocol), "\n");
        let whole = expected(&said, protocol);
        let answer = read(protocol, STREAM, &stream[..stream.len() * cut / 100], &[]);
        let has_reason = answer.stop_reason.is_some();
        prop_assert!(answer.completion == AnswerCompletion::Truncated || has_reason, "{answer:?}");
        prop_assert!(answer.model.is_none() || answer.model == whole.model);
        prop_assert!(answer.id.is_none() || answer.id == whole.id);
        prop_assert!(answer.billed.output.is_none_or(|output| output <= said.output.max(1)));
        let uncached = answer.billed.uncached;
        prop_assert!(uncached.is_none() || uncached == whole.billed.uncached);
    }

    #[test]
    fn errors_in_mid_stream_are_told(
        said in any_said(),
        protocol in any_protocol(),
        count in 1usize..6,
    ) {
        let error = r#"{"type":"error","error":{"type":"overloaded_error","message":"too busy"}}"#;
        let mut events = said.stream(protocol);
        events.truncate(count.min(events.len() - 1));
        events.push(("error", error.to_owned()));
        let answer = read(protocol, STREAM, &spelled(&events, "\n"), &[9]);
        let told = answer.error.expect("the error is told");
        prop_assert_eq!((told.kind.as_deref(), &*told.message), (Some("overloaded_error"), "too busy"));
        prop_assert_eq!(answer.completion, AnswerCompletion::Complete);
    }
}
