//! `foveal serve` between clients and a model that plays a script.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod arena;
mod proxies;
mod results;
mod sdk;
mod secrets;
mod served;
mod soak;
mod terminal;
mod traces;
