//! Files of variables, a line each.

use serde_json::{Map, Value};

use super::places::Changed;

/// What a file says: names and values.
pub(super) fn value(text: &str) -> Value {
    let lines = text.lines().filter_map(|line| {
        let (name, value) = split(line)?;
        Some((name.to_owned(), Value::from(without_comment(value).0)))
    });
    Value::Object(lines.collect::<Map<_, _>>())
}

/// The name of a line and what stands behind its sign of equality.
fn split(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=').filter(|_| !line.starts_with('#'))?;
    Some((name.trim(), value))
}

/// A value without its quotes, and the comment behind it with the blanks before.
fn without_comment(value: &str) -> (&str, &str) {
    let trimmed = value.trim_start();
    let quote = trimmed.chars().next().filter(|sign| matches!(sign, '"' | '\''));
    if let Some((inner, behind)) = quote.and_then(|quote| trimmed[1..].split_once(quote)) {
        let is_comment = behind.trim_start().starts_with('#');
        return (inner, if is_comment { behind.trim_end() } else { "" });
    }
    let at = trimmed.find(" #").unwrap_or(trimmed.len());
    let (value, comment) = trimmed.split_at(at);
    (value.trim(), comment.trim_end())
}

/// The text with these values.
pub(super) fn set(text: &str, changed: &[Changed]) -> String {
    let mut text = text.to_owned();
    for (keys, wanted) in changed {
        let name = keys.first().map(String::as_str).unwrap_or_default();
        let mut is_there = false;
        let mut now = String::with_capacity(text.len() + 64);
        for line in text.split_inclusive('\n') {
            if split(line).is_none_or(|(known, _)| known != name) {
                now.push_str(line);
                continue;
            }
            is_there = true;
            if let Some(wanted) = wanted {
                let before = &line[..=line.find('=').unwrap_or_default()];
                let end = &line[line.trim_end_matches(['\r', '\n']).len()..];
                let comment = split(line).map_or("", |(_, value)| without_comment(value).1);
                now.push_str(&format!("{before}{wanted}{comment}{end}"));
            }
        }
        if let Some(wanted) = wanted.as_ref().filter(|_| !is_there) {
            if !now.is_empty() && !now.ends_with('\n') {
                now.push('\n');
            }
            now.push_str(&format!("{name}={wanted}\n"));
        }
        text = now;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_behind_a_value_stays_behind_it() {
        let key = vec!["URL".to_owned()];
        for (line, value, now) in [
            ("URL=https://a", "https://a", "URL=b"),
            ("URL=\"https://a\" # mine", "https://a", "URL=b # mine"),
            ("export URL=https://a/#x # mine\r", "https://a/#x", "export URL=b # mine\r"),
            ("URL='a # b'", "a # b", "URL=b"),
            ("URL=", "", "URL=b"),
        ] {
            assert_eq!(super::value(line)["URL"], value, "{line}");
            assert_eq!(set(line, &[(key.clone(), Some("b".into()))]), now, "{line}");
        }
    }
}
