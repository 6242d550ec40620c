//! Conversations as clients send them: whole, request by request.

mod compress;
mod departures;
mod faults;
mod laws;
mod support;
