//! Execution of tool calls, each on a thread of its own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use foveal_agent::{
    AgentEvent, AgentInput, RunOutcome, SubAgentCall, SubAgentTask, ToolAnswer,
    sub_agent_tool_answer,
};
use foveal_engine::placement::base_files::BaseFile;
use foveal_store::SessionId;
use foveal_tools::call_control::CallProgress;
use foveal_tools::session::{CommandApproval, PassthroughShaper};
use foveal_tools::{CallControl, ToolCallAnswer, ToolRequest, ToolSession, Toolbox, tool_table};
use foveal_transcript::{CancelToken, ToolCall};

use super::approval::{ApprovalRequest, Approvals, normalize_argument_names};
use super::change_preview::preview_change;

/// The interval at which a call that waits to begin checks for its cancellation.
const CANCEL_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Runs a sub-agent on a task and returns its last text as the answer of the call. Events go to the
/// callback; the sub-agent ends when the callback returns false or the call is cancelled.
pub(crate) type SubAgentRunner = dyn Fn(SubAgentTask, &SubAgentCall, &dyn Fn(AgentEvent) -> bool, &CancelToken<'_>) -> ToolAnswer
    + Send
    + Sync;

/// Executes tool calls in one tool session. The answers are whole: reductions are decided with each
/// request.
pub struct ToolExecutor {
    session: Arc<ToolSession>,
    approvals: Arc<Approvals>,
    is_stopped: Arc<AtomicBool>,
    /// The call that waits to begin. There is at most one: calls that act run alone.
    waiting_call: Option<(u64, SyncSender<()>)>,
    events: SyncSender<AgentInput>,
    /// Runs sub-agents, where they are enabled.
    sub_agent_runner: Option<Arc<SubAgentRunner>>,
}

impl ToolExecutor {
    /// Returns an executor with a new tool session of this name.
    pub(crate) fn new(
        toolbox: &Arc<Toolbox>,
        session: &SessionId,
        approvals: Approvals,
        events: SyncSender<AgentInput>,
    ) -> Self {
        if !approvals.auto_approves() {
            toolbox.ask_about_unnamed_commands();
        }
        let session =
            ToolSession::with_shaper(toolbox, session.0.clone(), Box::new(PassthroughShaper));
        let (session, approvals) = (Arc::new(session), Arc::new(approvals));
        let (is_stopped, waiting_call, sub_agent_runner) = (Arc::default(), None, None);
        Self { session, approvals, is_stopped, waiting_call, events, sub_agent_runner }
    }

    /// Records that the system prompt shows these files: they can be edited without a read, and
    /// reading one again gives a note.
    pub(crate) fn with_base_files(self, files: &[BaseFile]) -> Self {
        let files = files.iter().map(|file| (file.path.as_str(), file.content.as_str()));
        self.session.show_base_files(files);
        self
    }

    /// Enables sub-agents.
    pub(crate) fn with_sub_agents(self, have_work: Arc<SubAgentRunner>) -> Self {
        Self { sub_agent_runner: Some(have_work), ..self }
    }

    /// Returns the tool session.
    pub fn tool_session(&self) -> Arc<ToolSession> {
        Arc::clone(&self.session)
    }

    /// Starts a call. Its answer arrives as an event.
    pub(crate) fn start_call(&mut self, number: u64, call: ToolCall) {
        let only_looks = tool_table::find_tool(&call.name).is_some_and(|tool| tool.hints.read_only);
        let cancel = CancelToken::from(Arc::clone(&self.is_stopped));
        let gate = self.create_start_gate(number, only_looks);
        let carrier = CallTask {
            answer_sender: CallAnswerSender { number: Some(number), events: self.events.clone() },
            session: Arc::clone(&self.session),
            approvals: Arc::clone(&self.approvals),
            gate,
            cancel,
        };
        let name = format!("call {}", call.name);
        // If no thread can be started, dropping `CallTask` still answers the call: see
        // `CallAnswerSender`.
        drop(thread::Builder::new().name(name).spawn(move || carrier.run(&call)));
    }

    /// Starts a sub-agent for a call. Its answer arrives as an event.
    pub(crate) fn start_sub_agent(&mut self, start: SubAgentCall) {
        let (number, events) = (start.number, self.events.clone());
        let cancel = CancelToken::from(Arc::clone(&self.is_stopped));
        let gate = self.create_start_gate(number, false);
        let answering = CallAnswerSender { number: Some(number), events: events.clone() };
        let sub_agents = self.sub_agent_runner.clone();
        let work = move || {
            let tell = |told| {
                events.send(AgentInput::SubAgentReported { number, event: Box::new(told) }).is_ok()
            };
            let answer = match (SubAgentTask::from_arguments(&start.call.arguments), &sub_agents) {
                (Err(refused), _) => refused,
                (_, None) => ToolAnswer::from_error("no sub-agent can be started here".to_owned()),
                (Ok(task), Some(have_work)) if gate.wait_for_begin_signal(&cancel) => {
                    have_work(task, &start, &tell, &cancel)
                }
                (Ok(_), Some(_)) => sub_agent_tool_answer(&RunOutcome::Stopped, ""),
            };
            answering.send_answer(answer);
        };
        drop(thread::Builder::new().name("sub-agent".to_owned()).spawn(work));
    }

    fn create_start_gate(&mut self, number: u64, only_looks: bool) -> StartGate {
        let mut gate = StartGate {
            number,
            events: self.events.clone(),
            begin: None,
            may_begin: Mutex::default(),
        };
        if !only_looks {
            let (begin, begins) = sync_channel(1);
            self.waiting_call = Some((number, begin));
            gate.begin = Some(Mutex::new(begins));
        }
        gate
    }

    /// Lets an approved call begin.
    pub(crate) fn begin_call(&mut self, number: u64) {
        if let Some((_, begin)) = self.waiting_call.take_if(|(waiting, _)| *waiting == number) {
            // A call that was cancelled meanwhile has dropped its receiver.
            begin.send(()).ok();
        }
    }

    /// Cancels all running calls; later calls are not affected.
    pub(crate) fn cancel_calls(&mut self) {
        std::mem::take(&mut self.is_stopped).store(true, Ordering::SeqCst);
    }
}

/// The point at which a call that acts waits until the log has its beginning.
struct StartGate {
    number: u64,
    events: SyncSender<AgentInput>,
    /// Receives the signal to begin; `None` for a call that only reads.
    begin: Option<Mutex<Receiver<()>>>,
    /// The cached result: a call that consists of others passes the gate for each of them.
    may_begin: Mutex<Option<bool>>,
}

impl StartGate {
    /// Reports the call as approved and waits until that is logged. Returns whether the call may
    /// begin.
    fn wait_for_begin_signal(&self, cancel: &CancelToken<'_>) -> bool {
        let mut may = self.may_begin.lock().unwrap_or_else(PoisonError::into_inner);
        *may.get_or_insert_with(|| {
            let Some(begin) = &self.begin else { return true };
            let begin = begin.lock().unwrap_or_else(PoisonError::into_inner);
            if self.events.send(AgentInput::CallApproved { number: self.number }).is_err() {
                return false;
            }
            loop {
                match begin.recv_timeout(CANCEL_POLL_INTERVAL) {
                    Ok(()) => return true,
                    Err(RecvTimeoutError::Timeout) if !cancel.is_cancelled() => {}
                    Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                        return false;
                    }
                }
            }
        })
    }
}

/// One call on its thread.
struct CallTask {
    answer_sender: CallAnswerSender,
    session: Arc<ToolSession>,
    approvals: Arc<Approvals>,
    gate: StartGate,
    cancel: CancelToken<'static>,
}

impl CallTask {
    fn run(self, call: &ToolCall) {
        let (number, events) = (self.gate.number, self.answer_sender.events.clone());
        let progress = move |progress: CallProgress| {
            if !progress.message.is_empty() || progress.model.is_some() {
                let CallProgress { message, model, .. } = progress;
                // Progress may be dropped when the queue is full.
                drop(events.try_send(AgentInput::CallProgressed { number, message, model }));
            }
        };
        let is_over = || self.cancel.is_cancelled();
        let own_names = normalize_argument_names(call);
        let changes = || {
            let before = |handle: &str| self.session.text_before(handle);
            preview_change(&own_names, self.session.roots().working_directory(), &before)
        };
        let command = self.command_approval(&own_names);
        let asked = ApprovalRequest { call: &own_names, diff: &changes, command: command.as_ref() };
        let answer = match self.approvals.request_approval(&asked, &is_over) {
            Some(refused) => refused,
            None => {
                let ask =
                    |question: &_| self.approvals.ask_tool_question(&asked, question, &is_over);
                let person = self.approvals.has_prompter().then_some(&ask as _);
                let begins = || self.gate.wait_for_begin_signal(&self.cancel);
                let cancel = &self.cancel;
                let control = CallControl {
                    cancel,
                    progress: &progress,
                    approver: person,
                    may_begin: &begins,
                };
                let request = ToolRequest::new(call.name.clone(), call.arguments.clone());
                render_tool_answer(self.session.call(&request, &control))
            }
        };
        self.answer_sender.send_answer(answer);
    }

    /// Returns whether the command of a call needs an approval; `None` if the call runs no command
    /// or all calls are allowed.
    fn command_approval(&self, call: &ToolCall) -> Option<CommandApproval> {
        let tool = tool_table::find_tool(&call.name)?.name;
        let command = call.arguments.get("command")?.as_str()?;
        let is_asked = matches!(tool, "bash" | "exec") && !self.approvals.auto_approves();
        is_asked.then(|| self.session.command_approval(tool, command))
    }
}

/// Returns the answer in the form that the model reads.
fn render_tool_answer(answer: ToolCallAnswer) -> ToolAnswer {
    let ToolCallAnswer { mut text, images, is_error, cached, .. } = answer;
    for image in images {
        text.push_str(&format!("\n[a picture ({}) that is not shown here]", image.media_type));
    }
    ToolAnswer { text, is_error, cached }
}

/// Sends the answer of a call exactly once: when it is dropped unused, because the thread panicked
/// or did not start, it sends an error.
struct CallAnswerSender {
    number: Option<u64>,
    events: SyncSender<AgentInput>,
}

impl CallAnswerSender {
    fn send_answer(mut self, answer: ToolAnswer) {
        self.send_once(answer);
    }

    fn send_once(&mut self, answer: ToolAnswer) {
        if let Some(number) = self.number.take() {
            // Without a receiver the agent has ended.
            drop(self.events.send(AgentInput::CallAnswered { number, answer }));
        }
    }
}

impl Drop for CallAnswerSender {
    fn drop(&mut self) {
        let text = "the tool broke off: this is a fault of foveal's; try another way".to_owned();
        self.send_once(ToolAnswer { text, is_error: true, cached: false });
    }
}
