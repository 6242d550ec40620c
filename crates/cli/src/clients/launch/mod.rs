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

pub(super) use self::claude_code::{MANAGED as CLAUDE_CODE_MANAGED, OF_ANTHROPIC, unset_variables};
pub(super) use self::opencode::{
    BUILT_IN as OPENCODE_BUILT_IN, CONTENT as OPENCODE_CONTENT, files as opencode_files,
    in_use as providers_in_use,
};
pub(super) use self::pi::BUILT_IN as PI_BUILT_IN;
pub(crate) use self::plan::{Asked, GATEWAY, Plan};
pub(super) use self::qwen::{DASHSCOPE_PROXY, is_dashscope};
pub(crate) use self::table::{WRAPPED, plan};
