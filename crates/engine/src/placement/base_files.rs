//! Base files: project knowledge and pinned files in the system prompt.
//!
//! The system prompt is the start of every request, so a changed byte in it invalidates the
//! provider's cache of the whole prompt. Hence base files are chosen and updated only when the
//! prompt is rewritten anyway: at the start of a conversation, at a reset, or with a cold cache. In
//! between the placed bytes stay, and messages report changes to the files. Placed files keep their
//! order; new files follow.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use foveal_pricing::tokens::{Tokenizer, Tokens};

/// A file placed in the system prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaseFile {
    /// The path.
    pub path: String,
    /// The content as placed.
    pub content: String,
}

impl BaseFile {
    /// Renders the file for the system prompt.
    pub fn render(&self) -> String {
        let BaseFile { path, content } = self;
        let end = if content.ends_with('\n') { "" } else { "\n" };
        format!("{BEGIN}{path}{HEAD_END}{content}{end}{END}")
    }
}

/// Renders the base files for the system prompt.
pub fn render_base_files(files: &[BaseFile]) -> String {
    files.iter().map(BaseFile::render).collect()
}

/// Parses the output of [`render_base_files`]. Each content ends with a line break. A content that
/// looks like the end of one file and the beginning of another is parsed as two files; rendered
/// again, nothing is lost, but an empty file gains a blank line.
pub fn parse_base_files(rendered: &str) -> Vec<BaseFile> {
    let mut files = Vec::new();
    let mut rest = rendered.strip_prefix(BEGIN);
    while let Some(text) = rest {
        let (file, next) = match find_file_end(text) {
            Some(at) => (&text[..at], Some(&text[at + END.len() + BEGIN.len()..])),
            None => (text.rsplit_once(END).map_or(text, |(file, _)| file), None),
        };
        rest = next;
        if let Some((path, content)) = file.split_once(HEAD_END) {
            files.push(BaseFile { path: path.to_owned(), content: content.to_owned() });
        }
    }
    files
}

/// The start of a file, the end of its first line, and the end of the file.
const BEGIN: &str = "<file path=\"";
const HEAD_END: &str = "\">\n";
const END: &str = "</file>\n";

/// Returns the end of the file that `text` begins in, if another follows: the end tag has a line of
/// its own, as rendered, and the next line names a file. Everything else is content.
fn find_file_end(text: &str) -> Option<usize> {
    let head = text.find(HEAD_END)? + HEAD_END.len();
    let mut ends = text[head..].match_indices(END).map(|(at, _)| head + at);
    ends.find(|at| {
        let line = text[at + END.len()..].split_inclusive('\n').next();
        let names = line.is_some_and(|line| line.starts_with(BEGIN) && line.ends_with(HEAD_END));
        names && text[head..*at].ends_with('\n')
    })
}

/// The source of the files that may stand in a system prompt. Shared by threads.
pub trait BaseFileLoader: Send + Sync + std::fmt::Debug {
    /// Returns the base files at the start of a conversation.
    fn initial_files(&self) -> &[BaseFile];

    /// Returns the present content of a file; `None` if it must not stand in the system prompt.
    fn current_content(&self, path: &str) -> Option<String>;

    /// Returns whether the store keeps this content unchanged. A decision with any other content
    /// cannot be recorded.
    fn is_storable(&self, content: &str) -> bool;

    /// Replaces the base files in the system prompt `system` by `files`.
    fn replace_base_files(&self, system: &str, files: &[BaseFile]) -> String;
}

/// A candidate for the base files, with the counts that determine its relevance.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BaseFileCandidate {
    /// The path.
    pub path: String,
    /// The present content.
    pub content: String,
    /// Number of messages that name it.
    pub mentions: u32,
    /// Number of changes.
    pub edits: u32,
    /// Number of reads.
    pub reads: u32,
    /// Turns since its last use.
    pub age: u32,
}

/// The rules for the choice of base files.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BaseFileRules {
    /// Most tokens of all base files together.
    pub limit: Tokens,
    /// The tokenizer for `limit`.
    pub tokenizer: Tokenizer,
}

impl BaseFileRules {
    /// Returns the tokens of `files` in the system prompt.
    fn count_tokens(&self, files: &[BaseFile]) -> Tokens {
        files.iter().map(|file| self.tokenizer.count(&file.render())).sum()
    }
}

/// Chooses the base files: those `placed` first, in their order, with the present content of their
/// candidates; then knowledge files in the given order; then the others by relevance per
/// token, as long as they fit `rules.limit`. A file that does not fit is skipped, not cut; placed
/// files stay even if their growth exceeds the limit. To be called only when the prompt is
/// rewritten anyway (see the module).
pub fn select_base_files(
    placed: &[BaseFile],
    candidates: &[BaseFileCandidate],
    rules: &BaseFileRules,
) -> Vec<BaseFile> {
    let mut files: Vec<BaseFile> = placed.to_vec();
    for file in &mut files {
        if let Some(now) = candidates.iter().find(|candidate| candidate.path == file.path) {
            file.content.clone_from(&now.content);
        }
    }
    let mut taken: HashSet<&str> = placed.iter().map(|file| file.path.as_str()).collect();
    let mut total = rules.count_tokens(&files);
    for candidate in rank_candidates(candidates, rules) {
        let file = BaseFile { path: candidate.path.clone(), content: candidate.content.clone() };
        let tokens = rules.tokenizer.count(&file.render());
        if total + tokens <= rules.limit && taken.insert(&candidate.path) {
            total += tokens;
            files.push(file);
        }
    }
    files
}

/// Returns the knowledge files in the given order, then the others by descending relevance per
/// token.
fn rank_candidates<'a>(
    candidates: &'a [BaseFileCandidate],
    rules: &BaseFileRules,
) -> Vec<&'a BaseFileCandidate> {
    let (mut first, rest): (Vec<_>, Vec<_>) =
        candidates.iter().partition(|candidate| is_knowledge_file(&candidate.path));
    let mut scored: Vec<(f64, &BaseFileCandidate)> = rest
        .into_iter()
        .map(|candidate| {
            let tokens = rules.tokenizer.count(&candidate.content).0.max(1);
            (relevance(candidate) / tokens as f64, candidate)
        })
        .filter(|(score, _)| *score > 0.0)
        .collect();
    // Ties are broken by path, so that the result does not depend on the caller's order.
    scored.sort_by(|(a, left), (b, right)| b.total_cmp(a).then(left.path.cmp(&right.path)));
    first.extend(scored.into_iter().map(|(_, candidate)| candidate));
    first
}

/// Returns the weighted uses (an edit counts as two reads, a read as two mentions), halved after
/// ten turns without use.
fn relevance(candidate: &BaseFileCandidate) -> f64 {
    let uses = 4.0 * f64::from(candidate.edits)
        + 2.0 * f64::from(candidate.reads)
        + f64::from(candidate.mentions);
    uses * 10.0 / (10.0 + f64::from(candidate.age))
}

/// Returns whether a file holds project knowledge, which comes first.
fn is_knowledge_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    ["CLAUDE.md", "AGENTS.md", "README", "knowledge.md"].contains(&name)
        || name.starts_with("README.")
        || name.ends_with(".knowledge.md")
}

#[cfg(test)]
mod tests;
