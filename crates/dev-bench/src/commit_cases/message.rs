//! Extracts questions from commit messages.

/// A reason why a commit's message makes no question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageRefusal {
    /// Too short, and no body.
    Short,
    /// Reverts another commit.
    Revert,
    /// Merges or cherry-picks branches.
    Merge,
    /// Only reformats code.
    Formatting,
    /// Changes the version, or that of a dependency.
    Bump,
    /// Moves or renames files.
    Rename,
}

/// Names of trailers, which tools add to a message.
const TRAILERS: &[&str] = &[
    "acked-by",
    "approved-by",
    "bug",
    "cc",
    "change-id",
    "closes",
    "co-authored-by",
    "fixes",
    "git-svn-id",
    "helped-by",
    "link",
    "original-commit",
    "pick",
    "pr-url",
    "ref",
    "refs",
    "related",
    "reported-by",
    "resolves",
    "reviewed-by",
    "reviewed-on",
    "see also",
    "signed-off-by",
    "suggested-by",
    "tested-by",
];

/// Words at the start of a subject, after a `type(scope):`, and the reasons to refuse it.
const STARTS: &[(&str, MessageRefusal)] = &[
    ("revert", MessageRefusal::Revert),
    ("back out", MessageRefusal::Revert),
    ("backout", MessageRefusal::Revert),
    ("merge", MessageRefusal::Merge),
    ("format", MessageRefusal::Formatting),
    ("reformat", MessageRefusal::Formatting),
    ("fmt", MessageRefusal::Formatting),
    ("rustfmt", MessageRefusal::Formatting),
    ("gofmt", MessageRefusal::Formatting),
    ("cargo fmt", MessageRefusal::Formatting),
    ("run rustfmt", MessageRefusal::Formatting),
    ("run prettier", MessageRefusal::Formatting),
    ("run black", MessageRefusal::Formatting),
    ("prettier", MessageRefusal::Formatting),
    ("clang-format", MessageRefusal::Formatting),
    ("black", MessageRefusal::Formatting),
    ("lint", MessageRefusal::Formatting),
    ("style", MessageRefusal::Formatting),
    ("whitespace", MessageRefusal::Formatting),
    ("fix whitespace", MessageRefusal::Formatting),
    ("fix formatting", MessageRefusal::Formatting),
    ("fix lint", MessageRefusal::Formatting),
    ("bump", MessageRefusal::Bump),
    ("release", MessageRefusal::Bump),
    ("prepare release", MessageRefusal::Bump),
    ("set version", MessageRefusal::Bump),
    ("version bump", MessageRefusal::Bump),
    ("upgrade dependenc", MessageRefusal::Bump),
    ("update dependenc", MessageRefusal::Bump),
    ("chore(deps", MessageRefusal::Bump),
    ("build(deps", MessageRefusal::Bump),
    ("chore(release", MessageRefusal::Bump),
    ("rename", MessageRefusal::Rename),
    ("move", MessageRefusal::Rename),
];

/// Returns the question in a message: subject and body without trailers.
///
/// # Errors
/// The reason why the message is left out; `length_min` is the least length in characters of a
/// message without a body.
pub(super) fn parse_question(message: &str, length_min: usize) -> Result<String, MessageRefusal> {
    let lines: Vec<&str> =
        message.lines().map(str::trim_end).filter(|line| !is_trailer(line)).collect();
    let text = lines.join("\n").trim().to_owned();
    let (subject, body) = text.split_once('\n').unwrap_or((&text, ""));
    if let Some(refusal) = subject_refusal(subject) {
        return Err(refusal);
    }
    if text.chars().count() < length_min && body.trim().is_empty() {
        return Err(MessageRefusal::Short);
    }
    Ok(text)
}

fn is_trailer(line: &str) -> bool {
    let line = line.trim().to_lowercase();
    let is_known = |(name, value): (&str, &str)| {
        // `fixes: the parser` is prose, `Fixes: #12` a trailer.
        let words = value.split_whitespace().count();
        TRAILERS.contains(&name) && (name.ends_with("-by") || name.ends_with("-id") || words <= 1)
    };
    line.starts_with("(cherry picked from commit") || line.split_once(':').is_some_and(is_known)
}

fn subject_refusal(subject: &str) -> Option<MessageRefusal> {
    let subject = subject.trim().to_lowercase();
    let after_type = match subject.split_once(':') {
        // `fix(parser): …`, `cli: …`; a later colon belongs to the sentence.
        Some((kind, rest)) if !kind.trim().contains(' ') => rest.trim_start(),
        _ => subject.as_str(),
    };
    let starts = |text: &str| {
        STARTS.iter().find(|(start, _)| {
            text.strip_prefix(start).is_some_and(|rest| {
                start.contains('(')
                    || start.ends_with("dependenc")
                    || !rest.starts_with(is_word_character)
            })
        })
    };
    if is_version(&subject) || is_version(after_type) {
        return Some(MessageRefusal::Bump);
    }
    starts(&subject).or_else(|| starts(after_type)).map(|(_, refusal)| *refusal)
}

/// Returns whether a subject is little more than a version: `v1.2.3`, `redis 7.0.1`,
/// `ignore-0.4.2`.
fn is_version(subject: &str) -> bool {
    let last = subject.rsplit([' ', '-']).next().unwrap_or(subject).trim_end_matches('.');
    let digits = last.strip_prefix('v').unwrap_or(last);
    let is_number = digits.contains('.')
        && digits
            .split('.')
            .all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit()));
    is_number && subject.split_whitespace().count() <= 3
}

fn is_word_character(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
