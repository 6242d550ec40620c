//! The newest visible version of a file: the last statement of the prompt on each of its lines.
//!
//! A note that calls lines unchanged refers to this version. If the file was shown twice, the
//! reader looks at the later answer, and after an edit at the edit: it is not enough that a text is
//! visible somewhere above.
//!
//! The calls of one response have no certain order. A line that one of them writes and another one
//! shows is known only if both texts agree.

use std::collections::{BTreeMap, HashMap};

use crate::call_texts::argument_texts;
use crate::conversation_record::ConversationRecord;
use crate::entry_facts::{CallFacts, EntryFacts, LineId};
use crate::ledger::{EntryVisibility, LinePosition, LineVisibility};
use foveal_tool_effects::outcome::{CallOutcome, call_outcome};
use foveal_tool_effects::{EffectKind, WriteChange};
use foveal_transcript::{EntryIndex, TranscriptEntry};

use super::file_mentions::PromptFileMentions;
use super::source_lines::{is_among_hits, is_same_file};

/// Largest number of places of one text that are tried to find where it moved.
const MOVES_MAX: usize = 8;

/// The last statement of the prompt on one line.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineStatement {
    /// The entry with the statement.
    pub(super) entry: EntryIndex,
    /// The text; `None` if only a part of it is visible.
    text: Option<LineId>,
    /// Whether a result states it. Texts in the model's calls are JSON strings without numbers.
    is_in_result: bool,
}

impl LineStatement {
    /// Returns whether a reader finds this text where a note names the line.
    pub(super) fn shows_text(&self, text: LineId) -> bool {
        self.is_in_result && self.text == Some(text)
    }
}

/// An edit of a part of the file.
#[derive(Debug)]
struct FileEdit<'a> {
    /// The response with the call.
    entry: EntryIndex,
    change: &'a WriteChange,
    /// The results of the other calls of the response, which may have run before or after it.
    parallel_results: Vec<EntryIndex>,
}

impl FileEdit<'_> {
    /// Returns whether the statement of an entry is certainly newer than the edit.
    fn is_before(&self, statement: EntryIndex) -> bool {
        self.entry < statement && !self.parallel_results.contains(&statement)
    }
}

/// The call of a response, with the visible lines of its entry.
#[derive(Clone, Copy)]
struct ResponseCall<'v, 'a> {
    lines: EntryVisibility<'v>,
    entry: &'a TranscriptEntry,
    facts: &'a EntryFacts,
    /// The position among the calls of the response.
    at: usize,
    call: &'a CallFacts,
    /// The results about the file that follow the response, with their calls.
    results: &'v [(EntryIndex, &'a CallFacts)],
}

impl ResponseCall<'_, '_> {
    /// Returns the results of the other calls of the response.
    fn parallel_results(&self) -> Vec<EntryIndex> {
        let is_parallel = |answered: &CallFacts| {
            let mut calls = self.facts.calls.iter();
            !std::ptr::eq(answered, self.call) && calls.any(|call| std::ptr::eq(&**call, answered))
        };
        let parallel = self.results.iter().filter(|(_, answered)| is_parallel(answered));
        parallel.map(|(entry, _)| *entry).collect()
    }
}

/// The newest visible version of one file.
#[derive(Debug, Default)]
pub(in crate::shaping) struct NewestFileVersion<'a> {
    /// Statements by line number.
    statements: BTreeMap<u32, LineStatement>,
    /// The latest place that shows a text as a line of the file.
    places: HashMap<LineId, LinePosition>,
    /// The line numbers of each text, ascending.
    numbers: HashMap<LineId, Vec<u32>>,
    /// Edits of parts of the file that were not refused, the latest first.
    edits: Vec<FileEdit<'a>>,
}

impl<'a> NewestFileVersion<'a> {
    /// Computes the newest version of the file at `path`. With `arguments`, texts in the model's
    /// own calls are visible.
    pub(super) fn new(
        record: &'a ConversationRecord,
        mentions: &PromptFileMentions<'_>,
        arguments: bool,
        path: &str,
    ) -> Self {
        let mut version = Self::default();
        let mut is_replaced = false;
        // Calls that changed nothing.
        let mut refused: Vec<*const CallFacts> = Vec::new();
        // The results since the response before them, the latest first.
        let mut results: Vec<(EntryIndex, &CallFacts)> = Vec::new();
        for mention in mentions.find_by_name(path) {
            let lines = mention.lines;
            let (entry, facts) = (record.entry(lines.entry), record.facts(lines.entry));
            if let Some(result) = entry.tool_result() {
                let call = facts.call.as_deref();
                let writes = call.filter(|call| is_write_to(call, path));
                if let Some(call) = writes
                    && call_outcome(&call.effect, result) == CallOutcome::Refused
                {
                    refused.push(call);
                }
                results.extend(call.map(|call| (lines.entry, call)));
                let of_file = mentions.lines_of_file(mention, facts, path);
                version.add_result(record, lines, &of_file, is_replaced);
            } else {
                let calls = facts.calls.iter().enumerate().rev();
                let made =
                    calls.filter(|(_, call)| !refused.contains(&std::ptr::from_ref(&***call)));
                for (at, call) in made.filter(|(_, call)| is_write_to(call, path)) {
                    let results = results.as_slice();
                    let source = ResponseCall { lines, entry, facts, at, call, results };
                    version.add_writes(source, path, arguments, &mut is_replaced);
                }
                results.clear();
            }
        }
        for (number, statement) in &version.statements {
            if let Some(text) = statement.text {
                version.numbers.entry(text).or_default().push(*number);
            }
        }
        version
    }

    /// Returns the last statement on the line with this number.
    pub(super) fn last_statement(&self, number: u32) -> Option<&LineStatement> {
        self.statements.get(&number)
    }

    /// Returns whether the line with this number may have this text: the prompt has no other
    /// statement on it.
    pub(super) fn may_have_text(&self, number: u32, id: LineId) -> bool {
        self.last_statement(number).is_none_or(|it| it.text == Some(id))
    }

    /// Returns the place at which a line of the file with this text is visible.
    pub(super) fn visible_place(&self, text: LineId) -> Option<LinePosition> {
        self.places.get(&text).copied()
    }

    /// Returns numbers near `number` whose lines have this text.
    pub(super) fn numbers_near(&self, text: LineId, number: u32) -> &[u32] {
        let all = self.numbers.get(&text).map_or(&[][..], Vec::as_slice);
        let middle = all.partition_point(|at| *at < number);
        let from = middle.saturating_sub(MOVES_MAX / 2);
        &all[from..all.len().min(from + MOVES_MAX)]
    }

    /// Returns for each of the consecutive lines `texts` the index of the latest edit that removed
    /// it: they do not contain the new text of the edit, but its old text.
    pub(super) fn find_undone_edits(&self, texts: &[&str]) -> Vec<Option<usize>> {
        let mut undone = vec![None; texts.len()];
        if self.edits.is_empty() {
            return undone;
        }
        let all = texts.join("\n");
        for (index, edit) in self.edits.iter().enumerate() {
            let WriteChange::Replace { old, new, .. } = edit.change else { continue };
            if old.is_empty() || (!new.is_empty() && all.contains(new.as_str())) {
                continue;
            }
            let count = |part: &str| part.matches('\n').count();
            let (mut counted, mut first_line) = (0, 0);
            for (start, found) in all.match_indices(old.as_str()) {
                first_line += count(&all[counted..start]);
                counted = start;
                let last = start + found.trim_end_matches('\n').len().max(1);
                let last_line = first_line + count(&all[start..last.min(all.len())]);
                for at in first_line..=last_line {
                    let is_latest = undone.get(at).is_some_and(Option::is_none);
                    if is_latest {
                        undone[at] = Some(index);
                    }
                }
            }
        }
        undone
    }

    /// Returns whether a statement is certainly newer than an edit of
    /// [`Self::find_undone_edits`].
    pub(super) fn is_newer_than_edit(&self, statement: &LineStatement, edit: usize) -> bool {
        self.edits[edit].is_before(statement.entry)
    }

    /// Returns whether the last statement of the prompt gives this line this text.
    pub(super) fn is_current_line(&self, number: u32, id: LineId, text: &str) -> bool {
        let Some(statement) = self.last_statement(number) else { return false };
        let takes_out = |edit: &FileEdit<'_>| match edit.change {
            WriteChange::Replace { old, new, .. } => {
                !edit.is_before(statement.entry)
                    && !old.trim().is_empty()
                    && (text.contains(old.as_str()) || old.lines().any(|line| line == text))
                    && !new.lines().any(|line| line == text)
            }
            _ => false,
        };
        statement.shows_text(id) && !self.edits.iter().any(takes_out)
    }

    /// Adds the lines `of_file` of the file in a result.
    fn add_result(
        &mut self,
        record: &ConversationRecord,
        lines: EntryVisibility<'_>,
        of_file: &[u32],
        is_replaced: bool,
    ) {
        let facts = record.facts(lines.entry);
        for at in of_file.iter().copied() {
            let Some(number) = facts.printed.lines[at as usize].number else { continue };
            let text = facts.line_ids[at as usize];
            let state = lines.visibility(at);
            if state == LineVisibility::Visible {
                let place = LinePosition { entry: lines.entry, line: at };
                // The error message of a refused call is no place to look up a line.
                if !is_among_hits(record, place) && !facts.is_error {
                    self.places.entry(text).or_insert(place);
                }
            }
            let text = match state {
                LineVisibility::Visible | LineVisibility::Pointed => Some(text),
                LineVisibility::Partial => None,
                LineVisibility::Hidden => continue,
            };
            match self.statements.get_mut(&number.0) {
                Some(written) if !written.is_in_result => {
                    written.is_in_result = text.is_some() && written.text == text;
                }
                _ if is_replaced => {}
                _ => {
                    self.add_statement(
                        number.0,
                        LineStatement { entry: lines.entry, text, is_in_result: true },
                    );
                }
            }
        }
    }

    fn add_writes(
        &mut self,
        source: ResponseCall<'_, 'a>,
        path: &str,
        has_arguments: bool,
        is_replaced: &mut bool,
    ) {
        let writes = source.call.effect.writes.iter().rev();
        for write in writes.filter(|write| is_same_file(&write.path, path)) {
            match &write.change {
                WriteChange::Content(content) => {
                    self.add_content(source, content, has_arguments, *is_replaced);
                    *is_replaced = true;
                }
                WriteChange::Remove => {
                    if !*is_replaced {
                        self.remove_contradicted_texts(source, &[]);
                    }
                    *is_replaced = true;
                }
                change if !*is_replaced => self.edits.push(FileEdit {
                    entry: source.lines.entry,
                    change,
                    parallel_results: source.parallel_results(),
                }),
                _ => {}
            }
        }
    }

    /// Adds the content that a call wrote: all line numbers are new.
    fn add_content(
        &mut self,
        source: ResponseCall<'_, '_>,
        content: &str,
        has_arguments: bool,
        is_replaced: bool,
    ) {
        let ResponseCall { lines, entry, facts, at, .. } = source;
        let Some(call) = entry.tool_calls().nth(at) else { return };
        let texts = argument_texts(call);
        let is_content = |text: u16| texts.get(usize::from(text)).is_some_and(|it| *it == content);
        let of_call =
            |line: &&(u32, &crate::entry_facts::ArgumentLine)| usize::from(line.1.call) == at;
        let arguments: Vec<_> = (0u32..).zip(&facts.arguments).collect();
        let written = arguments.iter().filter(of_call).filter(|line| is_content(line.1.text));
        let written: Vec<u32> = written.map(|(line, _)| *line).collect();
        let texts: Vec<LineId> =
            written.iter().map(|line| facts.line_ids[*line as usize]).collect();
        if !is_replaced {
            self.remove_contradicted_texts(source, &texts);
        }
        for (number, (line, text)) in (1u32..).zip(written.into_iter().zip(texts)) {
            let is_visible = lines.visibility(line) == LineVisibility::Visible;
            if is_visible && has_arguments {
                let place = LinePosition { entry: lines.entry, line };
                self.places.entry(text).or_insert(place);
            }
            if !is_replaced {
                let text = Some(text).filter(|_| is_visible);
                let is_answered = has_arguments;
                self.add_statement(
                    number,
                    LineStatement { entry: lines.entry, text, is_in_result: is_answered },
                );
            }
        }
    }

    /// Makes the lines uncertain that other calls of a response show with another text than the
    /// `written` one.
    fn remove_contradicted_texts(&mut self, source: ResponseCall<'_, '_>, written: &[LineId]) {
        let parallel = source.parallel_results();
        if parallel.is_empty() {
            return;
        }
        for (number, statement) in &mut self.statements {
            let text = written.get((*number as usize).wrapping_sub(1)).copied();
            if parallel.contains(&statement.entry) && statement.text != text {
                statement.text = None;
            }
        }
    }

    fn add_statement(&mut self, number: u32, statement: LineStatement) {
        self.statements.entry(number).or_insert(statement);
    }
}

/// Returns whether a call changes the file at `path` in a way that its arguments describe.
fn is_write_to(call: &CallFacts, path: &str) -> bool {
    let is_edit = matches!(call.effect.kind, EffectKind::Edit | EffectKind::Write);
    let tells =
        |change: &WriteChange| !matches!(change, WriteChange::Unknown | WriteChange::Append(_));
    let mut writes = call.effect.writes.iter();
    (is_edit || call.effect.command.is_some())
        && writes.any(|write| tells(&write.change) && is_same_file(&write.path, path))
}
