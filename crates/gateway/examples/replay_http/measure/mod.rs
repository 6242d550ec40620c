//! Recorded conversations asked again, request by request, of a gateway and of the bare API.

mod asks;
mod connection;
mod course;
mod figures;
mod route;

pub(crate) use course::Load;
pub(crate) use figures::{Recording, measure, table};
pub(crate) use route::{ROUTES, Route};
