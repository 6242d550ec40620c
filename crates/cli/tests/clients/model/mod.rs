//! A scripted model behind four real protocols: it plays a plan and keeps what it is sent.

mod chat;
mod events;
mod fault;
mod gemini;
pub(crate) mod http;
mod messages;
mod plan;
mod protocol;
mod responses;
mod server;

pub(crate) use self::plan::{Call, CallForm, Event, Fault, Plan, Step, call_at};
pub(crate) use self::protocol::{ToolResult, results_in};
pub(crate) use self::server::{Arrival, Files, Model, NUMBER};
