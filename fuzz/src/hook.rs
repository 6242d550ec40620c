//! The parts of `foveal hook` that know neither this program nor its surroundings. `foveal` is a
//! program and no library, so that its files are taken as they are.

#![expect(dead_code, reason = "the program uses more of them")]

#[path = "../../crates/cli/src/hook/event.rs"]
mod event;
#[path = "../../crates/cli/src/hook/expand.rs"]
mod expand;
#[path = "../../crates/cli/src/hook/failure.rs"]
mod failure;
#[path = "../../crates/cli/src/hook/fuzzed.rs"]
mod fuzzed;
#[path = "../../crates/cli/src/hook/host.rs"]
mod host;
#[path = "../../crates/cli/src/hook/output.rs"]
mod output;
#[path = "../../crates/cli/src/hook/own_edit.rs"]
mod own_edit;
#[path = "../../crates/cli/src/hook/past.rs"]
mod past;
#[path = "../../crates/cli/src/hook/reply.rs"]
mod reply;
#[path = "../../crates/cli/src/hook/shaped.rs"]
mod shaped;
#[path = "../../crates/cli/src/hook/transcript.rs"]
mod transcript;

pub(crate) use self::fuzzed::hook_input;
