//! Request bodies with places: the same entries as the readers of whole bodies make, slots that
//! hold what they say, and not a byte changed outside of them.

mod alike;
mod check;
mod messages;
