//! What stands for a file that was read long ago: the entities that matter most, each with
//! its signature, and what they have to do with each other and with other files.
//!
//! What the conversation touched (named, told by line) comes first, then what is public. As
//! much is shown as a number of tokens allows; all else is named by range.

mod related;
mod summarise;
mod touched;

pub(crate) use self::related::relations_of;
pub(crate) use self::summarise::summarise;
pub use self::summarise::{Related, Summary, summarise_for_history};
pub(crate) use self::touched::{Named, Touched};
