//! The engine over written, generated and recorded conversations.

mod base_files;
mod coverage;
mod early_reduction;
mod engine;
mod laws;
mod ledger;
mod loss;
mod new_result;
mod note;
mod overrides;
mod recorded_effects;
mod repeated_reads;
mod shaping;
mod views;
mod views_model;
