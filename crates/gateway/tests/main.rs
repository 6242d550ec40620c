//! The gateway between clients and upstreams.

mod faults;
#[path = "../examples/replay_http/measure/mod.rs"]
mod measure;
mod passing;
mod refused;
mod replayed;
mod shaped;
mod support;
mod websockets;
