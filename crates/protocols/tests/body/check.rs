//! Invariants of every body, and bodies as short text.

use std::fmt::Write as _;

use foveal_protocols::Protocol;
use foveal_protocols::request_body::{
    BodyMessage, BreakpointTarget, CACHE_CONTROL_MEMBER, EncodedString, RequestBody, TextSlot,
    splice, splice_with_breakpoints,
};
use foveal_transcript::{ContentBlock, TranscriptEntry};

/// Scans a body, reads all its messages, and checks the invariants.
pub(crate) fn check(protocol: Protocol, bytes: &[u8]) -> Option<(RequestBody, Vec<BodyMessage>)> {
    let body = RequestBody::scan(protocol, bytes).ok()?;
    let mut messages = Vec::new();
    let mut is_whole = true;
    for at in 0..body.messages.len() {
        body.message_fingerprint(bytes, at);
        match body.decode_message(bytes, at) {
            Ok(message) => messages.push(message),
            Err(_) => is_whole = false,
        }
    }
    let _ = body.decode_system_prompt(bytes);
    assert_eq!(splice(bytes, &[]), bytes, "nothing to replace is the identity");
    if !is_whole {
        return None;
    }
    for (at, message) in messages.iter().enumerate() {
        let own = &bytes[body.messages[at].clone()];
        slots_hold_what_they_say(own, message);
    }
    replacing_replaces(protocol, bytes, &body, &messages);
    marking_marks(protocol, bytes, &body);
    Some((body, messages))
}

/// Checks a fuzzer's input: the first byte selects the API, the rest is the body.
pub(crate) fn bodies(data: &[u8]) {
    if let Some((first, bytes)) = data.split_first() {
        check(Protocol::ALL[usize::from(*first) % Protocol::ALL.len()], bytes);
    }
}

/// Returns the text of a string at either nesting level.
fn text_of(string: &[u8]) -> String {
    if !string.starts_with(b"\\") {
        return serde_json::from_slice(string).expect("a slot is a string");
    }
    let outer = [b"\"", string, b"\""].concat();
    let inner: String = serde_json::from_slice(&outer).expect("a slot is part of a string");
    serde_json::from_str(&inner).expect("a slot is a string of a document")
}

/// Returns the text of a slot's result.
fn content<'a>(message: &'a BodyMessage, slot: &TextSlot) -> &'a str {
    match &message.entries[slot.entry].blocks[slot.block] {
        ContentBlock::Result(result) => &result.content,
        other => panic!("a slot of {other:?}"),
    }
}

fn slots_hold_what_they_say(own: &[u8], message: &BodyMessage) {
    let mut end = 0;
    for slot in &message.slots {
        assert!(slot.string.start >= end, "slots stand in order");
        end = slot.string.end;
        let text = text_of(&own[slot.string.clone()]);
        assert_eq!(text, content(message, slot)[slot.content.clone()]);
    }
    for (at, entry) in message.entries.iter().enumerate() {
        let Some(result) = entry.tool_result() else { continue };
        let slots: Vec<_> = message.slots.iter().filter(|slot| slot.entry == at).collect();
        let parts: Vec<_> =
            slots.iter().map(|slot| &result.content[slot.content.clone()]).collect();
        let places: Vec<_> = slots.iter().map(|slot| slot.part).collect();
        assert_eq!(places, (0..slots.len()).collect::<Vec<_>>());
        if !slots.is_empty() {
            assert_eq!(parts.join("\n"), result.content, "all parts of a result have slots");
        }
    }
}

/// Puts a text into each slot and checks that only these texts change.
fn replacing_replaces(
    protocol: Protocol,
    bytes: &[u8],
    body: &RequestBody,
    messages: &[BodyMessage],
) {
    let texts: Vec<Vec<String>> = messages
        .iter()
        .map(|message| (0..message.slots.len()).map(|at| format!("\"{at}\\\n\u{7}")).collect())
        .collect();
    let mut replaced = Vec::new();
    let mut expected = messages.to_vec();
    for ((at, message), texts) in messages.iter().enumerate().zip(&texts) {
        let start = body.messages[at].start;
        for (slot, text) in message.slots.iter().zip(texts) {
            replaced.push((start + slot.string.start..start + slot.string.end, text.as_str()));
            let ContentBlock::Result(result) =
                &mut expected[at].entries[slot.entry].blocks[slot.block]
            else {
                panic!("a slot of no result");
            };
            if slot.part == 0 {
                result.content.clone_from(text);
            } else {
                result.content = format!("{}\n{text}", result.content);
            }
        }
    }
    let spelled = replaced.iter().map(|(place, text)| {
        let spelled = EncodedString::encode_in_place_of(&bytes[place.clone()], text);
        (place.clone(), spelled.expect("a slot is a string"))
    });
    let spliced = splice(bytes, &spelled.collect::<Vec<_>>());
    rest_is_untouched(bytes, &spliced, &replaced);
    let again = RequestBody::scan(protocol, &spliced).expect("it is still a body");
    assert_eq!(again.messages.len(), messages.len());
    for (at, expected) in expected.iter().enumerate() {
        let message = again.decode_message(&spliced, at).expect("it is still a message");
        assert_eq!(message.entries, expected.entries);
        assert_eq!(message.slots.len(), expected.slots.len());
    }
}

/// Adds a mark at every possible position and checks that they are found and that nothing else
/// changes, fingerprints included.
fn marking_marks(protocol: Protocol, bytes: &[u8], body: &RequestBody) {
    if body.pass_through_reason.is_some() || !body.has_no_breakpoints() {
        return;
    }
    let parts = [body.markable_tools(bytes), body.markable_system(bytes)].into_iter();
    let messages = (0..body.messages.len()).map(|at| body.markable_message(bytes, at));
    let of_messages: Vec<usize> = messages.flatten().filter_map(|it| it.insert_at).collect();
    let parts = parts.flatten().filter_map(|it| it.insert_at);
    let mut places: Vec<usize> = parts.chain(of_messages.iter().copied()).collect();
    places.sort_unstable();
    let marked = splice_with_breakpoints(bytes, &[], &places, CACHE_CONTROL_MEMBER);
    assert_eq!(marked.len(), bytes.len() + places.len() * CACHE_CONTROL_MEMBER.len());
    let (mut before, mut after) = (0, 0);
    for place in &places {
        let between = &bytes[before..*place];
        assert_eq!(&marked[after..after + between.len()], between);
        after += between.len();
        assert!(marked[after..].starts_with(CACHE_CONTROL_MEMBER.as_bytes()));
        (before, after) = (*place, after + CACHE_CONTROL_MEMBER.len());
    }
    assert_eq!(&marked[after..], &bytes[before..]);
    let again = RequestBody::scan(protocol, &marked).expect("it is still a body");
    assert_eq!(again.messages.len(), body.messages.len());
    for at in 0..body.messages.len() {
        let identity =
            (body.message_fingerprint(bytes, at), again.message_fingerprint(&marked, at));
        assert_eq!(identity.0, identity.1, "marks are no part of what a message is");
    }
    let found =
        again.breakpoints.iter().filter(|mark| matches!(mark.target, BreakpointTarget::Message(_)));
    assert_eq!(found.count(), of_messages.len());
}

/// Checks that the bytes between the replaced strings are the same in both.
fn rest_is_untouched(bytes: &[u8], spliced: &[u8], replaced: &[(std::ops::Range<usize>, &str)]) {
    let (mut before, mut after) = (0, 0);
    for (place, text) in replaced {
        let between = &bytes[before..place.start];
        assert_eq!(&spliced[after..after + between.len()], between);
        let mut spelled = serde_json::to_string(text).expect("a text is JSON");
        if bytes[place.start] == b'\\' {
            spelled = serde_json::to_string(&spelled).expect("a text is JSON");
            spelled = spelled[1..spelled.len() - 1].to_owned();
        }
        after += between.len();
        assert!(spliced[after..].starts_with(spelled.as_bytes()));
        after += spelled.len();
        before = place.end;
    }
    assert_eq!(&spliced[after..], &bytes[before..]);
}

/// Returns entries as short text, one line for each block.
pub(crate) fn render(entries: &[TranscriptEntry]) -> String {
    let mut text = String::new();
    for entry in entries {
        let role = format!("{:?}", entry.role).to_lowercase();
        let _ = writeln!(text, "{} {role} {:?}", entry.source.step, entry.mark);
        for block in &entry.blocks {
            let _ = match block {
                ContentBlock::Text(said) => writeln!(text, "  text {said:?}"),
                ContentBlock::Reasoning(said) => writeln!(text, "  reasoning {said:?}"),
                ContentBlock::Call(call) => {
                    writeln!(text, "  call {} {} {}", call.id, call.name, call.arguments)
                }
                ContentBlock::Result(result) => {
                    let flag = if result.is_error { "error" } else { "result" };
                    writeln!(text, "  {flag} {} {:?}", result.call, result.content)
                }
                ContentBlock::Opaque { kind, raw } => writeln!(text, "  opaque {kind} {raw}"),
            };
        }
    }
    text
}
