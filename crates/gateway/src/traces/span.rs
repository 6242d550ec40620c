//! A span as a value.

use crate::trace_parent::{SpanId, TraceId};

/// One question to a model and its answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Span {
    pub(super) trace: TraceId,
    pub(super) id: SpanId,
    /// The span of the client that it is part of.
    pub(super) parent: Option<SpanId>,
    pub(super) name: String,
    /// Nanoseconds since 1970.
    pub(super) start_ns: u64,
    pub(super) end_ns: u64,
    pub(super) attributes: Vec<(&'static str, Value)>,
    pub(super) has_failed: bool,
}

/// What an attribute says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Text(String),
    Texts(Vec<String>),
    Count(u64),
    Number(f64),
}

impl From<u64> for Value {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}
