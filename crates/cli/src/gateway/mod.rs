//! The settings of a gateway, from the command line and the user's file, and its addresses for
//! agents.

mod address_map;
mod gateway_settings;
mod listening_program;
mod option_values;
mod parallel_views;

pub(crate) use self::address_map::{GatewayAddressMap, split_version};
pub(crate) use self::gateway_settings::{
    GatewayRule, GatewaySettings, LISTEN_PORT, PriceRule, UpstreamConfig, UpstreamConfigError,
    build_price_overrides, is_upstream_name,
};
pub(crate) use self::listening_program::{ListeningProgram, local_origin};
pub(crate) use self::option_values::{CacheChoice, GatewayProfile, WebSocketChoice};
pub(crate) use self::parallel_views::{ParallelViews, measure_entries};
