//! The text of refusals: the rule that refuses, and the lines that would allow the access.

use std::path::Path;

use super::access::Access;
use super::rule::PermissionRule;

/// The name of the rules file in messages, if the file is not known.
const DEFAULT_RULES_FILE: &str = "foveal/config.toml";

/// The longest subject, in bytes, that a message quotes as a rule.
const SUBJECT_BYTES_MAX: usize = 240;

/// Returns the message that the rule at index `number` forbids an access, with the way to allow it.
pub(crate) fn forbidden_message(
    access: &Access<'_>,
    decided: Option<(usize, &PermissionRule)>,
    file: Option<&Path>,
) -> String {
    format!(
        "{}; {}",
        forbidding_rule_message(decided),
        allow_instructions(access, file, "put at the end of")
    )
}

/// Returns the message that the rule at index `number` forbids an access.
pub(crate) fn forbidding_rule_message(decided: Option<(usize, &PermissionRule)>) -> String {
    let by = decided.map(|(number, rule)| {
        let place = number + 1;
        format!(" (no. {place}: {} {})", quote(&rule.tool), quote(&rule.subject))
    });
    format!("a permission rule forbids it{}", by.unwrap_or_default())
}

/// Describes the rule at index `number`.
pub(crate) fn describe_rule(number: usize, rule: &PermissionRule) -> String {
    let place = number + 1;
    format!("permission rule {place} ({} {})", quote(&rule.tool), quote(&rule.subject))
}

/// Returns the message that an access needs an approval which no user can give here, with the way
/// to allow it.
pub(crate) fn unanswered_message(access: &Access<'_>, file: Option<&Path>) -> String {
    format!(
        "it needs the user's permission, and foveal cannot ask here; {}",
        allow_instructions(access, file, "add to")
    )
}

/// Returns the lines that allow an access, with the place to put them.
fn allow_instructions(access: &Access<'_>, file: Option<&Path>, verb: &str) -> String {
    let shown = rules_file_name(file);
    let Access { tool, subject, .. } = *access;
    let is_long = subject.len() > SUBJECT_BYTES_MAX;
    let subject = if subject.is_empty() { "*" } else { subject };
    let (tool, subject) = (quote(tool), quote(subject));
    let lead = "to allow it, the user can";
    match (is_json(file), is_long) {
        (false, true) => format!("{lead} {verb} `{shown}` a [[permissions]] rule"),
        (true, true) => format!("{lead} {verb} the list \"permissions\" in `{shown}` a rule"),
        (false, false) => format!(
            "{lead} {verb} `{shown}`:\n[[permissions]]\ntool = {tool}\nsubject = {subject}\n\
             verdict = \"allow\""
        ),
        (true, false) => format!(
            "{lead} {verb} the list \"permissions\" in `{shown}`:\n\
             {{\"tool\": {tool}, \"subject\": {subject}, \"verdict\": \"allow\"}}"
        ),
    }
}

/// Returns the rules file as messages name it.
fn rules_file_name(file: Option<&Path>) -> String {
    file.map_or_else(|| DEFAULT_RULES_FILE.to_owned(), |file| file.display().to_string())
}

/// Returns whether the rules file is JSON.
fn is_json(file: Option<&Path>) -> bool {
    file.and_then(Path::extension).is_some_and(|end| end == "json")
}

/// Quotes a text as a JSON string, which is valid in TOML too.
pub(crate) fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Returns the setting that allows pages of a private `host` to be fetched.
pub(crate) fn private_host_setting(host: &str, file: Option<&Path>) -> String {
    let (shown, host) = (rules_file_name(file), quote(host));
    match is_json(file) {
        true => format!("in `{shown}`:\n\"web\": {{\"private_hosts\": [{host}]}}"),
        false => format!("in `{shown}`:\n[web]\nprivate_hosts = [{host}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_to_be_added_is_written_as_its_file_is() {
        let access = Access::new("bash", "echo \"a\"");
        let long = "a".repeat(SUBJECT_BYTES_MAX + 1);
        for (file, is_json) in [
            (Some(Path::new("/h/foveal/config.json")), true),
            (Some(Path::new("/h/foveal/config.toml")), false),
            (None, false),
        ] {
            let name = file.map_or(DEFAULT_RULES_FILE, |file| file.to_str().expect("a text"));
            let texts = [
                forbidden_message(&access, None, file),
                unanswered_message(&access, file),
                forbidden_message(&Access::new("bash", &long), None, file),
                private_host_setting("localhost:3000", file),
            ];
            for text in &texts {
                assert!(text.contains(&format!("`{name}`")), "{text}");
                assert_eq!(text.contains("[[permissions]]"), !is_json && *text != texts[3]);
            }
            let [rule, unanswered, _, host] = texts.map(|text| match text.split_once(":\n") {
                Some((_, added)) => added.to_owned(),
                None => String::new(),
            });
            assert_eq!(rule, unanswered);
            if !is_json {
                assert!(rule.starts_with("[[permissions]]\ntool = \"bash\"\n"), "{rule}");
                assert_eq!(host, "[web]\nprivate_hosts = [\"localhost:3000\"]");
                continue;
            }
            let rule: serde_json::Value = serde_json::from_str(&rule).expect("an object");
            let meant = ["bash", "echo \"a\"", "allow"];
            assert_eq!(["tool", "subject", "verdict"].map(|name| &rule[name]), meant);
            let all: serde_json::Value = serde_json::from_str(&format!("{{{host}}}")).expect(&host);
            assert_eq!(all["web"]["private_hosts"][0], "localhost:3000");
        }
    }
}
