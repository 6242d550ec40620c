//! The pure heart of foveal: what a model gets to see of a conversation.
//!
//! Nothing here knows a clock, a file, an environment variable or a network. The
//! transcript is what happened; a projection is what the model is sent in its place.

mod answered;
pub mod balance;
pub mod bill;
pub mod budget;
pub mod call_texts;
pub mod carried;
pub mod engine;
pub mod facts;
pub mod follow;
pub mod interest;
pub mod ledger;
pub mod level;
pub mod lines;
pub mod look_once;
pub mod new_result;
pub mod note;
pub mod placement;
pub mod planner;
pub mod prices;
pub mod profile;
pub mod projector;
pub mod record;
pub mod retention;
pub mod rewrite;
pub mod room;
pub mod score;
pub mod settings;
pub mod shape;
pub mod shaping;
pub mod step;
pub mod timeline;
pub mod tokens;
pub mod views;
pub mod visible;
pub mod warm;
pub mod weight;
pub mod window_tokens;
pub mod wish;
