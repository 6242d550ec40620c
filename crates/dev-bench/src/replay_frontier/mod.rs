//! Cost against evidence of replays under different settings.

pub(crate) mod baseline_views;
pub(crate) mod cost_row;
pub(crate) mod settings;
