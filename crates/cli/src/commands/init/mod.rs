//! `foveal init`: sets up agents on this machine to start the tools.

mod command;
mod gateway_address;
mod text;

pub(crate) use self::command::{InitArguments, run};
pub(crate) use self::gateway_address::{find_gateways, gateway_routes, passes_websockets};
