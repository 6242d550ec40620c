//! The parts of `foveal hook` that know neither this program nor its surroundings. `foveal` is a
//! program and no library, so that its files are taken as they are.

#![expect(dead_code, reason = "the program uses more of them")]

#[path = "../../crates/cli/src/hook/agent_edit.rs"]
mod agent_edit;
#[path = "../../crates/cli/src/hook/event.rs"]
mod event;
#[path = "../../crates/cli/src/hook/expand_command.rs"]
mod expand_command;
#[path = "../../crates/cli/src/hook/failure_advice.rs"]
mod failure_advice;
#[path = "../../crates/cli/src/hook/fuzzed.rs"]
mod fuzzed;
#[path = "../../crates/cli/src/hook/history.rs"]
mod history;
#[path = "../../crates/cli/src/hook/hook_agent.rs"]
mod hook_agent;
#[path = "../../crates/cli/src/hook/reply.rs"]
mod reply;
#[path = "../../crates/cli/src/hook/result_shaping.rs"]
mod result_shaping;
#[path = "../../crates/cli/src/hook/tool_output.rs"]
mod tool_output;
#[path = "../../crates/cli/src/hook/transcript.rs"]
mod transcript;

pub(crate) use self::fuzzed::hook_input;
