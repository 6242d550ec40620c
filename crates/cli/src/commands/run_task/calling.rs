//! Carries calls out, each on a thread of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::thread;

use foveal_agent::{Event, ToolAnswer};
use foveal_cancel::Cancel;
use foveal_store::SessionId;
use foveal_tools::control::Progress;
use foveal_tools::session::Unshaped;
use foveal_tools::{Answer, Control, Request, Session, Toolbox};
use foveal_transcript::Call;

use super::approval::Approvals;
use crate::rules::ask_unless;

/// Carries calls out in one session of the tools. Its answers are whole: what of them goes to the
/// model is decided with each request.
pub(super) struct Calling {
    session: Arc<Session>,
    approvals: Arc<Approvals>,
    is_stopped: Arc<AtomicBool>,
    events: SyncSender<Event>,
}

impl Calling {
    /// Calls in a session of this name.
    pub(super) fn new(
        toolbox: &Arc<Toolbox>,
        session: &SessionId,
        approvals: Approvals,
        events: SyncSender<Event>,
    ) -> Self {
        let session = Session::with_shaper(toolbox, session.0.clone(), Box::new(Unshaped));
        let (session, approvals) = (Arc::new(session), Arc::new(approvals));
        Self { session, approvals, is_stopped: Arc::default(), events }
    }

    /// Carries a call out. Its answer is an event.
    pub(super) fn call(&self, call: Call) {
        let carrier = Carrier {
            answering: Answering { id: Some(call.id.clone()), events: self.events.clone() },
            session: Arc::clone(&self.session),
            approvals: Arc::clone(&self.approvals),
            cancel: Cancel::from(Arc::clone(&self.is_stopped)),
        };
        let name = format!("call {}", call.name);
        // Where there are no more threads, the answer is told all the same: see `Answering`.
        drop(thread::Builder::new().name(name).spawn(move || carrier.carry_out(&call)));
    }

    /// Stops all calls that run, and those that begin later.
    pub(super) fn stop(&self) {
        self.is_stopped.store(true, Ordering::SeqCst);
    }
}

/// One call.
struct Carrier {
    answering: Answering,
    session: Arc<Session>,
    approvals: Arc<Approvals>,
    cancel: Cancel<'static>,
}

impl Carrier {
    fn carry_out(self, call: &Call) {
        let (id, events) = (call.id.clone(), self.answering.events.clone());
        let progress = move |progress: Progress| {
            if !progress.message.is_empty() || progress.model.is_some() {
                let Progress { message, model, .. } = progress;
                // Where too much waits already, this is not missed.
                drop(events.try_send(Event::Progress { id: id.clone(), message, model }));
            }
        };
        let is_over = || self.cancel.is_cancelled();
        let answer = match self.approvals.of(call, &is_over) {
            Some(refused) => refused,
            None => {
                let ask = |question: &_| ask_unless(question, &|| self.cancel.is_cancelled());
                let person = self.approvals.asks().then_some(&ask as _);
                let control = Control { cancel: &self.cancel, progress: &progress, person };
                let request = request(call);
                told(self.session.call(&request, &control))
            }
        };
        self.answering.answer(answer);
    }
}

/// By this argument of any call the model wants it carried out, whatever was answered before.
pub(super) const DETECT_ARGUMENT: &str = "enable_duplicate_detection";

/// A call as the tools take it.
fn request(call: &Call) -> Request {
    let mut arguments = call.arguments.clone();
    let wish = arguments.as_object_mut().and_then(|all| all.remove(DETECT_ARGUMENT));
    let detect_duplicates = wish.and_then(|wish| wish.as_bool()).unwrap_or(true);
    Request { detect_duplicates, ..Request::new(call.name.clone(), arguments) }
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
    id: Option<String>,
    events: SyncSender<Event>,
}

impl Answering {
    fn answer(mut self, answer: ToolAnswer) {
        self.tell(answer);
    }

    fn tell(&mut self, answer: ToolAnswer) {
        if let Some(id) = self.id.take() {
            // Who no longer listens has ended.
            drop(self.events.send(Event::Answered { id, answer }));
        }
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        let text = "the tool broke off: this is a fault of foveal's; try another way".to_owned();
        self.tell(ToolAnswer { text, is_error: true, cached: false });
    }
}
