//! Who may do what: rules as data, and what the person said before.

mod access;
mod command;
mod grants;
mod permissions;
mod policy;
mod rule;

pub use self::access::{Access, Asks, CommandKind, Verdict};
pub use self::grants::Grants;
pub(crate) use self::permissions::Permissions;
pub use self::policy::Policy;
pub use self::rule::Rule;
