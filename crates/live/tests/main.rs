//! Conversations as clients send them: whole, request by request.

mod compress;
mod faults;
mod laws;
mod support;
