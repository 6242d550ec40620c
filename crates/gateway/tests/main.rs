//! The gateway between clients and upstreams.

mod apart;
mod chosen;
mod compressing;
mod doors;
mod faults;
mod keeping;
mod keys;
mod litellm;
#[path = "../examples/replay_http/measure/mod.rs"]
mod measure;
mod passing;
mod refused;
mod replayed;
mod shaped;
mod support;
mod warm;
mod websockets;
