//! Secrets in string literals of JSON and programs, with escaped line feeds and quotes.

use foveal_redaction::redact;

use crate::generated_values::{Chance, Text};
use crate::rates::PARTS;

/// The number of misjudged forms in strings that is accepted.
const WRONG_MAX: usize = 5;

fn stored(text: &str) -> String {
    let bytes = redact(text.as_bytes()).map_or_else(|| text.into(), |redacted| redacted.bytes);
    String::from_utf8(bytes).expect("it stays text")
}

/// Escapes a text as in a JSON string.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for sign in text.chars() {
        match sign {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            sign => escaped.push(sign),
        }
    }
    escaped
}

/// Returns the text in a string, between other lines.
fn in_a_string(text: &str) -> String {
    format!("{{\"a\":1,\"content\":\"{}\",\"b\":2}}", escaped(&format!("first\n{text}\nlast\n")))
}

#[test]
fn escapes_hide_no_secret() {
    for seed in 0..5 {
        let mut chance = Chance(seed);
        let (mut in_clear, mut removed) = (Vec::new(), Vec::new());
        for (_, planted, harmless) in PARTS {
            for form in planted {
                let Text { text, secrets } = chance.text(form);
                let kept = stored(&in_a_string(&text));
                let plain = stored(&text);
                if secrets.iter().any(|secret| plain.contains(secret.as_str())) {
                    // Unknown with or without escapes.
                    continue;
                }
                if secrets.iter().any(|secret| kept.contains(&escaped(secret))) {
                    in_clear.push(format!("{form} | {kept}"));
                }
            }
            for form in harmless {
                let Text { text, .. } = chance.text(form);
                let whole = in_a_string(&text);
                let kept = stored(&whole);
                if kept != whole {
                    removed.push(format!("{form} | {kept}"));
                }
            }
        }
        assert!(in_clear.len() <= WRONG_MAX, "{seed}: {} {in_clear:#?}", in_clear.len());
        assert!(removed.len() <= WRONG_MAX, "{seed}: {} {removed:#?}", removed.len());
    }
}

#[test]
fn strings_are_read_as_what_they_mean() {
    let note = "[secret removed: password]";
    for (text, expected) in [
        (
            r#"{"a":"X=1\r\nDB_PASS=falcon57!a\r\nY=2"}"#,
            format!(r#"{{"a":"X=1\r\nDB_PASS={note}\r\nY=2"}}"#),
        ),
        // A string in a string.
        (
            r#"{"a":"{\"b\":\"X=1\\nDB_PASS=falcon57!a\\nY=2\"}"}"#,
            format!(r#"{{"a":"{{\"b\":\"X=1\\nDB_PASS={note}\\nY=2\"}}"}}"#),
        ),
        (r#"{"a":"DB_PASS\u003dfalcon57!a"}"#, format!(r#"{{"a":"DB_PASS\u003d{note}"}}"#)),
        (
            r#"{"a":"postgres:\/\/app:falcon57!a@db.example\/app"}"#,
            r#"{"a":"postgres:\/\/app:[secret removed: password in an address]@db.example\/app"}"#
                .to_owned(),
        ),
        (
            "printf 'user=me\\ntoken: falcon57!a\\nb' >x",
            format!("printf 'user=me\\ntoken: {note}\\nb' >x"),
        ),
    ] {
        assert_eq!(stored(text), expected);
    }
    for harmless in [
        "println!(\"{a}\\n\\tpassword: {b}\\n\");",
        "\"token\\nparser\\nsecret\\n\"",
        "s/\\/usr\\/local/\\/opt/; C:\\new\\users\\token",
        "\\",
        "\"\\",
        "\\u00",
    ] {
        assert_eq!(stored(harmless), harmless);
    }
}
