//! Replays recorded conversations, request by request, through a gateway and directly.

mod connection;
mod figures;
mod profile_run;
mod recorded_requests;
mod route;

pub(crate) use figures::{Recording, measure, table};
pub(crate) use profile_run::Load;
pub(crate) use route::{ROUTES, Route};
