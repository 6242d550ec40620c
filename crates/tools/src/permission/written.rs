//! What rules about writing say of commands: which files and folders these may not write.
//!
//! The kernel holds it, so that it goes for whatever a command starts. A command cannot be asked
//! about in its middle: rules that ask bind the tools alone, and what was granted answers such rules.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use foveal_processes::Writing;
use globset::{Glob, GlobMatcher};

use super::access::Verdict;
use super::policy::Policy;
use super::rule::{Rule, matches};

/// The tools that write files.
pub(crate) const WRITERS: [&str; 3] = ["write_file", "edit_file", "multi_edit"];

/// What begins a wildcard, or takes its meaning from it.
const WILDCARDS: [char; 5] = ['*', '?', '[', '{', '\\'];

/// A name that no file has, and no pattern means.
const ANY_NAME: &str = "\u{fdd0}foveal\u{fdd0}";

/// What a rule about writing names, for commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Said {
    /// Whether commands may write it.
    pub is_allowed: bool,
    /// The rule, by its place from 0.
    pub rule: usize,
}

impl Said {
    /// The same as a sandbox is told it.
    pub fn writing(self) -> Writing {
        if self.is_allowed { Writing::Allowed } else { Writing::Forbidden }
    }
}

/// What is said of paths; the nearest one that a path is in counts.
pub(crate) type Named = BTreeMap<PathBuf, Said>;

impl Policy {
    /// The files and folders that rules about writing name, by their absolute paths: those that some
    /// tool may not write, and those in them that all may. Rules are about paths in `first`, or
    /// absolute ones; one about everything is about all `roots`. All are canonical.
    pub fn named_to_write(&self, first: &Path, roots: &[&Path]) -> BTreeMap<PathBuf, Said> {
        let by_tool = WRITERS.map(|writer| self.named_for(writer, first, roots));
        let paths = by_tool.iter().flat_map(BTreeMap::keys);
        let strictest = |path: &PathBuf| {
            let said = by_tool.iter().filter_map(|named| nearest(named, path));
            Some((path.clone(), said.min_by_key(|said| said.is_allowed)?))
        };
        paths.filter_map(strictest).collect()
    }

    /// The same of one tool.
    fn named_for(&self, tool: &str, first: &Path, roots: &[&Path]) -> Named {
        let mut named = Named::new();
        for (at, rule) in self.about_writing(tool) {
            let said = Said { is_allowed: rule.verdict != Verdict::Deny, rule: at };
            match named_by(&rule.subject) {
                Some(path) if path.as_os_str().is_empty() => {
                    named.clear();
                    named.extend(roots.iter().map(|root| (root.to_path_buf(), said)));
                }
                Some(path) => say(&mut named, &path, said, first),
                None => {}
            }
        }
        named
    }

    /// The rules that allow or forbid a tool that writes something, in order. One about everything
    /// that holds for commands too says nothing of files: what of them is allowed may write.
    fn about_writing<'a>(&'a self, tool: &'a str) -> impl Iterator<Item = (usize, &'a Rule)> {
        let is_about_all =
            |rule: &Rule| !rule.subject.is_empty() && rule.subject.bytes().all(|byte| byte == b'*');
        let is_meant = move |rule: &Rule| {
            rule.verdict != Verdict::Ask
                && matches(&rule.tool, tool)
                && !(rule.verdict == Verdict::Deny
                    && is_about_all(rule)
                    && matches(&rule.tool, "bash"))
        };
        self.rules.iter().enumerate().filter(move |(_, rule)| is_meant(rule))
    }

    /// Whether a rule forbids writing anything.
    pub(crate) fn forbids_writing(&self) -> bool {
        let forbids =
            |tool: &&str| self.about_writing(tool).any(|(_, it)| it.verdict == Verdict::Deny);
        WRITERS.iter().any(forbids)
    }

    /// The rules whose patterns can be told only by looking at each name; `None`: no such rule
    /// forbids writing.
    pub(crate) fn patterns_to_write(&self) -> Option<Patterns> {
        let is_pattern =
            |rule: &Rule| rule.verdict == Verdict::Deny && named_by(&rule.subject).is_none();
        let of = |tool| -> Vec<Pattern> {
            let compiled = |(at, rule): (usize, &Rule)| Pattern {
                rule: at,
                is_denied: rule.verdict == Verdict::Deny,
                is_of_folders: rule.subject.ends_with('*'),
                subject: rule.subject.clone(),
                glob: Glob::new(&rule.subject).ok().map(|glob| glob.compile_matcher()),
            };
            self.about_writing(tool).map(compiled).collect()
        };
        let has_one =
            WRITERS.iter().any(|tool| self.about_writing(tool).any(|(_, it)| is_pattern(it)));
        has_one.then(|| Patterns(WRITERS.map(of)))
    }
}

/// Rules with their patterns, for each tool that writes.
pub(crate) struct Patterns([Vec<Pattern>; 3]);

struct Pattern {
    rule: usize,
    is_denied: bool,
    /// Whether it may mean all that is in a folder.
    is_of_folders: bool,
    subject: String,
    glob: Option<GlobMatcher>,
}

impl Patterns {
    /// The rule that forbids writing the file that rules call `path`.
    pub(crate) fn forbid(&self, path: &str) -> Option<usize> {
        self.last(path).map(|pattern| pattern.rule)
    }

    /// The rule that forbids writing all that may be in the folder that rules call `path`.
    pub(crate) fn forbid_all_in(&self, path: &str) -> Option<usize> {
        let inner = format!("{path}/{ANY_NAME}");
        self.last(&inner).filter(|pattern| pattern.is_of_folders).map(|pattern| pattern.rule)
    }

    fn last(&self, path: &str) -> Option<&Pattern> {
        let is_about = |pattern: &&Pattern| {
            pattern.subject == path || pattern.glob.as_ref().is_some_and(|glob| glob.is_match(path))
        };
        let last = |rules: &'_ Vec<Pattern>| rules.iter().rposition(|pattern| is_about(&pattern));
        let said = self.0.iter().filter_map(|rules| Some(&rules[last(rules)?]));
        said.into_iter().find(|pattern| pattern.is_denied)
    }
}

/// What is said of `path` by the nearest that it is in.
pub fn nearest(named: &BTreeMap<PathBuf, Said>, path: &Path) -> Option<Said> {
    path.ancestors().find_map(|folder| named.get(folder)).copied()
}

/// Says it of `path`, a path in `first` or an absolute one, and of all that is in it. To the tools an
/// absolute path around the first root is not about what is in that.
fn say(named: &mut Named, path: &Path, said: Said, first: &Path) {
    let is_absolute = path.is_absolute();
    let path = first.join(path);
    let is_around = is_absolute && first.starts_with(&path);
    let before = nearest(named, first);
    named.retain(|other, _| !other.starts_with(&path) || (is_around && other.starts_with(first)));
    named.insert(path, said);
    if is_around {
        let free = Said { is_allowed: true, ..said };
        named.insert(first.to_owned(), before.unwrap_or(free));
    }
}

/// The file that a glob is about, or the folder that it is about all of: nothing for everything,
/// `None` for what has to be looked for.
fn named_by(glob: &str) -> Option<PathBuf> {
    let folder = glob.trim_end_matches('*');
    let is_whole = folder.len() == glob.len() || folder.is_empty() || folder.ends_with('/');
    let is_plain = |path: &Path| {
        path.components().all(|part| !matches!(part, Component::ParentDir | Component::CurDir))
    };
    let is_named = !glob.is_empty() && is_whole && !folder.contains(WILDCARDS);
    // `components` also leaves out a slash at the end.
    let path: PathBuf = Path::new(folder).components().collect();
    (is_named && is_plain(&path)).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    use Verdict::{Allow, Ask, Deny};

    fn policy(rules: &[(&str, &str, Verdict)]) -> Policy {
        let rule = |(tool, subject, verdict): &(&str, &str, Verdict)| Rule {
            tool: (*tool).to_owned(),
            subject: (*subject).to_owned(),
            verdict: *verdict,
        };
        Policy { rules: rules.iter().map(rule).collect() }
    }

    /// What is named, as `-path` or `+path`, in the roots `/w` and `/v`.
    #[track_caller]
    fn check(rules: &[(&str, &str, Verdict)], expected: &str) {
        let named =
            policy(rules).named_to_write(Path::new("/w"), &[Path::new("/w"), Path::new("/v")]);
        let sign = |said: &Said| if said.is_allowed { '+' } else { '-' };
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
        // Other tools, questions, and what has to be looked for.
        check(&[("read_file", "docs/**", Deny)], "");
        check(&[("write_file", "docs/**", Ask)], "");
        for glob in ["*.lock", "**/.env", "docs/*.md", "a*", "../x/**", "./x"] {
            check(&[("write_file", glob, Deny)], "");
        }
        // What is denied of everything is allowed piece by piece.
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
        // Nobody can be asked in the middle of a command.
        check(&[docs, ("*", "docs/made/**", Ask)], "-/w/docs");
        // To the same tools, and all of it.
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
        assert!(policy(&[("*", "docs/**", Deny)]).patterns_to_write().is_none());
        let rules = [
            ("write_file", "**/.env", Deny),
            ("*", "*secret*", Deny),
            ("*", "*.lock", Deny),
            ("*", "my.lock", Allow),
        ];
        let patterns = policy(&rules).patterns_to_write().expect("there are some");
        for (path, rule) in [
            (".env", Some(0)),
            ("a/b/.env", Some(0)),
            ("/v/.env", Some(0)),
            ("Cargo.lock", Some(2)),
            ("my.lock", None),
            ("a/my.lock", Some(2)),
            ("src/a.rs", None),
        ] {
            assert_eq!(patterns.forbid(path), rule, "{path}");
        }
        let all_in =
            ["secrets", "a/secret.d", "a.lock", "b"].map(|path| patterns.forbid_all_in(path));
        assert_eq!(all_in, [Some(1), Some(1), None, None]);
    }
}
