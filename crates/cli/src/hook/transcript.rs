//! The prompt as the session's record tells it.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use foveal_transcript::{Block, Conversation, ToolResult};
use foveal_wire::{Format, LiveBranch, live_branch, read_all};
use serde_json::Value;

use super::event::{Event, Occasion};

/// Bytes of a record that are read, the last ones. What came before counts as not shown.
const BYTES_MAX: u64 = 8 << 20;

/// What a line has that says that old results were cleared. Within texts quotes look otherwise.
const CLEARED: &[u8] = br#""subtype":"microcompact_boundary""#;

/// What a line has that says which results are sent otherwise than they are recorded.
const REPLACED: &[u8] = br#""type":"content-replacement""#;

/// Bytes of the record so far.
pub(super) fn length(event: &Event) -> u64 {
    path(event).and_then(|path| fs::metadata(path).ok()).map_or(0, |data| data.len())
}

/// Whether results stand in the record, as far as it is read.
pub(super) fn has_results(event: &Event) -> bool {
    let recorded = path(event).and_then(|path| conversation(&path, event, 0));
    recorded.is_some_and(|one| one.entries().iter().any(|entry| entry.result().is_some()))
}

/// The conversation so far, after the first `forgotten` bytes of the record, with the results
/// that `sent` knows of as they were sent. One that cannot be read is empty: then nothing counts
/// as shown.
pub(super) fn read<'s>(
    event: &Event,
    forgotten: u64,
    sent: impl Fn(&str) -> Option<&'s str>,
) -> Conversation {
    let recorded = match &event.conversation {
        Some(told) => conversation_in(told.as_bytes(), event),
        None => path(event).and_then(|path| conversation(&path, event, forgotten)),
    };
    let mut conversation = recorded.unwrap_or_default();
    conversation.directory = Some(event.directory.clone());
    with_results(conversation, |result| {
        if let Some(sent) = sent(&result.call) {
            sent.clone_into(&mut result.content);
        }
    })
}

/// The record of the prompt: a sub-agent's is beside that of its session.
fn path(event: &Event) -> Option<PathBuf> {
    let session = event.transcript.clone()?;
    let Some(agent) = &event.agent else { return Some(session) };
    let is_name = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_');
    if !agent.chars().all(is_name) {
        return None;
    }
    let name = format!("agent-{agent}.jsonl");
    let beside = session.with_file_name(&name);
    let below = session.with_extension("").join("subagents").join(&name);
    // Older versions write all into one.
    [below, beside, session].into_iter().find(|path| path.exists())
}

fn conversation(path: &Path, event: &Event, forgotten: u64) -> Option<Conversation> {
    conversation_in(&recorded(path, forgotten)?, event)
}

/// The conversation of `event` in the text of a record.
fn conversation_in(bytes: &[u8], event: &Event) -> Option<Conversation> {
    let format = event.host.records()?;
    let bytes = match rfind(bytes, CLEARED) {
        // Results before it may be gone from the prompt, and it does not say which.
        Some(at) => &bytes[at..],
        None => bytes,
    };
    let after = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| end + 1);
    let bytes = if bytes.starts_with(CLEARED) { &bytes[after..] } else { bytes };
    let live = (format == Format::ClaudeCode).then(|| branch_of(event, bytes).record);
    let bytes = live.as_deref().unwrap_or(bytes);
    let (sessions, _) = read_all(format, &event.session, bytes).ok()?;
    let mut all = sessions.into_iter().flat_map(|session| session.conversations);
    let found = match &event.agent {
        None => all.find(|one| one.parent.is_none()),
        Some(agent) => all.find(|one| one.parent.is_some() && one.id == *agent),
    }?;
    let replaced = replaced(bytes);
    Some(with_results(found, |result| {
        if replaced.contains(&result.call) {
            result.content.clear();
        }
    }))
}

/// The branch of Claude Code's record in which `event` happened.
fn branch_of(event: &Event, bytes: &[u8]) -> LiveBranch {
    let call = match &event.occasion {
        Occasion::Asks(call) => Some(call),
        Occasion::Answered(answered) => Some(&answered.call),
        Occasion::Forgets | Occasion::Failed(_) => None,
    };
    live_branch(bytes, event.agent.as_deref(), call.map(String::as_str))
}

/// Returns the name of the prompt in which `event` happened: the session, its sub-agent, and the
/// rewind after which the prompt began, if there was any.
pub(super) fn reader(event: &Event) -> String {
    let name = format!("{}/{}", event.session, event.agent.as_deref().unwrap_or_default());
    let has_branches = event.host.records() == Some(Format::ClaudeCode);
    let bytes = path(event).filter(|_| has_branches).and_then(|path| recorded(&path, 0));
    match bytes.and_then(|bytes| branch_of(event, &bytes).replaced_response) {
        Some(replaced) => format!("{name}/{replaced}"),
        // A rewind before what is read of a long record is not seen any more, and nothing that was shown
        // before it is to be pointed at.
        None if has_branches && length(event) > BYTES_MAX => format!("{name}/long"),
        None => name,
    }
}

/// The conversation with its results as `change` leaves them.
fn with_results(
    conversation: Conversation,
    mut change: impl FnMut(&mut ToolResult),
) -> Conversation {
    conversation.edited(|entry| {
        for block in &mut entry.blocks {
            if let Block::Result(result) = block {
                change(result);
            }
        }
    })
}

/// The lines of the record that count.
fn recorded(path: &Path, forgotten: u64) -> Option<Vec<u8>> {
    // To open a pipe would be to wait for whoever writes to it.
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    // A record that is shorter by now is another one.
    let forgotten = if forgotten <= length { forgotten } else { 0 };
    let from = forgotten.max(length.saturating_sub(BYTES_MAX));
    file.seek(SeekFrom::Start(from.saturating_sub(1))).ok()?;
    let mut input = BufReader::new(file.take(BYTES_MAX + 1));
    if from > 0 {
        // The rest of the line before.
        input.skip_until(b'\n').ok()?;
    }
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Calls whose results the client sends otherwise than it records them.
fn replaced(bytes: &[u8]) -> HashSet<String> {
    let mut calls = HashSet::new();
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| rfind(line, REPLACED).is_some());
    for line in lines {
        if let Ok(line) = serde_json::from_slice(line) {
            collect_calls(&line, &mut calls);
        }
    }
    calls
}

fn collect_calls(value: &Value, calls: &mut HashSet<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| match value {
            Value::String(id) if matches!(name.as_str(), "toolUseId" | "tool_use_id") => {
                calls.insert(id.clone());
            }
            other => collect_calls(other, calls),
        }),
        Value::Array(all) => all.iter().for_each(|value| collect_calls(value, calls)),
        _ => {}
    }
}

/// Where `text` last begins in `bytes`.
fn rfind(bytes: &[u8], text: &[u8]) -> Option<usize> {
    bytes.windows(text.len()).rposition(|window| window == text)
}
