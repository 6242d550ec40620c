//! The agents, one a file: how each is set up and started, and how it passes answers on.

mod agent;
pub(crate) mod claude_code;
mod claude_code_old;
mod cline;
mod codex;
mod gemini;
mod opencode;
mod pi;
mod qwen;

pub(crate) use self::agent::{Agent, Place};
