//! How agents are started on a gateway, for one run alone: told by variables and arguments, with
//! nothing written to their settings. One agent a file.

mod claude_code;
mod codex;
mod gemini;
mod opencode;
mod pi;
mod plan;
mod qwen;
mod table;

pub(crate) use self::plan::{Asked, GATEWAY, Plan};
pub(crate) use self::table::{WRAPPED, plan};
