//! Who answers for the person while a call runs.

use std::sync::{Mutex, PoisonError};

use foveal_tools::control::{Approval, Question};
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use tokio::sync::{mpsc, oneshot};

use crate::elicitation;
use crate::round_trips::{self, RoundTrips};

/// A question, and where its answer is waited for.
pub(crate) type PendingQuestion = (Question, oneshot::Sender<Approval>);

/// Who answers for the person while a call runs.
pub(crate) enum Approver {
    /// The client cannot ask: every answer is no.
    None,
    /// Asked while the call runs.
    WhileRunning(mpsc::Sender<PendingQuestion>),
    /// Asked before the call is made again: what was answered so far, and the first question that
    /// is new.
    BeforeNextRoundTrip(RoundTrips, Mutex<Option<Question>>),
}

impl Approver {
    /// Who answers for this request; `questions` gets those to be asked while it runs.
    pub(crate) fn of(
        context: &RequestContext<RoleServer>,
        round_trips: &RoundTrips,
        questions: mpsc::Sender<PendingQuestion>,
    ) -> Self {
        match elicitation::is_supported(context) {
            false => Self::None,
            true if round_trips::are_needed(context) => {
                Self::BeforeNextRoundTrip(round_trips.clone(), Mutex::default())
            }
            true => Self::WhileRunning(questions),
        }
    }

    /// Whether anybody can be asked.
    pub(crate) fn can_ask(&self) -> bool {
        !matches!(self, Self::None)
    }

    /// Asks, and waits for the answer. Blocks.
    pub(crate) fn approval(&self, question: &Question) -> Approval {
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
                round_trips.approval(question).unwrap_or_else(|| {
                    let mut unasked = unasked.lock().unwrap_or_else(PoisonError::into_inner);
                    unasked.get_or_insert_with(|| question.clone());
                    Approval::No
                })
            }
        }
    }

    /// The question that is to be asked before the next round trip, if there is one.
    pub(crate) fn unasked(self) -> Option<Question> {
        match self {
            Self::None | Self::WhileRunning(_) => None,
            Self::BeforeNextRoundTrip(_, unasked) => {
                unasked.into_inner().unwrap_or_else(PoisonError::into_inner)
            }
        }
    }
}
