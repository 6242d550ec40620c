//! The gateway between clients and upstreams.

mod admission;
mod answer_breakpoint;
mod compressing;
mod conversation_identity;
mod faults;
mod forwarding;
mod keep_alive;
mod keys;
mod litellm;
mod malformed_requests;
#[path = "../examples/replay_http/measure/mod.rs"]
mod measure;
mod profile_rules;
mod recorded_sessions;
mod request_shaping;
mod support;
mod websockets;
