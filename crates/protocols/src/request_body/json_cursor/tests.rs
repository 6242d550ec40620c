use super::*;

fn skipped(text: &str) -> Result<&str, BodyError> {
    JsonCursor::new(text.as_bytes(), 0).skip_value().map(|place| &text[place])
}

#[test]
fn values_end_where_they_end() {
    for (text, value) in [
        ("12, 3", "12"),
        (" -0.0e+3}", "-0.0e+3"),
        ("true ,", "true"),
        (r#""a\"b\\" , "c""#, r#""a\"b\\""#),
        (r#""\\\\""#, r#""\\\\""#),
        (r#"[{"]":"}"},[]] ]"#, r#"[{"]":"}"},[]]"#),
    ] {
        assert_eq!(skipped(text).expect("it is a value"), value);
    }
}

#[test]
fn what_is_broken_is_refused() {
    for text in ["", "  ", "\"a", r#""\""#, "[1", "{]", "[}", ",", "}", r#"{"a":"b}"#] {
        assert!(skipped(text).is_err(), "{text}");
    }
}

#[test]
fn brackets_are_read_to_a_bound() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(skipped(&nested(DEPTH_MAX)).is_ok());
    assert!(matches!(
        skipped(&nested(DEPTH_MAX + 1)),
        Err(BodyError::TooDeep { at: DEPTH_MAX, .. })
    ));
}

#[test]
fn names_are_compared_without_their_escapes() {
    let mut names = Vec::new();
    let text = br#"{"a\u0062":1, "\ud800": 2,"c" : {}}"#;
    let place = JsonCursor::new(text, 0).for_each_member(|cursor, key| {
        names.push(String::from_utf8_lossy(&key.name()).into_owned());
        cursor.skip_value().map(drop)
    });
    assert_eq!(place.expect("it is an object"), 0..text.len());
    assert_eq!(names, ["ab", "\\ud800", "c"]);
}
