use proptest::prelude::*;

use super::*;
use crate::request_body::CACHE_CONTROL_MEMBER;

/// Returns the bytes with texts in the places of strings.
fn spliced(bytes: &[u8], replaced: &[(Range<usize>, &str)]) -> Vec<u8> {
    let spelled = replaced.iter().map(|(place, text)| {
        let string = bytes.get(place.clone()).unwrap_or_default();
        let spelled = EncodedString::encode_in_place_of(string, text);
        (
            place.clone(),
            spelled.unwrap_or_else(|| EncodedString::new(text, StringEncoding::minimal(0))),
        )
    });
    splice(bytes, &spelled.collect::<Vec<_>>())
}

#[test]
fn strings_are_replaced_where_they_stand() {
    let bytes = br#"{"a":"x", "b" : "","c":"{\"d\":\"e\\n\"}"}"#;
    let place = |from: usize, to: usize| from..to;
    let inner = bytes.windows(8).position(|at| at == br#"\"e\\n\""#).expect("it is there");
    let replaced = [
        (place(5, 8), "1\n\"\u{1}\u{1f}\\"),
        (place(16, 18), "é"),
        (place(inner, inner + 8), "f\n\""),
    ];
    let spliced = spliced(bytes, &replaced);
    let spliced = String::from_utf8(spliced).expect("it is text");
    assert_eq!(spliced, r#"{"a":"1\n\"\u0001\u001f\\", "b" : "é","c":"{\"d\":\"f\\n\\\"\"}"}"#);
}

#[test]
fn places_of_no_string_are_left_alone() {
    let bytes = br#"{"a":"x","b":12}"#;
    let wrong = [(5..8, "y"), (5..8, "z"), (13..15, "1"), (14..99, "2")];
    assert_eq!(spliced(bytes, &wrong), br#"{"a":"y","b":12}"#);
}

#[test]
fn a_string_takes_no_other_ones_place() {
    let bytes = br#"["x"]"#;
    assert_eq!(
        splice(bytes, &[(1..4, EncodedString::new("y", StringEncoding::minimal(1)))]),
        bytes
    );
    assert_eq!(EncodedString::encode_in_place_of(b"12", "y"), None);
}

#[test]
fn marks_are_put_between_what_is_replaced() {
    let bytes = br#"[{"a":"x"},{"b":"y","c":1}]"#;
    let (long, empty) = (
        EncodedString::new("long", StringEncoding::minimal(0)),
        EncodedString::new("", StringEncoding::minimal(0)),
    );
    let replaced = [(6..9, &long), (16..19, &empty)];
    let spliced = splice_with_breakpoints(bytes, &replaced, &[9, 17, 25], CACHE_CONTROL_MEMBER);
    let spliced =
        String::from_utf8(spliced).expect("it is text").replace(CACHE_CONTROL_MEMBER, "^");
    assert_eq!(spliced, r#"[{"a":"long"^},{"b":"","c":1^}]"#);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_text_comes_back(text in any::<String>(), inner in any::<bool>()) {
        let (bytes, place): (&[u8], _) =
            if inner { (br#"["[\"x\"]"]"#, 3..8) } else { (br#"["x"]"#, 1..4) };
        prop_assert_eq!(EncodedString::new(&text, StringEncoding::minimal(usize::from(inner))).decode(), &*text);
        let spliced = spliced(bytes, &[(place, &text)]);
        let mut list: Vec<String> = serde_json::from_slice(&spliced).expect("it is JSON");
        if inner {
            list = serde_json::from_str(&list[0]).expect("the text is JSON");
        }
        prop_assert_eq!(list, [text]);
    }
}
