//! Readers of the messages of requests, one file for each provider's form. Agents record their
//! sessions in the same forms.

pub mod anthropic;
pub mod google;
pub mod openai_chat;
pub mod openai_responses;
pub mod wrapped_results;
