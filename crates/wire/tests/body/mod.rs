//! Request bodies with places: the same entries as the readers of whole bodies make, slots that
//! hold what they say, and not a byte changed outside of them.

mod alike;
pub(crate) mod check;
mod generated;
mod messages;
mod sessions;
