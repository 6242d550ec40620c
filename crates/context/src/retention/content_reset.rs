//! Profile `content-reset`: at the token limit contents of read files leave the results,
//! their paths stay.
//!
//! Source: the design document "File Architecture Redesign Plan" (seed 003). It promotes
//! priority files to base files in the system prompt; a policy changes results only, so
//! promotion here means that a file's latest read stays. Contents go from the least worth
//! on until the prompt is at the low mark: first superseded reads, then files nobody
//! mentioned, then mentioned ones, then edited ones, which are critical; of equal worth the
//! larger goes first. What was read since the last response stays, for the model has not
//! seen it. The document sets no limits; these are half and a quarter of a 200,000 window.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::facts::file_name;
use crate::placement::base_files::{BaseFile, Candidate};
use crate::shape::Shape;
use crate::tokens::Tokens;
use foveal_effects::EffectKind;
use foveal_transcript::{EntryIndex, Role};

use super::PolicyView;

/// The rule's name in shapes.
pub const RULE: &str = "content-reset";

/// The prompt size at which contents are removed.
pub const HIGH: Tokens = Tokens(100_000);
/// The prompt size at which removing stops.
pub const LOW: Tokens = Tokens(50_000);

/// Resets at [`HIGH`] down to [`LOW`].
pub fn decide(view: &PolicyView<'_>) -> Vec<(EntryIndex, Shape)> {
    decide_within(view, HIGH, LOW)
}

/// Resets at `high` down to `low`; what was truncated stays so.
pub fn decide_within(view: &PolicyView<'_>, high: Tokens, low: Tokens) -> Vec<(EntryIndex, Shape)> {
    match view.tokens() < high {
        true => view.all_replaced(),
        false => decide_beside(view, &[], low),
    }
}

/// The same where `base` stands in the system prompt from this request on: contents of these files
/// leave first, since they stand there, then others down to `low`.
pub fn decide_beside(
    view: &PolicyView<'_>,
    base: &[BaseFile],
    low: Tokens,
) -> Vec<(EntryIndex, Shape)> {
    let mut shapes = view.all_replaced();
    let mut total = view.tokens();
    let in_base = |path: &&str| base.iter().any(|file| file.path == *path);
    let mut reads = reads_by_worth(view);
    reads.sort_by_key(|read| !read.paths.iter().all(in_base));
    for read in reads {
        if total <= low && !read.paths.iter().all(in_base) {
            break;
        }
        let reference = reference(&read.paths);
        let tokens = view.record.tokenizer().count(&reference);
        if tokens < read.tokens {
            total = total - read.tokens + tokens;
            shapes.push(view.stand_in(read.index, RULE, reference, None));
        }
    }
    shapes
}

/// Tokens of the reads whose content can leave yet.
pub fn removable(view: &PolicyView<'_>) -> Tokens {
    reads_by_worth(view).iter().map(|read| read.tokens).sum()
}

/// The files that may move to the system prompt: those that stand there, and those that were read
/// and matter, because they were edited, named, or read more than once. `content`: what one holds
/// now, if it may stand there.
pub fn candidates(
    view: &PolicyView<'_>,
    placed: &[BaseFile],
    content: impl Fn(&str) -> Option<String>,
) -> Vec<Candidate> {
    let edited = edited_files(view);
    let mut mentions = Mentions::of(view);
    let results = view.window.len() as u32;
    let mut read: BTreeMap<&str, (u32, EntryIndex)> = BTreeMap::new();
    for index in view.results() {
        for path in paths_read(view, index).unwrap_or_default() {
            let known = read.entry(path).or_insert((0, index));
            *known = (known.0 + 1, index);
        }
    }
    let mut candidates = Vec::new();
    for file in placed {
        let content = content(&file.path).unwrap_or_else(|| file.content.clone());
        candidates.push(Candidate { path: file.path.clone(), content, ..Candidate::default() });
    }
    for (path, (reads, last)) in read {
        let (edits, named) = (u32::from(edited.contains(path)), u32::from(mentions.names(path)));
        if (edits, named) == (0, 0) && reads < 2 || placed.iter().any(|file| file.path == path) {
            continue;
        }
        let Some(content) = content(path) else { continue };
        let position = view.window.partition_point(|index| *index < last) as u32;
        let (path, age) = (path.to_owned(), results.saturating_sub(position) / 2);
        let pinned = false;
        candidates.push(Candidate { path, content, mentions: named, edits, reads, age, pinned });
    }
    candidates
}

/// What stands in place of a result that showed these files.
pub fn reference(paths: &[&str]) -> String {
    let files: Vec<_> =
        paths.iter().map(|path| serde_json::json!({ "path": path, "truncated": true })).collect();
    serde_json::json!({ "type": "read_files", "files": files }).to_string()
}

/// How much a read's content is worth keeping, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Worth {
    /// A later read shows each of its files.
    Superseded,
    /// The latest read of files nobody named since.
    Unnamed,
    /// A message of the user or the model names one of its files.
    Mentioned,
    /// One of its files was edited or written.
    Critical,
}

struct Read<'a> {
    index: EntryIndex,
    paths: Vec<&'a str>,
    tokens: Tokens,
    worth: Worth,
}

/// The reads whose content can go, in the order in which it should.
fn reads_by_worth<'a>(view: &'a PolicyView<'_>) -> Vec<Read<'a>> {
    let latest = latest_reads(view);
    let edited = edited_files(view);
    let mut mentions = Mentions::of(view);
    let unseen = first_unseen(view);
    let mut reads = Vec::new();
    for index in view.results().filter(|index| *index < unseen) {
        let Some(paths) = paths_read(view, index) else { continue };
        if view.replaced(index).is_some() {
            continue;
        }
        let worth = if paths.iter().all(|path| latest.get(path) != Some(&index)) {
            Worth::Superseded
        } else if paths.iter().any(|path| edited.contains(path)) {
            Worth::Critical
        } else if paths.iter().any(|path| mentions.names(path)) {
            Worth::Mentioned
        } else {
            Worth::Unnamed
        };
        let tokens = view.record.facts(index).tokens;
        reads.push(Read { index, paths, tokens, worth });
    }
    reads.sort_by_key(|read| (read.worth, std::cmp::Reverse(read.tokens), read.index));
    reads
}

/// The files a successful read shows; `None` for other results.
fn paths_read<'a>(view: &'a PolicyView<'_>, index: EntryIndex) -> Option<Vec<&'a str>> {
    let call = view.record.facts(index).call.as_ref()?;
    let reads = &call.effect.reads;
    if call.effect.kind != EffectKind::Read || reads.is_empty() || view.is_error(index) {
        return None;
    }
    Some(reads.iter().map(|read| read.path.as_str()).collect())
}

fn latest_reads<'a>(view: &'a PolicyView<'_>) -> HashMap<&'a str, EntryIndex> {
    let mut latest = HashMap::new();
    for index in view.results() {
        for path in paths_read(view, index).unwrap_or_default() {
            latest.insert(path, index);
        }
    }
    latest
}

fn edited_files<'a>(view: &'a PolicyView<'_>) -> HashSet<&'a str> {
    let successful = view.results().filter(|index| !view.is_error(*index));
    successful
        .filter_map(|index| view.record.facts(index).call.as_ref())
        .flat_map(|call| &call.effect.writes)
        .map(|write| write.path.as_str())
        .collect()
}

/// What the user and the model say in the prompt, and which file names were looked for.
struct Mentions<'a> {
    texts: Vec<String>,
    known: HashMap<&'a str, bool>,
}

impl<'a> Mentions<'a> {
    fn of(view: &PolicyView<'_>) -> Self {
        let entries = view.window.iter().map(|index| view.record.entry(*index));
        let said = entries.filter(|entry| matches!(entry.role, Role::User | Role::Assistant));
        Self { texts: said.map(|entry| entry.text()).collect(), known: HashMap::new() }
    }

    fn names(&mut self, path: &'a str) -> bool {
        let name = file_name(path);
        let texts = &self.texts;
        *self.known.entry(name).or_insert_with(|| texts.iter().any(|text| text.contains(name)))
    }
}

/// The first entry after the last response; results from there on were not seen yet.
fn first_unseen(view: &PolicyView<'_>) -> EntryIndex {
    let answered = |index: &&EntryIndex| view.record.entry(**index).role == Role::Assistant;
    view.window
        .iter()
        .rev()
        .find(answered)
        .map_or(EntryIndex(u32::MAX), |last| EntryIndex(last.0 + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_keeps_the_paths_and_says_truncated() {
        assert_eq!(
            reference(&["file1.ts"]),
            r#"{"type":"read_files","files":[{"path":"file1.ts","truncated":true}]}"#
        );
        assert_eq!(
            reference(&["a \"b\".ts", "c.ts"]),
            r#"{"type":"read_files","files":[{"path":"a \"b\".ts","truncated":true},{"path":"c.ts","truncated":true}]}"#
        );
    }
}
