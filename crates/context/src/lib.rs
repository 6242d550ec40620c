//! The pure heart of foveal: what a model gets to see of a conversation.
//!
//! Nothing here knows a clock, a file, an environment variable or a network. The
//! [`transcript`] is what happened; a projection is what the model is sent in its place.

pub mod budget;
pub mod effects;
pub mod handle;
pub mod lines;
pub mod placement;
pub mod prices;
pub mod shape;
pub mod timeline;
pub mod tokens;
pub mod transcript;
