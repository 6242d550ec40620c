//! Who may do what: rules as data, and what the person said before.

mod access;
mod command;
mod decided;
mod grants;
mod permissions;
mod policy;
pub(crate) mod refusal;
mod rule;
mod written;

pub use self::access::Verdict;
pub(crate) use self::access::{Access, Asks, CommandKind};
pub(crate) use self::grants::Grants;
pub use self::permissions::Permissions;
pub use self::policy::Policy;
pub use self::rule::Rule;
pub(crate) use self::written::WRITERS;
pub use self::written::{Said, nearest};
