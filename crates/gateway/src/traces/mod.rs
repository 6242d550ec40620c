//! Traces for a collector: one span for each request to a model, in OpenTelemetry's conventions for
//! generative AI, sent as OTLP in JSON over HTTP.
//!
//! A span contains counts, times, and names of models, servers and reasons. It contains no text of
//! conversations, no header and no path.

mod attributes;
mod collector;
mod export;
mod ids;
mod otlp;
mod queue;
mod span;
mod trace_settings;
mod tracer;

pub use attributes::SpanDetails;
pub use collector::{CollectorAddressError, TraceCollector};
pub use trace_settings::{TRACE_VARIABLES, TraceSettings, TraceVariables, endpoint_variable};
pub use tracer::{ExportStats, Tracer};
