//! Who may do what: rules as data, and what the person said before.

mod command;

use std::borrow::Cow;
use std::collections::BTreeSet;

use globset::Glob;
use serde::{Deserialize, Serialize};

/// What a rule says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It may be done.
    Allow,
    /// The person is asked.
    Ask,
    /// It may not be done.
    Deny,
}

/// What a call is about to touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access<'a> {
    /// The tool.
    pub tool: &'static str,
    /// The path, command or address.
    pub subject: &'a str,
    /// What makes it more than the tool's everyday work ("may hold secrets"), if anything does.
    pub concern: Option<&'a str>,
    /// Whether the subject is a command line, or text that a shell may be given.
    pub is_command: bool,
}

impl<'a> Access<'a> {
    /// An access without a concern, to anything but a command.
    pub fn of(tool: &'static str, subject: &'a str) -> Self {
        Self { tool, subject, concern: None, is_command: false }
    }
}

/// What a call asks permission for: each tool says it of its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asks<'a> {
    /// For being made, and nothing else.
    Itself,
    /// For running a command, or for typing what may be one.
    Command(&'a str),
    /// For an address, a query, a handle: word for word.
    Text(Cow<'a, str>),
    /// For files and folders, all of them; for itself, if there are none.
    Paths(Vec<&'a str>),
    /// For files, for each of which a call of its own is made to the tool of this name.
    Calls(&'static str, Vec<&'a str>),
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Glob over the tool's name.
    pub tool: String,
    /// Glob over the path, address or command; `*` stands for `/` as well. Of a command line,
    /// each command and each redirection to a file (`> file`) is matched by itself.
    pub subject: String,
    /// What it says.
    pub verdict: Verdict,
}

/// Rules in order; the last that matches counts. Accesses with a concern are asked about where no
/// rule names their subject in more than wildcards.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Policy {
    /// The rules.
    pub rules: Vec<Rule>,
}

impl Policy {
    /// What the rules say of an access. Without rules, everything is allowed but accesses with a
    /// concern.
    pub fn verdict(&self, access: &Access<'_>) -> Verdict {
        if access.is_command {
            return command::verdict(&self.rules, access);
        }
        let matching = self.rules.iter().rev().find(|rule| {
            // A rule for everything in a folder was not made with secrets in mind.
            (access.concern.is_none()
                || names_files(&rule.subject)
                || rule.verdict == Verdict::Deny)
                && matches(&rule.tool, access.tool)
                && matches(&rule.subject, access.subject)
        });
        match (matching, access.concern) {
            (Some(rule), _) => rule.verdict,
            (None, Some(_)) => Verdict::Ask,
            (None, None) => Verdict::Allow,
        }
    }
}

/// Whether a glob says more than wildcards of the last part of a path, or of a hidden folder
/// above it. Of several folders in braces that is not told.
fn names_files(glob: &str) -> bool {
    let is_named = |part: &str| {
        let mut is_class = false;
        part.chars().any(|letter| {
            match letter {
                '[' => is_class = true,
                ']' => is_class = false,
                _ => {}
            }
            !is_class && letter.is_alphanumeric()
        })
    };
    let mut parts = glob.rsplit('/');
    let last = parts.next().unwrap_or_default();
    let is_hidden = |part: &str| part.starts_with('.') && is_named(part);
    let is_last = match last.split_once('{') {
        Some((before, choices)) => {
            is_named(before) || choices.trim_end_matches('}').split(',').all(is_named)
        }
        None => is_named(last) && !last.contains('}'),
    };
    let has_folders = glob.rfind('/').is_some_and(|at| glob[..at].contains('{'));
    !has_folders && (is_last || parts.any(is_hidden))
}

/// Whether a glob matches the whole text; what is no glob matches itself alone.
fn matches(glob: &str, text: &str) -> bool {
    // Most rules name a tool, or all: what has no wildcards, or nothing else, need not be compiled.
    let is_pattern = || glob.contains(['*', '?', '[', '{', '\\']);
    glob == text
        || glob == "*"
        || (is_pattern() && Glob::new(glob).is_ok_and(|glob| glob.compile_matcher().is_match(text)))
}

/// What the person granted: tool and subject, word for word.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Grants(BTreeSet<(String, String)>);

impl Grants {
    /// Whether this was granted before.
    pub fn hold(&self, access: &Access<'_>) -> bool {
        self.0.contains(&(access.tool.to_owned(), access.subject.to_owned()))
    }

    /// Remembers a grant.
    pub fn add(&mut self, access: &Access<'_>) {
        self.0.insert((access.tool.to_owned(), access.subject.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rules: &[(&str, &str, Verdict)], access: (&'static str, &str, bool), said: Verdict) {
        let rule = |(tool, subject, verdict): &(&str, &str, Verdict)| Rule {
            tool: (*tool).to_owned(),
            subject: (*subject).to_owned(),
            verdict: *verdict,
        };
        let policy = Policy { rules: rules.iter().map(rule).collect() };
        let (tool, subject, has_concern) = access;
        let concern = has_concern.then_some("may hold secrets");
        let access = Access { concern, ..Access::of(tool, subject) };
        assert_eq!(policy.verdict(&access), said, "{rules:?} {access:?}");
    }

    #[test]
    fn the_last_rule_that_matches_counts() {
        use Verdict::{Allow, Ask, Deny};
        let rules = [("*", "*", Ask), ("read_*", "src/*", Allow), ("read_file", "src/a*", Deny)];
        check(&rules, ("read_file", "src/b/c.rs", false), Allow);
        check(&rules, ("read_file", "src/a/c.rs", false), Deny);
        check(&rules, ("read_lines", "src/a/c.rs", false), Allow);
        check(&rules, ("read_file", "c.rs", false), Ask);
        check(&rules, ("grep", "src", false), Ask);
        check(&[], ("read_file", "a.rs", false), Allow);
        check(&[("{glob,grep}", "a[", Deny)], ("grep", "a[", false), Deny);
        check(&[("{glob,grep}", "a[", Deny)], ("grep", "a", false), Allow);
        check(&[("reset", "*", Deny)], ("reset", "", false), Deny);
    }

    #[test]
    fn what_may_hold_secrets_is_asked_about_unless_it_is_named() {
        use Verdict::{Allow, Ask, Deny};
        check(&[], ("read_file", ".env", true), Ask);
        check(&[("*", "*", Allow)], ("read_file", ".env", true), Ask);
        check(&[("*", "**", Deny)], ("read_file", ".env", true), Deny);
        check(&[("read_*", "**/.env", Allow)], ("read_file", "a/.env", true), Allow);
        check(&[("read_*", "**/.env", Allow)], ("edit_file", "a/.env", true), Ask);
        for wide in
            ["src/**", "src/*", "src/.*", "{src/**,a}", "src/{*,a}", "src/[!a]*", "{src,a}/**"]
        {
            check(&[("*", wide, Allow)], ("read_file", "src/.env", true), Ask);
            check(&[("*", wide, Deny)], ("read_file", "src/.env", true), Deny);
        }
        check(&[("*", "src/**", Allow)], ("read_file", "src/.env", false), Allow);
        for named in ["src/.env", "src/.e*", "**/{.env,a.pem}", "**/.{env,npmrc}", "src/.en[v]"] {
            check(&[("*", named, Allow)], ("read_file", "src/.env", true), Allow);
        }
        check(&[("*", ".git/**", Allow)], ("write_file", ".git/hooks/a", true), Allow);
    }
}
