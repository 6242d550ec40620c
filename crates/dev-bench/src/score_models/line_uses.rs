//! Hindsight: the lines of results that later edits used.

use std::collections::HashMap;

use foveal_replay::PreparedConversation;
use foveal_replay::scan::TextScan;
use foveal_replay::visible_text::VisibleText;
use foveal_transcript::{ClientPrompt, ClientPromptChange, EntryIndex, MessageRole};

/// A line of a result that a later edit used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineUse {
    /// The request whose answer used the line, counted from 0.
    pub(crate) request: u32,
    /// The first result in the prompt that showed the line.
    pub(crate) first: EntryIndex,
}

/// Returns every use of a line that stood in tool results and in no other message of the prompt.
pub(crate) fn find_line_uses(prepared: &PreparedConversation) -> Vec<LineUse> {
    let mut window = ClientPrompt::default();
    let mut next = 0;
    let mut spoken = VisibleText::default();
    let mut first_shown: HashMap<u64, EntryIndex> = HashMap::new();
    let mut found = Vec::new();
    for (request, answer) in (0u32..).zip(prepared.record.conversation().response_indices()) {
        while next < answer.0 {
            if let ClientPromptChange::Cut { .. } = window.push(prepared.record.conversation()) {
                spoken = VisibleText::default();
                let stay = || window.entries().iter().map(|index| (*index, prepared.scan(*index)));
                let is_tool =
                    |index: &EntryIndex| prepared.record.entry(*index).role == MessageRole::Tool;
                stay().filter(|(i, _)| !is_tool(i)).for_each(|(_, scan)| spoken.add(scan));
                first_shown.clear();
                for (index, scan) in stay().filter(|(i, _)| is_tool(i)) {
                    add_lines(&mut first_shown, index, scan);
                }
            }
            let index = EntryIndex(next);
            next += 1;
            if window.entries().last() == Some(&index) {
                match prepared.record.entry(index).role {
                    MessageRole::Tool => {
                        add_lines(&mut first_shown, index, prepared.scan(index));
                    }
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
            if let Some(first) = first_shown.get(line) {
                found.push(LineUse { request, first: *first });
            }
        }
    }
    found
}

/// Adds the lines of a result that no earlier one showed.
fn add_lines(first_shown: &mut HashMap<u64, EntryIndex>, index: EntryIndex, scan: &TextScan) {
    for line in &scan.lines {
        first_shown.entry(*line).or_insert(index);
    }
}

#[cfg(test)]
mod tests;
