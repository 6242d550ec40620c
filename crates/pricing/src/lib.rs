//! The cost of model requests: token counts, price cards, bills, and when keeping a cached prompt
//! alive pays.
//!
//! The crate is pure: it reads no clock, file, environment variable or network.

pub mod bill;
pub mod keep_alive;
pub mod prices;
pub mod tokens;
