//! A mock model provider on loopback, for tests and benchmarks of clients and proxies.
//!
//! [`MockProvider`] speaks Anthropic Messages (with `count_tokens`), OpenAI Chat Completions and
//! Responses, and Gemini `generateContent`, streamed and not. A [`ReplyScript`] chooses the model's
//! replies and faults; by default, every reply is a short text. The provider simulates prompt
//! caching and bills by it, with a clock that the test advances. It records a [`ReceivedRequest`]
//! for each request: the bytes as sent, the bill, the overlap with the last prompt, and the
//! violated rules of the API.

mod api_route;
mod api_rules;
mod body_encoding;
mod connection_tap;
mod paced_body;
mod prompt_parts;
mod protocol_answers;
mod provider_cache;
mod received_request;
mod reply_script;
mod request_body;
mod request_evaluator;
mod scripted_fault;
mod server;
mod service;
mod settings;

pub use api_route::ApiRoute;
pub use api_rules::RuleViolation;
pub use body_encoding::{BodyDecodeError, BodyEncoding};
pub use prompt_parts::EntryLifetime;
pub use provider_cache::TokenBill;
pub use received_request::{AnswerDelivery, ReceivedRequest};
pub use reply_script::{ModelReply, ReplyCall, ReplyScript, ScriptRequest, ScriptedOutcome};
pub use request_evaluator::PromptOverlap;
pub use scripted_fault::ScriptedFault;
pub use server::MockProvider;
pub use settings::{RequestRecording, Settings};
