//! Calculates what a profile would have cost, and what it would have kept visible, on a recorded
//! conversation.
//!
//! Pure: takes a conversation, a profile and a price card, and returns figures. The measures read
//! the projected text itself and do not rely on the engine's own account of it.

pub mod baselines;
pub mod conversation_replay;
pub mod copied_requests;
pub mod cost;
pub mod figures;
pub mod laws;
pub mod oracle;
pub mod scan;
pub mod visible_text;

pub use conversation_replay::{ConversationReplay, PreparedConversation, RequestFigures, replay};
