//! The execution of one call, from the tool's name to the answer.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use crate::duplicate_calls::{CallQuery, LookupMiss};
use foveal_engine::message_shape::ShapeKind;
use foveal_engine::note::NoteKind;
use foveal_engine::output_budget::OutputBudget;
use foveal_engine::views::ProgressListener;
use foveal_store::ContentReceipt;
use foveal_transcript::Handle;
use foveal_workspace::file_search::path_for_display;

use crate::answer::{AnswerRow, RowKind, ToolCallAnswer};
use crate::call_control::CallControl;
use crate::earlier_answers::{self, CallRecord};
use crate::error::{ToolError, escape_message};
use crate::explanation::Explanation;
use crate::findings::{
    AnswerText, FileSize, FileText, FindingContent, Findings, ReusedAnswer, UnchangedFile,
    render_heading,
};
use crate::model_progress::ModelProgress;
use crate::notes::AnswerNote;
use crate::read_view::ReadView;
use crate::session::{
    AnswerShaper, CallApprovals, CallArrival, CallContext, CallVisibility, FilePlace,
    PendingDelivery, SessionEvent, ShapedAnswer, ShapingInput, ToolSession,
};
use crate::tool_definition::{RepeatPolicy, Tool};
use crate::tool_request::ToolRequest;
use crate::tool_table::{self, TOOLS};

/// Most notes at the end of an answer that are sent however long the answer is.
const TRAILING_NOTES_MAX: usize = 6;

/// The end of a truncated message.
const TRUNCATION_MARK: &str = " …";

impl ToolSession {
    /// Executes a call and returns its answer. Errors become answers too, with a text that says how
    /// to go on.
    pub fn call(&self, request: &ToolRequest, control: &CallControl<'_>) -> ToolCallAnswer {
        let (delivery, view) = self.begin_call(self.register_arrival(), false);
        let answer = self.answer_request(request, control, &view);
        // The caller already holds the answer.
        delivery.confirm();
        self.settle_deliveries();
        self.record_seen_lines();
        answer
    }

    /// Executes a call that arrived earlier, and whose answer has still to reach the client. The
    /// answer counts as shown only once its [`PendingDelivery`] is confirmed.
    pub fn call_with_delivery(
        &self,
        arrival: CallArrival,
        request: &ToolRequest,
        control: &CallControl<'_>,
    ) -> (ToolCallAnswer, PendingDelivery) {
        let (delivery, view) = self.begin_call(arrival, true);
        let answer = self.answer_request(request, control, &view);
        self.record_seen_lines();
        delivery.mark_answered();
        (answer, delivery)
    }

    fn answer_request(
        &self,
        request: &ToolRequest,
        control: &CallControl<'_>,
        view: &CallVisibility,
    ) -> ToolCallAnswer {
        let tool = tool_table::find_tool(&request.tool);
        if tool.is_some_and(|tool| tool.repeat_policy != RepeatPolicy::EarlierAnswer) {
            self.duplicates.record_uncacheable_call();
        }
        self.toolbox().recover_interrupted_writes();
        let mut answer = execute_call(self, tool, request, control, view);
        if answer.cached {
            self.duplicates.record_repeat();
        }
        let cut_off = self.toolbox().interrupted_writes.take_notes();
        if !cut_off.is_empty() {
            let mut text = AnswerText::default();
            cut_off.into_iter().for_each(|note| text.push_note(note));
            text.append_answer(AnswerText::from_rows(answer.text, answer.rows));
            (answer.text, answer.rows) = text.into_text_and_rows();
        }
        answer
    }
}

impl ToolSession {
    /// Checks that the rules or the user allow `tool` to read the file at `path`, for callers that
    /// read it themselves.
    ///
    /// # Errors
    /// Returns an error if a rule or the user refuses, or if the path leads out of the roots.
    pub fn require_file_permission(
        &self,
        tool: &'static str,
        path: &str,
        control: &CallControl<'_>,
    ) -> Result<(), ToolError> {
        let approvals = CallApprovals::default();
        self.call_context(tool, control, &approvals).resolve_permitted(path).map(drop)
    }

    /// Checks that the rules or the user allow `tool` to use `subject`: a query, a symbol or a
    /// handle. An empty subject stands for the call itself.
    ///
    /// # Errors
    /// Returns an error if a rule or the user refuses.
    pub fn require_permission(
        &self,
        tool: &'static str,
        subject: &str,
        control: &CallControl<'_>,
    ) -> Result<(), ToolError> {
        let approvals = CallApprovals::default();
        self.call_context(tool, control, &approvals).require_permission(subject, None)
    }

    fn call_context<'a>(
        &'a self,
        tool: &'static str,
        control: &'a CallControl<'_>,
        approvals: &'a CallApprovals,
    ) -> CallContext<'a> {
        CallContext {
            tool,
            is_destructive: false,
            toolbox: self.toolbox(),
            session: self,
            visibility: CallVisibility::EMPTY,
            control,
            bypass_cache: false,
            approvals,
            output_budget: self.output_budget(),
            run_nested: &|_| ToolCallAnswer::default(),
        }
    }
}

/// Executes a call, or one part of a composite call.
fn execute_call(
    session: &ToolSession,
    tool: Option<&'static Tool>,
    request: &ToolRequest,
    control: &CallControl<'_>,
    view: &CallVisibility,
) -> ToolCallAnswer {
    let moved = session.workspace.leave_missing_folder();
    if tool.is_none_or(|tool| tool.repeat_policy != RepeatPolicy::ShaperThenWhole) {
        // Another tool ran between two reads, so the second read is not an immediate repeat.
        session.pointer_answered_reads.remove_all();
    }
    let answer = match tool {
        Some(tool) => execute_tool(session, tool, request, control, view),
        None => {
            let known: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            Err(ToolError::UnknownTool { name: request.tool.clone(), known: known.join(", ") })
        }
    };
    let mut answer = answer.unwrap_or_else(|error| failure_answer(session, request, &error, view));
    if let Some((gone, left)) = moved {
        let told = |folder: &Path| escape_message(&path_for_display(folder)).into();
        let mut text = AnswerText::default();
        text.push_note(AnswerNote::FolderGone { gone: told(&gone), now: told(&left) });
        text.append_answer(AnswerText::from_rows(answer.text, answer.rows));
        (answer.text, answer.rows) = text.into_text_and_rows();
    }
    answer
}

fn execute_tool(
    session: &ToolSession,
    tool: &'static Tool,
    request: &ToolRequest,
    control: &CallControl<'_>,
    view: &CallVisibility,
) -> Result<ToolCallAnswer, ToolError> {
    let arguments = tool.normalize_arguments(&request.arguments);
    let (toolbox, approvals) = (session.toolbox(), CallApprovals::default());
    let has_parts = AtomicBool::new(false);
    let part = |part: &ToolRequest| {
        has_parts.store(true, Ordering::Relaxed);
        execute_call(session, tool_table::find_tool(&part.tool), part, control, view)
    };
    let mut work = CallContext {
        tool: tool.name,
        is_destructive: tool.hints.destructive,
        toolbox,
        session,
        visibility: view,
        control,
        bypass_cache: false,
        approvals: &approvals,
        output_budget: session.output_budget().intersect(request.output_budget),
        run_nested: &part,
    };
    let answer = execute_or_reuse(&mut work, tool, request, arguments);
    match answer {
        // The parts of a call have answers of their own, and some may already have been given.
        Err(ToolError::Cancelled) if !has_parts.load(Ordering::Relaxed) => Ok(cancelled_answer()),
        answer => answer,
    }
}

/// Returns the answer to a call that was stopped before it had one.
fn cancelled_answer() -> ToolCallAnswer {
    let (text, rows) =
        AnswerText::from_error(ToolError::Cancelled.to_string()).into_text_and_rows();
    ToolCallAnswer { text, rows, is_error: true, is_stopped: true, ..ToolCallAnswer::default() }
}

fn execute_or_reuse(
    work: &mut CallContext<'_>,
    tool: &'static Tool,
    request: &ToolRequest,
    arguments: Value,
) -> Result<ToolCallAnswer, ToolError> {
    let session = work.session;
    work.check_cancelled()?;
    session.toolbox().collect_periodically();
    let call = tool.parse(arguments.clone())?;
    work.require_permissions(&call.permission_request())?;
    session.sync_reader();
    let directory = session.roots().working_directory().to_owned();
    let question = call.question().map(str::to_owned);
    let made = ExecutedCall { tool, arguments, question, directory };
    // The shaper knows which content is visible, and points at it where that is shorter.
    if tool.repeat_policy != RepeatPolicy::EarlierAnswer {
        work.bypass_cache =
            !request.detect_duplicates || !session.duplicates.is_enabled_for(tool.name);
        work.check_start()?;
        let findings = call.run(work)?;
        return Ok(shape_and_record(work, &made, findings, None));
    }
    let context_lines = call.context_lines();
    let asked = earlier_answers::duplicate_query(
        work,
        tool,
        &*call,
        &made.arguments,
        request.detect_duplicates,
    );
    match earlier_answers::find_earlier_answer(work, tool, &*call, &asked) {
        Ok(findings) => return Ok(shape_and_record(work, &made, findings, None)),
        Err(miss) => work.bypass_cache = matches!(miss, LookupMiss::AskedAgain | LookupMiss::Off),
    }
    work.check_start()?;
    let findings = call.run(work)?;
    let recorded = CallRecord::from_findings(&findings, context_lines);
    Ok(shape_and_record(work, &made, findings, Some((asked, recorded))))
}

/// A call that a tool has executed.
struct ExecutedCall {
    tool: &'static Tool,
    arguments: Value,
    /// The question that the model wants answered.
    question: Option<String>,
    /// The folder to which the relative paths of the call refer.
    directory: PathBuf,
}

/// Shapes the findings, records what is now visible, and journals the answer.
fn shape_and_record(
    work: &CallContext<'_>,
    made: &ExecutedCall,
    mut findings: Findings,
    asked: Option<(CallQuery, Option<CallRecord>)>,
) -> ToolCallAnswer {
    let session = work.session;
    let (is_cached, is_error) = (findings.is_cached(), findings.content.is_error());
    let has_exit_code = findings.content.has_exit_code();
    let (structured, images) = (findings.structured_data(), findings.content.images());
    let (text, rows) = findings.content.take_text().into_text_and_rows();
    let cached = is_cached;
    let answer = ToolCallAnswer {
        images,
        structured,
        is_error,
        has_exit_code,
        cached,
        ..ToolCallAnswer::default()
    };
    if findings.content.is_stopped() {
        return ToolCallAnswer { text, rows, is_stopped: true, ..answer };
    }
    let carried_out = findings.content.effective_arguments();
    let arguments = carried_out.as_ref().unwrap_or(&made.arguments);
    if findings.content.refers_to_answers() {
        if matches!(findings.content, FindingContent::Unchanged(_)) {
            journal_pointer_call(session, made.tool.name, arguments);
        }
        return ToolCallAnswer { text, rows, ..answer };
    }
    let now = session.toolbox().clock.now();
    let (stored, bytes) = (session.recorder.store_content(text.as_bytes(), now), text.len());
    let mut shown = session.shaper_with_capacity(bytes);
    let (control, helping) = (work.control, ModelProgress::new(findings.content.heading_path()));
    let watch = ProgressListener {
        report: &|did| (control.progress)(helping.to_call_progress(did)),
        is_cancelled: &|| control.cancel.is_cancelled(),
    };
    let call = ShapingInput {
        tool: made.tool.name,
        arguments,
        question: made.question.as_deref(),
        is_error,
        directory: Some(&made.directory),
        time: now,
        output_budget: work.budget_below_heading(findings.content.heading_path()),
        trailing_note_bytes: trailing_note_bytes(&text, &rows),
        visibility: work.visibility,
        may_point: !work.bypass_cache && !findings.is_wanted_whole,
        watch,
    };
    let mut given = shown.shape(call, text, requested_view(&findings.content));
    record_visible_lines(work, &findings, &given);
    // Journalled while the shaper is locked, so that the journal has the order of the answers.
    journal_answer(session, &**shown, call, &given, stored, is_cached);
    let (body, is_shaped) = answer_body(&**shown, rows, &mut given, stored, call.output_budget);
    if is_shaped && stored.is_none() {
        retain_unstored_content(session, &**shown, given.handle);
    }
    drop(shown);
    if let Some((asked, recorded)) = asked {
        record_for_reuse(session, asked, recorded, is_cached, stored, bytes as u64);
    }
    assemble_answer(session, &findings, given, body, is_shaped, answer)
}

/// Returns the answer, with its heading and notes around the shaped text.
fn assemble_answer(
    session: &ToolSession,
    findings: &Findings,
    given: ShapedAnswer,
    body: AnswerText,
    is_shaped: bool,
    answer: ToolCallAnswer,
) -> ToolCallAnswer {
    let shaped = given.shape.as_ref().filter(|_| is_shaped).map(|it| (it.kind, it.handle));
    explain_read(session, &findings.content, &given, shaped.map(|(kind, _)| kind));
    let only_points = is_shaped && given.shape.as_ref().is_some_and(|shape| shape.is_repeat());
    let has_heading = shaped.is_some() || given.shape.is_none();
    let body = match unchanged_file_pointer(&findings.content, &given).filter(|_| only_points) {
        Some(mut unchanged) => unchanged.take_text(),
        None => prepend_heading(&findings.content, &given, has_heading, body),
    };
    let (text, rows) = prepend_reuse_notes(findings, body).into_text_and_rows();
    let cached = answer.cached || only_points;
    let shows_whole_file = matches!(findings.content, FindingContent::File(_))
        && shaped.is_none()
        && given.lines.shown >= given.lines.all;
    let chosen_by = given.chosen_by;
    ToolCallAnswer { text, rows, reduction: shaped, cached, shows_whole_file, chosen_by, ..answer }
}

fn prepend_heading(
    of: &FindingContent,
    given: &ShapedAnswer,
    has_heading: bool,
    body: AnswerText,
) -> AnswerText {
    if !has_heading {
        return body;
    }
    let mut text = render_heading(of, given);
    text.append_answer(body);
    text
}

/// Returns the text after the notes on a reused answer.
fn prepend_reuse_notes(findings: &Findings, body: AnswerText) -> AnswerText {
    let mut text = AnswerText::default();
    findings.reused.into_iter().flat_map(ReusedAnswer::notes).for_each(|note| text.push_note(note));
    text.append_answer(body);
    text
}

/// Returns the one-line pointer to an unchanged file, if the shape consists of nothing else.
fn unchanged_file_pointer(of: &FindingContent, given: &ShapedAnswer) -> Option<FindingContent> {
    let FindingContent::File(FileText { path, .. }) = of else { return None };
    let mut notes = given.shape.as_ref()?.notes();
    let (path, all) = (path.clone(), given.lines.all);
    notes.all(|note| note.kind == NoteKind::AllUnchanged).then(|| {
        FindingContent::Unchanged(UnchangedFile {
            path,
            place: FilePlace::Answers,
            line_count: all,
            shown_count: None,
            is_long: false,
        })
    })
}

/// Emits an explanation of how much of a file is shown, and why.
fn explain_read(
    session: &ToolSession,
    of: &FindingContent,
    given: &ShapedAnswer,
    kind: Option<ShapeKind>,
) {
    if let FindingContent::File(FileText { path, view, .. }) = of {
        let (lines, by) = (given.lines, given.chosen_by.as_deref());
        let kind = kind.map(ShapeKind::label);
        session.toolbox().explanations.emit(Explanation::FileRead {
            path,
            view,
            lines,
            kind,
            chosen_by: by,
        });
    }
}

/// Returns the view that the call asks for. Files in a command's output are not curated.
fn requested_view(of: &FindingContent) -> ReadView {
    match of {
        FindingContent::File(file) => file.view.clone(),
        _ => ReadView::Whole,
    }
}

/// Returns the bytes of the notes that end the text, such as an exit code or where a search
/// continues.
fn trailing_note_bytes(text: &str, rows: &[AnswerRow]) -> usize {
    let notes = rows.iter().rev().take_while(|row| row.kind == RowKind::Note).count();
    text.split_inclusive('\n').rev().take(notes.min(TRAILING_NOTES_MAX)).map(str::len).sum()
}

/// Records the answer, so that later calls can reuse it.
fn record_for_reuse(
    session: &ToolSession,
    asked: CallQuery,
    recorded: Option<CallRecord>,
    is_cached: bool,
    stored: Option<ContentReceipt>,
    bytes: u64,
) {
    match (is_cached, recorded, stored) {
        (true, ..) => session.duplicates.record_shared_hit(&asked, bytes),
        // The stored text of an answer with secrets is redacted, and so is not that answer.
        (false, Some(recorded), Some(stored)) if stored.secrets == 0 => {
            recorded.store(session, asked, stored.handle, bytes);
        }
        _ => {}
    }
}

/// Returns the answer to a call that failed.
fn failure_answer(
    session: &ToolSession,
    request: &ToolRequest,
    error: &ToolError,
    view: &CallVisibility,
) -> ToolCallAnswer {
    let room = session.output_budget().intersect(request.output_budget);
    let mut text = escape_message(&error.to_string());
    if !room.fits_text(&text) {
        text.truncate(room.reserve_notes(TRUNCATION_MARK.len()).fitting_len(&text));
        text.push_str(TRUNCATION_MARK);
    }
    // A refused call also stands between its neighbours.
    let call = ShapingInput {
        tool: &request.tool,
        arguments: &request.arguments,
        question: None,
        is_error: true,
        directory: None,
        time: session.toolbox().clock.now(),
        output_budget: OutputBudget::UNBOUNDED,
        trailing_note_bytes: 0,
        visibility: view,
        may_point: true,
        watch: ProgressListener::IGNORED,
    };
    let mut shown = session.shaper_with_capacity(text.len());
    let given = shown.shape(call, text.clone(), ReadView::Whole);
    journal_answer(session, &**shown, call, &given, None, false);
    let (text, rows) = AnswerText::from_error(text).into_text_and_rows();
    let pattern_error = match error {
        ToolError::InvalidPattern(error) => Some(Box::new(error.clone())),
        _ => None,
    };
    ToolCallAnswer { text, rows, is_error: true, pattern_error, ..ToolCallAnswer::default() }
}

/// Records which lines of a file the model can see now.
fn record_visible_lines(work: &CallContext<'_>, findings: &Findings, given: &ShapedAnswer) {
    match &findings.content {
        FindingContent::File(file) => {
            work.files().record_shown_answer(
                &file.key,
                file.version.hash,
                given,
                &file.view,
                file.cut_line_parts(given),
            );
        }
        FindingContent::Lines(range) => {
            if let Some((key, version, text)) = &range.file {
                let mut whole = range.lines.whole_lines();
                whole.remove_lines(&given.left_out);
                let mut parts = range.lines.partial_lines();
                parts.retain(|part| !given.left_out.contains(part.line));
                work.files().record_shown_version(key, *version, text.clone(), &whole, &parts);
            }
        }
        FindingContent::Beginning(beginning) => {
            if let FileSize::Lines(all, version) = beginning.size {
                let lines = beginning.whole_lines();
                let parts = beginning.lines.partial_lines();
                let key = &beginning.key;
                work.files().record_shown_beginning(key, version, given, all, lines, parts);
            }
        }
        FindingContent::Hits(hits) => {
            for (key, lines) in hits.lines_shown_in(&given.text) {
                work.files().record_found_lines(key, lines);
            }
        }
        _ => {}
    }
    let points = given.shape.as_ref().is_some_and(|shape| !shape.referenced_entries().is_empty());
    if let Some(read) = findings.read.as_ref().filter(|_| points) {
        work.session.pointer_answered_reads.add(read.clone());
    }
}

/// Writes an answered call to the journal.
fn journal_answer(
    session: &ToolSession,
    shown: &dyn AnswerShaper,
    call: ShapingInput<'_>,
    given: &ShapedAnswer,
    stored: Option<ContentReceipt>,
    cached: bool,
) {
    let Some(place) = given.place else {
        // The caller that shapes the answer stores the decision.
        return journal_pointer_call(session, call.tool, call.arguments);
    };
    let handle: Option<Handle> = stored.map(|stored| stored.handle);
    let text = match handle {
        Some(_) => None,
        None => Some(shown.find_whole_content(given.handle).unwrap_or_default().to_owned()),
    };
    let roots = session.roots();
    let directory = call.directory.unwrap_or_else(|| roots.working_directory());
    session.recorder.append_event(&SessionEvent::Answered {
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
        reads: session.reads.take_unsaved(),
        awaits_delivery: call.visibility.awaits_delivery(),
        delivered: session.recorder.take_delivered(),
    });
}

/// Keeps content that is omitted or not stored yet, since the session may drop it before the store
/// takes it.
fn retain_unstored_content(session: &ToolSession, shown: &dyn AnswerShaper, handle: Handle) {
    if let Some(whole) = shown.find_whole_content(handle) {
        session.recorder.buffer_content(handle, whole.as_bytes());
    }
}

/// Journals a call whose answer later answers cannot point at.
fn journal_pointer_call(session: &ToolSession, tool: &str, arguments: &Value) {
    let (tool, arguments) = (tool.to_owned(), arguments.clone());
    let reads = session.reads.take_unsaved();
    session.recorder.append_event(&SessionEvent::Pointed { tool, arguments, reads });
}

/// Returns the text to send, made of the findings' `rows`, and whether it is the shaped form.
/// Content that the shaped form omits must be kept.
fn answer_body(
    shown: &dyn AnswerShaper,
    rows: Vec<AnswerRow>,
    given: &mut ShapedAnswer,
    stored: Option<ContentReceipt>,
    room: OutputBudget,
) -> (AnswerText, bool) {
    let text = std::mem::take(&mut given.text);
    let Some(shape) = &given.shape else { return (AnswerText::from_rows(text, rows), false) };
    let is_kept = shape.kind == ShapeKind::Pointer || stored.is_some();
    match shown.find_whole_content(given.handle) {
        Some(whole) if is_kept || !room.fits_text(whole) => {
            (AnswerText::from_shape(whole, &rows, shape), true)
        }
        Some(whole) => (AnswerText::from_rows(whole.to_owned(), rows), false),
        None => (AnswerText::from_content(text), true),
    }
}
