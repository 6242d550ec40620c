//! Hindsight: the lines of results that later edits used.

use foveal_transcript::{ClientPrompt, ClientPromptChange, EntryIndex, MessageRole};

use crate::conversation_replay::PreparedConversation;
use crate::visible_text::VisibleText;

/// A line of a result that a later edit used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineUse {
    /// The request whose answer used the line, counted from 0.
    pub request: u32,
    /// The first result in the prompt that showed the line.
    pub first: EntryIndex,
    /// The latest result that showed the line.
    pub source: EntryIndex,
    /// The line's hash.
    pub line: u64,
}

/// Returns every use of a line that stood in tool results and in no other message of the prompt.
pub fn find_line_uses(prepared: &PreparedConversation) -> Vec<LineUse> {
    let mut window = ClientPrompt::default();
    let mut next = 0;
    let mut spoken = VisibleText::default();
    let mut sources = crate::conversation_replay::LineSources::default();
    let mut found = Vec::new();
    for (request, answer) in (0u32..).zip(prepared.record.conversation().response_indices()) {
        while next < answer.0 {
            if let ClientPromptChange::Cut { .. } = window.push(prepared.record.conversation()) {
                spoken = VisibleText::default();
                let stay = || window.entries().iter().map(|index| (*index, prepared.scan(*index)));
                let is_tool =
                    |index: &EntryIndex| prepared.record.entry(*index).role == MessageRole::Tool;
                stay().filter(|(i, _)| !is_tool(i)).for_each(|(_, scan)| spoken.add(scan));
                sources.rebuild(stay().filter(|(i, _)| is_tool(i)));
            }
            let index = EntryIndex(next);
            next += 1;
            if window.entries().last() == Some(&index) {
                match prepared.record.entry(index).role {
                    MessageRole::Tool => sources.add(index, prepared.scan(index)),
                    MessageRole::System | MessageRole::User | MessageRole::Assistant => {
                        spoken.add(prepared.scan(index));
                    }
                }
            }
        }
        for line in prepared.evidence_lines(answer) {
            if spoken.contains_line(*line) {
                continue;
            }
            if let Some((first, source)) = sources.first_and_latest(*line) {
                found.push(LineUse { request, first, source, line: *line });
            }
        }
    }
    found
}
