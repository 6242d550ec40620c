//! Results that are a JSON document in the text of a result, as Cline sends them: its own as
//! `{"query":…,"result":…,"success":…}` or a list of these, and those of MCP servers as
//! `{"content":[{"type":"text","text":…}]}`. The texts are easier to read than the document.

use serde_json::Value;

use crate::json::{self, JsonObject};

/// The content of such a document.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WrappedResult {
    /// The texts, at least one.
    pub(crate) texts: Vec<String>,
    /// Whether all of its parts failed.
    pub(crate) is_failed: bool,
}

/// Parses a text that is exactly such a document and whose results are all plain texts.
pub(crate) fn parse_wrapped_result(text: &str) -> Option<WrappedResult> {
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    let parts = match serde_json::from_str(text).ok()? {
        Value::Array(parts) if !parts.is_empty() => parts,
        Value::Object(object) if object.contains_key("content") => return parse_mcp_result(object),
        object @ Value::Object(_) => vec![object],
        _ => return None,
    };
    let failed = parts.iter().all(has_failed);
    let texts: Option<Vec<_>> = parts.into_iter().map(cline_result_text).collect();
    Some(WrappedResult { texts: texts?, is_failed: failed })
}

/// Returns whether a part of a result is in Cline's own form.
pub fn is_cline_result(part: &Value) -> bool {
    part.get("query").is_some() && (part.get("result").is_some() || part.get("error").is_some())
}

/// Returns whether a part is marked as failed.
pub fn has_failed(part: &Value) -> bool {
    part.get("success") == Some(&Value::Bool(false))
}

/// Returns the text of a part in Cline's own form: the result, or the error if the result is empty.
fn cline_result_text(part: Value) -> Option<String> {
    const MEMBERS: [&str; 4] = ["query", "result", "error", "success"];
    let Value::Object(mut part) = part else { return None };
    if json::get_text(&part, "query").is_none() || !has_only_members(&part, &MEMBERS) {
        return None;
    }
    let result = json::take_text(&mut part, "result").filter(|text| !text.is_empty());
    let is_silent = part.get("result").is_none_or(|rest| rest.as_str() == Some(""));
    match result {
        None if is_silent => json::take_text(&mut part, "error"),
        result => result,
    }
}

/// Members of a text part of an MCP server's result.
const MCP_TEXT_MEMBERS: [&str; 4] = ["type", "text", "annotations", "_meta"];

/// Parses the result of an MCP server that consists of texts only.
fn parse_mcp_result(mut document: JsonObject) -> Option<WrappedResult> {
    if !has_only_members(&document, &["content", "isError", "_meta"]) {
        return None;
    }
    let failed = json::is_true(&document, "isError");
    let parts = json::take_list(&mut document, "content").filter(|parts| !parts.is_empty())?;
    let text = |mut part: Value| {
        let is_text = json::part_type(&part) == "text";
        let part = part
            .as_object_mut()
            .filter(|part| is_text && has_only_members(part, &MCP_TEXT_MEMBERS))?;
        json::take_text(part, "text")
    };
    let texts: Option<Vec<_>> = parts.into_iter().map(text).collect();
    Some(WrappedResult { texts: texts?, is_failed: failed })
}

fn has_only_members(object: &JsonObject, members: &[&str]) -> bool {
    object.keys().all(|key| members.contains(&key.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_say_what_is_in_them() {
        let check = |text: &str, texts: &[&str], failed| {
            let texts = texts.iter().map(|text| (*text).to_owned()).collect();
            assert_eq!(
                parse_wrapped_result(text),
                Some(WrappedResult { texts, is_failed: failed }),
                "{text}"
            );
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
            assert_eq!(parse_wrapped_result(text), None, "{text}");
        }
    }
}
