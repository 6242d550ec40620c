//! One call, from its name to the answer.

use std::path::Path;
use std::sync::MutexGuard;

use serde_json::Value;

use foveal_context::calls::{self, Miss};
use foveal_context::shape::ShapeKind;
use foveal_files::tree::name_of;
use foveal_transcript::Handle;

use crate::answer::{Answer, AnswerRow, Found, Head, Size};
use crate::control::Control;
use crate::error::{ToolError, printable};
use crate::table::{self, TOOLS, Tool};
use crate::views::ReadView;

use super::keep::Event;
use super::shown::Counts;
use super::work::Approvals;
use super::{Asked, Given, Request, Session, State, Work};

impl Session {
    /// Carries a call out and answers it. What fails is an answer too, in words that say what
    /// to do.
    pub fn call(&self, request: &Request, control: &Control<'_>) -> Answer {
        if BY_LEDGER.contains(&&*request.tool) {
            self.toolbox.calls().pass(&self.id, self.toolbox.clock.now());
        }
        self.call_part(request, control)
    }

    /// The same for a part of a call of the model.
    pub(crate) fn call_part(&self, request: &Request, control: &Control<'_>) -> Answer {
        let moved = self.leave_missing_folder();
        if !READS.contains(&&*request.tool) {
            // Who asks for a file after something else does not ask twice.
            self.set_pointed(&[], Vec::new());
        }
        let mut answer = self.answer(request, control).unwrap_or_else(|error| {
            let text = printable(&error.to_string());
            // What was refused lies between the calls before and after it all the same.
            let call = Asked { tool: &request.tool, arguments: &request.arguments, question: None };
            let now = self.toolbox.clock.now();
            let given = self.roomy(text.len() as u64).shown.give(call, text.clone(), true, now);
            let (asked, how) = ((&request.arguments, None), (true, false));
            let roots = self.roots();
            let (whole, from) = (Whole::Here(&text), roots.working_directory());
            self.append_answer(&request.tool, asked, &given, how, whole, from);
            Answer { text, is_error: true, ..Answer::default() }
        });
        self.append_seen();
        if let Some(moved) = moved {
            answer.text.insert_str(0, &moved);
            answer.pad_rows();
        }
        answer
    }

    /// Goes up to a folder that is there, if the one in which commands are run is gone; says so.
    fn leave_missing_folder(&self) -> Option<String> {
        let roots = self.roots();
        let gone = roots.working_directory();
        if gone.is_dir() {
            return None;
        }
        let is_inside = |folder: &Path| roots.all().any(|root| folder.starts_with(root.path()));
        let left = gone.ancestors().find(|folder| folder.is_dir() && is_inside(folder))?;
        self.work_in(left).ok()?;
        let (gone, left) = (printable(&name_of(gone)), printable(&name_of(left)));
        Some(format!("[the folder `{gone}` is gone; commands and paths now start in `{left}`]\n"))
    }

    fn answer(&self, request: &Request, control: &Control<'_>) -> Result<Answer, ToolError> {
        let Some(tool) = table::named(&request.tool) else {
            let known: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            return Err(ToolError::NoTool { name: request.tool.clone(), known: known.join(", ") });
        };
        let arguments = tool.without_nulls(&request.arguments);
        let request = &Request { arguments, ..request.clone() };
        let (toolbox, approvals) = (&self.toolbox, Approvals::default());
        let mut work =
            Work { tool, toolbox, session: self, control, approvals: &approvals, anew: false };
        work.go_on()?;
        self.toolbox.collect_at_times();
        let call = tool.parse(request.arguments.clone())?;
        work.permit_all(&call.asks())?;
        self.follow_reader();
        // What was read is known to the ledger, which points at it where that is better.
        let directory = self.roots().working_directory().to_owned();
        if BY_LEDGER.contains(&tool.name) {
            work.anew = !self.detects(tool, request);
            let found = call.run(&work)?;
            return Ok(self.give(tool, request, Found { directory, ..found }, None));
        }
        let asked = self.asked(tool, request);
        match self.cached(&work, &asked) {
            Ok(found) => {
                return Ok(self.give(tool, request, Found { directory, ..found }, None));
            }
            Err(miss) => work.anew = matches!(miss, Miss::AskedAgain | Miss::Off),
        }
        let found = call.run(&work)?;
        let found = Found { directory, ..found };
        if found.cached {
            self.note_shared(&asked, found.text.len() as u64);
            return Ok(self.give(tool, request, found, None));
        }
        Ok(self.give(tool, request, found, Some(asked)))
    }

    /// Shapes what was found, remembers that it was shown, and keeps it.
    fn give(
        &self,
        tool: &Tool,
        request: &Request,
        found: Found,
        asked: Option<calls::Asked>,
    ) -> Answer {
        let now = self.toolbox.clock.now();
        let recorded = asked.and_then(|asked| Some((asked, self.to_record(&found)?)));
        let Found { text, rows, head, images, structured, is_error, carried, cached, .. } = found;
        let arguments = carried.as_ref().unwrap_or(&request.arguments);
        if found.given {
            // What only tells of answers is none that another could point at.
            if cached {
                let (tool, arguments) = (tool.name.to_owned(), arguments.clone());
                let reads = self.reads().take_unkept();
                self.append(&Event::Pointed { tool, arguments, reads }, now);
            }
            return Answer { text, images, structured, is_error, cached, ..Answer::default() };
        }
        let bytes = text.len() as u64;
        let stored = self.put(text.as_bytes(), now);
        let kept = stored.map(|stored| stored.handle);
        let mut state = self.roomy(bytes);
        // What a command prints of a file is not curated.
        self.views.read_view(found.read_view.clone().unwrap_or(ReadView::Whole));
        let question = question(&request.arguments);
        let call = Asked { tool: tool.name, arguments, question };
        state.shown.work_in(&found.directory);
        let given = state.shown.give(call, text, is_error, now);
        match &head {
            Head::None => {}
            Head::File { key, version, .. } => {
                state.files.shown_at((key, *version), &given, found.read_view.as_ref());
            }
            Head::Beginning { key, version, size, seen, .. } => {
                state.files.begun_at((key, *version), &given, *size, seen);
            }
        }
        let points = given.shape.as_ref().is_some_and(|shape| !shape.refers_to().is_empty());
        state.pointed.reads.extend(found.read.filter(|_| points));
        let whole = self.whole(&state, &given, kept.is_some());
        // In the order in which answers count as shown.
        let (how, from) = ((is_error, cached), &found.directory);
        let content = match kept {
            Some(handle) => Whole::Kept(handle),
            None => Whole::Here(state.shown.content(given.entry).unwrap_or_default()),
        };
        self.append_answer(tool.name, (arguments, question), &given, how, content, from);
        let rows = match given.shape.as_ref().filter(|_| whole.is_none() && !rows.is_empty()) {
            Some(shape) => {
                let content = state.shown.content(given.entry).unwrap_or_default();
                rows_shown(&rows, &shape.line_starts(content))
            }
            None => rows,
        };
        drop(state);
        let shaped = given.shape.as_ref().filter(|_| whole.is_none());
        let shaped = shaped.map(|shape| (shape.kind, shape.handle));
        let text = whole.unwrap_or_else(|| headed(&head, &given));
        // What is kept of an answer with secrets is not that answer.
        let stored = stored.filter(|stored| stored.secrets == 0);
        if let (Some((asked, recorded)), Some(stored)) = (recorded, stored) {
            self.record(asked, stored.handle, recorded);
        }
        let note = found.note.map(|note| format!("{note}\n")).unwrap_or_default();
        let text = note + &text;
        let mut answer = Answer { text, rows, images, structured, is_error, cached, shaped };
        answer.pad_rows();
        answer
    }

    /// The state, with room for so many bytes more, from which a later process can go on.
    fn roomy(&self, bytes: u64) -> MutexGuard<'_, State> {
        let mut state = self.state();
        let is_full = state.shown.is_full(usize::try_from(bytes).unwrap_or(usize::MAX));
        if self.takes_lost_thread() || is_full {
            self.forget_all(&mut state);
        }
        state
    }

    /// Keeps that a call was answered.
    fn append_answer(
        &self,
        tool: &str,
        (arguments, question): (&Value, Option<&str>),
        given: &Given,
        (is_error, cached): (bool, bool),
        whole: Whole<'_>,
        directory: &Path,
    ) {
        let (handle, text) = match whole {
            Whole::Kept(handle) => (Some(handle), None),
            Whole::Here(text) => (None, Some(text.to_owned())),
        };
        let event = Event::Answered {
            tool: tool.to_owned(),
            arguments: arguments.clone(),
            question: question.map(str::to_owned),
            handle,
            text,
            is_error,
            directory: Some(directory.to_owned()),
            cached,
            bytes: (given.bytes, given.text.len() as u64),
            step: Box::new(given.step.clone()),
            reads: self.reads().take_unkept(),
        };
        self.append(&event, self.toolbox.clock.now());
    }

    /// The answer as it was found, where what is left out of it could not be kept.
    fn whole(&self, state: &State, given: &Given, is_kept: bool) -> Option<String> {
        let leaves_out = given.shape.as_ref().is_some_and(|shape| shape.kind != ShapeKind::Pointer);
        (leaves_out && !is_kept)
            .then(|| state.shown.content(given.entry).map(str::to_owned))
            .flatten()
    }
}

/// What the lines of a shaped text are, by where in the original each begins.
fn rows_shown(rows: &[AnswerRow], starts: &[Option<(u32, u32)>]) -> Vec<AnswerRow> {
    let shown = |start: &Option<(u32, u32)>| {
        let (line, byte) = (*start)?;
        let row = *rows.get(line as usize)?;
        Some(match row {
            AnswerRow::Line { number, gutter } => {
                AnswerRow::Line { number, gutter: gutter.saturating_sub(byte) }
            }
            AnswerRow::File | AnswerRow::Said => row,
        })
    };
    starts.iter().map(|start| shown(start).unwrap_or(AnswerRow::Said)).collect()
}

/// Where the whole of an answer is, whatever was sent of it.
#[derive(Clone, Copy)]
enum Whole<'a> {
    Kept(Handle),
    Here(&'a str),
}

/// Tools whose repeated calls are answered by what was shown, not by what was called.
const BY_LEDGER: [&str; 3] = ["read_file", "read_files", "expand"];

/// Tools of which a call that was answered with a pointer may be made again, for all of it.
const READS: [&str; 2] = ["read_file", "read_files"];

/// What the model says that it wants to know.
fn question(arguments: &Value) -> Option<&str> {
    arguments.get("question")?.as_str().filter(|question| !question.trim().is_empty())
}

/// The answer with what stands before it.
fn headed(head: &Head, given: &Given) -> String {
    let (heading, remarks) = match head {
        Head::None => return given.text.clone(),
        Head::File { path, remarks, .. } => {
            let mut counts = given.lines;
            let how = match given.shape.as_ref().map(|shape| shape.kind) {
                Some(ShapeKind::Curated) => "curated",
                Some(ShapeKind::Pointer | ShapeKind::Delta) => "what is not shown above",
                Some(ShapeKind::Excerpt) => {
                    let mut whole = given.shown.clone();
                    whole.remove(&given.left_out);
                    counts.shown = whole.count();
                    "long lines cut"
                }
                _ => "full",
            };
            (heading(path, how, counts), remarks)
        }
        Head::Beginning { path, size: Size::Lines(all), seen, remarks, .. } => {
            // A line of which a part is left out is not preserved.
            let counts = Counts { all: *all, shown: given.lines.shown.min(seen.count()) };
            (heading(path, "beginning", counts), remarks)
        }
        Head::Beginning { path, size: Size::Bytes(bytes), remarks, .. } => {
            let shown = given.lines.shown;
            let counts = format!("Total bytes: {bytes} | Preserved: {shown} lines");
            (format!("File: {path} (beginning)\n{counts}\n"), remarks)
        }
    };
    let remarks = remarks.as_ref().map(|remarks| format!("{remarks}\n")).unwrap_or_default();
    heading + &remarks + &given.text
}

/// What stands before the text of a file.
pub(super) fn heading(path: &str, how: &str, Counts { all, shown }: Counts) -> String {
    let share = if all == 0 { 100 } else { u64::from(shown) * 100 / u64::from(all) };
    format!("File: {path} ({how})\nTotal lines: {all} | Preserved: {shown} ({share} %)\n")
}
