//! The agents, one a file: how each is set up and started, and how it passes answers on.

mod agent;
mod claude_code;
mod cline;
mod codex;
mod gemini;
mod opencode;
mod pi;
mod qwen;

pub(crate) use self::agent::{Agent, Place};
