//! The newest visible version of a file: what the prompt says last of each of its lines.
//!
//! A note that calls lines unchanged speaks of this version. Where the file was shown twice, the
//! reader looks at the later answer, and after an edit at the edit: that a text stands somewhere
//! above is not enough.

use std::collections::{BTreeMap, HashMap};

use crate::call_texts::argument_texts;
use crate::facts::{CallFacts, Facts, LineId};
use crate::ledger::{EntryLines, LineState, Place};
use crate::record::Record;
use foveal_effects::outcome::{Outcome, outcome};
use foveal_effects::{Change, EffectKind};
use foveal_transcript::{Entry, EntryIndex};

use super::file_mentions::FileMentions;
use super::source_lines::{is_among_hits, same_file};

/// Places of one text that are tried at most to find where it went.
const MOVES_MAX: usize = 8;

/// What the prompt says last of one line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Statement {
    /// The entry that says it.
    pub(super) entry: EntryIndex,
    /// The text; `None`: only a part of it.
    text: Option<LineId>,
    /// Whether an answer says so. What the model wrote itself stands in a string of JSON, without
    /// numbers.
    is_answered: bool,
}

impl Statement {
    /// Whether a reader finds this text where a note names the line.
    pub(super) fn has(&self, text: LineId) -> bool {
        self.is_answered && self.text == Some(text)
    }
}

/// The newest visible version of one file.
#[derive(Debug, Default)]
pub(in crate::shaping) struct NewestVersion<'a> {
    /// By number.
    statements: BTreeMap<u32, Statement>,
    /// By text, the latest place that shows it as a line of the file.
    places: HashMap<LineId, Place>,
    /// By text, the numbers that have it, ascending.
    numbers: HashMap<LineId, Vec<u32>>,
    /// Edits of parts of it that were not refused, the latest first.
    edits: Vec<(EntryIndex, &'a Change)>,
}

impl<'a> NewestVersion<'a> {
    /// That of the file at `path`; with `arguments`, texts in the model's own calls are visible.
    pub(super) fn new(
        record: &'a Record,
        mentions: &FileMentions<'_>,
        arguments: bool,
        path: &str,
    ) -> Self {
        let mut version = Self::default();
        let mut is_replaced = false;
        // Calls that changed nothing.
        let mut refused: Vec<*const CallFacts> = Vec::new();
        for mention in mentions.of_name(path) {
            let lines = mention.lines;
            let (entry, facts) = (record.entry(lines.entry), record.facts(lines.entry));
            if let Some(result) = entry.result() {
                let call = facts.call.as_deref();
                let writes = call.filter(|call| is_write_to(call, path));
                if let Some(call) = writes
                    && outcome(&call.effect, result) == Outcome::Refused
                {
                    refused.push(call);
                }
                let of_file = mentions.lines(mention, facts, path);
                version.take_result(record, lines, &of_file, is_replaced);
            } else {
                let calls = facts.calls.iter().enumerate().rev();
                let made =
                    calls.filter(|(_, call)| !refused.contains(&std::ptr::from_ref(&***call)));
                for (at, call) in made.filter(|(_, call)| is_write_to(call, path)) {
                    version.take_writes(
                        (arguments, path),
                        (lines, entry, facts),
                        (at, call),
                        &mut is_replaced,
                    );
                }
            }
        }
        for (number, statement) in &version.statements {
            if let Some(text) = statement.text {
                version.numbers.entry(text).or_default().push(*number);
            }
        }
        version
    }

    /// What is said last of the line with this number.
    pub(super) fn statement(&self, number: u32) -> Option<&Statement> {
        self.statements.get(&number)
    }

    /// Whether the line with this number has this text as far as the prompt says what it has.
    pub(super) fn may_be(&self, number: u32, id: LineId) -> bool {
        self.statement(number).is_none_or(|it| it.text == Some(id))
    }

    /// Where a line of the file with this text is visible.
    pub(super) fn place(&self, text: LineId) -> Option<Place> {
        self.places.get(&text).copied()
    }

    /// Numbers near `number` that have this text.
    pub(super) fn numbers_near(&self, text: LineId, number: u32) -> &[u32] {
        let all = self.numbers.get(&text).map_or(&[][..], Vec::as_slice);
        let middle = all.partition_point(|at| *at < number);
        let from = middle.saturating_sub(MOVES_MAX / 2);
        &all[from..all.len().min(from + MOVES_MAX)]
    }

    /// For each line of `texts`, which follow each other in the file, the latest edit that took it
    /// out: the text that the edit put there is not in them, and what it replaced is.
    pub(super) fn edits_undone(&self, texts: &[&str]) -> Vec<Option<EntryIndex>> {
        let mut undone = vec![None; texts.len()];
        if self.edits.is_empty() {
            return undone;
        }
        let all = texts.join("\n");
        for (entry, change) in &self.edits {
            let Change::Replace { old, new, .. } = change else { continue };
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
                        undone[at] = Some(*entry);
                    }
                }
            }
        }
        undone
    }

    /// Whether the line with this number and text is as the prompt says last of it.
    pub(super) fn has(&self, number: u32, id: LineId, text: &str) -> bool {
        let Some(statement) = self.statement(number) else { return false };
        let takes_out = |(entry, change): &(EntryIndex, &Change)| match change {
            Change::Replace { old, new, .. } => {
                *entry > statement.entry
                    && !old.trim().is_empty()
                    && (text.contains(old.as_str()) || old.lines().any(|line| line == text))
                    && !new.lines().any(|line| line == text)
            }
            _ => false,
        };
        statement.has(id) && !self.edits.iter().any(takes_out)
    }

    /// Takes the lines of the file in a result, `of_file`.
    fn take_result(
        &mut self,
        record: &Record,
        lines: EntryLines<'_>,
        of_file: &[u32],
        is_replaced: bool,
    ) {
        let facts = record.facts(lines.entry);
        for at in of_file.iter().copied() {
            let Some(number) = facts.printed.lines[at as usize].number else { continue };
            let text = facts.ids[at as usize];
            let state = lines.state(at);
            if state == LineState::Visible {
                let place = Place { entry: lines.entry, line: at };
                // Why a call was refused is no place to look a line up.
                if !is_among_hits(record, place) && !facts.is_error {
                    self.places.entry(text).or_insert(place);
                }
            }
            let text = match state {
                LineState::Visible | LineState::Pointed => Some(text),
                LineState::Partial => None,
                LineState::Hidden => continue,
            };
            match self.statements.get_mut(&number.0) {
                Some(written) if !written.is_answered => {
                    written.is_answered = text.is_some() && written.text == text;
                }
                _ if is_replaced => {}
                _ => {
                    self.state(number.0, Statement { entry: lines.entry, text, is_answered: true });
                }
            }
        }
    }

    fn take_writes(
        &mut self,
        (has_arguments, path): (bool, &str),
        (lines, entry, facts): (EntryLines<'_>, &'a Entry, &'a Facts),
        (at, call): (usize, &'a CallFacts),
        is_replaced: &mut bool,
    ) {
        for write in call.effect.writes.iter().rev().filter(|write| same_file(&write.path, path)) {
            match &write.change {
                Change::Content(content) => {
                    self.take_content(
                        (has_arguments, *is_replaced),
                        (lines, entry, facts),
                        at,
                        content,
                    );
                    *is_replaced = true;
                }
                Change::Remove => *is_replaced = true,
                change if !*is_replaced => self.edits.push((lines.entry, change)),
                _ => {}
            }
        }
    }

    /// A file that a call wrote: all numbers are new.
    fn take_content(
        &mut self,
        (has_arguments, is_replaced): (bool, bool),
        (lines, entry, facts): (EntryLines<'_>, &Entry, &Facts),
        at: usize,
        content: &str,
    ) {
        let Some(call) = entry.calls().nth(at) else { return };
        let texts = argument_texts(call);
        let is_content = |text: u16| texts.get(usize::from(text)).is_some_and(|it| *it == content);
        let of_call = |line: &&(u32, &crate::facts::ArgumentLine)| usize::from(line.1.call) == at;
        let arguments: Vec<_> = (0u32..).zip(&facts.arguments).collect();
        let written = arguments.iter().filter(of_call).filter(|line| is_content(line.1.text));
        for (number, (line, _)) in (1u32..).zip(written) {
            let text = facts.ids[*line as usize];
            let is_visible = lines.state(*line) == LineState::Visible;
            if is_visible && has_arguments {
                let place = Place { entry: lines.entry, line: *line };
                self.places.entry(text).or_insert(place);
            }
            if !is_replaced {
                let text = Some(text).filter(|_| is_visible);
                let is_answered = has_arguments;
                self.state(number, Statement { entry: lines.entry, text, is_answered });
            }
        }
    }

    fn state(&mut self, number: u32, statement: Statement) {
        self.statements.entry(number).or_insert(statement);
    }
}

/// Whether a call changes the file at `path` in a way that it tells.
fn is_write_to(call: &CallFacts, path: &str) -> bool {
    let is_edit = matches!(call.effect.kind, EffectKind::Edit | EffectKind::Write);
    let tells = |change: &Change| !matches!(change, Change::Unknown | Change::Append(_));
    let mut writes = call.effect.writes.iter();
    (is_edit || call.effect.command.is_some())
        && writes.any(|write| tells(&write.change) && same_file(&write.path, path))
}
