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

/// That an access needs an approval that nobody can give here, and how to allow it.
pub(crate) fn unanswered(access: &Access<'_>, file: Option<&Path>) -> String {
    format!(
        "it needs the user's word, and there is nobody to ask here; {}",
        allowing(access, file, "add to")
    )
}

/// The lines that allow an access.
fn allowing(access: &Access<'_>, file: Option<&Path>, verb: &str) -> String {
    let file = file.map_or_else(|| USUAL_FILE.to_owned(), |file| file.display().to_string());
    let Access { tool, subject, .. } = *access;
    if subject.len() > SUBJECT_BYTES_MAX {
        return format!("to allow it, the user can {verb} `{file}` a [[permissions]] rule");
    }
    let subject = if subject.is_empty() { "*" } else { subject };
    format!(
        "to allow it, the user can {verb} `{file}`:\n[[permissions]]\ntool = {}\nsubject = {}\n\
         verdict = \"allow\"",
        quoted(tool),
        quoted(subject)
    )
}

/// A text as TOML has it, which takes JSON's texts.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The line that lets pages of a private `host` be fetched.
pub(crate) fn private_host(host: &str, file: Option<&Path>) -> String {
    let file = file.map_or_else(|| USUAL_FILE.to_owned(), |file| file.display().to_string());
    format!("in `{file}`:\n[web]\nprivate_hosts = [{}]", quoted(host))
}
