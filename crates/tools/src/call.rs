//! One call, from its name to the answer.

use std::path::{Path, PathBuf};

use serde_json::Value;

use foveal_calls::{Miss, Query};
use foveal_context::shape::ShapeKind;
use foveal_files::tree::name_of;
use foveal_store::Stored;
use foveal_transcript::Handle;

use crate::answer::{Answer, AnswerRow};
use crate::control::Control;
use crate::definition::{Repeats, Tool};
use crate::error::{ToolError, printable};
use crate::findings::{Content, FileSize, Findings, TypedLines, headed};
use crate::read_view::ReadView;
use crate::repeats::{self, ToRecord};
use crate::request::Request;
use crate::session::{Approvals, Event, Session, ShapedAnswer, Shaper, ShownCall, Work};
use crate::table::{self, TOOLS};

impl Session {
    /// Carries a call out and answers it. What fails is an answer too, in words that say what
    /// to do.
    pub fn call(&self, request: &Request, control: &Control<'_>) -> Answer {
        let tool = table::named(&request.tool);
        if tool.is_some_and(|tool| tool.repeats != Repeats::EarlierAnswer) {
            self.duplicates.pass();
        }
        carry_out(self, tool, request, control)
    }
}

/// Carries out a call, or a part of one.
fn carry_out(
    session: &Session,
    tool: Option<&'static Tool>,
    request: &Request,
    control: &Control<'_>,
) -> Answer {
    let moved = session.workspace.leave_missing_folder();
    if tool.is_none_or(|tool| tool.repeats != Repeats::ShaperThenWhole) {
        // Who asks for a file after something else does not ask twice.
        session.pointed.clear();
    }
    let answer = match tool {
        Some(tool) => answered(session, tool, request, control),
        None => {
            let known: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            Err(ToolError::NoTool { name: request.tool.clone(), known: known.join(", ") })
        }
    };
    let mut answer = answer.unwrap_or_else(|error| failed(session, request, &error));
    session.keep_seen();
    if let Some((gone, left)) = moved {
        let (gone, left) = (printable(&name_of(&gone)), printable(&name_of(&left)));
        let moved =
            format!("[the folder `{gone}` is gone; commands and paths now start in `{left}`]\n");
        answer.text.insert_str(0, &moved);
        answer.pad_rows();
    }
    answer
}

fn answered(
    session: &Session,
    tool: &'static Tool,
    request: &Request,
    control: &Control<'_>,
) -> Result<Answer, ToolError> {
    let arguments = tool.without_nulls(&request.arguments);
    let (toolbox, approvals) = (session.toolbox(), Approvals::default());
    let part = |part: &Request| carry_out(session, table::named(&part.tool), part, control);
    let mut work = Work {
        tool: tool.name,
        is_destructive: tool.hints.destructive,
        toolbox,
        session,
        control,
        anew: false,
        approvals: &approvals,
        carry_out: &part,
    };
    work.check_cancelled()?;
    toolbox.collect_at_times();
    let call = tool.parse(arguments.clone())?;
    work.permit_all(&call.asks())?;
    session.follow_reader();
    let directory = session.roots().working_directory().to_owned();
    let question = call.question().map(str::to_owned);
    let made = CarriedOut { tool, arguments, question, directory };
    // What was read is known to the shaper, which points at it where that is better.
    if tool.repeats != Repeats::EarlierAnswer {
        work.anew = !request.detect_duplicates || !session.duplicates.detects(tool.name);
        let findings = call.run(&work)?;
        return Ok(give(session, &made, &findings, None));
    }
    let context_lines = call.context_lines();
    let asked = repeats::key(&work, tool, &*call, &made.arguments, request.detect_duplicates);
    match repeats::earlier(&work, tool, &*call, &asked) {
        Ok(findings) => return Ok(give(session, &made, &findings, None)),
        Err(miss) => work.anew = matches!(miss, Miss::AskedAgain | Miss::Off),
    }
    let findings = call.run(&work)?;
    let recorded = ToRecord::of(&findings, context_lines);
    Ok(give(session, &made, &findings, Some((asked, recorded))))
}

/// A call that was carried out.
struct CarriedOut {
    tool: &'static Tool,
    arguments: Value,
    /// What the model wants to know.
    question: Option<String>,
    /// The folder that relative paths of the call started at.
    directory: PathBuf,
}

/// Shapes what was found, remembers that it was shown, and keeps it.
fn give(
    session: &Session,
    made: &CarriedOut,
    findings: &Findings,
    asked: Option<(Query, Option<ToRecord>)>,
) -> Answer {
    let (is_cached, is_error) = (findings.is_cached(), findings.content.is_error());
    let (structured, images) = (findings.data(), findings.content.images());
    let TypedLines { text, rows } = findings.content.typed();
    let answer = Answer {
        text: String::new(),
        rows: Vec::new(),
        images,
        structured,
        is_error,
        cached: is_cached,
        shaped: None,
    };
    let carried_out = findings.content.carried_out();
    let arguments = carried_out.as_ref().unwrap_or(&made.arguments);
    if findings.content.is_about_answers() {
        if is_cached {
            keep_pointed(session, made.tool.name, arguments);
        }
        return Answer { text, ..answer };
    }
    let now = session.toolbox().clock.now();
    let stored = session.journal.put(text.as_bytes(), now);
    let bytes = text.len();
    let mut shown = session.shown_with_room(bytes);
    let call = ShownCall {
        tool: made.tool.name,
        arguments,
        question: made.question.as_deref(),
        is_error,
        directory: Some(&made.directory),
        time: now,
    };
    // What a command prints of a file is not curated.
    let view = match &findings.content {
        Content::File(file) => file.view.clone(),
        _ => ReadView::Whole,
    };
    let whole_text = text.clone();
    let given = shown.shape(call, text, view);
    note_shown(session, findings, &given);
    // In the order in which answers count as shown.
    keep_answer(session, &**shown, call, &given, stored, is_cached);
    let whole = unkept_whole(&**shown, &given, stored);
    drop(shown);
    if let Some(asked) = asked {
        remember(session, asked, is_cached, stored, bytes as u64);
    }
    let shaped = given.shape.as_ref().filter(|_| whole.is_none());
    let shaped = shaped.map(|shape| (shape.kind, shape.handle));
    let text = whole.unwrap_or_else(|| headed(&findings.content, &given));
    let note = findings.earlier.map(|earlier| earlier.note()).unwrap_or_default();
    let rows = match given.shape.as_ref().filter(|_| shaped.is_some() && !rows.is_empty()) {
        Some(shape) => rows_shown(&rows, &shape.line_starts(&whole_text)),
        None => rows,
    };
    let mut answer = Answer { text: note + &text, rows, shaped, ..answer };
    answer.pad_rows();
    answer
}

/// Remembers what a call was answered with, for calls like it.
fn remember(
    session: &Session,
    (asked, recorded): (Query, Option<ToRecord>),
    is_cached: bool,
    stored: Option<Stored>,
    bytes: u64,
) {
    match (is_cached, recorded, stored) {
        (true, ..) => session.duplicates.note_shared(&asked, bytes),
        // What is kept of an answer with secrets is not that answer.
        (false, Some(recorded), Some(stored)) if stored.secrets == 0 => {
            recorded.record(session, asked, stored.handle, bytes);
        }
        _ => {}
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

/// Answers a call that failed.
fn failed(session: &Session, request: &Request, error: &ToolError) -> Answer {
    let text = printable(&error.to_string());
    // What was refused lies between the calls before and after it all the same.
    let call = ShownCall {
        tool: &request.tool,
        arguments: &request.arguments,
        question: None,
        is_error: true,
        directory: None,
        time: session.toolbox().clock.now(),
    };
    let mut shown = session.shown_with_room(text.len());
    let given = shown.shape(call, text.clone(), ReadView::Whole);
    keep_answer(session, &**shown, call, &given, None, false);
    Answer { text, is_error: true, ..Answer::default() }
}

/// Notes which lines of a file the model sees now.
fn note_shown(session: &Session, findings: &Findings, given: &ShapedAnswer) {
    match &findings.content {
        Content::File(file) => {
            session.files.show((&file.key, file.version.hash), given, &file.view);
        }
        Content::Beginning(beginning) => {
            if let FileSize::Lines(all, version) = beginning.size {
                let seen = beginning.seen();
                session.files.show_beginning((&beginning.key, version), given, all, &seen);
            }
        }
        _ => {}
    }
    let points = given.shape.as_ref().is_some_and(|shape| !shape.refers_to().is_empty());
    if let Some(read) = findings.read.as_ref().filter(|_| points) {
        session.pointed.add(read.clone());
    }
}

/// Keeps that a call was answered.
fn keep_answer(
    session: &Session,
    shown: &dyn Shaper,
    call: ShownCall<'_>,
    given: &ShapedAnswer,
    stored: Option<Stored>,
    cached: bool,
) {
    let Some(place) = given.place else {
        // Whoever shapes the answer keeps what was decided.
        return keep_pointed(session, call.tool, call.arguments);
    };
    let handle: Option<Handle> = stored.map(|stored| stored.handle);
    let text = match handle {
        Some(_) => None,
        None => Some(shown.whole(given.handle).unwrap_or_default().to_owned()),
    };
    let roots = session.roots();
    let directory = call.directory.unwrap_or_else(|| roots.working_directory());
    session.journal.append(&Event::Answered {
        tool: call.tool.to_owned(),
        arguments: call.arguments.clone(),
        question: call.question.map(str::to_owned),
        handle,
        text,
        is_error: call.is_error,
        directory: Some(Path::to_owned(directory)),
        cached,
        bytes: (given.bytes, given.text.len() as u64),
        place,
        shape: given.shape.clone(),
        reads: session.reads.take_unkept(),
    });
}

/// Keeps that a call was answered by something that later answers cannot point at.
fn keep_pointed(session: &Session, tool: &str, arguments: &Value) {
    let (tool, arguments) = (tool.to_owned(), arguments.clone());
    let reads = session.reads.take_unkept();
    session.journal.append(&Event::Pointed { tool, arguments, reads });
}

/// The answer as it was found, where what is left out of it could not be kept.
fn unkept_whole(
    shown: &dyn Shaper,
    given: &ShapedAnswer,
    stored: Option<Stored>,
) -> Option<String> {
    let leaves_out = given.shape.as_ref().is_some_and(|shape| shape.kind != ShapeKind::Pointer);
    let is_kept = stored.is_some();
    (leaves_out && !is_kept).then(|| shown.whole(given.handle).map(str::to_owned)).flatten()
}
