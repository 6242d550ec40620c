//! Results that stand as a JSON document in the text of a result, as Cline sends them: its own as
//! `{"query":…,"result":…,"success":…}` or a list of these, those of MCP servers as
//! `{"content":[{"type":"text","text":…}]}`. What they say is easier to read than the document.

use serde_json::Value;

use crate::json::{self, Object};

/// What such a document says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wrapped {
    /// The texts, of which there is at least one.
    pub(crate) texts: Vec<String>,
    /// Whether everything failed that it tells of.
    pub(crate) failed: bool,
}

/// What a text says that is exactly such a document, whose results are all plain texts.
pub(crate) fn unwrapped(text: &str) -> Option<Wrapped> {
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    let parts = match serde_json::from_str(text).ok()? {
        Value::Array(parts) if !parts.is_empty() => parts,
        Value::Object(object) if object.contains_key("content") => return of_server(object),
        object @ Value::Object(_) => vec![object],
        _ => return None,
    };
    let failed = parts.iter().all(has_failed);
    let texts: Option<Vec<_>> = parts.into_iter().map(text_of).collect();
    Some(Wrapped { texts: texts?, failed })
}

/// Whether a part of a result is in Cline's own form.
pub(crate) fn is_told(part: &Value) -> bool {
    part.get("query").is_some() && (part.get("result").is_some() || part.get("error").is_some())
}

/// Whether a part says that it failed.
pub(crate) fn has_failed(part: &Value) -> bool {
    part.get("success") == Some(&Value::Bool(false))
}

/// The text of a part that is in Cline's own form: its result, or the error where that is empty.
fn text_of(part: Value) -> Option<String> {
    const MEMBERS: [&str; 4] = ["query", "result", "error", "success"];
    let Value::Object(mut part) = part else { return None };
    if json::text(&part, "query").is_none() || !has_only(&part, &MEMBERS) {
        return None;
    }
    let result = json::take_text(&mut part, "result").filter(|text| !text.is_empty());
    let is_silent = part.get("result").is_none_or(|rest| rest.as_str() == Some(""));
    match result {
        None if is_silent => json::take_text(&mut part, "error"),
        result => result,
    }
}

/// Members of a text that a server of tools answers.
const TEXT: [&str; 4] = ["type", "text", "annotations", "_meta"];

/// What a server of tools answered: texts alone.
fn of_server(mut document: Object) -> Option<Wrapped> {
    if !has_only(&document, &["content", "isError", "_meta"]) {
        return None;
    }
    let failed = json::is_true(&document, "isError");
    let parts = json::take_list(&mut document, "content").filter(|parts| !parts.is_empty())?;
    let text = |mut part: Value| {
        let is_text = json::kind_of(&part) == "text";
        let part = part.as_object_mut().filter(|part| is_text && has_only(part, &TEXT))?;
        json::take_text(part, "text")
    };
    let texts: Option<Vec<_>> = parts.into_iter().map(text).collect();
    Some(Wrapped { texts: texts?, failed })
}

fn has_only(object: &Object, members: &[&str]) -> bool {
    object.keys().all(|key| members.contains(&key.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_say_what_is_in_them() {
        let check = |text: &str, texts: &[&str], failed| {
            let texts = texts.iter().map(|text| (*text).to_owned()).collect();
            assert_eq!(unwrapped(text), Some(Wrapped { texts, failed }), "{text}");
        };
        check(r#"[{"query":"ls","result":"a\nb","success":true}]"#, &["a\nb"], false);
        check(r#"{"query":"x","result":"","error":"no","success":false}"#, &["no"], true);
        check(r#"{"query":"x","error":"no","success":false}"#, &["no"], true);
        let several = r#"[{"query":"a","result":"1","success":false},{"query":"b","result":"2"}]"#;
        check(several, &["1", "2"], false);
        let server = r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}"#;
        check(server, &["a", "b"], false);
        check(r#"{"content":[{"type":"text","text":"a"}],"isError":true}"#, &["a"], true);
        let with_more =
            r#"{"content":[{"type":"text","text":"a","annotations":{}}],"_meta":{"x":1}}"#;
        check(with_more, &["a"], false);
    }

    #[test]
    fn other_texts_say_what_they_say() {
        for text in [
            "",
            "plain",
            "[]",
            "{}",
            "[1]",
            r#"{"query":"x"}"#,
            r#"{"query":"x","result":""}"#,
            r#"{"query":"x","result":{"a":1},"error":"no"}"#,
            r#"{"query":"x","result":"a","more":1}"#,
            r#"{"query":7,"result":"a"}"#,
            r#"[{"query":"x","result":"a"},{}]"#,
            r#"{"content":[]}"#,
            r#"{"content":"a"}"#,
            r#"{"content":[{"type":"image","data":"x"}]}"#,
            r#"{"content":[{"type":"text","text":"a"}],"structuredContent":{}}"#,
            r#"[{"query":"x","result":"a"}] "and more""#,
        ] {
            assert_eq!(unwrapped(text), None, "{text}");
        }
    }
}
