//! Readers of request bodies, one file for each provider's form. [`crate::sessions`] uses them for
//! recordings in the same form.

pub(crate) mod anthropic;
pub(crate) mod google;
pub(crate) mod openai_chat;
pub(crate) mod openai_responses;
pub(crate) mod wrapped_results;
