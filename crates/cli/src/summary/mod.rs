//! What a replay found, as text or as JSON.

mod data;
pub(crate) mod json;
pub(crate) mod text;
mod warm;

pub(crate) use self::data::{Sort, Summary, sort_sessions};
