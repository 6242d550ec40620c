//! What is kept of one request.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::cache::Bill;
use crate::judge::Common;
use crate::pairing::Broken;
use crate::route::Route;

/// One request as it arrived, and what was made of it.
#[derive(Debug)]
pub struct Seen {
    /// How many came before.
    pub number: usize,
    /// Such as `POST`.
    pub method: String,
    /// The path with its query, as sent.
    pub path: String,
    /// The headers as sent: order, case and repetitions.
    pub headers: Vec<(String, String)>,
    /// The body as sent, still encoded; empty where bodies are not kept.
    pub body: Vec<u8>,
    /// What the path asks for.
    pub route: Route,
    /// What was billed; `None` where no answer of the model was asked for or it was refused.
    pub bill: Option<Bill>,
    /// What the prompt shares with the one before it in the same conversation.
    pub common: Option<Common>,
    /// The rules that it breaks.
    pub broken: Vec<Broken>,
    pub(crate) delivery: AtomicU8,
}

/// What became of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// It is still being sent.
    UnderWay,
    /// All of it was sent, or all that its fault lets pass.
    Sent,
    /// The client went away before.
    Dropped,
}

impl Seen {
    /// The first header of this name, whatever its case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let is_it = |header: &&(String, String)| header.0.eq_ignore_ascii_case(name);
        self.headers.iter().find(is_it).map(|(_, value)| value.as_str())
    }

    /// What became of the answer so far.
    pub fn delivery(&self) -> Delivery {
        match self.delivery.load(Ordering::SeqCst) {
            0 => Delivery::UnderWay,
            1 => Delivery::Sent,
            _ => Delivery::Dropped,
        }
    }
}

/// Tells a [`Seen`] what became of its answer: dropped, unless all of it was sent.
#[derive(Debug)]
pub(crate) struct Tell(pub(crate) std::sync::Arc<Seen>);

impl Tell {
    pub(crate) fn sent(&self) {
        self.0.delivery.store(1, Ordering::SeqCst);
    }
}

impl Drop for Tell {
    fn drop(&mut self) {
        let _ = self.0.delivery.compare_exchange(0, 2, Ordering::SeqCst, Ordering::SeqCst);
    }
}
