//! Request bodies, one file for each provider's form. What recorded sessions have in the same
//! form, [`crate::sessions`] reads with these.

pub(crate) mod anthropic;
pub(crate) mod google;
pub(crate) mod openai_chat;
pub(crate) mod openai_responses;
pub(crate) mod wrapped;
