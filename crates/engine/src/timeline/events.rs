//! The events of files in a conversation, shown and changed, in order.

use std::collections::BTreeSet;

use super::read_files_result::parse_read_files;
use crate::lines::{ResultLines, parse_result_lines};
use foveal_tool_effects::outcome::{CallOutcome, call_outcome};
use foveal_tool_effects::{Effect, EffectKind, ReadSpan, WriteChange, call_effect};
use foveal_transcript::{
    ContentBlock, Conversation, OpenCalls, PARTIAL_READ_KIND, ToolResult, TranscriptEntry,
};

/// Length at which tools cut lines, without always reporting it.
const LONG_LINE_BYTES: usize = 2000;

/// Number of lines at which tools stop by default.
const LONG_READ_LINES: usize = 2000;

/// A result that showed a file, or a call that changed it.
#[derive(Debug, Clone)]
pub(super) struct FileEvent {
    /// The model response it belongs to, from 1.
    pub(super) turn: u32,
    /// The call it belongs to, counted over the conversation.
    pub(super) call: u32,
    pub(super) path: String,
    pub(super) kind: FileEventKind,
    /// The model's stated reason for the change.
    pub(super) intent: Option<String>,
    /// The command line, if the call is one.
    pub(super) command: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) enum FileEventKind {
    /// The whole file, byte for byte.
    ShownText(String),
    /// The whole file, line by line.
    ShownAll(Vec<String>),
    /// Some lines, by number.
    Shown(Vec<(u32, String)>),
    Changed(WriteChange),
    /// A possible change: by a call that was not answered or failed half-way, or by a program that
    /// works on the whole tree.
    MayHaveChanged,
}

/// A call that has no result yet.
struct UnansweredCall {
    turn: u32,
    call: u32,
    effect: Effect,
}

/// Returns the events of `conversation`, each at its call's result. Changes of calls that were
/// never answered come last in their turn, as possible ones.
pub(super) fn collect_events(conversation: &Conversation) -> Vec<FileEvent> {
    let mut events = Vec::new();
    let mut open = OpenCalls::default();
    let mut directory = conversation.directory.clone();
    let (mut turn, mut calls) = (0, 0);
    for entry in conversation.entries() {
        if entry.role == foveal_transcript::MessageRole::Assistant {
            add_unanswered_calls(&mut open, &mut events);
            open.begin_response();
            turn += 1;
        }
        for call in entry.tool_calls() {
            calls += 1;
            let effect = call_effect(call, directory.as_deref());
            directory = effect.directory_after.clone().or(directory);
            open.insert(call, UnansweredCall { turn, call: calls, effect });
        }
        if let Some(result) = entry.tool_result()
            && let Some(answered) = open.take(result)
        {
            match partial_read(&answered.effect, entry, result) {
                Some((path, lines)) => {
                    events.push(answered.event(&path, FileEventKind::Shown(lines)));
                }
                None => add_result_events(&answered, result, &mut events),
            }
        }
    }
    add_unanswered_calls(&mut open, &mut events);
    events
}

impl UnansweredCall {
    fn event(&self, path: &str, kind: FileEventKind) -> FileEvent {
        FileEvent {
            turn: self.turn,
            call: self.call,
            path: path.to_owned(),
            kind,
            intent: self.effect.intent.clone(),
            command: self.effect.command.clone(),
        }
    }
}

/// Records the writes of calls without a result as possible changes.
fn add_unanswered_calls(open: &mut OpenCalls<UnansweredCall>, events: &mut Vec<FileEvent>) {
    for call in open.drain() {
        for write in &call.effect.writes {
            events.push(call.event(&write.path, FileEventKind::MayHaveChanged));
        }
    }
}

fn add_result_events(call: &UnansweredCall, result: &ToolResult, events: &mut Vec<FileEvent>) {
    let effect = &call.effect;
    match call_outcome(effect, result) {
        CallOutcome::Done => {
            for write in &effect.writes {
                events.push(call.event(&write.path, FileEventKind::Changed(write.change.clone())));
            }
        }
        CallOutcome::Unclear => {
            for write in &effect.writes {
                events.push(call.event(&write.path, FileEventKind::MayHaveChanged));
            }
        }
        CallOutcome::Refused => return,
    }
    if effect.writes.is_empty() && effect.command.as_deref().is_some_and(rewrites_working_tree) {
        let known: BTreeSet<String> = events.iter().map(|event| event.path.clone()).collect();
        events.extend(known.iter().map(|path| call.event(path, FileEventKind::MayHaveChanged)));
    }
    if let Some(files) = parse_read_files(&result.content) {
        for file in files {
            let Some(content) = file.content else { continue };
            events.push(call.event(&file.path, FileEventKind::ShownText(content)));
        }
        return;
    }
    let printed = parse_result_lines(&result.content, effect);
    for (index, path) in printed.paths.iter().enumerate() {
        if let Some(kind) = shown_lines(&printed, index, path, result, effect) {
            events.push(call.event(path, kind));
        }
    }
}

/// Programs that rewrite files that the command line does not name.
const TREE_PROGRAMS: [&str; 11] = [
    "fmt",
    "rustfmt",
    "gofmt",
    "goimports",
    "prettier",
    "biome",
    "black",
    "isort",
    "clang-format",
    "--fix",
    "--write",
];

/// Subcommands of git that check out other versions of files.
const TREE_GIT: [&str; 11] = [
    "checkout",
    "switch",
    "restore",
    "stash",
    "reset",
    "merge",
    "rebase",
    "pull",
    "cherry-pick",
    "revert",
    "am",
];

/// Returns whether a command line is made to rewrite files all over the working tree: formatters,
/// and git commands that change versions.
fn rewrites_working_tree(command: &str) -> bool {
    let words: Vec<&str> = command
        .split(|c: char| c.is_whitespace() || ";&|()\"'".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    let only_checks = words.iter().any(|word| ["--check", "-l", "--list-different"].contains(word));
    let formats = words.iter().any(|word| TREE_PROGRAMS.contains(word));
    let moves = words.windows(2).any(|pair| pair[0] == "git" && TREE_GIT.contains(&pair[1]));
    (formats && !only_checks) || moves
}

/// Returns the file and the lines of a read that was asked for a whole file but, as its client
/// recorded, shows a part. The text alone would not tell: a hook may have omitted lines that stand
/// above.
fn partial_read(
    effect: &Effect,
    entry: &TranscriptEntry,
    result: &ToolResult,
) -> Option<(String, Vec<(u32, String)>)> {
    let [read] = effect.reads.as_slice() else { return None };
    let told = entry.blocks.iter().find_map(|block| match block {
        ContentBlock::Opaque { kind, raw } if kind == PARTIAL_READ_KIND => Some(raw),
        _ => None,
    })?;
    let told: serde_json::Value = serde_json::from_str(told).ok()?;
    let first = u32::try_from(told.get("startLine")?.as_u64()?).ok()?;
    let count = usize::try_from(told.get("numLines")?.as_u64()?).ok()?;
    let mut lines = Vec::new();
    for (number, line) in (first..).zip(result.content.lines()).take(count) {
        let rest = line.trim_start().strip_prefix(&number.to_string())?;
        let text = rest.strip_prefix(['\t', '→'])?;
        lines.push((number, text.to_owned()));
    }
    (!lines.is_empty()).then(|| (read.path.clone(), lines))
}

/// Returns the lines that the result shows of the file at `index`.
fn shown_lines(
    printed: &ResultLines,
    index: usize,
    path: &str,
    result: &ToolResult,
    effect: &Effect,
) -> Option<FileEventKind> {
    let text =
        |range: &std::ops::Range<u32>| &result.content[range.start as usize..range.end as usize];
    let mut lines: Vec<(u32, String)> = Vec::new();
    let mut is_cut = false;
    for line in &printed.lines {
        match (line.path, line.number) {
            (Some(of), Some(number)) if of as usize == index => {
                is_cut |= line.text.len() >= LONG_LINE_BYTES;
                lines.push((number.0, text(&line.text).to_owned()));
            }
            (Some(_), _) => {}
            (None, _) => is_cut |= reports_truncation(text(&line.whole)),
        }
    }
    // Text that ends with a line break has an empty last line without gutter.
    let ends_with_break = printed.lines.last().is_some_and(|last| last.whole.is_empty());
    if ends_with_break && lines.last().is_some_and(|(_, last)| last.is_empty()) && lines.len() > 1 {
        lines.pop();
    }
    lines.retain(|(_, text)| text.len() < LONG_LINE_BYTES);
    let asked_all = effect.kind == EffectKind::Read
        && effect.reads.iter().filter(|read| read.path == path).all(|read| match read.span {
            ReadSpan::All => true,
            ReadSpan::Lines(first, last) => first.0 <= 1 && last.is_none(),
            ReadSpan::Tail(_) | ReadSpan::Unknown => false,
        })
        && effect.reads.iter().any(|read| read.path == path);
    let in_order = lines.iter().zip(1u32..).all(|((number, _), expected)| *number == expected);
    if asked_all && in_order && !is_cut && lines.len() < LONG_READ_LINES {
        return Some(FileEventKind::ShownAll(lines.into_iter().map(|(_, text)| text).collect()));
    }
    (!lines.is_empty()).then_some(FileEventKind::Shown(lines))
}

/// Returns whether a line outside the file's text reports that part of the file is missing.
fn reports_truncation(line: &str) -> bool {
    let line = line.to_lowercase();
    ["truncat", "more lines", "showing lines", "omitted", "use offset"]
        .iter()
        .any(|words| line.contains(words))
}
