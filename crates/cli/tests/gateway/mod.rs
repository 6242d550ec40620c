//! `foveal serve` between clients and a model that plays a script.

mod expand;
mod sdk;
mod secrets;
mod served;
mod soak;
mod terminal;
mod tools;
mod traces;
