//! Replays recorded conversations, request by request, through a gateway and directly.

mod asks;
mod connection;
mod course;
mod figures;
mod route;

pub(crate) use course::Load;
pub(crate) use figures::{Recording, measure, table};
pub(crate) use route::{ROUTES, Route};
