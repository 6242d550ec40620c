//! Tasks that somebody did before: commits of a repository.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Commits that are looked at, from the latest on.
const COMMITS: &str = "400";

/// Files that a commit may change, and edits that it may make, at most.
const FILES_MAX: usize = 3;
const EDITS_MAX: usize = 8;

/// Lines of a file that is worth a view.
const LINES_MIN: usize = 150;

/// Names of files that are sources.
const SOURCES: [&str; 7] = [".rs", ".py", ".go", ".c", ".ts", ".js", ".java"];

/// A commit that is made again.
#[derive(Debug)]
pub(crate) struct Task {
    repository: PathBuf,
    commit: String,
    message: String,
    pub(crate) files: Vec<File>,
}

/// A file that it changes.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) path: String,
    /// From the last to the first, so that none moves another.
    pub(crate) edits: Vec<Edit>,
    /// Files beside it.
    pub(crate) beside: Vec<String>,
}

/// A change of some lines.
#[derive(Debug)]
pub(crate) struct Edit {
    pub(crate) first: usize,
    pub(crate) last: usize,
    pub(crate) old: String,
    pub(crate) new: String,
}

/// The latest commits of a repository that are tasks of a usual size.
pub(crate) fn tasks(repository: &Path, count: usize) -> io::Result<Vec<Task>> {
    let listed = git(repository, &["log", "--no-merges", "--format=%H", "-n", COMMITS])?;
    let mut tasks = Vec::new();
    for commit in listed.lines() {
        if let Some(task) = task(repository, commit)? {
            tasks.push(task);
        }
        if tasks.len() == count {
            break;
        }
    }
    Ok(tasks)
}

fn task(repository: &Path, commit: &str) -> io::Result<Option<Task>> {
    let parent = format!("{commit}~1");
    let Ok(changed) = git(repository, &["diff", "--name-status", &parent, commit]) else {
        return Ok(None);
    };
    let mut files = Vec::new();
    for line in changed.lines() {
        match line.split_once('\t') {
            Some(("M", path)) if SOURCES.iter().any(|end| path.ends_with(end)) => {
                let Some(file) = file(repository, &parent, commit, path)? else { return Ok(None) };
                files.push(file);
            }
            _ => return Ok(None),
        }
    }
    let edits: usize = files.iter().map(|file| file.edits.len()).sum();
    if files.is_empty() || files.len() > FILES_MAX || !(2..=EDITS_MAX).contains(&edits) {
        return Ok(None);
    }
    let message = git(repository, &["log", "-1", "--format=%B", commit])?;
    let (repository, commit) = (repository.to_owned(), commit.to_owned());
    Ok(Some(Task { repository, commit, message: message.trim().to_owned(), files }))
}

fn file(repository: &Path, parent: &str, commit: &str, path: &str) -> io::Result<Option<File>> {
    let before = git(repository, &["show", &format!("{parent}:{path}")])?;
    if before.lines().count() < LINES_MIN {
        return Ok(None);
    }
    let diff = git(repository, &["diff", "-U3", parent, commit, "--", path])?;
    let mut edits = Vec::new();
    for hunk in diff.split("\n@@ ").skip(1) {
        let Some(edit) = edit(hunk, &before) else { return Ok(None) };
        edits.push(edit);
    }
    edits.reverse();
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let tree = match folder {
        "" => parent.to_owned(),
        folder => format!("{parent}:{folder}"),
    };
    let names = git(repository, &["ls-tree", "--name-only", &tree])?;
    let beside = names.lines().filter(|name| SOURCES.iter().any(|end| name.ends_with(end)));
    let beside = beside.map(|name| format!("{folder}/{name}").trim_start_matches('/').to_owned());
    let beside = beside.filter(|name| name != path).take(4).collect();
    Ok(Some(File { path: path.to_owned(), edits, beside }))
}

/// The edit of a hunk, if its old lines stand in the file once.
fn edit(hunk: &str, before: &str) -> Option<Edit> {
    let (head, body) = hunk.split_once('\n')?;
    let (first, count) = head.split_whitespace().next()?.trim_start_matches('-').split_once(',')?;
    let (first, count): (usize, usize) = (first.parse().ok()?, count.parse().ok()?);
    let side = |sign: char| -> String {
        let lines = body.lines().filter(|line| line.starts_with([' ', sign]));
        lines.map(|line| format!("{}\n", &line[1..])).collect()
    };
    let (old, new) = (side('-'), side('+'));
    let is_whole = !body.contains("\\ No newline") && before.matches(&old).count() == 1;
    is_whole.then_some(Edit { first, last: first + count.saturating_sub(1), old, new })
}

impl Task {
    pub(crate) fn name(&self) -> String {
        let first = self.message.lines().next().unwrap_or_default();
        let folder = self.repository.file_name().unwrap_or_default().to_string_lossy();
        format!("{folder} {} {first}", &self.commit[..8])
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Words that say where to look: those of the message that stand in the files as names.
    pub(crate) fn names(&self) -> Vec<String> {
        let changed: String =
            self.files.iter().flat_map(|file| &file.edits).map(|edit| edit.old.as_str()).collect();
        let is_part = |sign: char| sign.is_alphanumeric() || sign == '_';
        let mut names: Vec<String> = Vec::new();
        for word in changed.split(|sign: char| !is_part(sign)) {
            if word.len() > 7 && !names.iter().any(|name| name == word) {
                names.push(word.to_owned());
            }
        }
        names.truncate(3);
        names
    }

    /// Makes a copy of the repository as it was before the commit.
    pub(crate) fn check_out(&self, folder: &Path) -> io::Result<()> {
        let (from, to) = (self.repository.to_string_lossy(), folder.to_string_lossy());
        git(Path::new("."), &["clone", "--quiet", "--shared", &from, &to])?;
        git(folder, &["checkout", "--quiet", &format!("{}~1", self.commit)]).map(drop)
    }

    /// Whether the files in a copy are those of the commit, and nothing else is changed.
    pub(crate) fn is_done(&self, folder: &Path) -> io::Result<bool> {
        for file in &self.files {
            let wanted =
                git(&self.repository, &["show", &format!("{}:{}", self.commit, file.path)])?;
            if fs::read_to_string(folder.join(&file.path))? != wanted {
                return Ok(false);
            }
        }
        let changed = git(folder, &["status", "--porcelain"])?;
        Ok(changed.lines().count() == self.files.len())
    }
}

fn git(folder: &Path, arguments: &[&str]) -> io::Result<String> {
    let output = Command::new("git").arg("-C").arg(folder).args(arguments).output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(io::Error::other(format!("git {}: {said}", arguments.join(" "))));
    }
    String::from_utf8(output.stdout).map_err(io::Error::other)
}
