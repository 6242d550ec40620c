//! Courses of work as steps: what was on disk, and what was asked for.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::entry_facts::EntryFacts;
use foveal_pricing::tokens::Tokenizer;
use foveal_tool_effects::EffectKind;
use foveal_transcript::Handle;
use foveal_transcript::{Conversation, EntryIndex, MessageRole};
use serde_json::Value;

/// One step.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// The file holds these lines now, whoever wrote them.
    Holds { path: String, lines: Vec<String> },
    /// It is read, for a question where there is one.
    Read { path: String, question: Option<String> },
    /// Several are read by one call.
    ReadTogether { paths: Vec<String> },
    /// Lines of it are read, both ends included.
    ReadLines { path: String, first: u32, last: u32 },
    /// All files so far are searched.
    Search { pattern: String },
    /// A command prints this.
    Run { name: String, output: String },
}

/// Lines of a file beyond which it is left out: a debug build has to get through.
const LINES_MAX: u32 = 3_000;
/// Bytes of output that is replayed.
const OUTPUT_BYTES_MAX: usize = 60_000;

/// All recorded sessions, in order.
pub(super) fn recordings() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/sessions/atif");
    let folders = std::fs::read_dir(root).into_iter().flatten().flatten();
    let files = folders.flat_map(|folder| std::fs::read_dir(folder.path()).into_iter().flatten());
    let mut files: Vec<_> = files.flatten().map(|file| file.path()).collect();
    files.sort();
    files
}

/// The steps of every conversation of a recording.
pub(super) fn of_recording(path: &Path) -> Vec<Step> {
    let file = std::fs::File::open(path).expect("a session is readable");
    let name = path.display().to_string();
    let read = foveal_session_readers::read_all_sessions(
        foveal_session_readers::SessionFormat::Atif,
        &name,
        std::io::BufReader::new(file),
    );
    let (sessions, _) = read.expect("a session is readable to its end");
    let conversations = sessions.into_iter().flat_map(|session| session.conversations);
    conversations.flat_map(|conversation| of_conversation(&conversation)).collect()
}

fn of_conversation(conversation: &Conversation) -> Vec<Step> {
    let record = ConversationRecord::from_conversation(conversation.clone(), Tokenizer::Bytes);
    let mut steps = Vec::new();
    let mut files: HashMap<String, BTreeMap<u32, String>> = HashMap::new();
    let mut question = None;
    for index in (0..record.len() as u32).map(EntryIndex) {
        let entry = conversation.entry(index);
        if entry.role != MessageRole::Tool {
            let said = entry.text();
            question =
                Some(said.trim().chars().take(300).collect()).filter(|q: &String| !q.is_empty());
        }
        let (Some(result), facts) = (entry.tool_result(), record.facts(index)) else { continue };
        match facts.kind() {
            EffectKind::Read => {
                read(facts, &result.content, &question, &mut files, &mut steps);
            }
            EffectKind::Search => steps.extend(search(conversation, index, &result.call)),
            EffectKind::Run if !result.content.is_empty() => {
                let output =
                    &result.content[..result.content.floor_char_boundary(OUTPUT_BYTES_MAX)];
                let name = format!("runs/{}.txt", Handle::from_content(facts.label().as_bytes()));
                steps.push(Step::Run { name, output: output.replace('\0', "") });
            }
            _ => {}
        }
    }
    steps
}

/// The files that a read showed, as far as it showed them, and the read.
fn read(
    facts: &EntryFacts,
    content: &str,
    question: &Option<String>,
    files: &mut HashMap<String, BTreeMap<u32, String>>,
    steps: &mut Vec<Step>,
) {
    let mut shown: BTreeMap<u16, BTreeMap<u32, String>> = BTreeMap::new();
    for line in &facts.printed.lines {
        let (Some(path), Some(number)) = (line.path, line.number) else { continue };
        let text = line.file_text(content).trim_end_matches('\r').replace(['\0', '\u{feff}'], "");
        shown.entry(path).or_default().insert(number.0, text);
    }
    for (path, lines) in shown {
        let (Some((&first, _)), Some((&last, _))) =
            (lines.first_key_value(), lines.last_key_value())
        else {
            continue;
        };
        if last > LINES_MAX || first == 0 {
            continue;
        }
        let path = in_workspace(&facts.printed.paths[usize::from(path)]);
        let known = files.entry(path.clone()).or_default();
        known.extend(lines);
        let end = known.last_key_value().map_or(0, |(number, _)| *number);
        let line = |number: u32| {
            let filler = || format!("// line {number} of {path} is not known");
            known.get(&number).cloned().unwrap_or_else(filler)
        };
        let lines = (1..=end).map(line).collect();
        steps.push(Step::Holds { path: path.clone(), lines });
        steps.push(match first {
            1 => Step::Read { path, question: question.clone() },
            _ => Step::ReadLines { path, first, last },
        });
    }
}

/// A path of the recording as one that no other file of it can be in the way of.
fn in_workspace(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let plain = |sign: char| {
        if sign.is_ascii_alphanumeric() || matches!(sign, '.' | '_') { sign } else { '_' }
    };
    let name: String = name.chars().map(plain).collect();
    // What may hold secrets, is ignored or is read in cells is called something else.
    let name = name.trim_start_matches('.').replace("ipynb", "py");
    let name = if foveal_workspace::sensitivity(Path::new(&name)).is_some() || name.is_empty() {
        format!("{}.txt", Handle::from_content(name.as_bytes()))
    } else {
        name
    };
    let folder = Handle::from_content(folder.as_bytes()).to_string();
    format!("code/{}/{name}", &folder[..4])
}

/// The pattern that a recorded search looked for.
fn search(conversation: &Conversation, index: EntryIndex, id: &str) -> Option<Step> {
    let before = conversation.entries()[..index.as_usize()].iter().rev();
    let call = before.flat_map(|entry| entry.tool_calls()).find(|call| call.id == id)?;
    let argument = |name: &str| call.arguments.get(name).and_then(Value::as_str);
    let pattern =
        ["pattern", "query", "regex", "search_term"].iter().find_map(|name| argument(name));
    let pattern = match pattern {
        Some(pattern) => pattern.to_owned(),
        None => quoted(argument("command").or_else(|| argument("cmd"))?)?,
    };
    let is_fit = !pattern.trim().is_empty() && pattern.len() < 200 && !pattern.contains('\n');
    is_fit.then_some(Step::Search { pattern })
}

/// The first quoted word of a command that has `grep` or `rg` in it.
fn quoted(command: &str) -> Option<String> {
    let start = command.find("grep").or_else(|| command.find("rg "))?;
    let rest = &command[start..];
    let open = rest.find(['"', '\''])?;
    let quote = rest[open..].chars().next()?;
    let inner = &rest[open + 1..];
    Some(inner[..inner.find(quote)?].to_owned())
}
