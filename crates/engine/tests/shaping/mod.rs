//! Shaping on arrival: what the model sees of results, rule by rule.

mod inverse;
mod laws;
mod rules;
