use proptest::prelude::*;

use super::*;

type Owned = (String, String);

/// Returns the events of `chunks`, and how many were skipped.
fn split(chunks: &[&[u8]], bytes_max: usize) -> (Vec<Owned>, u64) {
    let mut events = Vec::new();
    let mut on_event = |event: StreamEvent<'_>| {
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        events.push((text(event.name), text(event.data)));
    };
    let mut splitter = EventSplitter::new(bytes_max);
    for chunk in chunks {
        splitter.push(chunk, &mut on_event);
    }
    let skipped = splitter.skipped_count();
    splitter.finish(&mut on_event);
    (events, skipped)
}

fn check(stream: &str, expected: &[(&str, &str)]) {
    let expected: Vec<Owned> =
        expected.iter().map(|(name, data)| ((*name).to_owned(), (*data).to_owned())).collect();
    assert_eq!(split(&[stream.as_bytes()], 1 << 20).0, expected, "whole: {stream:?}");
    let bytes: Vec<&[u8]> = stream.as_bytes().chunks(1).collect();
    assert_eq!(split(&bytes, 1 << 20).0, expected, "byte by byte: {stream:?}");
}

#[test]
fn names_data_and_ends_of_lines() {
    check("event: a\ndata: 1\n\n", &[("a", "1")]);
    check("event: a\r\ndata: 1\r\n\r\n", &[("a", "1")]);
    check("event: a\rdata: 1\r\rdata: 2\r\r", &[("a", "1"), ("", "2")]);
    check("data: 1\n\ndata: 2\n\n", &[("", "1"), ("", "2")]);
    check("data: 1\ndata: 2\ndata\ndata: 3\n\n", &[("", "1\n2\n\n3")]);
    check("data:1\n\ndata:  2\n\ndata:\n\n", &[("", "1"), ("", " 2"), ("", "")]);
}

#[test]
fn what_is_no_event() {
    check("", &[]);
    check("\n\n\n", &[]);
    check(": ping\n\nevent: lost\n\ndata: 1\n\n", &[("", "1")]);
    check("id: 7\nretry: 1\nx: y\ndata: 1\n: z\n\n", &[("", "1")]);
    check("datax: 1\n\ndat: 1\n\n", &[]);
}

#[test]
fn a_stream_without_end_and_one_with_a_mark() {
    check("data: 1\n\ndata: 2", &[("", "1"), ("", "2")]);
    check("data: 1\ndata: 2\n", &[("", "1\n2")]);
    check("event: a", &[]);
    check("\u{feff}data: 1\n\n", &[("", "1")]);
    check("\u{feff}\u{feff}data: 1\n\n", &[]);
    check("data: \u{feff}1\n\n", &[("", "\u{feff}1")]);
    assert_eq!(split(&[b"\xEF\xBB", b"\ndata: 1\n\n"], 99).0, [(String::new(), "1".to_owned())]);
    assert_eq!(split(&[b"\xEF\xBB"], 99).0, []);
}

#[test]
fn too_large_events_are_skipped() {
    let long = "x".repeat(30);
    let stream = format!(
        "data: 1\n\ndata: {long}\n\n: {long}\ndata: 2\n\ndata: 12345678\ndata: 12345678\ndata: 1\n\ndata: 3\n\n"
    );
    for size in [1, 2, 7, 1000] {
        let chunks: Vec<&[u8]> = stream.as_bytes().chunks(size).collect();
        let (events, skipped) = split(&chunks, 16);
        let data: Vec<_> = events.iter().map(|(_, data)| data.as_str()).collect();
        assert_eq!((data, skipped), (vec!["1", "3"], 3), "chunks of {size}");
    }
}

#[test]
fn no_more_than_one_event_is_held() {
    let mut splitter = EventSplitter::new(1000);
    for _ in 0..1000 {
        splitter.push(&[b'x'; 100], &mut |_| {});
        assert!(splitter.line.len() <= 1000);
    }
    for _ in 0..1000 {
        splitter.push(b"\ndata: 0123456789", &mut |_| {});
        let EventData::Owned(data) = &splitter.pending.data else { continue };
        assert!(data.len() <= 1000);
    }
}

/// The WHATWG's algorithm on the whole stream at once.
fn naive(stream: &[u8]) -> Vec<Owned> {
    let text = String::from_utf8_lossy(stream).into_owned();
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let (mut name, mut data, mut events) = (String::new(), None::<String>, Vec::new());
    for line in text.split('\n').chain([""]) {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "" if line.is_empty() => {
                let name = std::mem::take(&mut name);
                events.extend(data.take().map(|data| (name, data)));
            }
            "event" => name = value.to_owned(),
            "data" => {
                data = Some(match data {
                    Some(before) => before + "\n" + value,
                    None => value.to_owned(),
                });
            }
            _ => {}
        }
    }
    events
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_chunks_give_the_same_events(
        stream in "\u{feff}?((event|data|id|x|)(: |:|)[a: é\u{feff}]{0,4}(\n|\r|\r\n|\n\n|\r\r|\r\n\r\n|)){0,12}",
        cuts in prop::collection::vec(0usize..120, 0..8),
    ) {
        let bytes = stream.as_bytes();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let chunks: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        prop_assert_eq!(split(&chunks, 1 << 20).0, naive(bytes));
        let (whole, parts) = (split(&[bytes], 6), split(&chunks, 6));
        prop_assert_eq!(whole, parts);
    }
}
