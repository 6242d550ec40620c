//! The engine over written, generated and recorded conversations.

mod recorded_effects;
mod retention;
mod shaping;
