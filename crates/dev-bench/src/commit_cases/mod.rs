//! Cases from the histories of git repositories: a file before a commit, the commit's message
//! and the lines that the commit touched.

mod git;
mod git_log;
mod gold_lines;
mod message;
mod repository_names;
mod rules;
mod source_file;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::Context;

use self::git::{GitRepository, ObjectReader};
use self::git_log::{GitCommit, GitFileChange};
use self::rules::{FileRevisions, SamplingRules};
use crate::case::CurationCase;
use crate::language::language_of;
use crate::seeded_random::SeededRandom;

/// The most commits examined, the newest first.
const COMMITS_MAX: usize = 50_000;
/// The largest file examined, in bytes.
const FILE_BYTES_MAX: u64 = 2 << 20;

/// Samples cases from the repositories at `paths`; deterministic for a seed and histories.
///
/// # Errors
/// For the first repository that cannot be read.
pub(crate) fn sample_cases(paths: &[PathBuf], seed: u64) -> anyhow::Result<Vec<CurationCase>> {
    let mut seen = HashSet::new();
    let mut folders: Vec<(PathBuf, GitRepository)> = Vec::new();
    for path in paths {
        let repository = GitRepository::open(path)?;
        let full = path.canonicalize().unwrap_or_else(|_| path.clone());
        if seen.insert(full.clone()) {
            folders.push((full, repository));
        }
    }
    let paths: Vec<&Path> = folders.iter().map(|(path, _)| path.as_path()).collect();
    let names = repository_names::distinct_names(&paths);
    let rules = SamplingRules::default();
    let mut cases = Vec::new();
    for (name, (_, repository)) in names.iter().zip(&folders) {
        let sampled = sample_repository(name, repository, &rules, seed)?;
        eprintln!("{name}: {} cases", sampled.len());
        cases.extend(sampled);
    }
    Ok(cases)
}

fn sample_repository(
    name: &str,
    repository: &GitRepository,
    rules: &SamplingRules,
    seed: u64,
) -> anyhow::Result<Vec<CurationCase>> {
    let mut commits = git_log::parse_log(&repository.log(COMMITS_MAX)?);
    SeededRandom::new(seed, name).shuffle(&mut commits);
    let mut objects = repository.open_objects()?;
    let mut cases: Vec<CurationCase> = Vec::new();
    for commit in &commits {
        if cases.len() >= rules.cases_max {
            break;
        }
        let found = commit_cases(name, rules, commit, &mut objects);
        cases.extend(found.context("`git cat-file` failed")?);
    }
    cases.truncate(rules.cases_max);
    Ok(cases)
}

fn commit_cases(
    repo: &str,
    rules: &SamplingRules,
    commit: &GitCommit,
    objects: &mut ObjectReader,
) -> std::io::Result<Vec<CurationCase>> {
    let mut cases: Vec<CurationCase> = Vec::new();
    if commit.files.iter().any(|file| matches!(file.status, 'R' | 'C')) {
        return Ok(cases);
    }
    let is_source = |file: &&GitFileChange| {
        language_of(&file.path).is_some() && !source_file::is_foreign_path(&file.path)
    };
    let sources: Vec<&GitFileChange> = commit.files.iter().filter(is_source).collect();
    if !(rules.files.0..=rules.files.1).contains(&sources.len()) {
        return Ok(cases);
    }
    let Ok(question) = message::parse_question(&commit.message, rules.message_min) else {
        return Ok(cases);
    };
    for file in sources.into_iter().filter(|file| file.status == 'M' && file.ordinary) {
        let old = objects.read_text(&file.old, FILE_BYTES_MAX)?;
        let new = objects.read_text(&file.new, FILE_BYTES_MAX)?;
        let Some((old, new)) = old.zip(new) else { continue };
        let revisions = FileRevisions { path: &file.path, old: &old, new: &new };
        let case = rules::case_from_revisions(rules, repo, &commit.id, &question, revisions);
        cases.extend(case.filter(|case| !cases.iter().any(|other| is_copy(case, other))));
    }
    Ok(cases)
}

/// Returns whether two files of one commit are copies of the same file, such as sources for two
/// runtimes.
fn is_copy(one: &CurationCase, other: &CurationCase) -> bool {
    let name = |case: &CurationCase| case.path.rsplit('/').next().map(str::to_owned);
    name(one) == name(other) && one.gold_lines == other.gold_lines
}

#[cfg(test)]
mod tests;
