//! Readers of recorded sessions, one file for each agent.

pub(crate) mod atif;
pub(crate) mod claude_code;
pub(crate) mod cline;
pub(crate) mod codex;
pub(crate) mod gemini_cli;
pub(crate) mod mini_swe_agent;
pub(crate) mod model_name;
pub(crate) mod opencode;
pub(crate) mod openhands;
pub(crate) mod pi;
pub(crate) mod qwen_code;
mod record_chain;
pub(crate) mod request_bodies;
pub(crate) mod swe_agent;

#[cfg(test)]
#[path = "../../../../docs/examples/reader.rs"]
mod example;
