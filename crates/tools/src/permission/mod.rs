//! Who may do what: rules as data, and what the person said before.

mod access;
mod command;
mod decided;
mod folders;
mod grants;
mod permissions;
mod policy;
pub(crate) mod refusal;
mod rule;

pub use self::access::Verdict;
pub(crate) use self::access::{Access, Asks, CommandKind};
pub(crate) use self::folders::WRITERS;
pub(crate) use self::grants::Grants;
pub use self::permissions::Permissions;
pub use self::policy::Policy;
pub use self::rule::Rule;
