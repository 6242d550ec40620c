//! Measures and samples, on small examples and as properties.

mod curators;
mod figures;
mod gold;
mod reads;
mod sampling;
