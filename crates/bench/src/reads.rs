//! Cases from recorded conversations: the first full read of a file, the conversation until
//! then as the question, and what the agent later used of the file as gold lines.

mod question;
mod used;

use std::collections::HashSet;

use foveal_context::facts::Facts;
use foveal_context::record::Record;
use foveal_effects::{EffectKind, Span};
use foveal_transcript::{Conversation, EntryIndex, Mark, Role};

use foveal_code::curate::Question;

use self::question::question;
use self::used::Used;
use crate::case::Case;
use crate::language;

/// Reads with this many lines or fewer are shown in full and make no case.
pub const LINES_THRESHOLD: usize = 100;

/// How an agent uses a line that it has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// It changes the line.
    Edited,
    /// It repeats the line in its text.
    Quoted,
    /// It asks for the line again by its number.
    Reread,
}

/// Every kind of evidence.
pub const EVIDENCE: &[Evidence] = &[Evidence::Edited, Evidence::Quoted, Evidence::Reread];

/// A file as a result shows it.
struct Shown<'a> {
    path: &'a str,
    /// Its lines from the first to the last, without line breaks.
    lines: Vec<&'a str>,
}

/// The cases of a conversation. `session` begins the
/// ids; lines used in one of the ways in `evidence` are gold.
pub fn cases(record: &Record, session: &str, evidence: &[Evidence]) -> Vec<Case> {
    let mut known: HashSet<&str> = HashSet::new();
    let mut cases = Vec::new();
    for (index, entry) in (0u32..).map(EntryIndex).zip(record.entries()) {
        if matches!(entry.mark, Mark::CompactBoundary { .. } | Mark::Rewind { .. }) {
            known.clear();
        }
        let facts = record.facts(index);
        let Some(effect) = facts.call.as_ref().map(|call| &call.effect) else { continue };
        if let Some(shown) = full_read(record.conversation(), index, facts)
            .filter(|shown| !known.contains(shown.path) && shown.lines.len() > LINES_THRESHOLD)
        {
            let gold = gold(record, index, &shown, evidence);
            let mut content = shown.lines.join("\n");
            content.push('\n');
            cases.push(Case {
                id: format!("{session}:{}:{}", record.conversation().id, index.0 + 1),
                gold_lines: Some(gold),
                ..case(record, index, shown.path, &content)
            });
        }
        known.extend(effect.reads.iter().map(|read| read.path.as_str()));
        known.extend(effect.writes.iter().map(|write| write.path.as_str()));
    }
    cases
}

/// The lines of what the result at `index` shows that are used until it leaves the prompt.
fn gold(record: &Record, index: EntryIndex, shown: &Shown<'_>, evidence: &[Evidence]) -> Vec<u32> {
    let mut used = Used::of(shown.path, &shown.lines, evidence);
    for (later, entry) in (0u32..).map(EntryIndex).zip(record.entries()).skip(index.at() + 1) {
        if matches!(entry.mark, Mark::CompactBoundary { .. } | Mark::Rewind { .. }) {
            break;
        }
        match entry.role {
            Role::Assistant => used.take_response(entry, record.facts(later)),
            Role::Tool => used.take_result(entry, record.facts(later)),
            Role::System | Role::User => {}
        }
    }
    used.finish()
}

/// What is asked of a file in a conversation, which is known up to before `upto`. It has no
/// name, and nobody knows its gold lines.
pub fn case(record: &Record, upto: EntryIndex, path: &str, content: &str) -> Case {
    Case {
        id: String::new(),
        repo: record.conversation().agent.clone().unwrap_or_default(),
        language: language::of(path).unwrap_or_default().to_owned(),
        path: path.to_owned(),
        content_before: content.to_owned(),
        query: question(record, upto),
        conversation: Some(Question::of_conversation(record, upto)),
        gold_lines: None,
    }
}

/// The file that the result at `index` shows from its first line on, if it shows one file and
/// was asked for all of it.
fn full_read<'a>(
    conversation: &'a Conversation,
    index: EntryIndex,
    facts: &'a Facts,
) -> Option<Shown<'a>> {
    let effect = &facts.call.as_ref()?.effect;
    let [read] = effect.reads.as_slice() else { return None };
    if facts.is_error || effect.kind != EffectKind::Read || read.span != Span::All {
        return None;
    }
    let content = &conversation.entry(index).result()?.content;
    let numbered = facts.printed.lines.iter().filter(|line| line.number.is_some());
    let mut lines = Vec::new();
    for (expected, line) in (1u32..).zip(numbered) {
        if line.number.is_none_or(|number| number.0 != expected) {
            return None;
        }
        lines.push(line.text_in(content));
    }
    Some(Shown { path: &read.path, lines })
}
