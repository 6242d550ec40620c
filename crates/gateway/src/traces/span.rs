//! A trace span as a value.

use crate::trace_parent::{SpanId, TraceId};

/// One request to a model with its response.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TraceSpan {
    pub(super) trace: TraceId,
    pub(super) id: SpanId,
    /// The span of the client's trace that it is part of.
    pub(super) parent: Option<SpanId>,
    pub(super) name: String,
    /// Nanoseconds since 1970.
    pub(super) start_ns: u64,
    pub(super) end_ns: u64,
    pub(super) attributes: Vec<(&'static str, AttributeValue)>,
    pub(super) has_failed: bool,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum AttributeValue {
    Text(String),
    Texts(Vec<String>),
    Count(u64),
    Number(f64),
}

impl From<u64> for AttributeValue {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<f64> for AttributeValue {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for AttributeValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for AttributeValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}
