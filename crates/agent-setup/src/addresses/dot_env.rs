//! Reads and edits files of environment variables, one on each line.

use serde_json::{Map, Value};

use super::address_entries::AddressChange;

/// Parses a file into names and values.
pub(super) fn parse_variables(text: &str) -> Value {
    let lines = text.lines().filter_map(|line| {
        let (name, value) = split_variable(line)?;
        Some((name.to_owned(), Value::from(split_comment(value).0)))
    });
    Value::Object(lines.collect::<Map<_, _>>())
}

/// Splits a line into the name and the text behind the equals sign.
fn split_variable(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=').filter(|_| !line.starts_with('#'))?;
    Some((name.trim(), value))
}

/// Returns a value without quotes, and the comment behind it with the blanks before it.
fn split_comment(value: &str) -> (&str, &str) {
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

/// Returns the text with these variables set or removed.
pub(super) fn set_variables(text: &str, changed: &[AddressChange]) -> String {
    let mut text = text.to_owned();
    for (keys, wanted) in changed {
        let name = keys.first().map(String::as_str).unwrap_or_default();
        let mut is_there = false;
        let mut now = String::with_capacity(text.len() + 64);
        for line in text.split_inclusive('\n') {
            if split_variable(line).is_none_or(|(known, _)| known != name) {
                now.push_str(line);
                continue;
            }
            is_there = true;
            if let Some(wanted) = wanted {
                let before = &line[..=line.find('=').unwrap_or_default()];
                let end = &line[line.trim_end_matches(['\r', '\n']).len()..];
                let comment = split_variable(line).map_or("", |(_, value)| split_comment(value).1);
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
            assert_eq!(super::parse_variables(line)["URL"], value, "{line}");
            assert_eq!(set_variables(line, &[(key.clone(), Some("b".into()))]), now, "{line}");
        }
    }
}
