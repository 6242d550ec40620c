//! Approval questions of a running tool call.

use std::sync::{Mutex, PoisonError};

use foveal_tools::call_control::{Approval, ApprovalQuestion};
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use tokio::sync::{mpsc, oneshot};

use crate::elicitation;
use crate::round_trips::{self, RoundTrips};

/// A question and the channel for its answer.
pub(crate) type PendingQuestion = (ApprovalQuestion, oneshot::Sender<Approval>);

/// Answers approval questions on the user's behalf while a call runs.
pub(crate) enum Approver {
    /// The client has no elicitation: every answer is no.
    None,
    /// Asks through the client while the call runs.
    WhileRunning(mpsc::Sender<PendingQuestion>),
    /// Asks before the client repeats the call (multi round trip): the answers so far, and the
    /// first new question.
    BeforeNextRoundTrip(RoundTrips, Mutex<Option<ApprovalQuestion>>),
}

impl Approver {
    /// Chooses the approver for a request. Questions to ask while it runs go to `questions`.
    pub(crate) fn from_request(
        context: &RequestContext<RoleServer>,
        round_trips: &RoundTrips,
        questions: mpsc::Sender<PendingQuestion>,
    ) -> Self {
        match elicitation::is_supported(context) {
            false => Self::None,
            true if round_trips::are_required(context) => {
                Self::BeforeNextRoundTrip(round_trips.clone(), Mutex::default())
            }
            true => Self::WhileRunning(questions),
        }
    }

    /// Returns whether the user can be asked.
    pub(crate) fn can_ask_user(&self) -> bool {
        !matches!(self, Self::None)
    }

    /// Asks `question` and blocks until it is answered.
    pub(crate) fn request_approval(&self, question: &ApprovalQuestion) -> Approval {
        match self {
            Self::None => Approval::No,
            Self::WhileRunning(ask) => {
                let (reply, answered) = oneshot::channel();
                match ask.blocking_send((question.clone(), reply)) {
                    Ok(()) => answered.blocking_recv().unwrap_or(Approval::No),
                    Err(_) => Approval::No,
                }
            }
            Self::BeforeNextRoundTrip(round_trips, unasked) => {
                round_trips.approval_for(question).unwrap_or_else(|| {
                    let mut unasked = unasked.lock().unwrap_or_else(PoisonError::into_inner);
                    unasked.get_or_insert_with(|| question.clone());
                    Approval::No
                })
            }
        }
    }

    /// Returns the question to ask before the next round trip, if any.
    pub(crate) fn into_unasked_question(self) -> Option<ApprovalQuestion> {
        match self {
            Self::None | Self::WhileRunning(_) => None,
            Self::BeforeNextRoundTrip(_, unasked) => {
                unasked.into_inner().unwrap_or_else(PoisonError::into_inner)
            }
        }
    }
}
