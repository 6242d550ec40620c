//! The engine over written, generated and recorded conversations.

mod laws;
mod ledger;
mod recorded_effects;
mod retention;
