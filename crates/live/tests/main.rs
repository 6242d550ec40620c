//! Conversations as clients send them: whole, request by request.

mod departures;
mod faults;
mod late;
mod laws;
mod support;
