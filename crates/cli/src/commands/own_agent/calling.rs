//! Carries calls out, each on a thread of its own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use foveal_agent::{Event, Outcome, StartAgent, SubTask, Told, ToolAnswer, answer_of_agent};
use foveal_cancel::Cancel;
use foveal_store::SessionId;
use foveal_tools::control::Progress;
use foveal_tools::session::{CommandApproval, Unshaped};
use foveal_tools::{Answer, Control, Request, Session, Toolbox, table};
use foveal_transcript::Call;

use super::approval::{ApprovalRequest, Approvals, spelled};
use super::change::change;

/// How often a call that waits to begin looks whether it is stopped.
const LOOK_UP_TIME: Duration = Duration::from_millis(50);

/// Has a sub-agent do a task for a call, and answers what it says last. What happens is told; where
/// nobody listens any more, or it is cancelled, it ends.
pub(crate) type HaveWork =
    dyn Fn(SubTask, &StartAgent, &dyn Fn(Told) -> bool, &Cancel<'_>) -> ToolAnswer + Send + Sync;

/// Carries calls out in one session of the tools. Its answers are whole: what of them goes to the
/// model is decided with each request.
pub(crate) struct Calling {
    session: Arc<Session>,
    approvals: Arc<Approvals>,
    is_stopped: Arc<AtomicBool>,
    /// The call that waits to begin: one that does more than look runs alone.
    waiting: Option<(u64, SyncSender<()>)>,
    events: SyncSender<Event>,
    /// Has sub-agents work, where that may be.
    sub_agents: Option<Arc<HaveWork>>,
}

impl Calling {
    /// Calls in a session of this name.
    pub(crate) fn new(
        toolbox: &Arc<Toolbox>,
        session: &SessionId,
        approvals: Approvals,
        events: SyncSender<Event>,
    ) -> Self {
        if !approvals.allow_all() {
            toolbox.limit_commands();
        }
        let session = Session::with_shaper(toolbox, session.0.clone(), Box::new(Unshaped));
        let (session, approvals) = (Arc::new(session), Arc::new(approvals));
        let (is_stopped, waiting, sub_agents) = (Arc::default(), None, None);
        Self { session, approvals, is_stopped, waiting, events, sub_agents }
    }

    /// The same where sub-agents work.
    pub(crate) fn with_sub_agents(self, have_work: Arc<HaveWork>) -> Self {
        Self { sub_agents: Some(have_work), ..self }
    }

    /// The session of the tools.
    pub(crate) fn session(&self) -> Arc<Session> {
        Arc::clone(&self.session)
    }

    /// Carries a call out. Its answer is an event.
    pub(crate) fn call(&mut self, number: u64, call: Call) {
        let only_looks = table::named(&call.name).is_some_and(|tool| tool.hints.read_only);
        let cancel = Cancel::from(Arc::clone(&self.is_stopped));
        let gate = self.gate(number, only_looks);
        let carrier = Carrier {
            answering: Answering { number: Some(number), events: self.events.clone() },
            session: Arc::clone(&self.session),
            approvals: Arc::clone(&self.approvals),
            gate,
            cancel,
        };
        let name = format!("call {}", call.name);
        // Where there are no more threads, the answer is told all the same: see `Answering`.
        drop(thread::Builder::new().name(name).spawn(move || carrier.carry_out(&call)));
    }

    /// Has a sub-agent carry a call out. Its answer is an event.
    pub(crate) fn start_agent(&mut self, start: StartAgent) {
        let (number, events) = (start.number, self.events.clone());
        let cancel = Cancel::from(Arc::clone(&self.is_stopped));
        let gate = self.gate(number, false);
        let answering = Answering { number: Some(number), events: events.clone() };
        let sub_agents = self.sub_agents.clone();
        let work = move || {
            let tell = |told| events.send(Event::OfAgent { number, told: Box::new(told) }).is_ok();
            let answer = match (SubTask::of(&start.call.arguments), &sub_agents) {
                (Err(refused), _) => refused,
                (_, None) => ToolAnswer::failed("no sub-agent can be started here".to_owned()),
                (Ok(task), Some(have_work)) if gate.pass(&cancel) => {
                    have_work(task, &start, &tell, &cancel)
                }
                (Ok(_), Some(_)) => answer_of_agent(&Outcome::Stopped, ""),
            };
            answering.answer(answer);
        };
        drop(thread::Builder::new().name("sub-agent".to_owned()).spawn(work));
    }

    fn gate(&mut self, number: u64, only_looks: bool) -> Gate {
        let mut gate =
            Gate { number, events: self.events.clone(), begin: None, may: Mutex::default() };
        if !only_looks {
            let (begin, begins) = sync_channel(1);
            self.waiting = Some((number, begin));
            gate.begin = Some(Mutex::new(begins));
        }
        gate
    }

    /// Lets a call begin that is allowed.
    pub(crate) fn begin(&mut self, number: u64) {
        if let Some((_, begin)) = self.waiting.take_if(|(waiting, _)| *waiting == number) {
            // One that is stopped meanwhile does not listen.
            begin.send(()).ok();
        }
    }

    /// Stops all calls that run; not those that are made later.
    pub(crate) fn stop(&mut self) {
        std::mem::take(&mut self.is_stopped).store(true, Ordering::SeqCst);
    }
}

/// What a call that does more than look passes before it does anything.
struct Gate {
    number: u64,
    events: SyncSender<Event>,
    /// Where it is told to begin; `None`: it only looks.
    begin: Option<Mutex<Receiver<()>>>,
    /// What was said. A call that consists of others asks for each of them.
    may: Mutex<Option<bool>>,
}

impl Gate {
    /// Says that the call is allowed, and waits until that is kept; whether it may begin.
    fn pass(&self, cancel: &Cancel<'_>) -> bool {
        let mut may = self.may.lock().unwrap_or_else(PoisonError::into_inner);
        *may.get_or_insert_with(|| {
            let Some(begin) = &self.begin else { return true };
            let begin = begin.lock().unwrap_or_else(PoisonError::into_inner);
            if self.events.send(Event::Allowed { number: self.number }).is_err() {
                return false;
            }
            loop {
                match begin.recv_timeout(LOOK_UP_TIME) {
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

/// One call.
struct Carrier {
    answering: Answering,
    session: Arc<Session>,
    approvals: Arc<Approvals>,
    gate: Gate,
    cancel: Cancel<'static>,
}

impl Carrier {
    fn carry_out(self, call: &Call) {
        let (number, events) = (self.gate.number, self.answering.events.clone());
        let progress = move |progress: Progress| {
            if !progress.message.is_empty() || progress.model.is_some() {
                let Progress { message, model, .. } = progress;
                // Where too much waits already, this is not missed.
                drop(events.try_send(Event::Progress { number, message, model }));
            }
        };
        let is_over = || self.cancel.is_cancelled();
        let own_names = spelled(call);
        let changes = || {
            let before = |handle: &str| self.session.text_before(handle);
            change(&own_names, self.session.roots().working_directory(), &before)
        };
        let command = self.command_approval(&own_names);
        let asked =
            ApprovalRequest { call: &own_names, change: &changes, command: command.as_ref() };
        let answer = match self.approvals.of(&asked, &is_over) {
            Some(refused) => refused,
            None => {
                let ask = |question: &_| self.approvals.ask(&asked, question, &is_over);
                let person = self.approvals.asks().then_some(&ask as _);
                let begins = || self.gate.pass(&self.cancel);
                let cancel = &self.cancel;
                let control = Control { cancel, progress: &progress, person, begins: &begins };
                let request = Request::new(call.name.clone(), call.arguments.clone());
                told(self.session.call(&request, &control))
            }
        };
        self.answering.answer(answer);
    }

    /// Whether a person has to allow the command that a call runs, if it runs one.
    fn command_approval(&self, call: &Call) -> Option<CommandApproval> {
        let tool = table::named(&call.name)?.name;
        let command = call.arguments.get("command")?.as_str()?;
        let is_asked = matches!(tool, "bash" | "exec") && !self.approvals.allow_all();
        is_asked.then(|| self.session.command_approval(tool, command))
    }
}

/// An answer as the model reads it.
fn told(answer: Answer) -> ToolAnswer {
    let Answer { mut text, images, is_error, cached, .. } = answer;
    for image in images {
        text.push_str(&format!("\n[a picture ({}) that is not shown here]", image.media_type));
    }
    ToolAnswer { text, is_error, cached }
}

/// Answers a call, whatever becomes of its thread.
struct Answering {
    number: Option<u64>,
    events: SyncSender<Event>,
}

impl Answering {
    fn answer(mut self, answer: ToolAnswer) {
        self.tell(answer);
    }

    fn tell(&mut self, answer: ToolAnswer) {
        if let Some(number) = self.number.take() {
            // Who no longer listens has ended.
            drop(self.events.send(Event::Answered { number, answer }));
        }
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        let text = "the tool broke off: this is a fault of foveal's; try another way".to_owned();
        self.tell(ToolAnswer { text, is_error: true, cached: false });
    }
}
