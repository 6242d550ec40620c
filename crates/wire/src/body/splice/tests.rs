use proptest::prelude::*;

use super::*;

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
    let spliced = splice(bytes, &replaced);
    let spliced = String::from_utf8(spliced).expect("it is text");
    assert_eq!(spliced, r#"{"a":"1\n\"\u0001\u001f\\", "b" : "é","c":"{\"d\":\"f\\n\\\"\"}"}"#);
}

#[test]
fn places_of_no_string_are_left_alone() {
    let bytes = br#"{"a":"x","b":12}"#;
    let wrong = [(5..8, "y"), (5..8, "z"), (13..15, "1"), (14..99, "2")];
    assert_eq!(splice(bytes, &wrong), br#"{"a":"y","b":12}"#);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_text_comes_back(text in any::<String>(), inner in any::<bool>()) {
        let (bytes, place): (&[u8], _) =
            if inner { (br#"["[\"x\"]"]"#, 3..8) } else { (br#"["x"]"#, 1..4) };
        let spliced = splice(bytes, &[(place, &text)]);
        let mut list: Vec<String> = serde_json::from_slice(&spliced).expect("it is JSON");
        if inner {
            list = serde_json::from_str(&list[0]).expect("the text is JSON");
        }
        prop_assert_eq!(list, [text]);
    }
}
