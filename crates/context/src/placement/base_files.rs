//! Base files: project knowledge and pinned files that stand in the system prompt.
//!
//! The system prompt is the start of every request, so one changed byte there makes the
//! provider forget the whole prompt. Hence the rule: base files are chosen and brought up to
//! date only at a moment at which the prompt is rewritten anyway (the start of a
//! conversation, a reset, a cold cache). In between, a file that changed is the business of
//! the messages, and the placed bytes stay. What is placed keeps its place; new files follow.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::tokens::{Tokenizer, Tokens};

/// A file placed in the system prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BaseFile {
    /// The path.
    pub path: String,
    /// The content as placed.
    pub content: String,
}

impl BaseFile {
    /// The file as it stands in the system prompt.
    pub fn render(&self) -> String {
        let BaseFile { path, content } = self;
        let end = if content.ends_with('\n') { "" } else { "\n" };
        format!("{BEGIN}{path}{HEAD_END}{content}{end}{END}")
    }
}

/// The base files as they stand in the system prompt.
pub fn render_base_files(files: &[BaseFile]) -> String {
    files.iter().map(BaseFile::render).collect()
}

/// The files that [`render_base_files`] was given, each with the line break that it ends with there.
/// A content that looks like the end of one file and the beginning of another is read as both;
/// rendered again, all is there, with a blank line more where such a file holds nothing.
pub fn read_base_files(rendered: &str) -> Vec<BaseFile> {
    let mut files = Vec::new();
    let mut rest = rendered.strip_prefix(BEGIN);
    while let Some(text) = rest {
        let (file, next) = match next_file(text) {
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

/// What a file begins with, what ends its first line, and what it ends with.
const BEGIN: &str = "<file path=\"";
const HEAD_END: &str = "\">\n";
const END: &str = "</file>\n";

/// Where the file that `text` begins in ends, if another follows: one whose end has a line of its
/// own, as each is rendered, and whose first line names it. All else is content.
fn next_file(text: &str) -> Option<usize> {
    let head = text.find(HEAD_END)? + HEAD_END.len();
    let mut ends = text[head..].match_indices(END).map(|(at, _)| head + at);
    ends.find(|at| {
        let line = text[at + END.len()..].split_inclusive('\n').next();
        let names = line.is_some_and(|line| line.starts_with(BEGIN) && line.ends_with(HEAD_END));
        names && text[head..*at].ends_with('\n')
    })
}

/// Who has the files that may stand in a system prompt. Shared by threads.
pub trait BaseFolder: Send + Sync + std::fmt::Debug {
    /// The files that stand there when a conversation begins.
    fn first(&self) -> &[BaseFile];

    /// What a file holds now; `None` where it may not stand in the system prompt.
    fn read(&self, path: &str) -> Option<String>;

    /// Whether a content is kept as it is: a decision with another cannot be recorded.
    fn is_kept(&self, content: &str) -> bool;

    /// The system prompt with other files in place of those that `system` has.
    fn system(&self, system: &str, files: &[BaseFile]) -> String;
}

/// A file that may become a base file, and what speaks for it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Candidate {
    /// The path.
    pub path: String,
    /// The content now.
    pub content: String,
    /// How often messages name it.
    pub mentions: u32,
    /// How often it was changed.
    pub edits: u32,
    /// How often it was read.
    pub reads: u32,
    /// Turns since it was last used.
    pub age: u32,
    /// Whether the user pinned it.
    pub pinned: bool,
}

/// How base files are chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct BaseRules {
    /// Tokens that all base files may have together.
    pub limit: Tokens,
    /// Glob patterns of knowledge files, which go first. `*` and `?` do not cross `/`, `**`
    /// does; a pattern without `/` is compared with the file's name alone.
    pub knowledge: Vec<String>,
    /// The count behind `limit`.
    pub tokenizer: Tokenizer,
}

impl BaseRules {
    /// The usual knowledge files within `limit` tokens.
    pub fn new(limit: Tokens) -> Self {
        let knowledge =
            ["CLAUDE.md", "AGENTS.md", "README", "README.*", "knowledge.md", "*.knowledge.md"];
        Self {
            limit,
            knowledge: knowledge.map(str::to_owned).to_vec(),
            tokenizer: Tokenizer::O200k,
        }
    }

    /// Whether `path` is a knowledge file.
    pub fn is_knowledge(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.knowledge.iter().any(|pattern| {
            let subject = if pattern.contains('/') { path } else { name };
            glob_matches(pattern.as_bytes(), subject.as_bytes())
        })
    }

    fn is_critical(&self, candidate: &Candidate) -> bool {
        candidate.pinned || self.is_knowledge(&candidate.path)
    }

    /// Tokens of `files` in the system prompt.
    pub fn tokens(&self, files: &[BaseFile]) -> Tokens {
        files.iter().map(|file| self.tokenizer.count(&file.render())).sum()
    }
}

/// Chooses the base files: those `placed` first, in their order, with the content their
/// candidate has now; then pinned and knowledge files in the order given; then the others by
/// relevance per token, as long as they fit `rules.limit`. A file that does not fit is
/// skipped, not cut; placed files stay even where their growth exceeds the limit. Call it only when the prompt is rewritten anyway (see the module).
pub fn select_base_files(
    placed: &[BaseFile],
    candidates: &[Candidate],
    rules: &BaseRules,
) -> Vec<BaseFile> {
    let mut files: Vec<BaseFile> = placed.to_vec();
    for file in &mut files {
        if let Some(now) = candidates.iter().find(|candidate| candidate.path == file.path) {
            file.content.clone_from(&now.content);
        }
    }
    let mut taken: HashSet<&str> = placed.iter().map(|file| file.path.as_str()).collect();
    let mut total = rules.tokens(&files);
    for candidate in ranked(candidates, rules) {
        let file = BaseFile { path: candidate.path.clone(), content: candidate.content.clone() };
        let tokens = rules.tokenizer.count(&file.render());
        if total + tokens <= rules.limit && taken.insert(&candidate.path) {
            total += tokens;
            files.push(file);
        }
    }
    files
}

/// Critical candidates as given, then the relevant ones, the most relevant per token first.
fn ranked<'a>(candidates: &'a [Candidate], rules: &BaseRules) -> Vec<&'a Candidate> {
    let (mut first, rest): (Vec<_>, Vec<_>) =
        candidates.iter().partition(|candidate| rules.is_critical(candidate));
    let mut scored: Vec<(f64, &Candidate)> = rest
        .into_iter()
        .map(|candidate| {
            let tokens = rules.tokenizer.count(&candidate.content).0.max(1);
            (relevance(candidate) / tokens as f64, candidate)
        })
        .filter(|(score, _)| *score > 0.0)
        .collect();
    // Equal scores by path, so that the order does not hang on the caller's.
    scored.sort_by(|(a, left), (b, right)| b.total_cmp(a).then(left.path.cmp(&right.path)));
    first.extend(scored.into_iter().map(|(_, candidate)| candidate));
    first
}

/// Uses, an edit worth two reads and a read two mentions, halved after ten turns of rest.
fn relevance(candidate: &Candidate) -> f64 {
    let uses = 4.0 * f64::from(candidate.edits)
        + 2.0 * f64::from(candidate.reads)
        + f64::from(candidate.mentions);
    uses * 10.0 / (10.0 + f64::from(candidate.age))
}

fn glob_matches(pattern: &[u8], subject: &[u8]) -> bool {
    // One row of the usual table: which prefixes of the subject the pattern so far matches.
    // Linear in memory and without recursion, whatever the pattern.
    let mut reached = vec![false; subject.len() + 1];
    reached[0] = true;
    let mut rest = pattern;
    while let Some(first) = rest.first() {
        let length = match rest {
            // `**/` also stands for no folder at all.
            [b'*', b'*', b'/', ..] => {
                let mut started = false;
                for end in 0..subject.len() {
                    started |= reached[end];
                    reached[end + 1] |= started && subject[end] == b'/';
                }
                3
            }
            [b'*', b'*', ..] => {
                spread(&mut reached, subject, |_| true);
                2
            }
            [b'*', ..] => {
                spread(&mut reached, subject, |byte| byte != b'/');
                1
            }
            _ => {
                for end in (0..subject.len()).rev() {
                    let matches =
                        *first == subject[end] || (*first == b'?' && subject[end] != b'/');
                    reached[end + 1] = reached[end] && matches;
                }
                reached[0] = false;
                1
            }
        };
        rest = &rest[length..];
    }
    reached[subject.len()]
}

/// Lets what is reached run on over bytes that `crosses` allows.
fn spread(reached: &mut [bool], subject: &[u8], crosses: impl Fn(u8) -> bool) {
    for end in 0..subject.len() {
        reached[end + 1] |= reached[end] && crosses(subject[end]);
    }
}

#[cfg(test)]
mod tests;
