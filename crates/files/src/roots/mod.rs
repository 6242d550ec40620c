//! The folders a session works in, and nothing beside them.
//!
//! A root is held as a handle of its folder. A path is resolved by hand, link by link, to a place
//! below a root that goes through no link any more; whatever is done there afterwards opens the
//! folders one below the other from the handle, following no link. So a link put in the way
//! between the look and the use is refused, and `..` cannot climb out.

mod asked;
mod error;
mod located;
mod names;
mod resolve;
mod root;
mod similar;
mod spelled;
mod workspace;

pub use self::error::PathError;
pub(crate) use self::located::reopened;
pub use self::located::{Located, PathKey};
pub use self::names::NameRule;
pub use self::root::Root;
pub(crate) use self::spelled::{spelled, unspelled};
pub use self::workspace::Roots;
