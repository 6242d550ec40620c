//! The engine over written, generated and recorded conversations.

mod asking_twice;
mod coverage;
mod engine;
mod laws;
mod ledger;
mod look_once;
mod loss;
mod new_result;
mod note;
mod placed;
mod recorded_effects;
mod shaping;
mod views;
mod views_model;
mod wishes;
