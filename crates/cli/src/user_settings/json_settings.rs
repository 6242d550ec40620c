//! Settings in JSON, converted to TOML line by line: both formats share one set of checks, and
//! errors keep the line of the JSON text.

use anyhow::bail;

use super::parse_error::line_number;

/// The byte order mark that some editors write.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Converts JSON to TOML with one table `settings`. Every line stays on its line.
///
/// # Errors
/// If the text is not a JSON object, with the line.
pub(super) fn convert_to_toml(text: &str) -> anyhow::Result<String> {
    let text = text.trim_start_matches(BYTE_ORDER_MARK);
    if text.trim().is_empty() {
        return Ok("settings = {}".to_owned());
    }
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(value) if value.is_object() => {}
        Ok(_) => bail!("line 1: settings in JSON are one object: {{ … }}"),
        Err(error) => {
            let told = error.to_string();
            let what = told.split(" at line ").next().unwrap_or_default();
            bail!("line {}: this is no JSON: {what}", error.line());
        }
    }
    let mut toml = String::with_capacity(text.len() + 16);
    toml.push_str("settings = ");
    let mut rest = text;
    let mut depth = 0;
    while let Some(sign) = rest.chars().next() {
        match sign {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            _ => {}
        }
        let schema = if depth == 1 { schema_property_length(rest) } else { None };
        let length = match sign {
            _ if let Some(length) = schema => {
                toml.extend(rest[..length].matches('\n'));
                length
            }
            '"' => convert_string(rest, &mut toml),
            'n' => {
                let line = line_number(text.as_bytes(), text.len() - rest.len());
                bail!("line {line}: null sets nothing: remove what it stands behind");
            }
            _ => {
                toml.push(match sign {
                    ':' => '=',
                    // TOML allows no carriage return without a line feed.
                    '\r' => ' ',
                    other => other,
                });
                sign.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    Ok(toml)
}

/// Returns the length of `"$schema": "…",` at the beginning of a text; `None` if the text begins
/// otherwise. The property only serves editors.
fn schema_property_length(text: &str) -> Option<usize> {
    let value = text.strip_prefix("\"$schema\"")?.trim_start().strip_prefix(':')?.trim_start();
    if !value.starts_with('"') {
        return None;
    }
    let rest = &value[convert_string(value, &mut String::new())..];
    let rest = rest.trim_start().strip_prefix(',').unwrap_or(rest);
    Some(text.len() - rest.len())
}

/// Converts the string at the beginning of a text, and returns its length there.
fn convert_string(text: &str, toml: &mut String) -> usize {
    let mut is_escaped = false;
    let end = text.char_indices().skip(1).find(|(_, sign)| {
        let is_end = *sign == '"' && !is_escaped;
        is_escaped = *sign == '\\' && !is_escaped;
        is_end
    });
    let end = end.map_or(text.len(), |(at, _)| at + 1);
    let said: String = serde_json::from_str(&text[..end]).unwrap_or_default();
    toml.push('"');
    for sign in said.chars() {
        match sign {
            '"' | '\\' => toml.extend(['\\', sign]),
            _ if sign.is_control() => toml.push_str(&format!("\\u{:04x}", u32::from(sign))),
            _ => toml.push(sign),
        }
    }
    toml.push('"');
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_and_strings_say_the_same() {
        let json =
            "{\r\n  \"a\\/b\": \"\\ud83d\\ude00 \\u007f \\\"\\\\\",\n  \"c\": [1, true, {}]\n}\n";
        let toml = convert_to_toml(json).expect("it is JSON");
        assert_eq!(toml.lines().count(), json.lines().count());
        let read: toml::Value = toml::from_str(&toml).expect("it is TOML");
        assert_eq!(read["settings"]["a/b"].as_str(), Some("\u{1f600} \u{7f} \"\\"));
        assert_eq!(read["settings"]["c"].as_array().map(Vec::len), Some(3));
        assert_eq!(convert_to_toml("\u{feff} \n").expect("nothing is set"), "settings = {}");
    }

    #[test]
    fn the_schema_for_editors_is_left_out_at_the_top_alone() {
        for (json, left) in [
            ("{\n\"$schema\"\n: \"a\\\"b,\"\n,\n\"a\": 1}", vec!["a"]),
            ("{\"a\": \"$schema\",\n\"$schema\": \"x\"\n}", vec!["a"]),
            ("{\"$schema\": \"x\"}", vec![]),
            ("{\"$schema\": 1}", vec!["$schema"]),
            (
                "{\"a\": {\"$schema\": \"x\"}, \"$schema\": \"x\", \"b\": [\"$schema\"]}",
                vec!["a", "b"],
            ),
        ] {
            let toml = convert_to_toml(json).expect("it is JSON");
            assert_eq!(toml.lines().count(), json.lines().count(), "{json}");
            let read: toml::Value = toml::from_str(&toml).expect(&toml);
            let names = read["settings"].as_table().expect("a table").keys();
            assert_eq!(names.collect::<Vec<_>>(), left, "{json}");
            let inner = json.contains("{\"a\": {");
            assert_eq!(
                read["settings"].get("a").is_some_and(|a| a.get("$schema").is_some()),
                inner
            );
        }
    }

    #[test]
    fn what_is_no_object_of_json_is_told_with_its_line() {
        for (json, told) in [
            ("{\n  \"a\": 1,\n}", "line 3: this is no JSON: trailing comma"),
            ("{\n// why\n}", "line 2: this is no JSON"),
            ("[]", "one object"),
            ("{\n\"a\":\nnull}", "line 3: null sets nothing"),
            ("{\"a\": \"\\ud83d\"}", "line 1: this is no JSON"),
        ] {
            let error = convert_to_toml(json).expect_err(json).to_string();
            assert!(error.contains(told), "{json}: {error}");
        }
    }
}
