//! One call, from its name to the answer.

use std::sync::MutexGuard;

use serde_json::Value;

use foveal_context::calls;
use foveal_context::handle::Handle;
use foveal_context::shape::ShapeKind;

use crate::answer::{Answer, Found, Head};
use crate::control::Control;
use crate::error::{ToolError, printable};
use crate::table::{self, TOOLS, Tool};
use crate::views::Wish;

use super::keep::Event;
use super::shown::Counts;
use super::{Asked, Given, Request, Session, State, Work};

impl Session {
    /// Carries a call out and answers it. What fails is an answer too, in words that say what
    /// to do.
    pub fn call(&self, request: &Request, control: &Control<'_>) -> Answer {
        let answer = self.answer(request, control).unwrap_or_else(|error| {
            let text = printable(&error.to_string());
            // What was refused lies between the calls before and after it all the same.
            let call = Asked { tool: &request.tool, arguments: &request.arguments, question: None };
            let now = self.toolbox.clock.now();
            let given = self.roomy(text.len() as u64).shown.give(call, text.clone(), true, now);
            let asked = (&request.arguments, None);
            self.append_answer(&request.tool, asked, &given, (true, false), Whole::Here(&text));
            Answer { text, is_error: true, ..Answer::default() }
        });
        self.append_seen();
        answer
    }

    fn answer(&self, request: &Request, control: &Control<'_>) -> Result<Answer, ToolError> {
        let Some(tool) = table::named(&request.tool) else {
            let known: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            return Err(ToolError::NoTool { name: request.tool.clone(), known: known.join(", ") });
        };
        let work = Work { tool, toolbox: &self.toolbox, session: self, control };
        work.go_on()?;
        self.follow_reader();
        // What was read is known to the ledger, which points at it where that is better.
        let asked = (!BY_LEDGER.contains(&tool.name)).then(|| self.asked(tool, request));
        if let Some(found) = asked.as_ref().and_then(|asked| self.cached(&work, asked)) {
            return Ok(self.give(tool, request, found, None));
        }
        let found = tool.run(&work, request.arguments.clone())?;
        Ok(self.give(tool, request, found, asked))
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
        let Found { text, head, images, structured, is_error, carried, cached, .. } = found;
        let arguments = carried.as_ref().unwrap_or(&request.arguments);
        if found.given {
            // What only tells of answers is none that another could point at.
            if cached {
                let (tool, arguments) = (tool.name.to_owned(), arguments.clone());
                self.append(&Event::Pointed { tool, arguments }, now);
            }
            return Answer { text, images, structured, is_error, cached, shaped: None };
        }
        let bytes = text.len() as u64;
        let kept = self.keep(text.as_bytes(), now);
        let mut state = self.roomy(bytes);
        // What a command prints of a file is not curated.
        self.views.wish(found.wish.clone().unwrap_or(Wish::Whole));
        let question = question(&request.arguments);
        let call = Asked { tool: tool.name, arguments, question };
        let given = state.shown.give(call, text, is_error, now);
        if let Head::File { key, version, .. } = &head {
            state.files.shown_at((key, *version), &given, found.wish.as_ref());
        }
        let points = given.shape.as_ref().is_some_and(|shape| !shape.refers_to.is_empty());
        state.pointed.reads.extend(found.read.filter(|_| points));
        let whole = self.whole(&state, &given, kept.is_some());
        // In the order in which answers count as shown.
        let content = match kept {
            Some(handle) => Whole::Kept(handle),
            None => Whole::Here(state.shown.content(given.entry).unwrap_or_default()),
        };
        self.append_answer(tool.name, (arguments, question), &given, (is_error, cached), content);
        drop(state);
        let shaped = given.shape.as_ref().filter(|_| whole.is_none());
        let shaped = shaped.map(|shape| (shape.kind, shape.handle));
        let text = whole.unwrap_or_else(|| headed(&head, &given));
        if let (Some(asked), Some(kept), false) = (asked, kept, is_error) {
            self.record(asked, kept, bytes, found.depends);
        }
        let note = found.note.map(|note| format!("{note}\n")).unwrap_or_default();
        Answer { text: note + &text, images, structured, is_error, cached, shaped }
    }

    /// The state, with room for so many bytes more.
    fn roomy(&self, bytes: u64) -> MutexGuard<'_, State> {
        let mut state = self.state();
        if state.shown.is_full(usize::try_from(bytes).unwrap_or(usize::MAX)) {
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
            cached,
            bytes: (given.bytes, given.text.len() as u64),
            step: Box::new(given.step.clone()),
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

/// Where the whole of an answer is, whatever was sent of it.
#[derive(Clone, Copy)]
enum Whole<'a> {
    Kept(Handle),
    Here(&'a str),
}

/// Tools whose repeated calls are answered by what was shown, not by what was called.
const BY_LEDGER: [&str; 3] = ["read_file", "read_files", "expand"];

/// What the model says that it wants to know.
fn question(arguments: &Value) -> Option<&str> {
    arguments.get("question")?.as_str().filter(|question| !question.trim().is_empty())
}

/// The answer with what stands before it.
fn headed(head: &Head, given: &Given) -> String {
    let (path, how, counts, remarks) = match head {
        Head::None => return given.text.clone(),
        Head::Structure { path, counts } => (path, "structure", *counts, &None),
        Head::File { path, remarks, .. } => {
            let how = match given.shape.as_ref().map(|shape| shape.kind) {
                Some(ShapeKind::Curated) => "curated",
                Some(ShapeKind::Pointer | ShapeKind::Delta) => "what is not shown above",
                Some(ShapeKind::Excerpt) => "long lines cut",
                _ => "full",
            };
            (path, how, given.lines, remarks)
        }
    };
    let Counts { all, shown } = counts;
    let share = if all == 0 { 100 } else { u64::from(shown) * 100 / u64::from(all) };
    let remarks = remarks.as_ref().map(|remarks| format!("{remarks}\n")).unwrap_or_default();
    format!(
        "File: {path} ({how})\nTotal lines: {all} | Preserved: {shown} ({share} %)\n{remarks}{}",
        given.text
    )
}
