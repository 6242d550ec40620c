//! `foveal serve`: a gateway that shapes the requests of agents before it passes them to model
//! APIs.

mod adaptive_keep_alive;
mod billing_context;
mod command;
mod cost_ledger;
mod decision_recorder;
mod gateway_options;
mod gateway_totals;
mod metrics;
mod request_log;
mod request_prices;
mod request_tracer;
mod service;
mod single_malloc_arena;

pub(crate) use adaptive_keep_alive::{keep_alive_verdict_path, was_judged_unprofitable};
pub(crate) use command::{GatewayArguments, ServeArguments, run};
pub(crate) use decision_recorder::{StoreRecorder, parse_stored_step};
pub(crate) use gateway_options::GatewayOptions;
pub(crate) use request_log::{RequestLogOutput, RequestLogger};
pub(crate) use request_prices::upstream_price_card;
pub(crate) use request_tracer::{CollectorWarningTiming, RequestTracer};
