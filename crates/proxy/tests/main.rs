//! Conversations as clients send them: whole, request by request.

mod answer_breakpoint;
mod breakpoints;
mod compress;
mod faults;
mod history_changes;
mod late_decisions;
mod laws;
mod overrides;
mod prices;
mod support;
mod thinking;
mod windows;
