//! What a refusal says: which rule refuses, and which lines in which file would allow it.

use std::path::Path;

use super::access::Access;
use super::rule::Rule;

/// What the file of rules is called where nobody said where it is.
const USUAL_FILE: &str = "foveal/config.toml";

/// Longest subject that is written out as a rule; a longer one is cut in a message.
const SUBJECT_BYTES_MAX: usize = 240;

/// That the rule at `number`, from 0, forbids an access, and how to allow it.
pub(crate) fn forbidden(
    access: &Access<'_>,
    decided: Option<(usize, &Rule)>,
    file: Option<&Path>,
) -> String {
    format!("{}; {}", forbidden_by(decided), allowing(access, file, "put at the end of"))
}

/// That the rule at `number`, from 0, forbids something.
pub(crate) fn forbidden_by(decided: Option<(usize, &Rule)>) -> String {
    let by = decided.map(|(number, rule)| {
        let place = number + 1;
        format!(" (no. {place}: {} {})", quoted(&rule.tool), quoted(&rule.subject))
    });
    format!("a permission rule forbids it{}", by.unwrap_or_default())
}

/// A rule, by its place from 0, in words.
pub(crate) fn rule_in_words(number: usize, rule: &Rule) -> String {
    let place = number + 1;
    format!("permission rule {place} ({} {})", quoted(&rule.tool), quoted(&rule.subject))
}

/// That an access needs an approval that nobody can give here, and how to allow it.
pub(crate) fn unanswered(access: &Access<'_>, file: Option<&Path>) -> String {
    format!(
        "it needs the user's word, and there is nobody to ask here; {}",
        allowing(access, file, "add to")
    )
}

/// The lines that allow an access.
fn allowing(access: &Access<'_>, file: Option<&Path>, verb: &str) -> String {
    let shown = shown(file);
    let Access { tool, subject, .. } = *access;
    let is_long = subject.len() > SUBJECT_BYTES_MAX;
    let subject = if subject.is_empty() { "*" } else { subject };
    let (tool, subject) = (quoted(tool), quoted(subject));
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

/// The file of rules, as it is named to a person.
fn shown(file: Option<&Path>) -> String {
    file.map_or_else(|| USUAL_FILE.to_owned(), |file| file.display().to_string())
}

/// Whether what is to be added to a file is JSON.
fn is_json(file: Option<&Path>) -> bool {
    file.and_then(Path::extension).is_some_and(|end| end == "json")
}

/// A text as TOML has it, which takes JSON's texts.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The line that lets pages of a private `host` be fetched.
pub(crate) fn private_host(host: &str, file: Option<&Path>) -> String {
    let (shown, host) = (shown(file), quoted(host));
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
        let access = Access::of("bash", "echo \"a\"");
        let long = "a".repeat(SUBJECT_BYTES_MAX + 1);
        for (file, is_json) in [
            (Some(Path::new("/h/foveal/config.json")), true),
            (Some(Path::new("/h/foveal/config.toml")), false),
            (None, false),
        ] {
            let name = file.map_or(USUAL_FILE, |file| file.to_str().expect("a text"));
            let texts = [
                forbidden(&access, None, file),
                unanswered(&access, file),
                forbidden(&Access::of("bash", &long), None, file),
                private_host("localhost:3000", file),
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
