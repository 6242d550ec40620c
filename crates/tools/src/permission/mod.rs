//! Permissions: rules as data, and the grants of the user.

mod access;
mod command_rules;
mod decision;
mod grants;
mod permissions;
mod policy;
pub(crate) mod refusal;
mod rule;
mod write_rules;

pub use self::access::Verdict;
pub(crate) use self::access::{Access, CommandKind, PermissionRequest};
pub(crate) use self::grants::Grants;
pub use self::permissions::Permissions;
pub use self::policy::PermissionPolicy;
pub use self::rule::PermissionRule;
pub(crate) use self::write_rules::WRITE_TOOLS;
pub use self::write_rules::{WriteDecision, nearest_decision};
