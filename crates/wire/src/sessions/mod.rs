//! Sessions as agents record them, one file for each agent.

pub(crate) mod atif;
pub(crate) mod claude_code;
pub(crate) mod codex;
pub(crate) mod mini_swe_agent;
pub(crate) mod opencode;
pub(crate) mod openhands;
pub(crate) mod pi;
pub(crate) mod swe_agent;
