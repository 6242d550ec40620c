//! The gateway between clients and upstreams.

mod compressing;
mod faults;
mod litellm;
#[path = "../examples/replay_http/measure/mod.rs"]
mod measure;
mod passing;
mod refused;
mod replayed;
mod shaped;
mod support;
mod websockets;
