//! One call, from its name to the answer.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use foveal_calls::{Miss, Query};
use foveal_context::note::{AnswerNote, NoteKind};
use foveal_context::room::Room;
use foveal_context::shape::ShapeKind;
use foveal_context::views::Watch;
use foveal_files::tree::name_of;
use foveal_store::Stored;
use foveal_transcript::Handle;

use crate::answer::{Answer, AnswerRow, RowKind};
use crate::control::Control;
use crate::definition::{Repeats, Tool};
use crate::error::{ToolError, printable};
use crate::explain::Explained;
use crate::findings::{
    AnswerText, Content, Earlier, FileSize, FileText, Findings, Unchanged, heading,
};
use crate::helping::Helping;
use crate::read_view::ReadView;
use crate::repeats::{self, ToRecord};
use crate::request::Request;
use crate::session::{
    Approvals, Arrival, CallView, Delivery, Event, Session, ShapedAnswer, Shaper, ShownCall, Work,
};
use crate::table::{self, TOOLS};

/// Notes at the end of an answer that are sent however long it is.
const NOTES_AT_END_MAX: usize = 6;

/// Ends a message that is too long.
const CUT: &str = " …";

impl Session {
    /// Carries a call out and answers it. What fails is an answer too, in words that say what
    /// to do.
    pub fn call(&self, request: &Request, control: &Control<'_>) -> Answer {
        let (delivery, view) = self.begin(self.arrive(), false);
        let answer = self.answer(request, control, &view);
        // The caller has it in its hands.
        delivery.delivered();
        self.settle();
        self.keep_seen();
        answer
    }

    /// The same for a call that arrived earlier, and whose answer is still to be brought to the
    /// client: only once its [`Delivery`] is told does it count as shown.
    pub fn call_from(
        &self,
        arrival: Arrival,
        request: &Request,
        control: &Control<'_>,
    ) -> (Answer, Delivery) {
        let (delivery, view) = self.begin(arrival, true);
        let answer = self.answer(request, control, &view);
        self.keep_seen();
        delivery.answered();
        (answer, delivery)
    }

    fn answer(&self, request: &Request, control: &Control<'_>, view: &CallView) -> Answer {
        let tool = table::named(&request.tool);
        if tool.is_some_and(|tool| tool.repeats != Repeats::EarlierAnswer) {
            self.duplicates.pass();
        }
        self.toolbox().mend_cut_off();
        let mut answer = carry_out(self, tool, request, (control, view));
        let cut_off = self.toolbox().cut_off.take();
        if !cut_off.is_empty() {
            let mut text = AnswerText::default();
            cut_off.into_iter().for_each(|note| text.note(note));
            text.append(AnswerText::of_rows(answer.text, answer.rows));
            (answer.text, answer.rows) = text.into_parts();
        }
        answer
    }
}

impl Session {
    /// Goes on if the rules, or the person, let `tool` read the file at `path`: for callers that
    /// read it themselves.
    ///
    /// # Errors
    /// If a rule or the person says no, or the path leads out of the roots.
    pub fn permit_file(
        &self,
        tool: &'static str,
        path: &str,
        control: &Control<'_>,
    ) -> Result<(), ToolError> {
        let approvals = Approvals::default();
        self.work(tool, control, &approvals).file(path).map(drop)
    }

    /// The same for a query, a symbol or a handle; an empty one is the call itself.
    ///
    /// # Errors
    /// If a rule or the person says no.
    pub fn permit(
        &self,
        tool: &'static str,
        subject: &str,
        control: &Control<'_>,
    ) -> Result<(), ToolError> {
        let approvals = Approvals::default();
        self.work(tool, control, &approvals).permit(subject, None)
    }

    fn work<'a>(
        &'a self,
        tool: &'static str,
        control: &'a Control<'_>,
        approvals: &'a Approvals,
    ) -> Work<'a> {
        Work {
            tool,
            is_destructive: false,
            toolbox: self.toolbox(),
            session: self,
            view: CallView::NOBODY,
            control,
            anew: false,
            approvals,
            room: self.room(),
            carry_out: &|_| Answer::default(),
        }
    }
}

/// Carries out a call, or a part of one.
fn carry_out(
    session: &Session,
    tool: Option<&'static Tool>,
    request: &Request,
    (control, view): (&Control<'_>, &CallView),
) -> Answer {
    let moved = session.workspace.leave_missing_folder();
    if tool.is_none_or(|tool| tool.repeats != Repeats::ShaperThenWhole) {
        // A call of another tool between two reads: the second read is not an immediate repeat.
        session.pointed.clear();
    }
    let answer = match tool {
        Some(tool) => answered(session, tool, request, (control, view)),
        None => {
            let known: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            Err(ToolError::NoTool { name: request.tool.clone(), known: known.join(", ") })
        }
    };
    let mut answer = answer.unwrap_or_else(|error| failed(session, request, &error, view));
    if let Some((gone, left)) = moved {
        let told = |folder: &Path| printable(&name_of(folder)).into();
        let mut text = AnswerText::default();
        text.note(AnswerNote::FolderGone { gone: told(&gone), now: told(&left) });
        text.append(AnswerText::of_rows(answer.text, answer.rows));
        (answer.text, answer.rows) = text.into_parts();
    }
    answer
}

fn answered(
    session: &Session,
    tool: &'static Tool,
    request: &Request,
    (control, view): (&Control<'_>, &CallView),
) -> Result<Answer, ToolError> {
    let arguments = tool.spelled(&request.arguments);
    let (toolbox, approvals) = (session.toolbox(), Approvals::default());
    let has_parts = AtomicBool::new(false);
    let part = |part: &Request| {
        has_parts.store(true, Ordering::Relaxed);
        carry_out(session, table::named(&part.tool), part, (control, view))
    };
    let mut work = Work {
        tool: tool.name,
        is_destructive: tool.hints.destructive,
        toolbox,
        session,
        view,
        control,
        anew: false,
        approvals: &approvals,
        room: session.room().within(request.room),
        carry_out: &part,
    };
    let answer = answered_by(&mut work, tool, request, arguments);
    match answer {
        // Parts of a call are answers of their own, and some may have been given.
        Err(ToolError::Cancelled) if !has_parts.load(Ordering::Relaxed) => Ok(stopped()),
        answer => answer,
    }
}

/// The answer to a call that was stopped before it had one.
fn stopped() -> Answer {
    let (text, rows) = AnswerText::of_error(ToolError::Cancelled.to_string()).into_parts();
    Answer { text, rows, is_error: true, is_stopped: true, ..Answer::default() }
}

fn answered_by(
    work: &mut Work<'_>,
    tool: &'static Tool,
    request: &Request,
    arguments: Value,
) -> Result<Answer, ToolError> {
    let session = work.session;
    work.check_cancelled()?;
    session.toolbox().collect_at_times();
    let call = tool.parse(arguments.clone())?;
    work.permit_all(&call.asks())?;
    session.follow_reader();
    let directory = session.roots().working_directory().to_owned();
    let question = call.question().map(str::to_owned);
    let made = CarriedOut { tool, arguments, question, directory };
    // What was read is known to the shaper, which points at it where that is better.
    if tool.repeats != Repeats::EarlierAnswer {
        work.anew = !request.detect_duplicates || !session.duplicates.detects(tool.name);
        work.begin()?;
        let findings = call.run(work)?;
        return Ok(give(work, &made, findings, None));
    }
    let context_lines = call.context_lines();
    let asked = repeats::key(work, tool, &*call, &made.arguments, request.detect_duplicates);
    match repeats::earlier(work, tool, &*call, &asked) {
        Ok(findings) => return Ok(give(work, &made, findings, None)),
        Err(miss) => work.anew = matches!(miss, Miss::AskedAgain | Miss::Off),
    }
    work.begin()?;
    let findings = call.run(work)?;
    let recorded = ToRecord::of(&findings, context_lines);
    Ok(give(work, &made, findings, Some((asked, recorded))))
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
    work: &Work<'_>,
    made: &CarriedOut,
    mut findings: Findings,
    asked: Option<(Query, Option<ToRecord>)>,
) -> Answer {
    let session = work.session;
    let (is_cached, is_error) = (findings.is_cached(), findings.content.is_error());
    let has_exit_code = findings.content.has_exit_code();
    let (structured, images) = (findings.data(), findings.content.images());
    let (text, rows) = findings.content.take_text().into_parts();
    let cached = is_cached;
    let answer =
        Answer { images, structured, is_error, has_exit_code, cached, ..Answer::default() };
    if findings.content.is_stopped() {
        return Answer { text, rows, is_stopped: true, ..answer };
    }
    let carried_out = findings.content.carried_out();
    let arguments = carried_out.as_ref().unwrap_or(&made.arguments);
    if findings.content.is_about_answers() {
        if is_cached {
            keep_pointed(session, made.tool.name, arguments);
        }
        return Answer { text, rows, ..answer };
    }
    let now = session.toolbox().clock.now();
    let (stored, bytes) = (session.journal.put(text.as_bytes(), now), text.len());
    let mut shown = session.shown_with_room(bytes);
    let (control, helping) = (work.control, Helping::with(findings.content.path()));
    let watch = Watch {
        tell: &|did| (control.progress)(helping.progress(did)),
        is_over: &|| control.cancel.is_cancelled(),
    };
    let call = ShownCall {
        tool: made.tool.name,
        arguments,
        question: made.question.as_deref(),
        is_error,
        directory: Some(&made.directory),
        time: now,
        room: work.room_beside_heading(findings.content.path()),
        end_bytes: notes_at_end(&text, &rows),
        view: work.view,
        may_point: !work.anew && !findings.is_wanted_whole,
        watch,
    };
    let mut given = shown.shape(call, text, wanted(&findings.content));
    note_shown(work, &findings, &given);
    // Kept while what was shown is held, so that the journal has the same order.
    keep_answer(session, &**shown, call, &given, stored, is_cached);
    let (body, is_shaped) = sent(&**shown, rows, &mut given, (stored, call.room));
    if is_shaped && stored.is_none() {
        hold(session, &**shown, given.handle);
    }
    drop(shown);
    if let Some(asked) = asked {
        remember(session, asked, is_cached, stored, bytes as u64);
    }
    shaped_answer(session, &findings, given, body, is_shaped, answer)
}

/// Returns the answer with the text that was made of the findings.
fn shaped_answer(
    session: &Session,
    findings: &Findings,
    given: ShapedAnswer,
    body: AnswerText,
    is_shaped: bool,
    answer: Answer,
) -> Answer {
    let shaped = given.shape.as_ref().filter(|_| is_shaped).map(|it| (it.kind, it.handle));
    explain(session, &findings.content, &given, shaped.map(|(kind, _)| kind));
    let only_points = shaped.is_some_and(|(kind, _)| kind == ShapeKind::Pointer);
    let has_heading = shaped.is_some() || given.shape.is_none();
    let body = match unchanged(&findings.content, &given).filter(|_| only_points) {
        Some(mut unchanged) => unchanged.take_text(),
        None => with_heading(&findings.content, &given, has_heading, body),
    };
    let (text, rows) = with_earlier_notes(findings, body).into_parts();
    let cached = answer.cached || only_points;
    Answer { text, rows, shaped, cached, chosen_by: given.chosen_by, ..answer }
}

fn with_heading(
    of: &Content,
    given: &ShapedAnswer,
    has_heading: bool,
    body: AnswerText,
) -> AnswerText {
    if !has_heading {
        return body;
    }
    let mut text = heading(of, given);
    text.append(body);
    text
}

/// Returns an answer's text behind the notes on earlier changes.
fn with_earlier_notes(findings: &Findings, body: AnswerText) -> AnswerText {
    let mut text = AnswerText::default();
    findings.earlier.into_iter().flat_map(Earlier::notes).for_each(|note| text.note(note));
    text.append(body);
    text
}

/// The one line that a file is unchanged, where that is all that its shape says.
fn unchanged(of: &Content, given: &ShapedAnswer) -> Option<Content> {
    let Content::File(FileText { path, .. }) = of else { return None };
    let mut notes = given.shape.as_ref()?.notes();
    let (path, all) = (path.clone(), given.lines.all);
    notes
        .all(|note| note.kind == NoteKind::AllUnchanged)
        .then(|| Content::Unchanged(Unchanged { path, all, shown: None, is_long: false }))
}

/// Tells who wants to know why so much of a file is shown.
fn explain(session: &Session, of: &Content, given: &ShapedAnswer, kind: Option<ShapeKind>) {
    if let Content::File(FileText { path, view, .. }) = of {
        let (lines, by) = (given.lines, given.chosen_by.as_deref());
        let kind = kind.map(ShapeKind::word);
        session.toolbox().explain.tell(Explained::Read { path, view, lines, kind, by });
    }
}

/// How much of what was found is wanted: what a command prints of a file is not curated.
fn wanted(of: &Content) -> ReadView {
    match of {
        Content::File(file) => file.view.clone(),
        _ => ReadView::Whole,
    }
}

/// Bytes of the rows at the end that are notes: how a program ended, where a search goes on.
fn notes_at_end(text: &str, rows: &[AnswerRow]) -> usize {
    let notes = rows.iter().rev().take_while(|row| row.kind == RowKind::Said).count();
    text.split_inclusive('\n').rev().take(notes.min(NOTES_AT_END_MAX)).map(str::len).sum()
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

/// Answers a call that failed.
fn failed(session: &Session, request: &Request, error: &ToolError, view: &CallView) -> Answer {
    let room = session.room().within(request.room);
    let mut text = printable(&error.to_string());
    if !room.holds(&text) {
        text.truncate(room.beside_notes(CUT.len()).fitting(&text));
        text.push_str(CUT);
    }
    // A refused call, too, stands between the calls before and after it.
    let call = ShownCall {
        tool: &request.tool,
        arguments: &request.arguments,
        question: None,
        is_error: true,
        directory: None,
        time: session.toolbox().clock.now(),
        room: Room::UNBOUNDED,
        end_bytes: 0,
        view,
        may_point: true,
        watch: Watch::NOBODY,
    };
    let mut shown = session.shown_with_room(text.len());
    let given = shown.shape(call, text.clone(), ReadView::Whole);
    keep_answer(session, &**shown, call, &given, None, false);
    let (text, rows) = AnswerText::of_error(text).into_parts();
    Answer { text, rows, is_error: true, ..Answer::default() }
}

/// Notes which lines of a file the model sees now.
fn note_shown(work: &Work<'_>, findings: &Findings, given: &ShapedAnswer) {
    match &findings.content {
        Content::File(file) => {
            work.files().show((&file.key, file.version.hash), given, &file.view);
        }
        Content::Lines(range) => {
            if let Some((key, version, text)) = &range.file {
                let mut whole = range.lines.whole();
                whole.remove(&given.left_out);
                let mut parts = range.lines.parts();
                parts.retain(|part| !given.left_out.holds(part.line));
                work.files().see(key, *version, text.clone(), (&whole, &*parts));
            }
        }
        Content::Beginning(beginning) => {
            if let FileSize::Lines(all, version) = beginning.size {
                let seen = beginning.seen();
                work.files().show_beginning((&beginning.key, version), given, all, &seen);
            }
        }
        _ => {}
    }
    let points = given.shape.as_ref().is_some_and(|shape| !shape.refers_to().is_empty());
    if let Some(read) = findings.read.as_ref().filter(|_| points) {
        work.session.pointed.add(read.clone());
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
        awaits_delivery: call.view.awaits_delivery(),
        delivered: session.journal.take_delivered(),
    });
}

/// Holds what there is no room for, and what could not be kept: the session may forget it before
/// the store takes it.
fn hold(session: &Session, shown: &dyn Shaper, handle: Handle) {
    if let Some(whole) = shown.whole(handle) {
        session.journal.keep_later(handle, whole.as_bytes());
    }
}

/// Keeps that a call was answered by something that later answers cannot point at.
fn keep_pointed(session: &Session, tool: &str, arguments: &Value) {
    let (tool, arguments) = (tool.to_owned(), arguments.clone());
    let reads = session.reads.take_unkept();
    session.journal.append(&Event::Pointed { tool, arguments, reads });
}

/// What is sent of an answer whose lines are `rows`, and whether that is its shape: what is left
/// out of it has to be kept.
fn sent(
    shown: &dyn Shaper,
    rows: Vec<AnswerRow>,
    given: &mut ShapedAnswer,
    (stored, room): (Option<Stored>, Room),
) -> (AnswerText, bool) {
    let text = std::mem::take(&mut given.text);
    let Some(shape) = &given.shape else { return (AnswerText::of_rows(text, rows), false) };
    let is_kept = shape.kind == ShapeKind::Pointer || stored.is_some();
    match shown.whole(given.handle) {
        Some(whole) if is_kept || !room.holds(whole) => {
            (AnswerText::shaped(whole, &rows, shape), true)
        }
        Some(whole) => (AnswerText::of_rows(whole.to_owned(), rows), false),
        None => (AnswerText::of_content(text), true),
    }
}
