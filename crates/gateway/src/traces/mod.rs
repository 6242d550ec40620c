//! Traces of requests for who collects them: one span for each question to a model, as
//! OpenTelemetry's conventions for generative AI have it, sent as OTLP in JSON over HTTP.
//!
//! In a span are counts, times, and names of models, servers and reasons. Nothing that was said,
//! no header and no path is in it.

mod attributes;
mod collector;
mod ids;
mod otlp;
mod post;
mod queue;
mod span;
mod tracer;

pub use attributes::Beside;
pub use collector::{BadCollector, Collector, pairs};
pub use tracer::{Sent, Tracer};
