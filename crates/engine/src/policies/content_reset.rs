//! Profile `content-reset`: at the token limit the contents of read files leave the results; their
//! paths stay.
//!
//! Source: the design document "File Architecture Redesign Plan" (seed 003). It promotes priority
//! files to base files in the system prompt; a policy changes results only, so promotion here means
//! that a file's latest read stays. Contents are removed in order of priority until the prompt is
//! at the low mark: first superseded reads, then files that no message mentions, then mentioned
//! ones; of equal priority the older first. Recent reads, and then edited files, which are critical,
//! go only if the prompt would otherwise still be near the high mark. Reads since the last response
//! stay, since the model has not seen them. The document sets no limits; these are half and a
//! quarter of a 200,000 window.

use std::collections::{BTreeMap, HashMap, HashSet};

use foveal_pricing::tokens::Tokens;
use foveal_tool_effects::EffectKind;
use foveal_transcript::{EntryIndex, MessageRole};

use crate::entry_facts::file_name;
use crate::message_shape::MessageShape;
use crate::placement::base_files::{BaseFile, BaseFileCandidate};

use super::policy_view::PolicyView;

/// The rule's name in shapes.
pub const RULE: &str = "content-reset";

/// The prompt sizes between which contents are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResetMarks {
    /// The prompt size at which contents are removed, including the system prompt.
    pub high: Tokens,
    /// The prompt size at which the removal stops.
    pub low: Tokens,
}

impl ResetMarks {
    /// Returns the largest prompt size at which a reset keeps recent reads and critical files: far
    /// enough below the high mark that the next reset is not near.
    pub(crate) fn critical_mark(self) -> Tokens {
        Tokens(self.high.0 - self.high.0.saturating_sub(self.low.0) / CRITICAL_ROOM_PART)
    }
}

/// The part of the distance between the marks that a reset frees at least.
const CRITICAL_ROOM_PART: u64 = 4;

impl Default for ResetMarks {
    fn default() -> Self {
        Self { high: Tokens(100_000), low: Tokens(50_000) }
    }
}

/// Resets at the high mark down to the low one; truncated results stay truncated.
pub fn decide_between_marks(
    view: &PolicyView<'_>,
    marks: ResetMarks,
) -> Vec<(EntryIndex, MessageShape)> {
    match view.tokens() < marks.high {
        true => view.current_shapes(),
        false => decide_with_base_files(view, &[], marks),
    }
}

/// Resets down to the low mark with `base` in the system prompt from this request on. Contents of
/// the base files are removed first, since they stand there.
pub fn decide_with_base_files(
    view: &PolicyView<'_>,
    base: &[BaseFile],
    marks: ResetMarks,
) -> Vec<(EntryIndex, MessageShape)> {
    let ResetMarks { low, .. } = marks;
    let mut shapes = view.current_shapes();
    let mut total = view.tokens();
    let in_base = |path: &&str| base.iter().any(|file| file.path == *path);
    let mut reads = removable_reads(view);
    reads.sort_by_key(|read| !read.paths.iter().all(in_base));
    let mut keeps_rest = true;
    for read in reads {
        let is_in_base = read.paths.iter().all(in_base);
        if total <= low && !is_in_base {
            break;
        }
        if read.worth >= ReadPriority::Recent && !is_in_base && keeps_rest {
            // Once they have to go, they go down to the low mark, so that the next request does
            // not need another reset.
            keeps_rest = total <= marks.critical_mark();
            if keeps_rest {
                break;
            }
        }
        let reference = truncated_reference(&read.paths);
        let tokens = view.record.tokenizer().count(&reference);
        if tokens < read.tokens {
            total = total - read.tokens + tokens;
            shapes.push(view.placeholder(read.index, RULE, reference, None));
        }
    }
    shapes
}

/// Returns the tokens of the reads whose content can still be removed.
pub fn removable_tokens(view: &PolicyView<'_>) -> Tokens {
    removable_reads(view).iter().map(|read| read.tokens).sum()
}

/// Returns the candidates for base files: the present ones, and read files that were edited, named,
/// or read more than once. `content` returns the present content of a file, if it may stand in the
/// system prompt.
pub fn base_file_candidates(
    view: &PolicyView<'_>,
    placed: &[BaseFile],
    content: impl Fn(&str) -> Option<String>,
) -> Vec<BaseFileCandidate> {
    let edited = edited_files(view);
    let mut mentions = FileMentions::from_view(view);
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
        candidates.push(BaseFileCandidate {
            path: file.path.clone(),
            content,
            ..BaseFileCandidate::default()
        });
    }
    for (path, (reads, last)) in read {
        let (edits, named) = (u32::from(edited.contains(path)), u32::from(mentions.mentions(path)));
        if (edits, named) == (0, 0) && reads < 2 || placed.iter().any(|file| file.path == path) {
            continue;
        }
        let Some(content) = content(path) else { continue };
        let position = view.window.partition_point(|index| *index < last) as u32;
        let (path, age) = (path.to_owned(), results.saturating_sub(position) / 2);
        candidates.push(BaseFileCandidate { path, content, mentions: named, edits, reads, age });
    }
    candidates
}

/// Returns the replacement of a result that showed these files.
pub fn truncated_reference(paths: &[&str]) -> String {
    let files: Vec<_> =
        paths.iter().map(|path| serde_json::json!({ "path": path, "truncated": true })).collect();
    serde_json::json!({ "type": "read_files", "files": files }).to_string()
}

/// The priority for keeping a read's content, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ReadPriority {
    /// A later read shows each of its files.
    Superseded,
    /// The latest read of files that no message names.
    Unnamed,
    /// A message of the user or the model names one of its files.
    Mentioned,
    /// One of the last responses asked for it.
    Recent,
    /// One of its files was edited or written.
    Critical,
}

struct RemovableRead<'a> {
    index: EntryIndex,
    paths: Vec<&'a str>,
    tokens: Tokens,
    worth: ReadPriority,
}

/// Returns the reads whose content can be removed, in order of removal.
fn removable_reads<'a>(view: &'a PolicyView<'_>) -> Vec<RemovableRead<'a>> {
    let latest = latest_reads(view);
    let edited = edited_files(view);
    let mut mentions = FileMentions::from_view(view);
    let unseen = first_after_responses(view, 1).unwrap_or(EntryIndex(u32::MAX));
    let recent = first_after_responses(view, RECENT_RESPONSES).unwrap_or(EntryIndex(0));
    let mut reads = Vec::new();
    for index in view.results().filter(|index| *index < unseen) {
        let Some(paths) = paths_read(view, index) else { continue };
        if view.current_shape(index).is_some() {
            continue;
        }
        let worth = if paths.iter().all(|path| latest.get(path) != Some(&index)) {
            ReadPriority::Superseded
        } else if paths.iter().any(|path| edited.contains(path)) {
            ReadPriority::Critical
        } else if index >= recent {
            ReadPriority::Recent
        } else if paths.iter().any(|path| mentions.mentions(path)) {
            ReadPriority::Mentioned
        } else {
            ReadPriority::Unnamed
        };
        let tokens = view.record.facts(index).tokens;
        reads.push(RemovableRead { index, paths, tokens, worth });
    }
    reads.sort_by_key(|read| (read.worth, read.index));
    reads
}

/// Returns the files that a successful read shows; `None` for other results.
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

/// The texts of the user and the model in the prompt, with a cache of looked-up file names.
struct FileMentions<'a> {
    texts: Vec<String>,
    known: HashMap<&'a str, bool>,
}

impl<'a> FileMentions<'a> {
    fn from_view(view: &PolicyView<'_>) -> Self {
        let entries = view.window.iter().map(|index| view.record.entry(*index));
        let said = entries
            .filter(|entry| matches!(entry.role, MessageRole::User | MessageRole::Assistant));
        Self { texts: said.map(|entry| entry.text()).collect(), known: HashMap::new() }
    }

    fn mentions(&mut self, path: &'a str) -> bool {
        let name = file_name(path);
        let texts = &self.texts;
        *self.known.entry(name).or_insert_with(|| texts.iter().any(|text| text.contains(name)))
    }
}

/// The number of last responses whose reads are recent: as many as with foveal's own profiles.
const RECENT_RESPONSES: usize = 4;

/// Returns the entry after the response that is `count` responses from the end of the prompt. The
/// model has not seen results from the one after the last response on.
fn first_after_responses(view: &PolicyView<'_>, count: usize) -> Option<EntryIndex> {
    let is_response =
        |index: &&EntryIndex| view.record.entry(**index).role == MessageRole::Assistant;
    let found = view.window.iter().rev().filter(is_response).nth(count - 1);
    found.map(|response| EntryIndex(response.0 + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_keeps_the_paths_and_says_truncated() {
        assert_eq!(
            truncated_reference(&["file1.ts"]),
            r#"{"type":"read_files","files":[{"path":"file1.ts","truncated":true}]}"#
        );
        assert_eq!(
            truncated_reference(&["a \"b\".ts", "c.ts"]),
            r#"{"type":"read_files","files":[{"path":"a \"b\".ts","truncated":true},{"path":"c.ts","truncated":true}]}"#
        );
    }
}
