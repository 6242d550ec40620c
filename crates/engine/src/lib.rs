//! The engine of foveal: it plans the prompt that a model is sent for a conversation.
//!
//! The crate is pure: it reads no clock, file, environment variable or network. The transcript
//! is the full conversation; a projection is the prompt that the model is sent in its place.

pub mod call_texts;
pub mod conversation_record;
pub mod engine;
pub mod entry_costs;
pub mod entry_facts;
pub mod entry_size;
pub mod file_interest;
pub mod ledger;
pub mod lines;
pub mod message_shape;
mod model_json;
pub mod new_result;
pub mod note;
pub mod output_budget;
pub mod overrides;
pub mod placement;
pub mod plan_step;
pub mod planner;
pub mod policies;
pub mod profile;
pub mod projector;
pub mod provider_constraints;
pub mod reduction_level;
pub mod reuse_score;
pub mod savings_balance;
pub mod settings;
pub mod shaping;
pub mod timeline;
mod token_cache;
pub mod views;
pub mod visible_prompt;
pub mod window_limit;
pub mod window_tokens;
