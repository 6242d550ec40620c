//! `foveal serve`: a gateway that shapes the requests of agents before it passes them to model
//! APIs.

mod command;
mod gateway_options;
mod request_log;
mod request_tracer;
mod service;
mod single_malloc_arena;

pub(crate) use command::{GatewayArguments, ServeArguments, run};
pub(crate) use gateway_options::GatewayOptions;
pub(crate) use request_log::{RequestLog, RequestLogOutput};
pub(crate) use request_tracer::{CollectorWarningTiming, RequestTracer};
