//! What hindsight knows: which lines of which results were needed later.

use foveal_transcript::{EntryIndex, Role, Window, WindowChange};

use crate::run::Prepared;
use crate::visible::Visible;

/// One line of a result that a later edit used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Need {
    /// The request, counted from 0, whose answer used it.
    pub request: u32,
    /// The first result in the prompt that showed it.
    pub first: EntryIndex,
    /// The latest result that showed it.
    pub source: EntryIndex,
    /// The line's hash.
    pub line: u64,
}

/// Every use of a line that stood in tool results and in no other message of the prompt.
pub fn needs(prepared: &Prepared) -> Vec<Need> {
    let mut window = Window::default();
    let mut next = 0;
    let mut spoken = Visible::default();
    let mut sources = crate::run::Sources::default();
    let mut found = Vec::new();
    for (request, answer) in (0u32..).zip(prepared.record.conversation().responses()) {
        while next < answer.0 {
            if let WindowChange::Cut { .. } = window.push(prepared.record.conversation()) {
                spoken = Visible::default();
                let stay = || window.entries().iter().map(|index| (*index, prepared.scan(*index)));
                let is_tool = |index: &EntryIndex| prepared.record.entry(*index).role == Role::Tool;
                stay().filter(|(i, _)| !is_tool(i)).for_each(|(_, scan)| spoken.add(scan));
                sources.rebuild(stay().filter(|(i, _)| is_tool(i)));
            }
            let index = EntryIndex(next);
            next += 1;
            if window.entries().last() == Some(&index) {
                match prepared.record.entry(index).role {
                    Role::Tool => sources.add(index, prepared.scan(index)),
                    Role::System | Role::User | Role::Assistant => {
                        spoken.add(prepared.scan(index));
                    }
                }
            }
        }
        for line in prepared.evidence(answer) {
            if spoken.has_line(*line) {
                continue;
            }
            if let Some((first, source)) = sources.span(*line) {
                found.push(Need { request, first, source, line: *line });
            }
        }
    }
    found
}
