//! Reads the prompt of an event from the session's transcript.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use foveal_session_readers::{LiveBranch, SessionFormat, find_live_branch, read_all_sessions};
use foveal_transcript::{ContentBlock, Conversation, ToolResult};
use serde_json::Value;

use super::event::{HookEvent, HookEventKind};

/// The largest part of a transcript that is read, from its end, in bytes. Entries before it count
/// as not visible.
const BYTES_MAX: u64 = 8 << 20;

/// Part of a line that says that old results were cleared. Within texts the quotes are escaped.
const CLEARED_MARKER: &[u8] = br#""subtype":"microcompact_boundary""#;

/// Part of a line that lists results which the client replaced.
const REPLACED_MARKER: &[u8] = br#""type":"content-replacement""#;

/// Returns the length of the transcript in bytes.
pub(super) fn byte_length(event: &HookEvent) -> u64 {
    transcript_path(event).and_then(|path| fs::metadata(path).ok()).map_or(0, |data| data.len())
}

/// Returns whether the part of the transcript that is read has results.
pub(super) fn has_results(event: &HookEvent) -> bool {
    let recorded = transcript_path(event).and_then(|path| read_conversation_file(&path, event, 0));
    recorded.is_some_and(|one| one.entries().iter().any(|entry| entry.tool_result().is_some()))
}

/// Reads the conversation behind the first `forgotten` bytes of the transcript. Results known to
/// `sent` have the text that was sent. An unreadable transcript gives an empty conversation, in
/// which nothing counts as visible.
pub(super) fn read_conversation<'s>(
    event: &HookEvent,
    forgotten: u64,
    sent: impl Fn(&str) -> Option<&'s str>,
) -> Conversation {
    let recorded = match &event.conversation {
        Some(told) => parse_conversation(told.as_bytes(), event),
        None => {
            transcript_path(event).and_then(|path| read_conversation_file(&path, event, forgotten))
        }
    };
    let mut conversation = recorded.unwrap_or_default();
    conversation.directory = Some(event.directory.clone());
    edit_results(conversation, |result| {
        if let Some(sent) = sent(&result.call) {
            sent.clone_into(&mut result.content);
        }
    })
}

/// Returns the path of the prompt's transcript. A sub-agent's lies beside that of its session.
fn transcript_path(event: &HookEvent) -> Option<PathBuf> {
    let session = event.transcript.clone()?;
    let Some(agent) = &event.agent else { return Some(session) };
    let is_name = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_');
    if !agent.chars().all(is_name) {
        return None;
    }
    let name = format!("agent-{agent}.jsonl");
    let beside = session.with_file_name(&name);
    let below = session.with_extension("").join("subagents").join(&name);
    // Older versions write all conversations into one file.
    [below, beside, session].into_iter().find(|path| path.exists())
}

fn read_conversation_file(path: &Path, event: &HookEvent, forgotten: u64) -> Option<Conversation> {
    parse_conversation(&read_recent_lines(path, forgotten)?, event)
}

/// Parses the conversation of `event` in the text of a transcript.
fn parse_conversation(bytes: &[u8], event: &HookEvent) -> Option<Conversation> {
    let format = event.host.transcript_format?;
    let bytes = match rfind(bytes, CLEARED_MARKER) {
        // Earlier results may have left the prompt, and the marker does not say which.
        Some(at) => &bytes[at..],
        None => bytes,
    };
    let after = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| end + 1);
    let bytes = if bytes.starts_with(CLEARED_MARKER) { &bytes[after..] } else { bytes };
    let live =
        (format == SessionFormat::ClaudeCode).then(|| live_branch_of_event(event, bytes).record);
    let bytes = live.as_deref().unwrap_or(bytes);
    let (sessions, _) = read_all_sessions(format, &event.session, bytes).ok()?;
    let mut all = sessions.into_iter().flat_map(|session| session.conversations);
    let found = match &event.agent {
        None => all.find(|one| one.parent.is_none()),
        Some(agent) => all.find(|one| one.parent.is_some() && one.id == *agent),
    }?;
    let replaced = client_replaced_calls(bytes);
    Some(edit_results(found, |result| {
        if replaced.contains(&result.call) {
            result.content.clear();
        }
    }))
}

/// Returns the branch of Claude Code's transcript in which `event` happened.
fn live_branch_of_event(event: &HookEvent, bytes: &[u8]) -> LiveBranch {
    let call = match &event.kind {
        HookEventKind::ServerToolCall(call) => Some(call),
        HookEventKind::ToolAnswered(answered) => Some(&answered.call),
        HookEventKind::PromptCleared | HookEventKind::CommandFailed(_) => None,
    };
    find_live_branch(bytes, event.agent.as_deref(), call.map(String::as_str))
}

/// Returns the name of the reader of the prompt in which `event` happened: the session, its
/// sub-agent, and the rewind that the prompt began with, if there was one.
pub(super) fn reader_name(event: &HookEvent) -> String {
    let name = format!("{}/{}", event.session, event.agent.as_deref().unwrap_or_default());
    let has_branches = event.host.transcript_format == Some(SessionFormat::ClaudeCode);
    let bytes = transcript_path(event)
        .filter(|_| has_branches)
        .and_then(|path| read_recent_lines(&path, 0));
    match bytes.and_then(|bytes| live_branch_of_event(event, &bytes).replaced_response) {
        Some(replaced) => format!("{name}/{replaced}"),
        // A rewind may lie before the part of a long transcript that is read, and notes must not
        // point at results before it.
        None if has_branches && byte_length(event) > BYTES_MAX => format!("{name}/long"),
        None => name,
    }
}

/// Returns the conversation with `change` applied to its results.
fn edit_results(
    conversation: Conversation,
    mut change: impl FnMut(&mut ToolResult),
) -> Conversation {
    conversation.map_entries(|entry| {
        for block in &mut entry.blocks {
            if let ContentBlock::Result(result) = block {
                change(result);
            }
        }
    })
}

/// Reads the lines of the transcript behind the first `forgotten` bytes, within the limit.
fn read_recent_lines(path: &Path, forgotten: u64) -> Option<Vec<u8>> {
    // Opening a named pipe would block until a writer comes.
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    // A shorter file is another transcript.
    let forgotten = if forgotten <= length { forgotten } else { 0 };
    let from = forgotten.max(length.saturating_sub(BYTES_MAX));
    file.seek(SeekFrom::Start(from.saturating_sub(1))).ok()?;
    let mut input = BufReader::new(file.take(BYTES_MAX + 1));
    if from > 0 {
        // The rest of the previous line.
        input.skip_until(b'\n').ok()?;
    }
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Returns the calls whose results the client sends in another form than recorded.
fn client_replaced_calls(bytes: &[u8]) -> HashSet<String> {
    let mut calls = HashSet::new();
    let lines =
        bytes.split(|byte| *byte == b'\n').filter(|line| rfind(line, REPLACED_MARKER).is_some());
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

/// Returns the offset of the last occurrence of `text`.
fn rfind(bytes: &[u8], text: &[u8]) -> Option<usize> {
    bytes.windows(text.len()).rposition(|window| window == text)
}
