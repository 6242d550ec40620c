//! The files and folders that commands may write, after the rules for tools that write files.
//!
//! The kernel enforces it, for everything that a command starts. A running command cannot be
//! interrupted by a question, so rules that ask apply to the tools alone, unless a grant answers
//! them.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use foveal_sandbox::WriteRule;
use globset::{Glob, GlobMatcher};

use super::access::Verdict;
use super::policy::PermissionPolicy;
use super::rule::{PermissionRule, glob_matches};

/// The tools that write files.
pub(crate) const WRITE_TOOLS: [&str; 3] = ["write_file", "edit_file", "multi_edit"];

/// The characters of globs with a special meaning.
const WILDCARDS: [char; 5] = ['*', '?', '[', '{', '\\'];

/// A name that no file has and no pattern matches literally.
const ANY_NAME: &str = "\u{fdd0}foveal\u{fdd0}";

/// The decision of a rule about commands that write a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteDecision {
    /// Whether commands may write the path.
    pub is_allowed: bool,
    /// The index of the deciding rule.
    pub rule: usize,
}

impl WriteDecision {
    /// Returns the decision in the sandbox's terms.
    pub fn to_sandbox_writing(self) -> WriteRule {
        if self.is_allowed { WriteRule::Allowed } else { WriteRule::Forbidden }
    }
}

/// Decisions by absolute path; the nearest one around a path applies.
pub(crate) type WriteDecisions = BTreeMap<PathBuf, WriteDecision>;

impl PermissionPolicy {
    /// Returns the files and folders that rules about the tools that write files name, by absolute
    /// path: those that some of these tools may not write, and those inside them that all of these
    /// tools may write. Relative rules refer to `first`; a rule about everything refers to all
    /// `roots`. All paths are canonical.
    pub fn write_decisions(
        &self,
        first: &Path,
        roots: &[&Path],
    ) -> BTreeMap<PathBuf, WriteDecision> {
        let by_tool = WRITE_TOOLS.map(|writer| self.write_decisions_of_tool(writer, first, roots));
        let paths = by_tool.iter().flat_map(BTreeMap::keys);
        let strictest = |path: &PathBuf| {
            let said = by_tool.iter().filter_map(|named| nearest_decision(named, path));
            Some((path.clone(), said.min_by_key(|said| said.is_allowed)?))
        };
        paths.filter_map(strictest).collect()
    }

    /// Returns the decisions for one tool.
    fn write_decisions_of_tool(&self, tool: &str, first: &Path, roots: &[&Path]) -> WriteDecisions {
        let mut named = WriteDecisions::new();
        for (at, rule) in self.write_rules(tool) {
            let said = WriteDecision { is_allowed: rule.verdict != Verdict::Deny, rule: at };
            match glob_path(&rule.subject) {
                Some(path) if path.as_os_str().is_empty() => {
                    named.clear();
                    named.extend(roots.iter().map(|root| (root.to_path_buf(), said)));
                }
                Some(path) => insert_decision(&mut named, &path, said, first),
                None => {}
            }
        }
        named
    }

    /// Returns the rules that allow or forbid a tool that writes files, in order. A denial of
    /// everything for all tools, commands included, is skipped: a command that is allowed
    /// nevertheless may write.
    fn write_rules<'a>(
        &'a self,
        tool: &'a str,
    ) -> impl Iterator<Item = (usize, &'a PermissionRule)> {
        let is_about_all = |rule: &PermissionRule| {
            !rule.subject.is_empty() && rule.subject.bytes().all(|byte| byte == b'*')
        };
        let is_meant = move |rule: &PermissionRule| {
            rule.verdict != Verdict::Ask
                && glob_matches(&rule.tool, tool)
                && !(rule.verdict == Verdict::Deny
                    && is_about_all(rule)
                    && glob_matches(&rule.tool, "bash"))
        };
        self.rules.iter().enumerate().filter(move |(_, rule)| is_meant(rule))
    }

    /// Returns whether a rule forbids writing anything.
    pub(crate) fn forbids_writing(&self) -> bool {
        let forbids =
            |tool: &&str| self.write_rules(tool).any(|(_, it)| it.verdict == Verdict::Deny);
        WRITE_TOOLS.iter().any(forbids)
    }

    /// Returns the patterns that must be matched with each name; `None` if no such pattern forbids
    /// writing.
    pub(crate) fn write_patterns(&self) -> Option<WritePatterns> {
        let is_pattern = |rule: &PermissionRule| {
            rule.verdict == Verdict::Deny && glob_path(&rule.subject).is_none()
        };
        let of = |tool| -> Vec<WritePattern> {
            let compiled = |(at, rule): (usize, &PermissionRule)| WritePattern {
                rule: at,
                is_denied: rule.verdict == Verdict::Deny,
                covers_folders: rule.subject.ends_with('*'),
                subject: rule.subject.clone(),
                glob: Glob::new(&rule.subject).ok().map(|glob| glob.compile_matcher()),
            };
            self.write_rules(tool).map(compiled).collect()
        };
        let has_one =
            WRITE_TOOLS.iter().any(|tool| self.write_rules(tool).any(|(_, it)| is_pattern(it)));
        has_one.then(|| WritePatterns(WRITE_TOOLS.map(of)))
    }
}

/// Rules with patterns, for each tool that writes files.
pub(crate) struct WritePatterns([Vec<WritePattern>; 3]);

struct WritePattern {
    rule: usize,
    is_denied: bool,
    /// Whether the pattern may cover everything in a folder.
    covers_folders: bool,
    subject: String,
    glob: Option<GlobMatcher>,
}

impl WritePatterns {
    /// Returns the rule that forbids writing the file which rules call `path`.
    pub(crate) fn forbidding_rule(&self, path: &str) -> Option<usize> {
        self.last_denial(path).map(|pattern| pattern.rule)
    }

    /// Returns the rule that forbids writing anything in the folder which rules call `path`.
    pub(crate) fn folder_forbidding_rule(&self, path: &str) -> Option<usize> {
        let inner = format!("{path}/{ANY_NAME}");
        self.last_denial(&inner)
            .filter(|pattern| pattern.covers_folders)
            .map(|pattern| pattern.rule)
    }

    fn last_denial(&self, path: &str) -> Option<&WritePattern> {
        let is_about = |pattern: &&WritePattern| {
            pattern.subject == path || pattern.glob.as_ref().is_some_and(|glob| glob.is_match(path))
        };
        let last =
            |rules: &'_ Vec<WritePattern>| rules.iter().rposition(|pattern| is_about(&pattern));
        let said = self.0.iter().filter_map(|rules| Some(&rules[last(rules)?]));
        said.into_iter().find(|pattern| pattern.is_denied)
    }
}

/// Returns the decision for `path`, from its nearest ancestor with one.
pub fn nearest_decision(
    named: &BTreeMap<PathBuf, WriteDecision>,
    path: &Path,
) -> Option<WriteDecision> {
    path.ancestors().find_map(|folder| named.get(folder)).copied()
}

/// Sets the decision for `path`, absolute or relative to `first`, and for everything in it. For the
/// tools, an absolute path around the first root does not cover the content of that root.
fn insert_decision(named: &mut WriteDecisions, path: &Path, said: WriteDecision, first: &Path) {
    let is_absolute = path.is_absolute();
    let path = first.join(path);
    let is_around = is_absolute && first.starts_with(&path);
    let before = nearest_decision(named, first);
    named.retain(|other, _| !other.starts_with(&path) || (is_around && other.starts_with(first)));
    named.insert(path, said);
    if is_around {
        let free = WriteDecision { is_allowed: true, ..said };
        named.insert(first.to_owned(), before.unwrap_or(free));
    }
}

/// Returns the file that a glob names, or the folder whose whole content it covers. An empty path
/// stands for everything; `None` means that names must be matched one by one.
fn glob_path(glob: &str) -> Option<PathBuf> {
    let folder = glob.trim_end_matches('*');
    let is_whole = folder.len() == glob.len() || folder.is_empty() || folder.ends_with('/');
    let is_plain = |path: &Path| {
        path.components().all(|part| !matches!(part, Component::ParentDir | Component::CurDir))
    };
    let is_named = !glob.is_empty() && is_whole && !folder.contains(WILDCARDS);
    // `components` also drops a trailing slash.
    let path: PathBuf = Path::new(folder).components().collect();
    (is_named && is_plain(&path)).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    use Verdict::{Allow, Ask, Deny};

    fn policy(rules: &[(&str, &str, Verdict)]) -> PermissionPolicy {
        let rule = |(tool, subject, verdict): &(&str, &str, Verdict)| PermissionRule {
            tool: (*tool).to_owned(),
            subject: (*subject).to_owned(),
            verdict: *verdict,
        };
        PermissionPolicy { rules: rules.iter().map(rule).collect() }
    }

    /// Returns the decisions in the roots `/w` and `/v`, as `-path` or `+path`.
    #[track_caller]
    fn check(rules: &[(&str, &str, Verdict)], expected: &str) {
        let named =
            policy(rules).write_decisions(Path::new("/w"), &[Path::new("/w"), Path::new("/v")]);
        let sign = |said: &WriteDecision| if said.is_allowed { '+' } else { '-' };
        let told = named.iter().map(|(path, said)| format!("{}{}", sign(said), path.display()));
        assert_eq!(told.collect::<Vec<_>>().join(" "), expected, "{rules:?}");
    }

    #[test]
    fn rules_name_files_and_folders() {
        check(&[("write_file", "docs/**", Deny)], "-/w/docs");
        check(&[("edit_file", "docs/*", Deny)], "-/w/docs");
        check(&[("*", "docs/", Deny)], "-/w/docs");
        check(&[("multi_*", "Cargo.lock", Deny)], "-/w/Cargo.lock");
        check(&[("*_edit", "/v/a/**", Deny)], "-/v/a");
        check(&[("*_file", "/w/docs/**", Deny)], "-/w/docs");
        check(&[("write_file", "*", Deny)], "-/v -/w");
        // Rules for other tools, rules that ask, and patterns.
        check(&[("read_file", "docs/**", Deny)], "");
        check(&[("write_file", "docs/**", Ask)], "");
        for glob in ["*.lock", "**/.env", "docs/*.md", "a*", "../x/**", "./x"] {
            check(&[("write_file", glob, Deny)], "");
        }
        // Everything is denied but for single paths.
        check(&[("*", "*", Deny), ("bash", "cargo *", Allow)], "");
        check(&[("*", "*", Deny), ("*", "docs/**", Deny)], "-/w/docs");
    }

    #[test]
    fn a_later_rule_gives_back() {
        let docs = ("*", "docs/**", Deny);
        check(&[docs, ("*", "docs/made/**", Allow)], "-/w/docs +/w/docs/made");
        check(&[docs, ("*", "docs/a.md", Allow)], "-/w/docs +/w/docs/a.md");
        check(&[("*", "docs/made/**", Allow), docs], "-/w/docs");
        check(&[docs, ("*", "docs/made/**", Allow), docs], "-/w/docs");
        check(&[docs, ("*", "docs/**", Allow)], "+/w/docs");
        check(&[docs, ("*", "*", Allow)], "+/v +/w");
        // A running command cannot be interrupted by a question.
        check(&[docs, ("*", "docs/made/**", Ask)], "-/w/docs");
        // An allow rule must cover all tools that write, and the whole folder.
        check(&[docs, ("write_file", "docs/made/**", Allow)], "-/w/docs -/w/docs/made");
        check(&[docs, ("*", "docs/made/*.md", Allow)], "-/w/docs");
        check(&[docs, ("write_file", "*", Allow)], "+/v +/w -/w/docs");
    }

    #[test]
    fn a_folder_around_the_first_root_is_not_about_that() {
        check(&[("*", "/**", Deny)], "-/ +/w");
        let docs = ("*", "docs/**", Deny);
        check(&[docs, ("*", "/**", Deny)], "-/ +/w -/w/docs");
    }

    #[test]
    fn patterns_are_looked_for() {
        assert!(policy(&[("*", "docs/**", Deny)]).write_patterns().is_none());
        let rules = [
            ("write_file", "**/.env", Deny),
            ("*", "*secret*", Deny),
            ("*", "*.lock", Deny),
            ("*", "my.lock", Allow),
        ];
        let patterns = policy(&rules).write_patterns().expect("there are some");
        for (path, rule) in [
            (".env", Some(0)),
            ("a/b/.env", Some(0)),
            ("/v/.env", Some(0)),
            ("Cargo.lock", Some(2)),
            ("my.lock", None),
            ("a/my.lock", Some(2)),
            ("src/a.rs", None),
        ] {
            assert_eq!(patterns.forbidding_rule(path), rule, "{path}");
        }
        let all_in = ["secrets", "a/secret.d", "a.lock", "b"]
            .map(|path| patterns.folder_forbidding_rule(path));
        assert_eq!(all_in, [Some(1), Some(1), None, None]);
    }
}
