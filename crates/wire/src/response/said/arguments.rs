//! Arguments of calls as models spell them: JSON, mostly.

use serde_json::Value;

use crate::json::Object;

/// The arguments that a model spelled as `text`: an object, or the text itself where it is not
/// clear which object is meant.
///
/// Put right is what can mean one thing only: nothing at all for no arguments, a fence of Markdown
/// around the object, the object as a JSON string, a comma behind the last element, line breaks and
/// tabs as they are inside of strings, `True`, `False` and `None`, brackets too many at the end,
/// and an empty object in front. What is missing at the end is not made up: it may be any amount.
pub fn read_arguments(text: &str) -> Value {
    let as_written = || Value::String(text.to_owned());
    let bare = without_fence(text.trim());
    if bare.is_empty() {
        return Value::Object(Object::new());
    }
    match serde_json::from_str::<Value>(bare) {
        Ok(object @ Value::Object(_)) => object,
        Ok(Value::String(inner)) => object(&inner).unwrap_or_else(as_written),
        Ok(_) => as_written(),
        Err(_) => object(&respelled(bare)).unwrap_or_else(as_written),
    }
}

/// The object that a text is, with nothing behind it that could mean anything.
fn object(text: &str) -> Option<Value> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let first = values.next()?.ok()?;
    let rest = text[values.byte_offset()..].trim();
    if !first.is_object() {
        return None;
    }
    if rest.chars().all(|sign| matches!(sign, '}' | ']') || sign.is_whitespace()) {
        return Some(first);
    }
    let is_empty = first.as_object().is_some_and(Object::is_empty);
    let second = serde_json::from_str::<Value>(rest).ok().filter(Value::is_object);
    second.filter(|_| is_empty)
}

/// A text without a fence of Markdown around it.
fn without_fence(text: &str) -> &str {
    let inner = text.strip_prefix("```").and_then(|text| text.strip_suffix("```"));
    let Some(inner) = inner else { return text };
    // The language stands behind the fence, on its line.
    let (first, rest) = inner.split_once('\n').unwrap_or(("", inner));
    match first.trim().chars().all(|sign| sign.is_ascii_alphanumeric()) {
        true => rest.trim(),
        false => inner.trim(),
    }
}

/// JSON in place of what is nearly that.
fn respelled(text: &str) -> String {
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
        if let Some((written, meant)) = WORDS.iter().find(|(word, _)| starts_word(rest, word)) {
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

/// Words of Python, and those of JSON.
const WORDS: [(&str, &str); 3] = [("True", "true"), ("False", "false"), ("None", "null")];

/// Whether a text begins with a word that ends there.
fn starts_word(text: &str, word: &str) -> bool {
    let behind = text.strip_prefix(word);
    behind.is_some_and(|behind| !behind.starts_with(|sign: char| sign.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::read_arguments;

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
            assert_eq!(read_arguments(text), meant, "{text}");
        }
        assert_eq!(read_arguments(" \n"), json!({}));
        assert_eq!(read_arguments("{}"), json!({}));
        assert_eq!(
            read_arguments("{\"text\":\"a\n\tb, }None \\\"\",\"none\":None,\"list\":[1,],}"),
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
            assert_eq!(read_arguments(text), Value::String(text.to_owned()), "{text}");
        }
    }
}
