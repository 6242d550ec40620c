//! Cases from recorded conversations. A case is the first full read of a file, with the
//! conversation before it as question; gold lines are those that the agent later used.

mod evidence;
mod line_usage;
mod question;

use std::collections::HashSet;

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::entry_facts::EntryFacts;
use foveal_relevance::curation::CurationQuery;
use foveal_tool_effects::{EffectKind, ReadSpan};
use foveal_transcript::{Conversation, EntryIndex, EntryMark, MessageRole};

pub(crate) use self::evidence::{EVIDENCE, UsageEvidence};
use self::line_usage::LineUsage;
use self::question::question_text;
use crate::case::CurationCase;
use crate::language::language_of;

/// Reads with at most this many lines are shown in full and make no case.
pub(crate) const LINES_THRESHOLD: usize = 100;

/// A file that a result shows in full.
struct FullRead<'a> {
    path: &'a str,
    /// Its lines from the first to the last, without line breaks.
    lines: Vec<&'a str>,
}

/// Returns the cases of a conversation. `session` is the prefix of the ids; lines with a use in
/// `evidence` are gold.
pub(crate) fn read_cases(
    record: &ConversationRecord,
    session: &str,
    evidence: &[UsageEvidence],
) -> Vec<CurationCase> {
    let mut known: HashSet<&str> = HashSet::new();
    let mut cases = Vec::new();
    for (index, entry) in (0u32..).map(EntryIndex).zip(record.entries()) {
        if matches!(entry.mark, EntryMark::CompactBoundary { .. } | EntryMark::Rewind { .. }) {
            known.clear();
        }
        let facts = record.facts(index);
        let Some(effect) = facts.call.as_ref().map(|call| &call.effect) else { continue };
        if let Some(read) = full_read(record.conversation(), index, facts)
            .filter(|read| !known.contains(read.path) && read.lines.len() > LINES_THRESHOLD)
        {
            let gold = gold_lines(record, index, &read, evidence);
            let mut content = read.lines.join("\n");
            content.push('\n');
            cases.push(CurationCase {
                id: format!("{session}:{}:{}", record.conversation().id, index.0 + 1),
                gold_lines: Some(gold),
                ..question_case(record, index, read.path, &content)
            });
        }
        known.extend(effect.reads.iter().map(|read| read.path.as_str()));
        known.extend(effect.writes.iter().map(|write| write.path.as_str()));
    }
    cases
}

/// Returns the lines of the result at `index` that are used until it leaves the prompt.
fn gold_lines(
    record: &ConversationRecord,
    index: EntryIndex,
    read: &FullRead<'_>,
    evidence: &[UsageEvidence],
) -> Vec<u32> {
    let mut usage = LineUsage::new(read.path, &read.lines, evidence);
    for (later, entry) in (0u32..).map(EntryIndex).zip(record.entries()).skip(index.as_usize() + 1)
    {
        if matches!(entry.mark, EntryMark::CompactBoundary { .. } | EntryMark::Rewind { .. }) {
            break;
        }
        match entry.role {
            MessageRole::Assistant => usage.add_response(entry, record.facts(later)),
            MessageRole::Tool => usage.add_result(entry, record.facts(later)),
            MessageRole::System | MessageRole::User => {}
        }
    }
    usage.finish()
}

/// Returns the question about a file in a conversation before `upto`, as a case without id and gold
/// lines.
pub(crate) fn question_case(
    record: &ConversationRecord,
    upto: EntryIndex,
    path: &str,
    content: &str,
) -> CurationCase {
    CurationCase {
        id: String::new(),
        repo: record.conversation().agent.clone().unwrap_or_default(),
        language: language_of(path).unwrap_or_default().to_owned(),
        path: path.to_owned(),
        content_before: content.to_owned(),
        query: question_text(record, upto),
        conversation: Some(CurationQuery::from_conversation(record, upto)),
        gold_lines: None,
    }
}

/// Returns the file that the result at `index` shows from its first line on, if it shows one file
/// and the call requested all of it.
fn full_read<'a>(
    conversation: &'a Conversation,
    index: EntryIndex,
    facts: &'a EntryFacts,
) -> Option<FullRead<'a>> {
    let effect = &facts.call.as_ref()?.effect;
    let [read] = effect.reads.as_slice() else { return None };
    if facts.is_error || effect.kind != EffectKind::Read || read.span != ReadSpan::All {
        return None;
    }
    let content = &conversation.entry(index).tool_result()?.content;
    let numbered = facts.printed.lines.iter().filter(|line| line.number.is_some());
    let mut lines = Vec::new();
    for (expected, line) in (1u32..).zip(numbered) {
        if line.number.is_none_or(|number| number.0 != expected) {
            return None;
        }
        lines.push(line.file_text(content));
    }
    Some(FullRead { path: &read.path, lines })
}

#[cfg(test)]
mod tests;
