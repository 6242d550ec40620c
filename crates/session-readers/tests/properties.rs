//! Arbitrary bytes: no reader panics, and every transcript is well formed. Long streams: only the
//! open sessions are held in memory.

use std::cell::Cell;
use std::collections::HashSet;
use std::io::{self, BufReader, Read};

use foveal_session_readers::{
    OPEN_SESSIONS_MAX, SessionFormat, detect_format, read_all_sessions, read_sessions,
};
use foveal_transcript::{
    ContentBlock, Conversation, EntryIndex, EntryMark, MessageRole, RecordedSession,
};
use proptest::prelude::*;

use crate::samples::SAMPLES;

/// Reads `bytes` as every format and checks the invariants of the result.
pub(crate) fn check(bytes: &[u8]) {
    for complete in [false, true] {
        detect_format(bytes, complete);
    }
    for format in SessionFormat::all() {
        if let Ok((sessions, _)) = read_all_sessions(format, "any", bytes) {
            sessions.iter().for_each(well_formed);
        }
    }
}

fn well_formed(session: &RecordedSession) {
    let ids: HashSet<_> = session.conversations.iter().map(|c| &c.id).collect();
    assert_eq!(ids.len(), session.conversations.len(), "ids of conversations are unique");
    session.conversations.iter().for_each(entries_well_formed);
}

fn entries_well_formed(conversation: &Conversation) {
    for (at, entry) in (0u32..).zip(conversation.entries()) {
        let results = entry.blocks.iter().filter(|b| matches!(b, ContentBlock::Result(_))).count();
        assert_eq!(
            results,
            usize::from(entry.role == MessageRole::Tool),
            "one result, in tool entries"
        );
        assert_eq!(entry.source.result.is_some(), entry.role == MessageRole::Tool);
        assert!(entry.source.step > 0);
        match entry.mark {
            EntryMark::Rewind { to } | EntryMark::CompactBoundary { keep_from: Some(to) } => {
                assert!(to < EntryIndex(at), "marks point back");
            }
            _ => {}
        }
    }
}

/// A change of a text's bytes.
#[derive(Debug, Clone)]
enum Change {
    Replace(usize, u8),
    Remove(usize, usize),
    Repeat(usize, usize),
    Swap(usize, usize),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let at = 0..20_000usize;
    let one = prop_oneof![
        (at.clone(), any::<u8>()).prop_map(|(at, byte)| Change::Replace(at, byte)),
        (at.clone(), 1..300usize).prop_map(|(at, count)| Change::Remove(at, count)),
        (at.clone(), 1..300usize).prop_map(|(at, count)| Change::Repeat(at, count)),
        (at.clone(), at).prop_map(|(a, b)| Change::Swap(a, b)),
    ];
    prop::collection::vec(one, 1..6)
}

fn change(bytes: &mut Vec<u8>, change: &Change) {
    if bytes.is_empty() {
        return;
    }
    let length = bytes.len();
    match *change {
        Change::Replace(at, byte) => bytes[at % length] = byte,
        Change::Remove(at, count) => {
            let at = at % length;
            bytes.drain(at..(at + count).min(length));
        }
        Change::Repeat(at, count) => {
            let at = at % length;
            let part = bytes[at..(at + count).min(length)].to_vec();
            bytes.splice(at..at, part);
        }
        Change::Swap(a, b) => {
            // Moves whole lines, so that the order of records changes.
            let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
            let count = lines.len();
            lines.swap(a % count, b % count);
            *bytes = lines.join(&b'\n');
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        check(&bytes);
    }

    #[test]
    fn any_json_like_text(text in "([\\[\\]{}:,\"\\\\\n 0a]|\"type\":|\"message\":|\"role\":\"user\"){0,80}") {
        check(text.as_bytes());
    }

    #[test]
    fn changed_samples(sample in 0..SAMPLES.len(), changes in changes()) {
        let mut bytes = SAMPLES[sample].1.as_bytes().to_vec();
        for each in &changes {
            change(&mut bytes, each);
        }
        check(&bytes);
    }
}

#[test]
fn every_prefix_of_every_sample() {
    for (format, sample) in SAMPLES {
        for end in (0..sample.len()).step_by(7) {
            if let Ok((sessions, _)) = read_all_sessions(format, "cut", &sample.as_bytes()[..end]) {
                sessions.iter().for_each(well_formed);
            }
        }
    }
}

/// A stream that generates its sessions on demand.
struct Sessions<'a, F> {
    make: F,
    count: usize,
    made: &'a Cell<usize>,
    rest: io::Cursor<Vec<u8>>,
}

impl<F: Fn(usize) -> String> Read for Sessions<'_, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.rest.read(buffer)?;
        if read > 0 || self.made.get() == self.count {
            return Ok(read);
        }
        let session = (self.make)(self.made.get());
        self.made.set(self.made.get() + 1);
        self.rest = io::Cursor::new(session.into_bytes());
        self.rest.read(buffer)
    }
}

/// Streams 200 sessions and checks that each is emitted before many more are generated.
fn check_streaming(format: SessionFormat, ahead_max: usize, make: impl Fn(usize) -> String) {
    let made = Cell::new(0);
    let stream = Sessions { make, count: 200, made: &made, rest: io::Cursor::default() };
    let mut arrived = 0;
    let problems =
        read_sessions(format, "stream", BufReader::with_capacity(512, stream), &mut |session| {
            assert_eq!(session.id, format!("s{arrived}"));
            arrived += 1;
            assert!(made.get() <= arrived + ahead_max, "{} made, {arrived} arrived", made.get());
        });
    assert!(problems.expect("the stream reads").is_empty());
    assert_eq!(arrived, 200);
}

#[test]
fn sessions_arrive_while_the_stream_is_read() {
    let text = "line\n".repeat(2000).escape_default().to_string();
    check_streaming(SessionFormat::ClaudeCode, OPEN_SESSIONS_MAX, |n| {
        format!(
            "{{\"type\":\"user\",\"sessionId\":\"s{n}\",\"message\":{{\"content\":\"{text}\"}}}}\n"
        )
    });
    check_streaming(SessionFormat::Pi, 1, |n| {
        format!(
            "{{\"type\":\"session\",\"id\":\"s{n}\"}}\n{{\"type\":\"message\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n"
        )
    });
    check_streaming(SessionFormat::Atif, 1, |n| {
        format!(
            "{{\"schema_version\":\"ATIF-v1.8\",\"session_id\":\"s{n}\",\"steps\":[{{\"step_id\":1,\"source\":\"user\",\"message\":\"{text}\"}}]}}\n"
        )
    });
    check_streaming(SessionFormat::OpenHands, 1, |n| {
        format!(
            "{{\"instance_id\":\"s{n}\",\"history\":[{{\"source\":\"user\",\"action\":\"message\",\"args\":{{\"content\":\"{text}\"}}}}]}}\n"
        )
    });
}

#[test]
fn interleaved_sessions_are_taken_apart() {
    let mut input = String::new();
    for round in 0..3 {
        for session in 0..OPEN_SESSIONS_MAX {
            input += &format!(
                "{{\"type\":\"user\",\"sessionId\":\"s{session}\",\"message\":{{\"content\":\"{round}\"}}}}\n"
            );
        }
    }
    let (sessions, _) =
        read_all_sessions(SessionFormat::ClaudeCode, "file", input.as_bytes()).expect("it reads");
    assert_eq!(sessions.len(), OPEN_SESSIONS_MAX);
    for (at, session) in sessions.iter().enumerate() {
        assert_eq!(session.id, format!("s{at}"));
        let texts: Vec<_> = session.conversations[0].entries().iter().map(|e| e.text()).collect();
        assert_eq!(texts, ["0", "1", "2"]);
    }
}
