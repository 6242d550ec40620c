//! Which folders commands may not be given to write, as rules about writing name something in them.
//!
//! The kernel gives a folder as a whole, with what comes to be in it: no part can be taken out. So a
//! folder is not given if a rule forbids writing to it, or to anything in it.

use std::path::{Path, PathBuf};

use super::access::Verdict;
use super::policy::Policy;
use super::rule::{Rule, matches};

/// The tools that write files.
pub(crate) const WRITERS: [&str; 3] = ["write_file", "edit_file", "multi_edit"];

/// What begins a wildcard, or takes its meaning from it.
const WILDCARDS: [char; 5] = ['*', '?', '[', '{', '\\'];

impl Policy {
    /// The rule, with its place from 0, that forbids writing to `folder` or to something in it, if
    /// one names that. Rules are about paths in `root`, or absolute ones. Both are canonical.
    pub fn forbids_writing_in(&self, root: &Path, folder: &Path) -> Option<(usize, &Rule)> {
        let is_named = |rule: &Rule| {
            let named = named_by(&rule.subject).map(|named| root.join(named));
            named.is_some_and(|named| named.starts_with(folder) || folder.starts_with(named))
        };
        let allowed_later = |at: usize, denied: &Rule| {
            let later = self.rules.iter().skip(at + 1);
            later.filter(|rule| rule.verdict == Verdict::Allow).any(|rule| {
                WRITERS
                    .iter()
                    .all(|writer| !matches(&denied.tool, writer) || matches(&rule.tool, writer))
                    && whole_of(&rule.subject).is_some_and(|of| folder.starts_with(root.join(of)))
            })
        };
        let mut forbidding = self.about_writing().filter(|(_, rule)| is_named(rule));
        forbidding.find(|(at, rule)| !allowed_later(*at, rule))
    }

    /// The rules, with their places from 0, that forbid writing and name no folder: whatever
    /// commands may write, something in it may be meant. Those about commands too are not told.
    pub fn forbid_writing_anywhere(&self) -> impl Iterator<Item = (usize, &Rule)> {
        let of_files = |rule: &Rule| !matches(&rule.tool, "bash");
        let rules = self.about_writing();
        rules.filter(move |(_, rule)| named_by(&rule.subject).is_none() && of_files(rule))
    }

    fn about_writing(&self) -> impl Iterator<Item = (usize, &Rule)> {
        let is_meant = |rule: &Rule| {
            rule.verdict == Verdict::Deny
                && WRITERS.iter().any(|writer| matches(&rule.tool, writer))
        };
        self.rules.iter().enumerate().filter(move |(_, rule)| is_meant(rule))
    }
}

/// The file that a glob is about, or the folder that all is in that it is about; none if that can
/// be in any folder.
fn named_by(glob: &str) -> Option<PathBuf> {
    let named = match glob.find(WILDCARDS) {
        None => glob,
        Some(at) => &glob[..glob[..at].rfind('/')?],
    };
    // What is about the file system as a whole says as little.
    (!named.is_empty()).then(|| named.into())
}

/// The folder that a glob is about all of.
fn whole_of(glob: &str) -> Option<PathBuf> {
    let folder = glob.trim_end_matches('*');
    let is_whole = folder.len() < glob.len() && (folder.is_empty() || folder.ends_with('/'));
    (is_whole && !folder.contains(WILDCARDS)).then(|| folder.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(rules: &[(&str, &str, Verdict)]) -> Policy {
        let rule = |(tool, subject, verdict): &(&str, &str, Verdict)| Rule {
            tool: (*tool).to_owned(),
            subject: (*subject).to_owned(),
            verdict: *verdict,
        };
        Policy { rules: rules.iter().map(rule).collect() }
    }

    #[test]
    fn a_folder_in_which_something_is_forbidden_is_not_given() {
        use Verdict::{Allow, Ask, Deny};
        let forbidden = |rules: &[(&str, &str, Verdict)], folder: &str| {
            let policy = policy(rules);
            let root = Path::new("/w");
            policy.forbids_writing_in(root, Path::new(folder)).map(|(at, _)| at)
        };
        let docs = [("write_file", "docs/**", Deny)];
        assert_eq!(forbidden(&docs, "/w"), Some(0));
        assert_eq!(forbidden(&docs, "/w/docs"), Some(0));
        assert_eq!(forbidden(&docs, "/w/docs/a/b"), Some(0));
        assert_eq!(forbidden(&docs, "/w/target"), None);
        assert_eq!(forbidden(&docs, "/w/docs2"), None);
        assert_eq!(forbidden(&docs, "/elsewhere"), None);
        // Of files, the folder they are in; other tools; absolute names.
        assert_eq!(forbidden(&[("*_edit", "docs/*.md", Deny)], "/w/docs"), Some(0));
        assert_eq!(forbidden(&[("*", "Cargo.lock", Deny)], "/w"), Some(0));
        assert_eq!(forbidden(&[("*", "Cargo.lock", Deny)], "/w/target"), None);
        assert_eq!(forbidden(&[("edit_file", "/w/docs/{a,b}", Deny)], "/w/docs"), Some(0));
        assert_eq!(forbidden(&[("read_file", "docs/**", Deny)], "/w"), None);
        assert_eq!(forbidden(&[("write_file", "docs/**", Ask)], "/w"), None);
        // What is allowed later, all of it and to the same tools.
        let later = |tool, subject| [("*", "docs/**", Deny), (tool, subject, Allow)];
        assert_eq!(forbidden(&later("*", "docs/made/**"), "/w/docs/made"), None);
        assert_eq!(forbidden(&later("*", "docs/made/**"), "/w/docs"), Some(0));
        assert_eq!(forbidden(&later("*", "docs/made/*.md"), "/w/docs/made"), Some(0));
        assert_eq!(forbidden(&later("write_file", "docs/made/**"), "/w/docs/made"), Some(0));
        assert_eq!(forbidden(&later("*", "*"), "/w"), None);
        let first = [("*", "docs/made/**", Allow), ("*", "docs/**", Deny)];
        assert_eq!(forbidden(&first, "/w/docs/made"), Some(1));
    }

    #[test]
    fn rules_that_name_no_folder_are_told() {
        let rules = ["*.lock", "**/.env", "docs/**", "/**", "a*"];
        let policy = policy(&rules.map(|subject| ("write_file", subject, Verdict::Deny)));
        let told: Vec<usize> = policy.forbid_writing_anywhere().map(|(at, _)| at).collect();
        assert_eq!(told, [0, 1, 3, 4]);
        assert!(policy.forbids_writing_in(Path::new("/w"), Path::new("/w/b")).is_none());
    }
}
