//! Parsing of call arguments as models write them: mostly JSON.

use serde_json::Value;

use crate::json::JsonObject;

/// Parses the arguments that a model wrote as `text`. Returns an object, or the text itself if it
/// is not clear which object is meant.
///
/// Repairs faults that can have only one meaning: no text for no arguments, a Markdown fence around
/// the object, the object as a JSON string, a trailing comma, raw line breaks and tabs inside of
/// strings, `True`, `False` and `None`, surplus brackets at the end, and an empty object in front.
/// A missing end is not repaired, since any amount may be missing.
pub fn parse_call_arguments(text: &str) -> Value {
    let as_written = || Value::String(text.to_owned());
    let bare = strip_fence(text.trim());
    if bare.is_empty() {
        return Value::Object(JsonObject::new());
    }
    match serde_json::from_str::<Value>(bare) {
        Ok(object @ Value::Object(_)) => object,
        Ok(Value::String(inner)) => parse_object(&inner).unwrap_or_else(as_written),
        Ok(_) => as_written(),
        Err(_) => parse_object(&repair_json(bare)).unwrap_or_else(as_written),
    }
}

/// Parses a text as an object that only surplus brackets may follow; an empty object may stand in
/// front of it.
fn parse_object(text: &str) -> Option<Value> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let first = values.next()?.ok()?;
    let rest = text[values.byte_offset()..].trim();
    if !first.is_object() {
        return None;
    }
    if rest.chars().all(|sign| matches!(sign, '}' | ']') || sign.is_whitespace()) {
        return Some(first);
    }
    let is_empty = first.as_object().is_some_and(JsonObject::is_empty);
    let second = serde_json::from_str::<Value>(rest).ok().filter(Value::is_object);
    second.filter(|_| is_empty)
}

/// Returns the text without a Markdown fence around it.
fn strip_fence(text: &str) -> &str {
    let inner = text.strip_prefix("```").and_then(|text| text.strip_suffix("```"));
    let Some(inner) = inner else { return text };
    // The language follows the opening fence on its line.
    let (first, rest) = inner.split_once('\n').unwrap_or(("", inner));
    match first.trim().chars().all(|sign| sign.is_ascii_alphanumeric()) {
        true => rest.trim(),
        false => inner.trim(),
    }
}

/// Returns JSON for a text that is nearly JSON.
fn repair_json(text: &str) -> String {
    let mut spelled = String::with_capacity(text.len() + 16);
    let mut rest = text;
    let (mut in_string, mut is_escaped) = (false, false);
    while let Some(sign) = rest.chars().next() {
        let behind = &rest[sign.len_utf8()..];
        if in_string {
            match sign {
                '\n' => spelled.push_str("\\n"),
                '\r' => spelled.push_str("\\r"),
                '\t' => spelled.push_str("\\t"),
                sign => spelled.push(sign),
            }
            in_string = sign != '"' || is_escaped;
            is_escaped = sign == '\\' && !is_escaped;
            rest = behind;
            continue;
        }
        if let Some((written, meant)) =
            PYTHON_LITERALS.iter().find(|(word, _)| starts_with_literal(rest, word))
        {
            spelled.push_str(meant);
            rest = &rest[written.len()..];
            continue;
        }
        let is_last = sign == ',' && behind.trim_start().starts_with(['}', ']']);
        if !is_last {
            spelled.push(sign);
        }
        (in_string, is_escaped) = (sign == '"', false);
        rest = behind;
    }
    spelled
}

/// Python's literals and their JSON forms.
const PYTHON_LITERALS: [(&str, &str); 3] = [("True", "true"), ("False", "false"), ("None", "null")];

/// Returns whether a text begins with a word that ends there.
fn starts_with_literal(text: &str, word: &str) -> bool {
    let behind = text.strip_prefix(word);
    behind.is_some_and(|behind| !behind.starts_with(|sign: char| sign.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::parse_call_arguments;

    #[test]
    fn what_can_mean_one_thing_only_is_put_right() {
        let meant = json!({"path": "a.rs", "all": true});
        for text in [
            r#"{"path":"a.rs","all":true}"#,
            "\n {\"path\": \"a.rs\", \"all\": true} ",
            "```json\n{\"path\":\"a.rs\",\"all\":true}\n```",
            "```\n{\"path\":\"a.rs\",\"all\":true}```",
            r#""{\"path\":\"a.rs\",\"all\":true}""#,
            r#"{"path":"a.rs","all":true,}"#,
            "{\"path\":\"a.rs\",\"all\":true ,\n }",
            r#"{"path":"a.rs","all":True}"#,
            r#"{"path":"a.rs","all":true}}"#,
            r#"{"path":"a.rs","all":true}]}"#,
            r#"{}{"path":"a.rs","all":true}"#,
        ] {
            assert_eq!(parse_call_arguments(text), meant, "{text}");
        }
        assert_eq!(parse_call_arguments(" \n"), json!({}));
        assert_eq!(parse_call_arguments("{}"), json!({}));
        assert_eq!(
            parse_call_arguments("{\"text\":\"a\n\tb, }None \\\"\",\"none\":None,\"list\":[1,],}"),
            json!({"text": "a\n\tb, }None \"", "none": null, "list": [1]})
        );
    }

    #[test]
    fn what_may_mean_several_things_stays_as_it_is() {
        for text in [
            r#"{"path":"a.rs","content":"half a"#,
            r#"{"path":"a.rs","#,
            r#"{"path":"a.rs""#,
            r#"{"a":1}{"b":2}"#,
            r#"{"a":1} and so on"#,
            r#"{path:"a.rs"}"#,
            r#"{'path':'a.rs'}"#,
            r#"{"a":Truely}"#,
            "[1]",
            "7",
            "null",
            r#""words""#,
            r#""{\"a\":""#,
            "{}[]x",
        ] {
            assert_eq!(parse_call_arguments(text), Value::String(text.to_owned()), "{text}");
        }
    }
}
