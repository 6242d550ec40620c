//! Conversations as clients send them: whole, request by request.

mod faults;
mod laws;
mod support;
