//! Launches agents on a gateway for one run, by environment variables and arguments. Their settings
//! stay unchanged. One module for each agent.

mod claude_code;
mod codex;
mod gemini;
mod launch_plan;
mod launch_table;
mod opencode;
mod pi;
mod qwen;

pub(super) use self::claude_code::{
    ANTHROPIC_FEATURES, MANAGED_SETTINGS as CLAUDE_CODE_MANAGED, unset_feature_variables,
};
pub(crate) use self::launch_plan::{GATEWAY, LaunchPlan, LaunchRequest};
pub(crate) use self::launch_table::{WRAPPABLE_AGENTS, plan_launch};
pub(super) use self::opencode::{
    BUILT_IN_PROVIDERS as OPENCODE_BUILT_IN, CONTENT as OPENCODE_CONTENT,
    authenticated_providers as providers_in_use, settings_files as opencode_files,
};
pub(super) use self::pi::BUILT_IN_PROVIDERS;
pub(super) use self::qwen::{DASHSCOPE_PROXY, is_dashscope};
