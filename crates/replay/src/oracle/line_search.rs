//! Finds the lines of each result that answers use, and their last uses.

use std::collections::{BTreeMap, HashMap};

use foveal_transcript::{ClientPrompt, ClientPromptChange, EntryIndex, MessageRole};

use super::retained_lines::{RetainedLines, result_content};
use crate::conversation_replay::PreparedConversation;
use crate::scan::TextScan;
use crate::visible_text::VisibleText;

/// Returns the retained lines of every result, in order.
pub(super) fn find_retained_lines(prepared: &PreparedConversation) -> Vec<RetainedLines> {
    let mut search = RetainedLineSearch::new(prepared);
    let mut window = ClientPrompt::default();
    let mut next = 0;
    let mut spoken = VisibleText::default();
    for answer in prepared.record.conversation().response_indices() {
        while next < answer.0 {
            let change = window.push(prepared.record.conversation());
            let index = EntryIndex(next);
            next += 1;
            if let ClientPromptChange::Cut { .. } = change {
                spoken = VisibleText::default();
                window
                    .entries()
                    .iter()
                    .for_each(|index| add_message_text(prepared, *index, &mut spoken));
            } else if window.entries().last() == Some(&index) {
                add_message_text(prepared, index, &mut spoken);
            }
            search.add_entry(index);
        }
        for line in prepared.evidence_lines(answer) {
            if !spoken.contains_line(*line) {
                search.retain_line(window.entries(), UsedText::Line(*line), answer);
            }
        }
        for reference in prepared.used_references(answer) {
            if !spoken.contains_reference(*reference) {
                search.retain_line(window.entries(), UsedText::Reference(*reference), answer);
            }
        }
    }
    search.finish()
}

/// Adds the text of a message other than a tool result.
fn add_message_text(prepared: &PreparedConversation, index: EntryIndex, spoken: &mut VisibleText) {
    match prepared.record.entry(index).role {
        MessageRole::System | MessageRole::User | MessageRole::Assistant => {
            spoken.add(prepared.scan(index));
        }
        MessageRole::Tool => {}
    }
}

/// A line or reference that an answer uses, by its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum UsedText {
    Line(u64),
    Reference(u64),
}

/// The state of the search: the retained lines so far.
struct RetainedLineSearch<'a> {
    prepared: &'a PreparedConversation,
    /// The results that show each used text, the latest last.
    holders: HashMap<UsedText, Vec<EntryIndex>>,
    /// The retained lines that show it, in the order of their choice.
    retained_places: HashMap<UsedText, Vec<(EntryIndex, u32)>>,
    /// The line on which each result first shows a used text; filled when a result is first needed.
    first_lines: HashMap<EntryIndex, HashMap<UsedText, u32>>,
    /// The retained lines of each result, from 0, with the last answer that uses them.
    retained: HashMap<EntryIndex, BTreeMap<u32, EntryIndex>>,
}

impl<'a> RetainedLineSearch<'a> {
    fn new(prepared: &'a PreparedConversation) -> Self {
        let mut holders: HashMap<UsedText, Vec<EntryIndex>> = HashMap::new();
        for answer in prepared.record.conversation().response_indices() {
            let lines = prepared.evidence_lines(answer).iter().map(|line| UsedText::Line(*line));
            let references = prepared.used_references(answer).iter();
            for used in lines.chain(references.map(|reference| UsedText::Reference(*reference))) {
                holders.entry(used).or_default();
            }
        }
        let (retained_places, first_lines, retained) =
            (HashMap::new(), HashMap::new(), HashMap::new());
        Self { prepared, holders, retained_places, first_lines, retained }
    }

    /// Adds the next entry of the conversation.
    fn add_entry(&mut self, index: EntryIndex) {
        if self.prepared.record.entry(index).role == MessageRole::Tool {
            for shown in used_texts(self.prepared.scan(index)) {
                if let Some(holders) = self.holders.get_mut(&shown) {
                    holders.push(index);
                }
            }
        }
    }

    /// Retains a line that shows `wanted` until `answer`, unless the prompt has a retained one.
    /// Chooses the latest result, which is carried for the shortest time.
    fn retain_line(&mut self, window: &[EntryIndex], wanted: UsedText, answer: EntryIndex) {
        let is_there = |index: &EntryIndex| window.binary_search(index).is_ok();
        if let Some((index, at)) =
            last_in_prompt(self.retained_places.get_mut(&wanted), |one| is_there(&one.0))
        {
            self.retained.entry(index).or_default().insert(at, answer);
            return;
        }
        let Some(index) = last_in_prompt(self.holders.get_mut(&wanted), is_there) else { return };
        let content = result_content(self.prepared, index);
        let places = self.first_lines.entry(index).or_insert_with(|| find_first_lines(content));
        let at = *places.get(&wanted).expect("the lines of a text hold what the text holds");
        let line = content.split('\n').nth(at as usize).expect("places are lines of the text");
        self.retained.entry(index).or_default().insert(at, answer);
        for shown in used_texts(&TextScan::from_texts(&[line])) {
            self.retained_places.entry(shown).or_default().push((index, at));
        }
    }

    fn finish(mut self) -> Vec<RetainedLines> {
        let mut all = Vec::new();
        for (at, entry) in (0u32..).zip(self.prepared.record.entries()) {
            if entry.role == MessageRole::Tool {
                let index = EntryIndex(at);
                all.push(RetainedLines {
                    index,
                    lines: self.retained.remove(&index).unwrap_or_default(),
                });
            }
        }
        all
    }
}

/// Returns the last item of a list that is in the prompt. Items that left it are removed; they do
/// not come back.
fn last_in_prompt<T: Copy>(list: Option<&mut Vec<T>>, is_there: impl Fn(&T) -> bool) -> Option<T> {
    let list = list?;
    while list.last().is_some_and(|last| !is_there(last)) {
        list.pop();
    }
    list.last().copied()
}

/// Returns the lines and references of a scan.
fn used_texts(scan: &TextScan) -> impl Iterator<Item = UsedText> + '_ {
    let lines = scan.lines.iter().map(|line| UsedText::Line(*line));
    lines.chain(scan.references.iter().map(|reference| UsedText::Reference(*reference)))
}

/// Returns the first line of `content` that shows each of its lines and references.
fn find_first_lines(content: &str) -> HashMap<UsedText, u32> {
    let mut places = HashMap::new();
    for (at, line) in (0u32..).zip(content.split('\n')) {
        for found in used_texts(&TextScan::from_texts(&[line])) {
            places.entry(found).or_insert(at);
        }
    }
    places
}
