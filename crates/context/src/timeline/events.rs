//! What happened to files in a conversation: shown and changed, in order.

use std::collections::BTreeSet;

use crate::lines::{Printed, printed_lines};
use crate::placement::read_files::ReadFiles;
use foveal_effects::outcome::{Outcome, outcome};
use foveal_effects::{Change, Effect, EffectKind, Span, effect_of};
use foveal_transcript::{Block, Conversation, Entry, OpenCalls, PART_OF_FILE, ToolResult};

/// Tools cut lines around this length without always saying so.
const LONG_LINE_BYTES: usize = 2000;

/// Tools stop at this many lines unless asked for more.
const LONG_READ_LINES: usize = 2000;

/// Something that a result showed or a call changed.
#[derive(Debug, Clone)]
pub(super) struct Event {
    /// The model response it belongs to, from 1.
    pub(super) turn: u32,
    /// The call it belongs to, counted over the conversation.
    pub(super) call: u32,
    pub(super) path: String,
    pub(super) kind: EventKind,
    /// Why the model says it made the change.
    pub(super) intent: Option<String>,
    /// The command line, if the call is one.
    pub(super) command: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) enum EventKind {
    /// The whole file, byte for byte.
    ShownText(String),
    /// The whole file, line by line.
    ShownAll(Vec<String>),
    /// Some lines, by number.
    Shown(Vec<(u32, String)>),
    Changed(Change),
    /// Perhaps changed: by a call that was not answered or failed half-way, or by a program
    /// that works on the whole tree.
    MayHaveChanged,
}

/// A call that has no result yet.
struct Open {
    turn: u32,
    call: u32,
    effect: Effect,
}

/// The events of `conversation`, each at its call's result; changes of calls that were never
/// answered come last in their turn, as possible ones.
pub(super) fn events_of(conversation: &Conversation) -> Vec<Event> {
    let mut events = Vec::new();
    let mut open = OpenCalls::default();
    let mut directory = conversation.directory.clone();
    let (mut turn, mut calls) = (0, 0);
    for entry in conversation.entries() {
        if entry.role == foveal_transcript::Role::Assistant {
            give_up(&mut open, &mut events);
            open.begin_response();
            turn += 1;
        }
        for call in entry.calls() {
            calls += 1;
            let effect = effect_of(call, directory.as_deref());
            directory = effect.directory_after.clone().or(directory);
            open.insert(call, Open { turn, call: calls, effect });
        }
        if let Some(result) = entry.result()
            && let Some(answered) = open.take(result)
        {
            match part_shown(&answered.effect, entry, result) {
                Some((path, lines)) => {
                    events.push(answered.event(&path, EventKind::Shown(lines)));
                }
                None => answer(&answered, result, &mut events),
            }
        }
    }
    give_up(&mut open, &mut events);
    events
}

impl Open {
    fn event(&self, path: &str, kind: EventKind) -> Event {
        Event {
            turn: self.turn,
            call: self.call,
            path: path.to_owned(),
            kind,
            intent: self.effect.intent.clone(),
            command: self.effect.command.clone(),
        }
    }
}

/// Calls without a result may have done what they were to do, or not.
fn give_up(open: &mut OpenCalls<Open>, events: &mut Vec<Event>) {
    for call in open.drain() {
        for write in &call.effect.writes {
            events.push(call.event(&write.path, EventKind::MayHaveChanged));
        }
    }
}

fn answer(call: &Open, result: &ToolResult, events: &mut Vec<Event>) {
    let effect = &call.effect;
    match outcome(effect, result) {
        Outcome::Done => {
            for write in &effect.writes {
                events.push(call.event(&write.path, EventKind::Changed(write.change.clone())));
            }
        }
        Outcome::Unclear => {
            for write in &effect.writes {
                events.push(call.event(&write.path, EventKind::MayHaveChanged));
            }
        }
        Outcome::Refused => return,
    }
    if effect.writes.is_empty() && effect.command.as_deref().is_some_and(works_on_the_tree) {
        let known: BTreeSet<String> = events.iter().map(|event| event.path.clone()).collect();
        events.extend(known.iter().map(|path| call.event(path, EventKind::MayHaveChanged)));
    }
    if let Some(read) = ReadFiles::parse(&result.content) {
        for file in read.files() {
            let Some(content) = file.content else { continue };
            let kind = EventKind::ShownText(content.to_owned());
            events.push(call.event(file.path, kind));
        }
        return;
    }
    let printed = printed_lines(&result.content, effect);
    for (index, path) in printed.paths.iter().enumerate() {
        if let Some(kind) = shown(&printed, index, path, result, effect) {
            events.push(call.event(path, kind));
        }
    }
}

/// Programs that rewrite files they are not told by name.
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

/// Commands of git that put other versions of files in place.
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

/// Whether a command line may rewrite any file of the working tree: formatters, and git where
/// it changes versions. Any program may do so; these are made for it.
fn works_on_the_tree(command: &str) -> bool {
    let words: Vec<&str> = command
        .split(|c: char| c.is_whitespace() || ";&|()\"'".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    let only_checks = words.iter().any(|word| ["--check", "-l", "--list-different"].contains(word));
    let formats = words.iter().any(|word| TREE_PROGRAMS.contains(word));
    let moves = words.windows(2).any(|pair| pair[0] == "git" && TREE_GIT.contains(&pair[1]));
    (formats && !only_checks) || moves
}

/// The file and the lines that a read shows of it, where its client recorded that they are not
/// all, though the call asked for all. The text alone would not tell: a hook may have left out
/// what stands above.
fn part_shown(
    effect: &Effect,
    entry: &Entry,
    result: &ToolResult,
) -> Option<(String, Vec<(u32, String)>)> {
    let [read] = effect.reads.as_slice() else { return None };
    let told = entry.blocks.iter().find_map(|block| match block {
        Block::Opaque { kind, raw } if kind == PART_OF_FILE => Some(raw),
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

/// The lines that the result shows of the file at `index`.
fn shown(
    printed: &Printed,
    index: usize,
    path: &str,
    result: &ToolResult,
    effect: &Effect,
) -> Option<EventKind> {
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
            (None, _) => is_cut |= says_cut(text(&line.whole)),
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
            Span::All => true,
            Span::Lines(first, last) => first.0 <= 1 && last.is_none(),
            Span::Tail(_) | Span::Unknown => false,
        })
        && effect.reads.iter().any(|read| read.path == path);
    let in_order = lines.iter().zip(1u32..).all(|((number, _), expected)| *number == expected);
    if asked_all && in_order && !is_cut && lines.len() < LONG_READ_LINES {
        return Some(EventKind::ShownAll(lines.into_iter().map(|(_, text)| text).collect()));
    }
    (!lines.is_empty()).then_some(EventKind::Shown(lines))
}

/// Whether a line that is not the file's says that part of the file is missing.
fn says_cut(line: &str) -> bool {
    let line = line.to_lowercase();
    ["truncat", "more lines", "showing lines", "omitted", "use offset"]
        .iter()
        .any(|words| line.contains(words))
}
