//! Effects and printed lines of real sessions: nothing panics, and most reads are numbered.

use std::fs;
use std::path::{Path, PathBuf};

use foveal_engine::lines::parse_result_lines;
use foveal_tool_effects::{EffectKind, call_effect};
use foveal_transcript::ToolCall;
use serde_json::Value;

fn sessions() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/sessions/atif");
    let folders = fs::read_dir(root).into_iter().flatten().flatten();
    let files = folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten());
    files.flatten().map(|file| file.path()).collect()
}

#[derive(Default)]
struct Share {
    reads: usize,
    numbered: usize,
    lines: usize,
    numbered_lines: usize,
}

/// The calls of a step with their results.
fn answered(step: &Value) -> impl Iterator<Item = (ToolCall, &str)> {
    let calls = step["tool_calls"].as_array().into_iter().flatten();
    calls.filter_map(|call| {
        let results = step["observation"]["results"].as_array()?;
        let id = &call["tool_call_id"];
        let result = results.iter().find(|result| result["source_call_id"] == *id)?;
        let call = ToolCall {
            id: id.as_str()?.to_owned(),
            name: call["function_name"].as_str()?.to_owned(),
            arguments: call["arguments"].clone(),
        };
        Some((call, result["content"].as_str()?))
    })
}

fn count(session: &Value, share: &mut Share) {
    let mut directory: Option<String> = None;
    for step in session["steps"].as_array().into_iter().flatten() {
        for (call, content) in answered(step) {
            let effect = call_effect(&call, directory.as_deref());
            let printed = parse_result_lines(content, &effect);
            for line in &printed.lines {
                let text = content.get(line.text.start as usize..line.text.end as usize);
                assert!(text.is_some(), "a line of {call:?} is no text");
            }
            let numbered = printed.lines.iter().filter(|line| line.number.is_some()).count();
            if effect.kind == EffectKind::Read && !effect.reads.is_empty() {
                share.reads += 1;
                share.numbered += usize::from(numbered > 0);
                share.lines += printed.lines.len();
                share.numbered_lines += numbered;
            }
            directory = effect.directory_after.or(directory);
        }
    }
}

#[test]
fn reads_of_real_sessions_are_numbered() {
    let sessions = sessions();
    if sessions.is_empty() {
        eprintln!("skipped: ../shared/sessions/atif is missing");
        return;
    }
    let mut share = Share::default();
    for path in &sessions {
        let text = fs::read_to_string(path).expect("a session is readable");
        count(&serde_json::from_str(&text).expect("a session is JSON"), &mut share);
    }
    let Share { reads, numbered, lines, numbered_lines } = share;
    eprintln!("{numbered} of {reads} reads numbered, {numbered_lines} of {lines} of their lines");
    assert!(numbered * 100 >= reads * 95, "{numbered} of {reads} reads");
    assert!(numbered_lines * 100 >= lines * 92, "{numbered_lines} of {lines} lines");
}
