//! Original recordings read the same as their ATIF conversions by other programs.

use std::path::{Path, PathBuf};

use foveal_transcript::{
    ContentBlock, Conversation, EntryMark, MessageRole, RecordedSession, TranscriptEntry,
};

use crate::session_files::{files, read_file, sessions_folder};

/// The fields of an entry on which both recordings have to agree.
#[derive(Debug, Clone, PartialEq)]
struct Line {
    step: u32,
    result: Option<u16>,
    role: MessageRole,
    mark: EntryMark,
    time: Option<i64>,
    text: String,
    reasoning: Vec<String>,
    calls: Vec<(String, String, String)>,
    answer: Option<(String, String, bool)>,
}

fn line(entry: &TranscriptEntry) -> Line {
    let reasoning = entry.blocks.iter().filter_map(|block| match block {
        ContentBlock::Reasoning(text) if !text.is_empty() => Some(text.clone()),
        _ => None,
    });
    Line {
        step: entry.source.step,
        result: entry.source.result,
        role: entry.role,
        mark: entry.mark,
        time: entry.time.map(|time| time.0),
        text: entry.text(),
        reasoning: reasoning.collect(),
        calls: entry
            .tool_calls()
            .map(|call| (call.id.clone(), call.name.clone(), call.arguments.to_string()))
            .collect(),
        answer: entry.tool_result().map(|r| (r.call.clone(), r.content.clone(), r.is_error)),
    }
}

fn main_lines(session: &RecordedSession) -> Vec<Line> {
    let main: &Conversation = &session.conversations[0];
    main.entries().iter().map(line).collect()
}

/// Pairs of original and ATIF file.
fn twins(format: &str) -> Vec<(PathBuf, PathBuf)> {
    let Some(folder) = sessions_folder() else { return Vec::new() };
    let atif = files(&folder.join("atif"));
    let stem = |path: &Path| path.file_stem().expect("named").to_string_lossy().into_owned();
    let originals = files(&folder.join("original").join(format));
    let pairs = originals.into_iter().filter_map(|original| {
        let ends = stem(&original);
        let twin = atif.iter().find(|path| stem(path).ends_with(&ends))?;
        Some((original, twin.clone()))
    });
    pairs.collect()
}

/// Compares every pair of a format, both sides after the format's stated differences.
fn check(
    format: &str,
    pairs_expected: usize,
    original: fn(&mut Vec<Line>),
    twin: fn(&mut Vec<Line>),
) {
    let pairs = twins(format);
    if sessions_folder().is_some() {
        assert_eq!(pairs.len(), pairs_expected, "pairs of {format}");
    }
    for (original_path, twin_path) in pairs {
        let name = original_path.display();
        let (_, sessions, problems) = read_file(&original_path);
        assert_eq!(problems, Vec::<String>::new(), "{name}");
        assert_eq!(sessions.len(), 1, "{name}");
        let mut ours = main_lines(&sessions[0]);
        original(&mut ours);
        let mut theirs = main_lines(&read_file(&twin_path).1[0]);
        twin(&mut theirs);
        for (ours, theirs) in ours.iter().zip(&theirs) {
            assert_eq!(ours, theirs, "{name}");
        }
        assert_eq!(ours.len(), theirs.len(), "{name}");
    }
}

#[test]
fn claude_code() {
    check("claude-code", 4, |_| {}, |_| {});
}

/// The converter put boundary and summary into one step without a time and without the kept part,
/// and left out the commands that the user ran in the conversation.
fn as_the_pi_converter(lines: &mut Vec<Line>) {
    let mut dropped = 0;
    let mut converted: Vec<Line> = Vec::new();
    for mut line in std::mem::take(lines) {
        line.step -= dropped;
        let shell = line.mark == EntryMark::Injected && line.text.starts_with("Ran `");
        if line.mark == EntryMark::CompactSummary {
            let boundary = converted.last_mut().expect("a boundary precedes its summary");
            assert!(matches!(boundary.mark, EntryMark::CompactBoundary { keep_from: Some(_) }));
            boundary.mark = EntryMark::CompactBoundary { keep_from: None };
            boundary.time = None;
            boundary.text = format!("[context compacted here] {}", line.text);
            dropped += 1;
        } else if shell {
            dropped += 1;
        } else {
            converted.push(line);
        }
    }
    *lines = converted;
}

#[test]
fn pi() {
    check("pi", 2, as_the_pi_converter, |_| {});
}

/// The recording flags no errors; the converter guessed some from the output of the shell.
fn without_guessed_errors(lines: &mut Vec<Line>) {
    for line in lines {
        if let Some((_, content, is_error)) = &mut line.answer
            && (content.starts_with("Traceback (most recent call last):")
                || content.starts_with("/root/ctf_files/*: cannot open"))
        {
            assert!(*is_error);
            *is_error = false;
        }
    }
}

/// The converter dropped the submitted text unless it holds a pipe.
fn without_submitted_answers(lines: &mut [Line]) {
    let calls = lines.iter_mut().flat_map(|line| &mut line.calls);
    for (_, name, arguments) in calls {
        if arguments.starts_with("{\"command\":\"submit ") && !arguments.contains('|') {
            *name = "submit".to_owned();
            *arguments = "{}".to_owned();
        }
    }
}

#[test]
fn swe_agent() {
    check("swe-agent", 4, |lines| without_submitted_answers(lines), without_guessed_errors);
}
