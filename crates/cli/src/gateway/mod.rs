//! The settings of a gateway, from the command line and the user's file.

mod gateway_settings;
mod option_values;
mod parallel_views;

pub(crate) use self::gateway_settings::{
    GatewayRule, GatewaySettings, LISTEN_PORT, PriceRule, build_price_overrides,
};
pub(crate) use self::option_values::{CacheChoice, GatewayProfile, WebSocketChoice};
pub(crate) use self::parallel_views::{ParallelViews, measure_entries};
