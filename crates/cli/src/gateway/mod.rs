//! What a gateway can be told, on a command line or in the user's settings, and where agents find
//! it.

mod choice;
mod given;
mod listener;
mod routes;
mod spread;
mod traces;

pub(crate) use self::choice::{CacheChoice, Profile, WebSocketChoice};
pub(crate) use self::given::{
    BadGiven, GatewayRule, GatewaySettings, Given, LISTEN_PORT, PriceRule, UNPRICED, is_name,
    own_prices,
};
pub(crate) use self::listener::{Listener, local_origin};
pub(crate) use self::routes::{Routes, split_version};
pub(crate) use self::spread::{Spread, weigh};
pub(crate) use self::traces::{Told, Traces, VARIABLES, named_by_variable};
