//! Files of variables, a line each.

use serde_json::{Map, Value};

use super::places::Changed;

/// What a file says: names and values.
pub(super) fn value(text: &str) -> Value {
    let lines = text.lines().filter_map(|line| {
        let (name, value) = split(line)?;
        Some((name.to_owned(), Value::from(value.trim().trim_matches(['"', '\'']))))
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
                now.push_str(&format!("{before}{wanted}{end}"));
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
