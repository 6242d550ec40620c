//! Records of received requests.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::api_route::ApiRoute;
use crate::api_rules::RuleViolation;
use crate::provider_cache::TokenBill;
use crate::request_evaluator::PromptOverlap;

/// One request as received, with its evaluation.
#[derive(Debug)]
pub struct ReceivedRequest {
    /// The number of requests before it.
    pub number: usize,
    /// The method, such as `POST`.
    pub method: String,
    /// The path with its query, as sent.
    pub path: String,
    /// The headers as sent, in order, with their case and repetitions.
    pub headers: Vec<(String, String)>,
    /// The body as sent, still encoded; empty if bodies are not recorded.
    pub body: Vec<u8>,
    /// The purpose of the request.
    pub route: ApiRoute,
    /// The billed tokens; `None` without an answer of the model, or if the request was refused.
    pub bill: Option<TokenBill>,
    /// The overlap with the last prompt of the same conversation.
    pub overlap: Option<PromptOverlap>,
    /// The violated rules.
    pub violations: Vec<RuleViolation>,
    pub(crate) delivery: AtomicU8,
}

/// The delivery state of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerDelivery {
    /// The answer is being sent.
    UnderWay,
    /// All of it was sent, or all that its fault allows.
    Sent,
    /// The client disconnected before the end.
    Dropped,
}

impl ReceivedRequest {
    /// Returns the first header of this name, ignoring case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let is_it = |header: &&(String, String)| header.0.eq_ignore_ascii_case(name);
        self.headers.iter().find(is_it).map(|(_, value)| value.as_str())
    }

    /// Returns the delivery state of the answer so far.
    pub fn delivery(&self) -> AnswerDelivery {
        match self.delivery.load(Ordering::SeqCst) {
            0 => AnswerDelivery::UnderWay,
            1 => AnswerDelivery::Sent,
            _ => AnswerDelivery::Dropped,
        }
    }
}

/// Reports the delivery of the answer to a [`ReceivedRequest`]: dropped, unless all of it was sent.
#[derive(Debug)]
pub(crate) struct DeliveryReporter(pub(crate) std::sync::Arc<ReceivedRequest>);

impl DeliveryReporter {
    pub(crate) fn mark_delivered(&self) {
        self.0.delivery.store(1, Ordering::SeqCst);
    }
}

impl Drop for DeliveryReporter {
    fn drop(&mut self) {
        let _ = self.0.delivery.compare_exchange(0, 2, Ordering::SeqCst, Ordering::SeqCst);
    }
}
