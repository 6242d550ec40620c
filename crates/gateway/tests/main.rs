//! The gateway between clients and upstreams.

mod faults;
mod passing;
mod refused;
mod shaped;
mod support;
mod websockets;
