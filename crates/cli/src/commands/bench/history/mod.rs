//! Cases from the histories of git repositories.

mod git;
mod log;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::Context;
use foveal_bench::sampling::{self, Change, Rules};
use foveal_bench::{Case, Seeded, language};
use foveal_cancel::Cancel;

use self::git::{Git, Objects};
use self::log::{Commit, FileChange};

/// Most commits looked at, the newest first.
const COMMITS_MAX: usize = 50_000;
/// Largest file looked at, in bytes.
const FILE_BYTES_MAX: u64 = 2 << 20;

/// A repository to sample from.
#[derive(Debug, Clone)]
pub(super) struct Repository {
    /// Its name in ids and tables.
    pub(super) name: String,
    git: Git,
}

/// Opens the repositories at `paths`.
///
/// # Errors
/// For the first that cannot be used.
pub(super) fn open(paths: &[PathBuf]) -> anyhow::Result<Vec<Repository>> {
    let mut seen = HashSet::new();
    let mut folders = Vec::new();
    for path in paths {
        let git = Git::open(path)?;
        let full = path.canonicalize().unwrap_or_else(|_| path.clone());
        if seen.insert(full.clone()) {
            folders.push((full, git));
        }
    }
    let names = names(&folders.iter().map(|(full, _)| full.as_path()).collect::<Vec<_>>());
    Ok(names.into_iter().zip(folders).map(|(name, (_, git))| Repository { name, git }).collect())
}

/// Ends of paths that name no repository.
const EMPTY_NAMES: &[&str] = &[".git", "git", "repo", "repository"];

/// A name for each folder: its last part that says something, with as many parts before as it
/// takes to tell all apart.
fn names(folders: &[&Path]) -> Vec<String> {
    let parts: Vec<Vec<String>> = folders
        .iter()
        .map(|folder| {
            let parts =
                folder.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
            let mut parts: Vec<String> = parts.collect();
            while parts.len() > 1
                && parts.last().is_some_and(|last| EMPTY_NAMES.contains(&last.as_str()))
            {
                parts.pop();
            }
            if let Some(last) = parts.last_mut() {
                *last = last.strip_suffix(".git").unwrap_or(last).to_owned();
            }
            parts
        })
        .collect();
    let most = parts.iter().map(Vec::len).max().unwrap_or(0);
    let named = |length: usize| -> Vec<String> {
        parts.iter().map(|parts| parts[parts.len().saturating_sub(length)..].join("/")).collect()
    };
    let apart = |names: &Vec<String>| names.iter().collect::<HashSet<_>>().len() == names.len();
    (1..=most).map(named).find(apart).unwrap_or_else(|| named(most))
}

/// Samples cases of one repository, the same for the same seed and history. Where it is
/// interrupted, those found so far.
///
/// # Errors
/// If git fails.
pub(super) fn sample(
    repository: &Repository,
    rules: &Rules,
    seed: u64,
    cancel: &Cancel<'_>,
) -> anyhow::Result<Vec<Case>> {
    let log = match repository.git.log(COMMITS_MAX) {
        // Ctrl+C reaches git too.
        Err(_) if cancel.is_cancelled() => return Ok(Vec::new()),
        log => log?,
    };
    let mut commits = log::parse(&log);
    Seeded::new(seed, &repository.name).shuffle(&mut commits);
    let mut objects = repository.git.objects()?;
    let mut cases: Vec<Case> = Vec::new();
    for commit in &commits {
        if cases.len() >= rules.cases_max || cancel.is_cancelled() {
            break;
        }
        match of_commit(repository, rules, commit, &mut objects) {
            Err(_) if cancel.is_cancelled() => break,
            found => cases.extend(found.context("`git cat-file` failed")?),
        }
    }
    cases.truncate(rules.cases_max);
    Ok(cases)
}

fn of_commit(
    repository: &Repository,
    rules: &Rules,
    commit: &Commit,
    objects: &mut Objects,
) -> std::io::Result<Vec<Case>> {
    let mut cases: Vec<Case> = Vec::new();
    if commit.files.iter().any(|file| matches!(file.status, 'R' | 'C')) {
        return Ok(cases);
    }
    let is_source = |file: &&FileChange| {
        language::of(&file.path).is_some() && !sampling::is_foreign_path(&file.path)
    };
    let sources: Vec<&FileChange> = commit.files.iter().filter(is_source).collect();
    if !(rules.files.0..=rules.files.1).contains(&sources.len()) {
        return Ok(cases);
    }
    let Ok(question) = sampling::question(&commit.message, rules.message_min) else {
        return Ok(cases);
    };
    for file in sources.into_iter().filter(|file| file.status == 'M' && file.ordinary) {
        let old = objects.text(&file.old, FILE_BYTES_MAX)?;
        let new = objects.text(&file.new, FILE_BYTES_MAX)?;
        let Some((old, new)) = old.zip(new) else { continue };
        let change = Change { path: &file.path, old: &old, new: &new };
        let case = sampling::case(rules, &repository.name, &commit.id, &question, change);
        cases.extend(case.filter(|case| !cases.iter().any(|other| is_copy(case, other))));
    }
    Ok(cases)
}

/// Whether two files of one commit are the same file kept twice, as sources for two
/// runtimes are.
fn is_copy(one: &Case, other: &Case) -> bool {
    let name = |case: &Case| case.path.rsplit('/').next().map(str::to_owned);
    name(one) == name(other) && one.gold_lines == other.gold_lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_repositories_apart() {
        for (folders, expected) in [
            (vec!["/a/b"], "b"),
            (vec!["/a/b.git", "/a/c/.git"], "b c"),
            (vec!["/mirror/x+y/repo", "/mirror/z/repo"], "x+y z"),
            (vec!["/a/lib", "/b/lib", "/b/other"], "a/lib b/lib b/other"),
            (vec!["/"], "/"),
        ] {
            let folders: Vec<&Path> = folders.into_iter().map(Path::new).collect();
            assert_eq!(names(&folders).join(" "), expected, "{folders:?}");
        }
    }
}
