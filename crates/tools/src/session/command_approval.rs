//! The parts of a command line that may run without a rule: commands that only read files which the
//! tools themselves would read without a question, and redirections to files in the roots.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use foveal_sandbox::Confinement;
use foveal_tool_effects::{
    CommandLinePart, CommandLineWord, ReadScope, SimpleCommandLine, read_scope,
};
use foveal_workspace::{ResolvedPath, WorkspaceRoots, sensitivity};

use crate::permission::{Access, CommandKind, Verdict, WRITE_TOOLS};

use super::tool_session::ToolSession;

/// The tools whose rules apply to files that commands read.
const READERS: [&str; 3] = ["read_file", "read_lines", "read_files"];

/// The most names that are checked in one folder for a pattern, and below all searched folders.
const NAMES_MAX: usize = 5_000;
const SEARCHED_NAMES_MAX: usize = 50_000;

/// The most letters of a short option behind which a path may follow directly.
const LETTERS_MAX: usize = 64;

/// The most folders in which the commands of a line may run.
const FOLDERS_MAX: usize = 8;

/// Whether the user must approve a command before it is given to the tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandApproval {
    /// The command passes, or a rule asks or forbids when it runs.
    NotNeeded,
    /// The reason; in most cases it names the rule that would let the command pass.
    Needed(String),
}

impl ToolSession {
    /// Returns whether the user must approve a command line, if every command needs approval that
    /// no rule names and that does more than read.
    pub fn command_approval(&self, tool: &'static str, line: &str) -> CommandApproval {
        let harmless = harmless_parts(self, line, |_| true);
        let access = Access {
            command: Some(CommandKind::Line),
            harmless_parts: &harmless,
            asks_unnamed: true,
            ..Access::new(tool, line)
        };
        let decided = self.permissions.decide(&access);
        match decided.verdict {
            Verdict::Ask if decided.rule.is_none() => {
                CommandApproval::Needed(self.permissions.ask_reason(&access))
            }
            Verdict::Allow | Verdict::Ask | Verdict::Deny => CommandApproval::NotNeeded,
        }
    }
}

/// Returns for each part of a plain line whether it is selected and may run without a rule.
pub(super) fn harmless_parts(
    session: &ToolSession,
    line: &str,
    is_looked_at: fn(&CommandLinePart) -> bool,
) -> Vec<bool> {
    let Some(line) = SimpleCommandLine::parse(line) else { return Vec::new() };
    let Some(folders) = working_folders(session.roots(), &line) else { return Vec::new() };
    let place = CommandPlace { session, folders };
    let is_harmless = |part| is_looked_at(part) && place.is_harmless(part);
    line.parts.iter().map(is_harmless).collect()
}

/// Returns the folders in which the commands of a line may run; `None` if they are unknown or
/// outside of the roots.
fn working_folders(roots: WorkspaceRoots, line: &SimpleCommandLine) -> Option<Vec<WorkspaceRoots>> {
    let mut folders = vec![roots];
    for part in &line.parts {
        let CommandLinePart::Command(words) = part else { continue };
        match words.first()?.text.as_str() {
            "cd" => {
                let [_, to] = &words[..] else { return None };
                if to.is_pattern || to.text.starts_with('-') {
                    return None;
                }
                let next: Result<Vec<WorkspaceRoots>, _> =
                    folders.iter().map(|from| from.with_working_directory(&to.text)).collect();
                folders.extend(next.ok()?);
            }
            "pushd" | "popd" => return None,
            _ if part.is_runner() => return None,
            _ => {}
        }
    }
    (folders.len() <= FOLDERS_MAX).then_some(folders)
}

/// The session and the possible working directories of a command line.
struct CommandPlace<'a> {
    session: &'a ToolSession,
    folders: Vec<WorkspaceRoots>,
}

impl CommandPlace<'_> {
    fn is_harmless(&self, part: &CommandLinePart) -> bool {
        match part {
            CommandLinePart::Redirection { target, .. } if target.is_pattern => false,
            // To a shell, `/dev/tcp/…` is a connection.
            CommandLinePart::Redirection { operator: "<", target } => {
                let is_in = |roots: &WorkspaceRoots| roots.resolve(&target.text).is_ok();
                self.folders.iter().all(is_in) && self.may_read(&target.text, ReadScope::Contents)
            }
            CommandLinePart::Redirection { target, .. } => self.may_write(&target.text),
            CommandLinePart::Command(words) => {
                let may_read = |scope| {
                    words[1..].iter().all(|word| self.is_readable_word(word, scope))
                        && (scope <= ReadScope::Contents || self.may_search(&words[1..], scope))
                };
                read_scope(words).is_some_and(may_read)
            }
        }
    }

    /// Returns whether the rules let the tools write a file, the file is in the roots and needs no
    /// approval, and the kernel confines commands to the roots.
    fn may_write(&self, path: &str) -> bool {
        let is_open = |roots: &WorkspaceRoots| {
            roots.resolve(path).is_ok_and(|located| {
                let subject = located.rule_path();
                self.is_in_intended_folder(&located)
                    && located.sensitivity().is_none()
                    && located.approval_reason().is_none()
                    && WRITE_TOOLS
                        .iter()
                        .all(|tool| self.session.permissions.permits(tool, &subject))
            })
        };
        self.session.toolbox().sandbox.is_some()
            && matches!(Confinement::detect(), Ok(Confinement::Full | Confinement::Writes))
            && self.folders.iter().all(is_open)
    }

    fn is_in_intended_folder(&self, located: &ResolvedPath) -> bool {
        let meant = self.session.toolbox().default_folder.as_ref();
        meant.is_none_or(|meant| located.absolute_path().starts_with(meant))
    }

    /// Returns whether the command may read each file that a word may name.
    fn is_readable_word(&self, word: &CommandLineWord, scope: ReadScope) -> bool {
        let text = word.text.as_str();
        if word.is_pattern {
            return self.is_readable_pattern(text, scope);
        }
        if scope == ReadScope::Words {
            return true;
        }
        // A path may follow directly after letters of options, after `=`, or after a revision's
        // colon.
        let is_single = text.starts_with('-') && !text.starts_with("--");
        let letters = if is_single { LETTERS_MAX } else { 0 };
        let behind_letters = text.char_indices().skip(2).take(letters).map(|(at, _)| &text[at..]);
        let behind_sign = text.split_once('=').map_or("", |(_, value)| value);
        let behind_colon = text.rsplit_once(':').map_or("", |(_, path)| path);
        let mut paths = [text, behind_sign, behind_colon].into_iter().chain(behind_letters);
        paths.all(|path| self.may_read(path, scope))
    }

    /// Returns whether the command may read each file that may match a pattern in the last path
    /// component.
    fn is_readable_pattern(&self, text: &str, scope: ReadScope) -> bool {
        let (folder, name) = text.rsplit_once('/').unwrap_or((".", text));
        let folder = if folder.is_empty() { "/" } else { folder };
        // Braces can produce whole paths, and names that begin with a dot.
        if text.contains(['{', '~']) || folder.contains(['*', '?', '[']) || name.starts_with('.') {
            return false;
        }
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_ending = ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let ending = if is_ending { ending } else { "" };
        self.may_read(folder, ReadScope::Names)
            && self.folders.iter().all(|roots| {
                let path = roots.working_directory().join(folder);
                let Ok(entries) = fs::read_dir(&path) else { return !path.exists() };
                let mut left = NAMES_MAX;
                entries.flatten().all(|entry| {
                    left = left.saturating_sub(1);
                    let name = entry.file_name();
                    let Some(name) = name.to_str() else { return false };
                    let is_other = name.starts_with('.') || !name.ends_with(ending);
                    left > 0 && (is_other || self.may_read(&format!("{folder}/{name}"), scope))
                })
            })
    }

    /// Returns whether the tools would read `path` without a question, or nothing exists there.
    fn may_read(&self, path: &str, scope: ReadScope) -> bool {
        if path.is_empty() || matches!(path, "-" | "/dev/null") {
            return true;
        }
        let is_secret = |path: &Path| scope > ReadScope::Names && sensitivity(path).is_some();
        if is_secret(Path::new(path)) {
            return false;
        }
        self.folders.iter().all(|roots| match roots.resolve(path) {
            Ok(located) => {
                let subject = located.rule_path();
                let is_secret = scope > ReadScope::Names && located.sensitivity().is_some();
                let allows = |tool: &&'static str| self.session.permissions.permits(tool, &subject);
                self.is_in_intended_folder(&located) && !is_secret && READERS.iter().all(allows)
            }
            Err(_) => roots.working_directory().join(path).symlink_metadata().is_err_and(|error| {
                use ErrorKind::{InvalidFilename, NotADirectory, NotFound};
                matches!(error.kind(), NotFound | NotADirectory | InvalidFilename)
            }),
        })
    }

    /// Returns whether the command may read each file below the working directory, and below the
    /// folders that words name. It is unknown which words are paths.
    fn may_search(&self, words: &[CommandLineWord], scope: ReadScope) -> bool {
        let forbids = self.session.toolbox().policy.rules.iter().any(|rule| {
            rule.verdict != Verdict::Allow && READERS.iter().any(|tool| rule.is_for_tool(tool))
        });
        let tops = |roots: &WorkspaceRoots| {
            let located = words.iter().filter_map(|word| roots.resolve(&word.text).ok());
            let mut tops: Vec<PathBuf> = located.map(|located| located.absolute_path()).collect();
            tops.push(roots.working_directory().to_owned());
            tops
        };
        let tops: Vec<PathBuf> = self.folders.iter().flat_map(tops).collect();
        !forbids && !holds_secrets(&tops, scope == ReadScope::ContentsBelow)
    }
}

/// Returns whether a file below `tops` may hold secrets by its name, or there are too many files to
/// check. Hidden files, and links out of `tops`, count with `with_hidden`.
fn holds_secrets(tops: &[PathBuf], with_hidden: bool) -> bool {
    let leads_out = |link: &Path| {
        let end = link.canonicalize();
        end.is_ok_and(|end| !tops.iter().any(|top| end.starts_with(top)))
    };
    let mut waiting: Vec<PathBuf> = tops.iter().filter(|top| top.is_dir()).cloned().collect();
    let mut left = SEARCHED_NAMES_MAX;
    while let Some(folder) = waiting.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { return true };
        for entry in entries {
            let Ok(entry) = entry else { return true };
            let name = entry.file_name();
            if name == ".git" || !with_hidden && name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let Ok(kind) = entry.file_type() else { return true };
            let is_link_out = with_hidden && kind.is_symlink() && leads_out(&entry.path());
            if left == 0 || is_link_out || sensitivity(Path::new(&name)).is_some() {
                return true;
            }
            left -= 1;
            if kind.is_dir() {
                waiting.push(entry.path());
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_looked_for_below_folders() {
        let folder = tempfile::tempdir().expect("a folder");
        let tops = [folder.path().canonicalize().expect("a path")];
        let write = |path: &str| {
            let path = tops[0].join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, "").expect("a file");
        };
        let found = || [false, true].map(|with_hidden| holds_secrets(&tops, with_hidden));
        write("a/b.rs");
        std::os::unix::fs::symlink("b.rs", tops[0].join("a/c.rs")).expect("a link");
        assert_eq!(found(), [false, false]);
        std::os::unix::fs::symlink("/etc/hostname", tops[0].join("d")).expect("a link");
        assert_eq!(found(), [false, true]);
        write("a/.env");
        assert_eq!(found(), [false, true]);
        write("a/b/server.pem");
        assert_eq!(found(), [true, true]);
    }
}
